import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openClient, type Channel } from './client';
import { openHistory } from './history';
import { closedLoop } from './load';
import { htmlOf } from './report';
import { median, show, type Result } from './result';
import { scaled } from './scaling';
import { isSingle, single, singles } from './single';
import { openStages, showStages, type Stage } from './stages';
import { startStub } from './stub';
import { victimNames, type Victim } from './victims';
import { crash, duplicates, humanWait, runs, type Bench, type Load } from './workloads';

const workloads = ['admit-run-effect-publish', 'duplicate', 'human-wait', 'crash'] as const;
type Workload = (typeof workloads)[number];
/** Runs before anything is measured: compilers, caches and plans of the whole stack settle. */
const warmUpRuns = 3_000;
const warmUpInFlight = 64;

const { values: options } = parseArgs({
  options: {
    workload: { type: 'string', default: 'admit-run-effect-publish' },
    channel: { type: 'string', default: 'kafka' },
    /** Closed loop; several are measured one after the other. */
    concurrency: { type: 'string' },
    /** Open loop: so many a second. */
    rate: { type: 'string' },
    messages: { type: 'string' },
    repeat: { type: 'string', default: '1' },
    /** Measures with 1, 2 and 4 instances of this service. */
    instances: { type: 'string' },
    /** Measures beside so many stored rows, one after the other, e.g. 100000,1000000,10000000. */
    history: { type: 'string' },
    /** Who dies in the crash workload; several are killed one after the other, each in a measurement of its own. */
    kill: { type: 'string', default: 'run-executor,effect-ledger' },
    'warm-up': { type: 'string', default: String(warmUpRuns) },
    // For a stack with admission alone (FAIRLEAD_ONLY=admission): nobody has a last word there.
    'admission-only': { type: 'boolean', default: false },
    stages: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    compare: { type: 'string' },
    out: { type: 'string' },
    html: { type: 'string' },
  },
});

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const whole = (name: string, text: string | undefined, fallback: number): number => {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`);
  return value;
};

const victim = (name: string): Victim => {
  const known = victimNames.find((one) => one === name);
  if (known === undefined) throw new Error(`${name} is none of ${victimNames.join(', ')}`);
  return known;
};

const loadsOf = (workload: Workload): Load[] => {
  if (options.rate !== undefined && workload !== 'crash')
    return options.rate.split(',').map((text) => ({ perSec: whole('rate', text, 0) }));
  const usual = { 'human-wait': '16', crash: '200' }[workload as string] ?? '64';
  return (options.concurrency ?? usual).split(',').map((text) => ({ inFlight: whole('concurrency', text, 0) }));
};

const messagesOf = (workload: Workload, load: Load): number => {
  const usual = { 'human-wait': 200, crash: 200 }[workload as string];
  const byLoad = 'inFlight' in load ? Math.max(200, Math.min(6_000, load.inFlight * 40)) : load.perSec * 20;
  return whole('messages', options.messages, usual ?? byLoad);
};

/** The same load beside more and more finished work. */
const beside = async (sizes: readonly string[], once: () => Promise<Result>): Promise<Result[]> => {
  const history = openHistory();
  const results: Result[] = [];
  try {
    for (const size of sizes) {
      const storedRows = await history.fill(whole('history', size, 0));
      say(`${storedRows} rows are stored`);
      const result = { ...(await once()), storedRows };
      say(`${result.runsPerSec} runs/s, p50 ${result.p50Ms}, p99 ${result.p99Ms} ms`);
      results.push(result);
    }
    return results;
  } finally {
    await history.clear();
  }
};

const measure = async (bench: Bench, workload: Workload, load: Load): Promise<Result[]> => {
  const messages = messagesOf(workload, load);
  const stamp = (): string => `${workload[0]}${Date.now().toString(36)}`;
  say(`${workload}, ${JSON.stringify(load)}, ${messages} messages`);
  const again = async (once: () => Promise<Result>): Promise<Result> => {
    const all: Result[] = [];
    for (let n = Math.max(1, whole('repeat', options.repeat, 1)); n > 0; n -= 1) all.push(await once());
    return median(all);
  };
  switch (workload) {
    case 'duplicate':
      return [await again(() => duplicates(bench, load, messages, stamp()))];
    case 'human-wait':
      return [await again(() => humanWait(bench, load, messages, stamp()))];
    case 'crash': {
      const results: Result[] = [];
      const inFlight = 'inFlight' in load ? load.inFlight : 0;
      for (const name of options.kill.split(',').map(victim))
        results.push(await again(() => crash(bench, inFlight, messages, stamp(), name)));
      return results;
    }
    default: {
      const once = (): Promise<Result> => again(() => runs(bench, load, messages, stamp()));
      if (options.history !== undefined) return beside(options.history.split(','), once);
      return options.instances === undefined ? [await once()] : scaled(victim(options.instances), once);
    }
  }
};

const whatIsThere = (path: string | undefined): Result[] =>
  path === undefined ? [] : (JSON.parse(readFileSync(path, 'utf8')) as { results: Result[] }).results;

const bench = async (workload: Workload, channel: Channel): Promise<void> => {
  const baseline = whatIsThere(options.compare);
  const stub = await startStub(Number(new URL(process.env['DEMO_REMOTE_URL'] ?? '').port));
  const collector = options.stages
    ? await openStages(Number(new URL(process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '').port))
    : null;
  const client = await openClient(channel);
  try {
    const warmUp = whole('warm-up', options['warm-up'], warmUpRuns);
    say(`warming up with ${warmUp} runs`);
    await closedLoop(warmUpInFlight, warmUp, (n) => client.run(`warm-${process.pid}-${n}`));
    const results: Result[] = [];
    const stages: Stage[] = [];
    for (const load of loadsOf(workload)) {
      collector?.forget();
      const measured = await measure({ client, stub, channel }, workload, load);
      results.push(...measured);
      if (collector !== null) stages.splice(0, stages.length, ...collector.of(messagesOf(workload, load)));
    }
    const written = { results, ...(options.stages ? { stages } : {}) };
    if (options.out !== undefined) writeFileSync(options.out, `${JSON.stringify(written, null, 2)}\n`);
    if (options.html !== undefined) writeFileSync(options.html, htmlOf(results, baseline, stages));
    if (options.json) console.log(JSON.stringify(written, null, 2));
    else console.log([show(results, baseline), ...(options.stages ? [showStages(stages)] : [])].join('\n'));
  } finally {
    await client.close();
    collector?.close();
    stub.server.close();
    stub.server.closeAllConnections();
  }
};

const main = async (): Promise<void> => {
  const { workload } = options;
  const known = [...workloads, ...singles];
  if (!known.some((name) => name === workload)) throw new Error(`--workload must be one of ${known.join(', ')}`);
  const { channel } = options;
  if (channel !== 'http' && channel !== 'kafka') throw new Error('--channel must be http or kafka');
  if (!isSingle(workload)) return bench(workload as Workload, channel);
  const result = await single(workload, {
    messages: options.messages === undefined ? null : whole('messages', options.messages, 0),
    perSec: options.rate === undefined ? null : whole('rate', options.rate, 0),
    inFlight: whole('concurrency', options.concurrency, 64),
    admissionOnly: options['admission-only'],
  });
  if (options.json) console.log(JSON.stringify({ results: [result] }, null, 2));
  else console.dir(result);
};

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
