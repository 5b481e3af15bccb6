// npm start: brings the stack up and stays until Ctrl-C; with --detach it returns when everything is ready.
import { home } from './ports.mjs';
import { prepare } from './node-modules.mjs';
import { reportError } from './plain-error.mjs';
import { createSession } from './session.mjs';
import { addresses, up } from './stack.mjs';
import { interruptible } from './signals.mjs';

const detach = process.argv.includes('--detach');

/** Nothing is restarted; one line says what ended, and when nothing is left there is nothing to stay for. */
const untilAllEnded = (session) =>
  Promise.all(
    session.started.map(async ({ name, exited }) => {
      const how = await exited;
      if (!session.stopping) console.error(`${name} ${how}`);
    }),
  );

const start = async (session) => {
  const startedAt = performance.now();
  await prepare();
  await up({ session });
  for (const line of addresses()) console.log(line);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (session.started.length === 0) console.log('everything was running already');
  else console.log(`ready in ${seconds} s; ${detach ? 'npm stop stops it' : 'Ctrl-C stops it'}`);
};

/** The unreferenced children alone would not keep this process alive. */
const stay = async (session) => {
  const keepAlive = setInterval(() => undefined, 60_000);
  await untilAllEnded(session);
  clearInterval(keepAlive);
};

try {
  const session = createSession(home());
  await interruptible(
    async () => {
      await start(session);
      if (!detach) await stay(session);
    },
    async () => {
      console.error('stopping');
      await session.stop();
    },
  );
  process.exit();
} catch (error) {
  reportError(error);
  process.exit();
}
