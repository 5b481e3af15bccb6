import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

/** What may die, and how an operator starts it again. */
export const victims = {
  admission: ['admission'],
  'run-executor': ['run-executor'],
  hil: ['hil'],
  'effect-ledger': ['effect-ledger'],
  'effect-ledger-receipt-query': ['effect-ledger', '--role', 'receipt-query'],
  publication: ['publication'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type Victim = keyof typeof victims;
export const victimNames = Object.keys(victims) as Victim[];

const folder = (): string => join(process.env['FAIRLEAD_HOME'] ?? '', 'run');

/** By the pid in its file; throws when it is not there. */
export const kill = (name: Victim): void => {
  process.kill(Number(readFileSync(join(folder(), `${name}.pid`), 'utf8')), 'SIGKILL');
};

export const restart = (name: Victim): void => {
  const log = openSync(join(folder(), `${name}.log`), 'a');
  // The stack ends it by its pid file like the rest.
  spawn(process.execPath, [join(root, 'bin/fairlead.mjs'), 'service', ...victims[name]], {
    stdio: ['ignore', log, log],
    env: process.env,
    detached: true,
  }).unref();
  closeSync(log);
};
