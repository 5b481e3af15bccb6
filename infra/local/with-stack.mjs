// Runs a program of ours on the stack of FAIRLEAD_HOME: what is missing is started before and ended after.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './node-modules.mjs';
import { plainError, reportError } from './plain-error.mjs';
import { home as homeOf, repoRoot } from './ports.mjs';
import { allRunning } from './processes.mjs';
import { createSession } from './session.mjs';
import { down, up } from './stack.mjs';
import { interruptible } from './signals.mjs';

const runProgram = (main, args, env, onStart) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--enable-source-maps', main, ...args], { env, stdio: 'inherit' });
    onStart(child);
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });

export const withStack = async (program) => {
  const home = homeOf();
  const session = createSession(home);
  const main = join(repoRoot(), 'dist', program);
  let child;
  // When nothing was there before, whatever the program restarts in between is ended too.
  const wasEmpty = allRunning(home).length === 0;
  const cleanUp = async () => {
    child?.kill('SIGTERM');
    await session.stop();
    if (wasEmpty) await down();
  };
  try {
    const code = await interruptible(async () => {
      await prepare();
      if (!existsSync(main)) throw plainError(`dist/${program} is missing`);
      console.error('starting what is missing of the local stack');
      const stack = await up({ session });
      return runProgram(main, process.argv.slice(2), stack.env, (started) => (child = started));
    }, cleanUp);
    await cleanUp();
    process.exit(code);
  } catch (error) {
    reportError(error);
    await cleanUp();
    process.exit(1);
  }
};
