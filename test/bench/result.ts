import Table from 'cli-table3';
import { percentile, rounded } from './load';
import { usage } from './processes';

/** One line of `results`. Fields after `effectsPerKey` are there where the workload has them. */
export interface Result {
  readonly workload: string;
  readonly channel: 'http' | 'kafka';
  /** In an open loop, the most that were waiting at once is not known; it is 0 there. */
  readonly inFlight: number;
  readonly ratePerSec?: number;
  readonly messages: number;
  readonly runsPerSec: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly cpuSecPer1000: Readonly<Record<string, number>>;
  readonly memoryMiB: Readonly<Record<string, number>>;
  readonly effectsPerKey: Readonly<Record<string, number>>;
  /** Of several repeats, the least and the most; the other figures are those of the repeat in the middle. */
  readonly spread?: { readonly runsPerSec: readonly [number, number]; readonly p50Ms: readonly [number, number] };
  /** Of the service that was started several times. */
  readonly instances?: number;
  /** Rows of all services together when the measurement began. */
  readonly storedRows?: number;
  /** crash: who was killed, and ms from the kill until every run that was then in flight had its report. */
  readonly killed?: string;
  readonly recoverMs?: number;
  /** human-wait: from sending an answer until it is stored, and from then until the turn that carries it began. */
  readonly answerStoredP50Ms?: number;
  readonly answerStoredP99Ms?: number;
  readonly answerToTurnP50Ms?: number;
}

export interface Measured {
  readonly times: readonly number[];
  readonly seconds: number;
  readonly cpuSecPer1000: Readonly<Record<string, number>>;
  readonly memoryMiB: Readonly<Record<string, number>>;
}

const withTotal = (entries: readonly (readonly [string, number])[]): Record<string, number> => ({
  total: rounded(entries.reduce((sum, [, value]) => sum + value, 0)),
  ...Object.fromEntries(entries),
});

/** Runs the load and looks at the processes of the stack before and after. */
export const measured = async (messages: number, load: () => Promise<readonly number[]>): Promise<Measured> => {
  const home = process.env['FAIRLEAD_HOME'] ?? '';
  const before = usage(home);
  const started = performance.now();
  const times = [...(await load())].sort((a, b) => a - b);
  const seconds = (performance.now() - started) / 1_000;
  const after = [...usage(home)];
  return {
    times,
    seconds,
    // A process that was killed and started again counts from zero: what its predecessor used is not known any more.
    cpuSecPer1000: withTotal(
      after.map(([name, { cpuSec }]) => {
        const was = before.get(name)?.cpuSec ?? 0;
        return [name, rounded(((cpuSec < was ? cpuSec : cpuSec - was) / messages) * 1_000, 3)] as const;
      }),
    ),
    memoryMiB: withTotal(after.map(([name, { memoryMiB }]) => [name, Math.round(memoryMiB)] as const)),
  };
};

export const figures = (messages: number, { times, seconds, cpuSecPer1000, memoryMiB }: Measured) => ({
  messages,
  runsPerSec: rounded(messages / seconds, 1),
  p50Ms: rounded(percentile(times, 0.5)),
  p95Ms: rounded(percentile(times, 0.95)),
  p99Ms: rounded(percentile(times, 0.99)),
  cpuSecPer1000,
  memoryMiB,
});

/** The repeat in the middle by speed, with how far the others were from it. */
export const median = (repeats: readonly Result[]): Result => {
  const sorted = [...repeats].sort((a, b) => a.runsPerSec - b.runsPerSec);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)] as Result;
  if (sorted.length === 1) return middle;
  const range = (of: (one: Result) => number): [number, number] => {
    const values = sorted.map(of);
    return [Math.min(...values), Math.max(...values)];
  };
  return { ...middle, spread: { runsPerSec: range((one) => one.runsPerSec), p50Ms: range((one) => one.p50Ms) } };
};

export const sameWork = (one: Result, other: Result): boolean =>
  one.workload === other.workload &&
  one.channel === other.channel &&
  one.inFlight === other.inFlight &&
  one.ratePerSec === other.ratePerSec &&
  one.killed === other.killed &&
  one.instances === other.instances &&
  one.storedRows === other.storedRows;

const more = (one: Result): string =>
  [
    one.spread === undefined ? '' : `runs/s ${one.spread.runsPerSec.join(' to ')}`,
    one.instances === undefined ? '' : `${one.instances} instances`,
    one.storedRows === undefined ? '' : `beside ${one.storedRows} rows`,
    one.killed === undefined ? '' : `${one.killed} killed, all done ${one.recoverMs} ms later`,
    one.answerStoredP50Ms === undefined
      ? ''
      : `answer stored p50 ${one.answerStoredP50Ms}, p99 ${one.answerStoredP99Ms}; to its turn p50 ${one.answerToTurnP50Ms} ms`,
  ]
    .filter((text) => text !== '')
    .join('; ');

export const show = (results: readonly Result[], baseline: readonly Result[]): string => {
  const table = new Table({
    head: [
      'workload',
      'channel',
      'load',
      'runs/s',
      'p50 ms',
      'p95 ms',
      'p99 ms',
      'CPU s per 1000',
      'MiB',
      'per key',
      '',
    ],
    style: { head: [], border: [] },
  });
  for (const one of results) {
    const was = baseline.find((other) => sameWork(one, other));
    const beside = (now: number, then: number | undefined): string =>
      then === undefined ? String(now) : `${now} (was ${then})`;
    table.push([
      one.workload,
      one.channel,
      one.ratePerSec === undefined ? `${one.inFlight} in flight` : `${one.ratePerSec}/s`,
      beside(one.runsPerSec, was?.runsPerSec),
      beside(one.p50Ms, was?.p50Ms),
      one.p95Ms,
      beside(one.p99Ms, was?.p99Ms),
      beside(one.cpuSecPer1000['total'] ?? 0, was?.cpuSecPer1000['total']),
      one.memoryMiB['total'] ?? 0,
      JSON.stringify(one.effectsPerKey),
      more(one),
    ]);
  }
  return table.toString();
};
