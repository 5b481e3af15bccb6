import Table from 'cli-table3';
import { serviceNames } from '../../services/platform/migrate';
import { metric, ops } from './api';

const does: Record<(typeof serviceNames)[number], string> = {
  admission: 'identity, receipts, which path a message takes',
  'run-executor': 'versions, sealed turns, leases, the report gate',
  hil: 'questions, approvals, who answered what and when',
  'effect-ledger': 'what really happened outside, once',
  publication: 'report bytes, the current pointer, live streams',
};

/** What each service counted while the story was told. */
export const summary = async (): Promise<void> => {
  const table = new Table({
    head: ['service', 'keeps', 'messages', 'commits', 'dead letters'],
    style: { head: [], border: [] },
  });
  for (const service of serviceNames) {
    const dead = (await ops<{ items: unknown[] }>(service, '/dead-letters')).items.length;
    table.push([
      service,
      does[service],
      await metric(service, 'fairlead_batch_items_sum'),
      await metric(service, 'fairlead_batch_items_count'),
      dead,
    ]);
  }
  console.log(table.toString());
};
