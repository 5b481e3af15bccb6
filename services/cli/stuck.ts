import type { Command } from 'commander';
import { fromAll, operatorRoles, serviceNamed } from './all-services';
import { connect } from './remote';
import { ago, print, printJson, table } from './show';

interface Blocked {
  readonly service: string;
  readonly key: string;
  readonly topic: string;
  readonly recordKey: string | null;
  readonly message: string;
  readonly at: string;
  readonly waiting: number;
}
interface Incident {
  readonly service: string;
  readonly id: string;
  readonly kind: string;
  readonly ref: string;
  readonly reason: string;
  readonly actions: readonly string[];
  readonly openedAt: string;
  readonly acknowledgedAt: string | null;
  readonly closedAt: string | null;
}

type Json = { readonly json?: boolean };

const ofService = 'the service whose it is';

const outbox = (program: Command): void => {
  const command = program.command('outbox').description('records that a service could not send');
  command
    .command('blocked')
    .description('keys that stand still, of all services')
    .option('--json', 'for machines')
    .action(async ({ json }: Json) => {
      const rows = await fromAll<Blocked>('/outbox/blocked?limit=500');
      if (json === true) return printJson(rows);
      table(
        rows,
        [
          ['service', (row) => row.service],
          ['key', (row) => row.key],
          ['topic', (row) => row.topic],
          ['of', (row) => row.recordKey ?? '–'],
          ['since', (row) => ago(row.at)],
          ['behind it', (row) => String(row.waiting)],
          ['reason', (row) => row.message],
        ],
        'nothing is blocked',
      );
    });
  command
    .command('retry')
    .description('try to send it again; what waits behind it follows')
    .argument('<service>', ofService)
    .argument('<key>')
    .option('--json', 'for machines')
    .action(async (service: string, key: string, { json }: Json) => {
      const { body } = await connect(operatorRoles).post(
        `/v1/ops/${serviceNamed(service)}/outbox/${encodeURIComponent(key)}/retry`,
      );
      if (json === true) printJson(body);
      else print('will be tried again');
    });
  command
    .command('skip')
    .description('never send it, and send what waits behind it; the reason is kept')
    .argument('<service>', ofService)
    .argument('<key>')
    .requiredOption('--reason <text>')
    .option('--json', 'for machines')
    .action(async (service: string, key: string, { reason, json }: Json & { reason: string }) => {
      const { body } = await connect(operatorRoles).post(
        `/v1/ops/${serviceNamed(service)}/outbox/${encodeURIComponent(key)}/skip`,
        { reason },
      );
      if (json === true) printJson(body);
      else print('skipped');
    });
};

export const stuckCommands = (program: Command): void => {
  outbox(program);
  program
    .command('incidents')
    .description('what somebody should look at, with what can be done')
    .option('--all', 'closed ones too')
    .option('--json', 'for machines')
    .action(async ({ all, json }: Json & { all?: boolean }) => {
      const rows = (await fromAll<Incident>('/incidents?limit=500')).filter(
        (row) => all === true || row.closedAt === null,
      );
      if (json === true) return printJson(rows);
      table(
        rows,
        [
          ['service', (row) => row.service],
          ['kind', (row) => row.kind],
          ['of', (row) => row.ref],
          ['opened', (row) => ago(row.openedAt)],
          ['looked after', (row) => ago(row.acknowledgedAt)],
          ['reason', (row) => row.reason],
          ['can be done', (row) => row.actions.join('; ')],
        ],
        'no open incidents',
      );
    });
};
