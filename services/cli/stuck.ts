import type { Command } from 'commander';
import { fromAll, operatorRoles, serviceNamed } from './all-services';
import { connect } from './remote';
import { ago, fields, plain, print, printJson, table } from './show';

interface DeadLetter {
  readonly service: string;
  readonly id: string;
  readonly topic: string;
  readonly code: string;
  readonly message: string;
  readonly at: string;
  readonly attempts: number;
  readonly redriveCount: number;
  readonly key: string | null;
  readonly preview: string | null;
}
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

const deadLetters = (program: Command): void => {
  const dlt = program.command('dlt').description('dead letters: records that could not be handled');
  dlt
    .command('list')
    .description('what waits in the dead letters of all services')
    .option('--code <code>')
    .option('--json', 'for machines')
    .action(async ({ code, json }: Json & { code?: string }) => {
      const rows = await fromAll<DeadLetter>(
        `/dead-letters?limit=500${code === undefined ? '' : `&code=${encodeURIComponent(code)}`}`,
      );
      if (json === true) return printJson(rows);
      table(
        rows,
        [
          ['service', (row) => row.service],
          ['id', (row) => row.id],
          ['code', (row) => row.code],
          ['at', (row) => ago(row.at)],
          ['redriven', (row) => String(row.redriveCount)],
          ['reason', (row) => row.message],
        ],
        'no dead letters',
      );
    });
  dlt
    .command('show')
    .description('one dead letter with its reason and the beginning of its bytes')
    .argument('<id>', 'topic:partition:offset')
    .option('--json', 'for machines')
    .action(async (id: string, { json }: Json) => {
      const found = (await fromAll<DeadLetter>('/dead-letters?limit=500')).filter((row) => row.id === id);
      if (found.length === 0) throw new Error(`no dead letter ${id} waits: npx fairlead dlt list`);
      if (json === true) return printJson(found.length === 1 ? found[0] : found);
      for (const row of found) {
        fields([
          ['service', row.service],
          ['id', row.id],
          ['code', row.code],
          ['reason', row.message],
          ['since', row.at],
          ['attempts', row.attempts],
          ['redriven', row.redriveCount],
          ['key', row.key],
        ]);
        print(`\n${plain(row.preview)}`);
      }
    });
  dlt
    .command('redrive')
    .description('put a dead letter, or all of a code, through their own consumer again')
    .argument('<service>', ofService)
    .argument('[id]', 'topic:partition:offset; without it all that match')
    .option('--code <code>', 'without an id: only those of this code')
    .option('--dry-run', 'without an id: only count')
    .option('--per-sec <n>', 'without an id: no faster than this')
    .option('--json', 'for machines')
    .action(
      async (
        service: string,
        id: string | undefined,
        options: Json & { code?: string; dryRun?: boolean; perSec?: string },
      ) => {
        const base = `/v1/ops/${serviceNamed(service)}/dead-letters`;
        const remote = connect(operatorRoles);
        if (id !== undefined) {
          const { body } = await remote.post<{ state: string; message: string | null }>(
            `${base}/${encodeURIComponent(id)}/redrive`,
          );
          if (options.json === true) printJson(body);
          else print(body.state === 'redriven' ? 'handled now' : `still dead: ${plain(body.message)}`);
          if (body.state !== 'redriven') process.exitCode = 1;
          return;
        }
        const { body } = await remote.post<{ matched: number; redriven: number; failed: number }>(`${base}/redrive`, {
          ...(options.code === undefined ? {} : { code: options.code }),
          ...(options.perSec === undefined ? {} : { perSec: Number(options.perSec) }),
          dryRun: options.dryRun === true,
        });
        if (options.json === true) printJson(body);
        else if (options.dryRun === true) print(`${body.matched} match`);
        else print(`${body.redriven} of ${body.matched} handled now, ${body.failed} still dead`);
        if (body.failed > 0) process.exitCode = 1;
      },
    );
  dlt
    .command('skip')
    .description('leave a dead letter out for good; the reason is kept')
    .argument('<service>', ofService)
    .argument('<id>', 'topic:partition:offset')
    .requiredOption('--reason <text>')
    .option('--json', 'for machines')
    .action(async (service: string, id: string, { reason, json }: Json & { reason: string }) => {
      const { body } = await connect(operatorRoles).post(
        `/v1/ops/${serviceNamed(service)}/dead-letters/${encodeURIComponent(id)}/skip`,
        { reason },
      );
      if (json === true) printJson(body);
      else print('skipped');
    });
};

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
  deadLetters(program);
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
