import type { Command } from 'commander';
import { connect } from './remote';
import { ago, print, printJson, table } from './show';
import { serviceNames } from '../platform/migrate';
import { audit } from './audit';
import { examine } from './doctor';
import { doctorConnector } from './settle';

interface LagItem {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly lag: number;
  readonly timeLagSeconds: number;
}
interface DeadLetter {
  readonly id: string;
  readonly code: string;
  readonly message: string;
  readonly at: string;
  readonly attempts: number;
  readonly redriveCount: number;
}

const roles = ['platform-operator', 'operator'];

/** The same list of every service, with the service's name on each row. */
const fromAll = async <T>(path: string): Promise<(T & { readonly service: string })[]> => {
  const remote = connect(roles);
  const lists = await Promise.all(
    serviceNames.map(async (service) =>
      (await remote.get<{ items: T[] }>(`/v1/ops/${service}${path}`)).items.map((item) => ({ ...item, service })),
    ),
  );
  return lists.flat();
};

export const operateCommands = (program: Command): void => {
  program
    .command('lag')
    .description('consumer lag by group and topic, in records and seconds')
    .option('--json', 'for machines')
    .action(async (options: { json?: boolean }) => {
      const rows = await fromAll<LagItem>('/lag');
      if (options.json === true) return printJson(rows);
      const groups = new Map<string, { group: string; topic: string; lag: number; seconds: number }>();
      for (const row of rows) {
        const key = `${row.group} ${row.topic}`;
        const known = groups.get(key) ?? { group: row.group, topic: row.topic, lag: 0, seconds: 0 };
        groups.set(key, { ...known, lag: known.lag + row.lag, seconds: Math.max(known.seconds, row.timeLagSeconds) });
      }
      table(
        [...groups.values()],
        [
          ['group', (row) => row.group],
          ['topic', (row) => row.topic],
          ['records', (row) => String(row.lag)],
          ['seconds', (row) => row.seconds.toFixed(1)],
        ],
        'no consumer has a partition yet',
      );
    });

  const dlt = program.command('dlt').description('dead letters: records that could not be handled');
  dlt
    .command('list')
    .option('--code <code>')
    .option('--json', 'for machines')
    .action(async (options: { code?: string; json?: boolean }) => {
      const rows = await fromAll<DeadLetter>(
        `/dead-letters${options.code === undefined ? '' : `?code=${encodeURIComponent(options.code)}`}`,
      );
      if (options.json === true) return printJson(rows);
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
    .command('redrive')
    .description('put a dead letter through its own consumer again')
    .argument('<service>', serviceNames.join(' | '))
    .argument('<id>')
    .option('--json', 'for machines')
    .action(async (service: string, id: string, options: { json?: boolean }) => {
      const { body } = await connect(roles).post<{ state: string; message: string | null }>(
        `/v1/ops/${service}/dead-letters/${encodeURIComponent(id)}/redrive`,
      );
      if (options.json === true) printJson(body);
      else print(body.state === 'redriven' ? 'handled now' : `still dead: ${body.message ?? ''}`);
      if (body.state !== 'redriven') process.exitCode = 1;
    });

  const doctor = program
    .command('doctor')
    .description('checks the installation and says what to do')
    .option('--audit', 'counts what the services hold against what they told each other; wants a quiet stack')
    .option('--json', 'for machines')
    .action(async (options: { audit?: boolean; json?: boolean }) => {
      const findings = await (options.audit === true ? audit() : examine());
      if (options.json === true) printJson(findings);
      else
        for (const finding of findings)
          print(
            `${finding.ok ? 'ok  ' : 'BAD '} ${finding.what}${finding.ok ? '' : `: ${finding.found}\n     ${finding.advice}`}`,
          );
      if (findings.some((finding) => !finding.ok)) process.exitCode = 1;
    });
  doctorConnector(doctor);
};
