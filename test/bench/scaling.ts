import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Result } from './result';
import { victims, type Victim } from './victims';

const root = join(__dirname, '../../..');
const readyMs = 60_000;
/** A group that has a new member needs this long until its partitions are dealt out and read again. */
const settleMs = 5_000;

/** Starts one more instance of a service, which the stack ends by its pid file, and waits until it is ready. */
const startInstance = async (service: Victim, instance: number): Promise<void> => {
  const folder = join(process.env['FAIRLEAD_HOME'] ?? '', 'run');
  const name = `${service}-${instance}`;
  const log = openSync(join(folder, `${name}.log`), 'a');
  const args = ['service', ...victims[service], '--instance', String(instance)];
  spawn(process.execPath, [join(root, 'bin/fairlead.mjs'), ...args], {
    stdio: ['ignore', log, log],
    env: process.env,
    detached: true,
  }).unref();
  closeSync(log);
  const until = Date.now() + readyMs;
  for (;;) {
    try {
      const port = Number(readFileSync(join(folder, `${name}.port`), 'utf8'));
      if ((await fetch(`http://127.0.0.1:${port}/readyz`)).ok) break;
    } catch {
      // Not there yet.
    }
    if (Date.now() > until) throw new Error(`${name} is not ready after ${readyMs} ms`);
    await pause(200);
  }
  await pause(settleMs);
};

/** The same load with 1, 2 and 4 instances of a service. */
export const scaled = async (
  service: Victim,
  measure: () => Promise<Result>,
): Promise<(Result & { readonly instances: number })[]> => {
  const results: (Result & { readonly instances: number })[] = [];
  for (let instances = 1; instances <= 4; instances *= 2) {
    for (let n = Math.floor(instances / 2) + 1; n <= instances && n > 1; n += 1) await startInstance(service, n);
    results.push({ ...(await measure()), instances });
  }
  return results;
};
