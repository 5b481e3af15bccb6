import { Agent, request } from 'node:http';
import { localToken } from '../../services/cli/remote';

export interface ReceiptTimes {
  readonly messages: number;
  readonly perSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const answerMs = 30_000;

/**
 * Open loop: each message has its time, and its latency counts from then, so that a stall is not hidden by what it kept
 * from being sent. None of them starts a run: what is measured is admission.
 */
export const receipts = async (perSec: number, messages: number): Promise<ReceiptTimes> => {
  const url = process.env['ADMISSION_URL'] ?? '';
  const token = await localToken({ account: 'bench', roles: [], app: 'local', tenant: 'local' });
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const stamp = Date.now().toString(36);
  const times: number[] = [];

  const send = (n: number, dueAt: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const id = `${stamp}-${n}`;
      const body = JSON.stringify({
        clientMessageId: id,
        content: 'after something that never was',
        relation: 'new_task',
        dependsOnRunId: 'run_none',
      });
      const sent = request(
        `${url}/v1/conversations/receipts-${id}/messages`,
        {
          method: 'POST',
          agent,
          timeout: answerMs,
          headers: {
            authorization: `Bearer ${token}`,
            prefer: 'wait=0',
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
        },
        (response) => {
          response.resume();
          response.on('end', () => {
            if (response.statusCode !== 202) return reject(new Error(`admission answered ${response.statusCode}`));
            times.push(performance.now() - dueAt);
            resolve();
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });

  const started = performance.now();
  const all: Promise<void>[] = [];
  for (let n = 0; n < messages; n += 1) {
    const dueAt = started + (n * 1_000) / perSec;
    const waitMs = dueAt - performance.now();
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
    all.push(send(n, dueAt));
  }
  await Promise.all(all);
  agent.destroy();
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number): number => Number((sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1));
  return { messages, perSec, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
};
