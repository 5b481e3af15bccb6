// Prints the environment of the running stack for a shell: eval "$(node infra/local/env.mjs)"
import { reportError } from './plain-error.mjs';
import { joinStack } from './stack.mjs';

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

try {
  const { env } = joinStack();
  for (const [name, value] of Object.entries(env)) {
    if (process.env[name] !== value) console.log(`export ${name}=${quoted(value)}`);
  }
} catch (error) {
  reportError(error);
}
