import { Agent } from 'node:http';
import { localToken } from '../../services/cli/remote';
import { call } from './http-call';
import { openLoop, percentile, rounded } from './load';

export interface ReceiptTimes {
  readonly messages: number;
  readonly perSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Messages at a rate, over HTTP, until each has its receipt. None of them starts a run: what is measured is admission. */
export const receipts = async (perSec: number, messages: number): Promise<ReceiptTimes> => {
  const admission = process.env['ADMISSION_URL'] ?? '';
  const token = await localToken({ account: 'bench', roles: [], app: 'local', tenant: 'local' });
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const stamp = Date.now().toString(36);
  const times = await openLoop(perSec, messages, async (n) => {
    const id = `${stamp}-${n}`;
    const body = {
      clientMessageId: id,
      content: 'after something that never was',
      relation: 'new_task',
      dependsOnRunId: 'run_none',
    };
    const url = `${admission}/v1/conversations/receipts-${id}/messages`;
    const { status } = await call(agent, 'POST', url, token, body, 'wait=0');
    if (status !== 202) throw new Error(`admission answered ${status}`);
  });
  agent.destroy();
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number): number => rounded(percentile(sorted, share), 1);
  return { messages, perSec, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
};
