import type { Command } from 'commander';
import { operatorRoles } from './all-services';
import { connect } from './remote';
import { printJson, table } from './show';

interface Quota {
  readonly tenant: string;
  readonly messagesPerDay: number;
  readonly day: string;
  readonly messages: number;
  readonly left: number;
  readonly endsAt: string;
}

export const quotasCommand = (program: Command): void => {
  program
    .command('quotas')
    .description("what tenants have used of the day's quotas")
    .option('--json', 'for machines')
    .action(async ({ json }: { json?: boolean }) => {
      const { items } = await connect(operatorRoles).get<{ items: readonly Quota[] }>('/v1/ops/admission/quotas');
      if (json === true) return printJson(items);
      table(
        items,
        [
          ['tenant', (row) => row.tenant],
          ['a day', (row) => String(row.messagesPerDay)],
          ['used', (row) => String(row.messages)],
          ['left', (row) => String(row.left)],
          ['until', (row) => row.endsAt],
        ],
        'no tenant has a quota',
      );
    });
};
