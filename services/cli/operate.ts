import type { Command } from 'commander';
import { fromAll } from './all-services';
import { print, printJson, table } from './show';
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
