// npm stop: ends everything of this FAIRLEAD_HOME.
import { reportError } from './plain-error.mjs';
import { down } from './stack.mjs';

try {
  const ended = await down();
  for (const { name, pid, forced } of ended) console.log(`${name} (${pid}) ${forced ? 'killed' : 'stopped'}`);
  if (ended.length === 0) console.log('nothing was running');
} catch (error) {
  reportError(error);
}
