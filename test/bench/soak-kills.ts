import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = join(__dirname, '../../..');

/** What dies, and how an operator starts it again. */
const victims: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: 'admission', args: ['admission'] },
  { name: 'run-executor', args: ['run-executor'] },
  { name: 'hil', args: ['hil'] },
  { name: 'effect-ledger', args: ['effect-ledger'] },
  { name: 'effect-ledger-receipt-query', args: ['effect-ledger', '--role', 'receipt-query'] },
  { name: 'publication', args: ['publication'] },
];
const deadForMs = 300;

/** Kills one service after the other, by the pid in its file, and starts it again a moment later. */
export const startKiller = (
  random: () => number,
  everyMs: number,
  say: (text: string) => void,
): { readonly stop: () => Promise<number> } => {
  const folder = join(process.env['FAIRLEAD_HOME'] ?? '', 'run');
  let stopped = false;
  let kills = 0;

  const restart = (name: string, args: readonly string[]): void => {
    const log = openSync(join(folder, `${name}.log`), 'a');
    // The stack ends it by its pid file like the rest.
    spawn(process.execPath, [join(root, 'bin/fairlead.mjs'), 'service', ...args], {
      stdio: ['ignore', log, log],
      env: process.env,
      detached: true,
    }).unref();
    closeSync(log);
  };

  const loop = async (): Promise<void> => {
    while (!stopped) {
      await pause(everyMs * (0.5 + random()));
      if (stopped) return;
      const victim = victims[Math.floor(random() * victims.length)];
      if (victim === undefined) continue;
      try {
        process.kill(Number(readFileSync(join(folder, `${victim.name}.pid`), 'utf8')), 'SIGKILL');
        kills += 1;
      } catch {
        say(`${victim.name} was not there to be killed`);
      }
      await pause(deadForMs);
      restart(victim.name, victim.args);
    }
  };
  const running = loop();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return kills;
    },
  };
};
