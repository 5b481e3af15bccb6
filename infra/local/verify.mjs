// npm run verify: everything that needs no server. With --long the simulation runs many more seeds.
import { endTools, runChecks, runJest } from './checks.mjs';
import { ensureNodeModules } from './node-modules.mjs';
import { reportError } from './plain-error.mjs';
import { interruptible } from './signals.mjs';

const longSeeds = 10_000;

const verify = async () => {
  await ensureNodeModules();
  const failedChecks = await runChecks();
  const env = process.argv.includes('--long') ? { ...process.env, FAIRLEAD_SEEDS: String(longSeeds) } : process.env;
  const { passed, failed } = await runJest(['unit', 'contract', 'simulation'], { env });
  console.log(`${passed} passed, ${failed + failedChecks} failed`);
  if (failed + failedChecks > 0) process.exitCode = 1;
};

try {
  await interruptible(verify, endTools);
  process.exit();
} catch (error) {
  reportError(error);
  process.exit();
}
