import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { parked, takeover, turns } from './executor';
import { openClient, type Client } from './client';
import { absorb } from './ingress';
import { identities } from './identities';
import { usage } from './processes';
import { receipts } from './receipts';
import { startStub, type Stub } from './stub';

const workloads = [
  'admit-run-effect-publish',
  'duplicate',
  'ingress',
  'receipts',
  'turns',
  'takeover',
  'parked',
  'identities',
] as const;
type Workload = (typeof workloads)[number];
/** Runs before anything is measured: compilers, caches and plans of the whole stack settle. */
const warmUpMessages = 3_000;

export interface Result {
  readonly workload: Workload;
  readonly channel: 'http' | 'kafka';
  readonly inFlight: number;
  readonly messages: number;
  readonly runsPerSec: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly cpuSecPer1000: Record<string, number>;
  readonly memoryMiB: Record<string, number>;
  readonly effectsPerKey: Record<string, number>;
}

const { values: options } = parseArgs({
  options: {
    workload: { type: 'string', default: 'admit-run-effect-publish' },
    channel: { type: 'string', default: 'kafka' },
    concurrency: { type: 'string', default: '64' },
    rate: { type: 'string', default: '500' },
    // For a stack with admission alone (FAIRLEAD_ONLY=admission): nobody has a last word there.
    'admission-only': { type: 'boolean', default: false },
    messages: { type: 'string' },
    json: { type: 'boolean', default: false },
    compare: { type: 'string' },
    out: { type: 'string' },
    'warm-up': { type: 'string', default: String(warmUpMessages) },
  },
});

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** Closed loop: `inFlight` callers, each sends its next message when the last one is done. */
const loop = async (inFlight: number, messages: number, work: (n: number) => Promise<void>): Promise<number[]> => {
  const times: number[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(inFlight, messages) }, async () => {
      for (let n = next++; n < messages; n = next++) {
        const started = performance.now();
        await work(n);
        times.push(performance.now() - started);
      }
    }),
  );
  return times;
};

const measure = async (
  client: Client,
  stub: Stub,
  home: string,
  workload: Workload,
  inFlight: number,
  messages: number,
): Promise<Result> => {
  const stamp = Date.now().toString(36);
  stub.reset(0);
  if (workload === 'duplicate') await loop(64, Math.min(messages, 1_000), (n) => client.run(`${stamp}-${n}`));
  const before = usage(home);
  const started = performance.now();
  const times = await loop(inFlight, messages, (n) =>
    workload === 'duplicate' ? client.duplicate(`${stamp}-${n % 1_000}`) : client.run(`${stamp}-${n}`),
  );
  const seconds = (performance.now() - started) / 1_000;
  const after = usage(home);
  const sorted = times.sort((a, b) => a - b);
  const cpu = [...after].map(
    ([name, one]) => [name, rounded(((one.cpuSec - (before.get(name)?.cpuSec ?? 0)) / messages) * 1_000, 3)] as const,
  );
  const memory = [...after].map(([name, one]) => [name, Math.round(one.memoryMiB)] as const);
  const total = (entries: readonly (readonly [string, number])[]): number =>
    rounded(entries.reduce((sum, [, value]) => sum + value, 0));
  return {
    workload,
    channel: options.channel === 'http' || workload === 'duplicate' ? 'http' : 'kafka',
    inFlight,
    messages,
    runsPerSec: rounded(messages / seconds, 1),
    p50Ms: rounded(percentile(sorted, 0.5)),
    p95Ms: rounded(percentile(sorted, 0.95)),
    p99Ms: rounded(percentile(sorted, 0.99)),
    cpuSecPer1000: { total: total(cpu), ...Object.fromEntries(cpu) },
    memoryMiB: { total: total(memory), ...Object.fromEntries(memory) },
    effectsPerKey: stub.perKey(),
  };
};

