import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as api from './api';
import { fact, must, until } from './story';

const home = process.env['FAIRLEAD_HOME'] ?? '.fairlead';
const runFile = (name: string): string => join(home, 'run', name);

/** Starts the executor again by hand, the way an operator would. */
const startAgain = (): void => {
  const log = openSync(runFile('run-executor.log'), 'a');
  spawn(process.execPath, [join(__dirname, '..', '..', '..', 'bin', 'fairlead.mjs'), 'service', 'run-executor'], {
    detached: true,
    stdio: ['ignore', log, log],
    env: process.env,
  }).unref();
};

export const crash = async (conversation: string, stamp: string): Promise<void> => {
  const ids = Array.from({ length: 8 }, (_, index) => `crash-${stamp}-${index}`);
  const receipts = await Promise.all(
    ids.map((clientMessageId, index) =>
      api.send(conversation, {
        clientMessageId,
        content: `Compare IBM and AMZN since ${2001 + index}`,
        relation: 'new_task',
        mode: 'parallel',
      }),
    ),
  );
  fact('alice', `${receipts.length} further tasks, side by side`);
  const pid = Number(readFileSync(runFile('run-executor.pid'), 'utf8'));
  process.kill(pid, 'SIGKILL');
  fact('operator', 'kill -9 of the run-executor in the middle of them', `pid ${pid}`);
  startAgain();
  const runs = await until('all of them complete after the restart', async () => {
    const stored = await Promise.all(ids.map((id) => api.receiptOf(conversation, id)));
    if (stored.some((receipt) => receipt.runId === null)) return null;
    const found = await Promise.all(stored.map((receipt) => api.runOf(receipt.runId ?? '')));
    return found.every((run) => run.state === 'completed') && found;
  });
  must(new Set(runs.map((run) => run.runId)).size === ids.length, 'each message has one run of its own');
  const taken = runs.filter((run) => run.leaseEpoch > 1).length;
  fact(
    'run-executor',
    `back again: ${runs.length} messages, ${runs.length} runs, ${runs.length} reports`,
    `${taken} turns went on under a higher lease epoch`,
  );
};
