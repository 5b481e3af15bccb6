import type { Command } from 'commander';
import { fromAll } from './all-services';
import { plain, print, printJson, table } from './show';

export interface LagItem {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly lag: number;
  readonly timeLagSeconds: number;
  readonly progressAgeSeconds: number;
}

export interface LagRow {
  readonly group: string;
  readonly topic: string;
  readonly records: number;
  readonly seconds: number;
  readonly stillSeconds: number;
}

const redrawMs = 2_000;
const clearScreen = '\u001b[H\u001b[2J';

/** By group and topic: records add up, and the worst partition gives each age. */
export const lagRows = (items: readonly LagItem[]): LagRow[] => {
  const groups = new Map<string, LagRow>();
  for (const { group, topic, lag, timeLagSeconds, progressAgeSeconds } of items) {
    const key = `${group} ${topic}`;
    const known = groups.get(key) ?? { group, topic, records: 0, seconds: 0, stillSeconds: 0 };
    groups.set(key, {
      ...known,
      records: known.records + lag,
      seconds: Math.max(known.seconds, timeLagSeconds),
      stillSeconds: Math.max(known.stillSeconds, progressAgeSeconds),
    });
  }
  return [...groups.values()].sort((a, b) => a.group.localeCompare(b.group) || a.topic.localeCompare(b.topic));
};

const draw = (rows: readonly LagRow[]): void =>
  table(
    rows,
    [
      ['group', (row) => row.group],
      ['topic', (row) => row.topic],
      ['records', (row) => String(row.records)],
      ['oldest, s', (row) => row.seconds.toFixed(1)],
      ['no progress, s', (row) => row.stillSeconds.toFixed(1)],
    ],
    'no consumer has a partition yet',
  );

/** Until it is interrupted; a stack that restarts meanwhile is waited for. */
const live = async (): Promise<void> => {
  const stopped = new Promise<'stopped'>((resolve) => {
    process.once('SIGINT', () => resolve('stopped'));
    process.once('SIGTERM', () => resolve('stopped'));
  });
  for (;;) {
    const seen = await Promise.race([
      stopped,
      fromAll<LagItem>('/lag').then(lagRows, (error: unknown) => (error instanceof Error ? error : String(error))),
    ]);
    if (seen === 'stopped') return;
    process.stdout.write(clearScreen);
    print(`${new Date().toISOString()}, again every ${redrawMs / 1_000} s; end with Ctrl-C\n`);
    if (Array.isArray(seen)) draw(seen);
    else print(plain(seen instanceof Error ? seen.message : seen));
    let timer: NodeJS.Timeout | undefined;
    const next = new Promise<'next'>((resolve) => {
      timer = setTimeout(() => resolve('next'), redrawMs);
    });
    const what = await Promise.race([stopped, next]);
    clearTimeout(timer);
    if (what === 'stopped') return;
  }
};

export const lagCommand = (program: Command): void => {
  program
    .command('lag')
    .description('consumer lag by group and topic, in records and seconds; on a terminal it stays and redraws')
    .option('--once', 'once, on a terminal too')
    .option('--json', 'for machines: once, by partition')
    .action(async ({ once, json }: { once?: boolean; json?: boolean }) => {
      if (json !== true && once !== true && process.stdout.isTTY) return live();
      const items = await fromAll<LagItem>('/lag');
      if (json === true) printJson(items);
      else draw(lagRows(items));
    });
};