const show = (results: readonly Result[], baseline: readonly Result[]): void => {
  const table = new Table({
    head: [
      'workload',
      'channel',
      'in flight',
      'runs/s',
      'p50 ms',
      'p95 ms',
      'p99 ms',
      'CPU s per 1000',
      'MiB',
      'effects per key',
    ],
    style: { head: [], border: [] },
  });
  for (const one of results) {
    const was = baseline.find(
      (other) => other.workload === one.workload && other.channel === one.channel && other.inFlight === one.inFlight,
    );
    const beside = (now: number, then: number | undefined): string =>
      then === undefined ? String(now) : `${now} (was ${then})`;
    table.push([
      one.workload,
      one.channel,
      one.inFlight,
      beside(one.runsPerSec, was?.runsPerSec),
      beside(one.p50Ms, was?.p50Ms),
      one.p95Ms,
      beside(one.p99Ms, was?.p99Ms),
      beside(one.cpuSecPer1000['total'] ?? 0, was?.cpuSecPer1000['total']),
      one.memoryMiB['total'] ?? 0,
      JSON.stringify(one.effectsPerKey),
    ]);
  }
  console.log(table.toString());
};

const openLoop = async (perSec: number, messages: number): Promise<void> => {
  await receipts(perSec, Math.min(messages, perSec * 4));
  const result = { workload: 'receipts', channel: 'http', ...(await receipts(perSec, messages)) };
  if (options.json) console.log(JSON.stringify({ results: [result] }, null, 2));
  else console.table([result]);
};

const ingress = async (messages: number): Promise<void> => {
  const untilSettled = !options['admission-only'];
  await absorb(1_000, untilSettled);
  const { admittedSec, settledSec, admitted, settled } = await absorb(messages, untilSettled);
  const result = {
    workload: 'ingress',
    channel: 'kafka',
    messages,
    admitted,
    settled,
    admittedPerSec: Math.round(messages / admittedSec),
    settledPerSec: settledSec === null ? null : Math.round(messages / settledSec),
  };
  if (options.json) console.log(JSON.stringify({ results: [result] }, null, 2));
  else console.table([result]);
};

/** Workloads of one figure each, printed as they are. */
const alone = async (workload: Workload, home: string): Promise<object | null> => {
  const given = options.messages === undefined ? null : Number(options.messages);
  switch (workload) {
    case 'turns':
      return turns(Number(options.concurrency), given ?? 50);
    case 'takeover':
      return takeover(given ?? 1_000);
    case 'parked':
      return parked(given ?? 100_000, home);
    case 'identities':
      return identities(given ?? 1_000_000, Number(options.rate), 5_000, home);
    default:
      return null;
  }
};

const main = async (): Promise<void> => {
  const workload = options.workload as Workload;
  if (!workloads.includes(workload)) throw new Error(`--workload must be one of ${workloads.join(', ')}`);
  if (options.channel !== 'http' && options.channel !== 'kafka') throw new Error('--channel must be http or kafka');
  const home = process.env['FAIRLEAD_HOME'] ?? '';
  if (workload === 'ingress') return ingress(Number(options.messages ?? 10_000));
  if (workload === 'receipts') return openLoop(Number(options.rate), Number(options.messages ?? 10_000));
  const result = await alone(workload, home);
  if (result !== null)
    return options.json ? console.log(JSON.stringify({ results: [result] }, null, 2)) : console.dir(result);
  const stub = await startStub(Number(new URL(process.env['DEMO_REMOTE_URL'] ?? '').port));
  const client = await openClient(options.channel);
  try {
    const say = (text: string): void => void process.stderr.write(`${text}\n`);
    say(`warming up with ${options['warm-up']} runs`);
    await loop(64, Number(options['warm-up']), (n) => client.run(`warm-${process.pid}-${n}`));
    const results: Result[] = [];
    for (const inFlight of options.concurrency.split(',').map(Number)) {
      const messages = Number(options.messages ?? Math.max(200, Math.min(6_000, inFlight * 40)));
      say(`${workload}, ${inFlight} in flight, ${messages} messages`);
      results.push(await measure(client, stub, home, workload, inFlight, messages));
    }
    const baseline =
      options.compare === undefined
        ? []
        : (JSON.parse(readFileSync(options.compare, 'utf8')) as { results: Result[] }).results;
    if (options.out !== undefined) writeFileSync(options.out, `${JSON.stringify({ results }, null, 2)}\n`);
    if (options.json) console.log(JSON.stringify({ results }, null, 2));
    else show(results, baseline);
  } finally {
    await client.close();
    stub.server.close();
    stub.server.closeAllConnections();
  }
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
