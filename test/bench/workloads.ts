import { setTimeout as pause } from 'node:timers/promises';
import type { AnswerTimes, Channel, Client } from './client';
import { closedLoop, openLoop, percentile, rounded, type Work } from './load';
import { figures, measured, type Result } from './result';
import type { Stub } from './stub';
import { kill, restart, type Victim } from './victims';

/** How the messages come: so many callers that wait, or so many a second whatever happens. */
export type Load = { readonly inFlight: number } | { readonly perSec: number };

export interface Bench {
  readonly client: Client;
  readonly stub: Stub;
  readonly channel: Channel;
}

/** The remote takes this long in the crash workload, so that many effects are under way when somebody dies. */
const slowEffectMs = 300;
const deadForMs = 200;
/** Different messages that the duplicates repeat. */
const originals = 1_000;

const loop = (load: Load, messages: number, work: Work): Promise<number[]> =>
  'inFlight' in load ? closedLoop(load.inFlight, messages, work) : openLoop(load.perSec, messages, work);
const shown = (load: Load): { inFlight: number; ratePerSec?: number } =>
  'inFlight' in load ? { inFlight: load.inFlight } : { inFlight: 0, ratePerSec: load.perSec };

export const runs = async (bench: Bench, load: Load, messages: number, stamp: string): Promise<Result> => {
  bench.stub.reset(0);
  const seen = await measured(messages, () => loop(load, messages, (n) => bench.client.run(`${stamp}-${n}`)));
  return {
    workload: 'admit-run-effect-publish',
    channel: bench.channel,
    ...shown(load),
    ...figures(messages, seen),
    effectsPerKey: bench.stub.perKey(),
  };
};

/** Everything was sent once before; what is measured is what a second sending costs and how fast it is answered. */
export const duplicates = async (bench: Bench, load: Load, messages: number, stamp: string): Promise<Result> => {
  bench.stub.reset(0);
  const known = Math.min(messages, originals);
  await closedLoop(64, known, (n) => bench.client.run(`${stamp}-${n}`));
  const seen = await measured(messages, () =>
    loop(load, messages, (n) => bench.client.duplicate(`${stamp}-${n % known}`)),
  );
  return {
    workload: 'duplicate',
    channel: bench.channel,
    ...shown(load),
    ...figures(messages, seen),
    effectsPerKey: bench.stub.perKey(),
  };
};

/** Each run asks one question, which is answered as soon as it is shown; times are from the answer to the report. */
export const humanWait = async (bench: Bench, load: Load, messages: number, stamp: string): Promise<Result> => {
  bench.stub.reset(0);
  const all: AnswerTimes[] = [];
  const seen = await measured(messages, () =>
    loop(load, messages, async (n) => {
      const times = await bench.client.ask(`${stamp}-${n}`);
      all.push(times);
      return times.toReportMs;
    }),
  );
  const at = (of: (times: AnswerTimes) => number, share: number): number =>
    rounded(
      percentile(
        all.map(of).sort((a, b) => a - b),
        share,
      ),
    );
  return {
    workload: 'human-wait',
    channel: bench.channel,
    ...shown(load),
    ...figures(messages, seen),
    effectsPerKey: bench.stub.perKey(),
    answerStoredP50Ms: at((times) => times.storedMs, 0.5),
    answerStoredP99Ms: at((times) => times.storedMs, 0.99),
    answerToTurnP50Ms: at((times) => times.toTurnMs, 0.5),
  };
};

/**
 * Somebody dies with as many effects under way at the remote as there are callers (or all that are left), and is started
 * again a moment later. Nothing may be lost, and nothing done twice.
 */
export const crash = async (
  bench: Bench,
  inFlight: number,
  messages: number,
  stamp: string,
  victim: Victim,
): Promise<Result> => {
  bench.stub.reset(slowEffectMs);
  const open = new Set<number>();
  let caught: ReadonlySet<number> = new Set();
  let killedAt = 0;
  let recoverMs = 0;
  const murder = async (): Promise<void> => {
    const enough = Math.ceil(Math.min(inFlight, messages) * 0.8);
    while (bench.stub.active() < enough && open.size > 0) await pause(2);
    kill(victim);
    killedAt = performance.now();
    caught = new Set(open);
    await pause(deadForMs);
    restart(victim);
  };
  const seen = await measured(messages, async () => {
    const load = closedLoop(inFlight, messages, async (n) => {
      open.add(n);
      await bench.client.run(`${stamp}-${n}`);
      open.delete(n);
      if (caught.has(n)) recoverMs = performance.now() - killedAt;
    });
    await Promise.all([load, murder()]);
    return load;
  });
  return {
    workload: 'crash',
    channel: bench.channel,
    inFlight,
    ...figures(messages, seen),
    effectsPerKey: bench.stub.perKey(),
    killed: victim,
    recoverMs: Math.round(recoverMs),
  };
};
