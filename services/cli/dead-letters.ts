import type { Command } from 'commander';
import { fromAll, operatorRoles, serviceNamed } from './all-services';
import { serviceNames } from '../platform/migrate';
import { connect, Refused } from './remote';
import { ago, fields, plain, print, printJson, table } from './show';

interface DeadLetter {
  readonly service: string;
  readonly id: string;
  readonly topic: string;
  readonly state: string;
  readonly code: string;
  readonly message: string;
  readonly at: string;
  readonly attempts: number;
  readonly redriveCount: number;
  readonly key: string | null;
  readonly preview: string | null;
}

interface Purged {
  readonly matched: number;
  readonly waiting: number;
  readonly purged: number;
  readonly dryRun: boolean;
}

type Json = { readonly json?: boolean };
type PurgeOptions = Json & {
  readonly reason: string;
  readonly olderThanDays?: string;
  readonly code?: string;
  readonly dryRun?: boolean;
};

const ofService = 'the service whose it is';

export const purgedText = ({ matched, waiting, purged, dryRun }: Purged): string => {
  const matching = `${matched} match, ${waiting} of them still waiting to be handled`;
  if (dryRun) return matching;
  return purged < matched ? `${purged} purged; ${matching}: run it again for the rest` : `${purged} purged`;
};

/** One dead letter wherever it is, whatever became of it. */
const everywhere = async (id: string): Promise<(DeadLetter & { readonly service: string })[]> => {
  const remote = connect(operatorRoles);
  const found = await Promise.all(
    serviceNames.map(async (service) => {
      try {
        return [
          {
            ...(await remote.get<DeadLetter>(`/v1/ops/${service}/dead-letters/${encodeURIComponent(id)}`)),
            service,
          },
        ];
      } catch (error) {
        if (error instanceof Refused && error.status === 404) return [];
        throw error;
      }
    }),
  );
  return found.flat();
};

export const deadLetterCommands = (program: Command): void => {
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
      const found = await everywhere(id);
      if (found.length === 0) throw new Error(`no service has a dead letter ${id}: npx fairlead dlt list`);
      if (json === true) return printJson(found.length === 1 ? found[0] : found);
      for (const row of found) {
        fields([
          ['service', row.service],
          ['id', row.id],
          ['state', row.state],
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
  dlt
    .command('purge')
    .description('delete dead letters with their bytes, for good; who, why and the hash of the bytes are kept')
    .argument('<service>', ofService)
    .argument('[id]', 'topic:partition:offset; without it all of an age, whatever became of them')
    .requiredOption('--reason <text>')
    .option('--older-than-days <n>', 'without an id: only those dead for so long')
    .option('--code <code>', 'without an id: only those of this code')
    .option('--dry-run', 'without an id: only count')
    .option('--json', 'for machines')
    .action(async (service: string, id: string | undefined, options: PurgeOptions) => {
      const base = `/v1/ops/${serviceNamed(service)}/dead-letters`;
      const remote = connect(operatorRoles);
      if (id !== undefined) {
        const { body } = await remote.post(`${base}/${encodeURIComponent(id)}/purge`, { reason: options.reason });
        if (options.json === true) printJson(body);
        else print('purged');
        return;
      }
      if (options.olderThanDays === undefined) throw new Error('name an id, or say --older-than-days');
      const { body } = await remote.post<Purged>(`${base}/purge`, {
        olderThanDays: Number(options.olderThanDays),
        ...(options.code === undefined ? {} : { code: options.code }),
        reason: options.reason,
        dryRun: options.dryRun === true,
      });
      if (options.json === true) printJson(body);
      else print(purgedText(body));
    });
};
