import type { Logger } from './log';
import type { BatchDeps, Committed } from './batch';
import type { BatchItem } from './batch-open';
import { handleBatch } from './batch';
import { classify, Transient } from './errors';
import { backoffMs, pause } from './pause';
import { steadyMs } from './clocks';

/** One commit carries at most this many messages; more would only lengthen the time everyone in it waits. */
const maxBatchItems = 400;
/** Bytes of record payload in one batch; keeps a transaction of large messages short. */
const maxBatchBytes = 4 * 1024 * 1024;
/** Above this many waiting messages sources must stop adding; below half of it they may go on. */
export const highWaterItems = 4_000;
const highWaterBytes = 32 * 1024 * 1024;
/** Tries of a message alone in flight before it counts as poison (X2, case 36). */
const poisonTries = 5;
const deadLetterRetryMs = 5_000;
const triesWhileStopping = 3;
/** Conflicts with other writers pass at once; one that does not is the batch's own fault and must not hold up the rest. */
const conflictTries = 10;
const maxConflictPauseMs = 200;

export type Settled =
  | { readonly ok: true; readonly reply: unknown; readonly duplicate: boolean }
  | { readonly ok: false; readonly error: unknown };

export interface Job<M> extends BatchItem<M> {
  readonly bytes: number;
  readonly settle: (settled: Settled) => void;
}

/**
 * The one drain of a service process: everything that changes state (records of all partitions, HTTP commands, ticks,
 * results of outside work) waits in one bounded queue and is committed in groups. Filled by draining, never by a timer:
 * alone a message is committed at once, under load hundreds share a commit.
 */
export interface Writer<M> {
  add(job: Job<M>): void;
  /** True while sources must hold back. */
  readonly full: () => boolean;
  /** Resolves once there is room again. */
  readonly room: () => Promise<void>;
  readonly depth: () => number;
  /** Milliseconds since the last commit while something waits; 0 when idle. Feeds the watchdog. */
  readonly stalledMs: () => number;
  /** Commits what is queued, then stops. */
  stop(): Promise<void>;
}

export interface WriterDeps<M, I> extends Omit<BatchDeps<M, I>, 'bury'> {
  readonly bury: BatchDeps<M, I>['bury'];
  readonly log: Logger;
  readonly onCommit: (committed: Committed<M, I>) => void;
  readonly observe: (jobs: readonly Job<M>[], seconds: number) => void;
  /** A batch failed and will be tried again; whether its commit went through may be unknown. */
  readonly onTrouble: () => void;
  /** After an unclean start records are taken one by one, so that one that kills the process is found (case 36). */
  readonly careful: {
    readonly active: () => boolean;
    readonly before: (job: Job<M>) => Promise<'go' | 'bury'>;
    readonly after: (job: Job<M>) => Promise<void>;
  };
}

const isConflict = (error: unknown): boolean => /^40/.test(String((error as { code?: unknown }).code ?? ''));

export const startWriter = <M, I>(deps: WriterDeps<M, I>): Writer<M> => {
  const queue: Job<M>[] = [];
  let queuedBytes = 0;
  let running = false;
  let stopping = false;
  let abandoned = false;
  let lastCommit = steadyMs();
  let waiters: (() => void)[] = [];

  const full = (): boolean => queue.length >= highWaterItems || queuedBytes >= highWaterBytes;

  const take = (): Job<M>[] => {
    let bytes = 0;
    let count = 0;
    const limit = deps.careful.active() ? 1 : maxBatchItems;
    while (count < queue.length && count < limit && (count === 0 || bytes < maxBatchBytes))
      bytes += queue[count++]?.bytes ?? 0;
    queuedBytes -= bytes;
    return queue.splice(0, count);
  };

  const commit = async (jobs: readonly Job<M>[]): Promise<void> => {
    const started = process.hrtime.bigint();
    const committed = await handleBatch(deps, jobs);
    lastCommit = steadyMs();
    deps.observe(jobs, Number(process.hrtime.bigint() - started) / 1e9);
    handOver(committed);
    jobs.forEach((job, index) => {
      const outcome = committed.outcomes[index];
      if (outcome === undefined) return;
      job.settle(outcome.ok ? { ok: true, reply: outcome.reply, duplicate: 'duplicate' in outcome } : outcome);
    });
  };

  /** What is committed must not be decided again because something after it failed. */
  const handOver = (committed: Committed<M, I>): void => {
    try {
      deps.onCommit(committed);
    } catch (error) {
      deps.log.error({ err: error }, 'what follows from a commit could not be started');
    }
  };

  /** Waits out trouble around us; returns the error that is the batch's own fault, if any. */
  const attempt = async (jobs: readonly Job<M>[], handle: BatchDeps<M, I> = deps): Promise<unknown> => {
    for (let tries = 0; ; tries += 1) {
      try {
        if (handle === deps) await commit(jobs);
        else await buryAlone(jobs, handle);
        return null;
      } catch (error) {
        await deps.pipe.rollback();
        const conflict = isConflict(error);
        if (classify(error) !== 'transient' || (conflict && tries >= conflictTries)) return error;
        deps.onTrouble();
        if (tries > 0) deps.log.warn({ err: error, tries }, 'the batch waits for its database');
        if (stopping && tries > triesWhileStopping) throw error;
        await pause(backoffMs(tries, 20, conflict ? maxConflictPauseMs : 2_000));
      }
    }
  };

  const buryAlone = async (jobs: readonly Job<M>[], handle: BatchDeps<M, I>): Promise<void> => {
    handOver(await handleBatch(handle, jobs));
  };

  const alone = async (job: Job<M>): Promise<void> => {
    let error: unknown = null;
    for (let tries = 0; tries < poisonTries; tries += 1) {
      error = await attempt([job]);
      if (error === null) return;
      deps.log.error({ err: error, cause: job.cause, tries: tries + 1 }, 'a message failed alone');
      await pause(backoffMs(tries, 20, 500));
    }
    await giveUp(job, error);
  };

  const giveUp = async (job: Job<M>, error: unknown): Promise<void> => {
    const failing = {
      ...deps.service,
      keys: () => [],
      decide: () => {
        throw error;
      },
    };
    delete (failing as { moreKeys?: unknown }).moreKeys;
    delete (failing as { blobs?: unknown }).blobs;
    // Its event id may be what cannot be stored, and a dead letter leaves no claim behind anyway.
    for (;;) {
      const left = await attempt([{ ...job, claim: null }], { ...deps, service: failing });
      if (left === null) break;
      // The offset must not pass a record that is neither handled nor kept: the partition waits instead (X2).
      deps.log.error({ err: left, cause: job.cause }, 'a dead letter could not be written; its partition waits');
      if (stopping) return;
      await pause(deadLetterRetryMs);
    }
    job.settle({ ok: false, error });
  };

  const handle = async (jobs: readonly Job<M>[]): Promise<void> => {
    const only = jobs.length === 1 ? jobs[0] : undefined;
    if (only !== undefined && deps.careful.active()) return carefully(only);
    const error = await attempt(jobs);
    if (error !== null) for (const job of jobs) await alone(job);
  };

  /**
   * A stop that the database does not let finish leaves out everything from here on: a later record that still got
   * through would move the position past this one.
   */
  const abandon = (jobs: readonly Job<M>[], error: unknown): void => {
    abandoned = true;
    deps.log.warn({ err: error, messages: jobs.length + queue.length }, 'stopped before everything was committed');
    for (const job of [...jobs, ...queue.splice(0)]) if (job.position === null) job.settle({ ok: false, error });
  };

  const drain = async (): Promise<void> => {
    if (running) return;
    running = true;
    try {
      while (queue.length > 0) {
        const jobs = take();
        try {
          await handle(jobs);
        } catch (error) {
          abandon(jobs, error);
        }
        if (!full()) {
          const ready = waiters;
          waiters = [];
          for (const go of ready) go();
        }
      }
    } finally {
      running = false;
    }
  };

  /** Of the careful steps; the record itself is not touched while the database is away. */
  const steady = async <T>(step: () => Promise<T>): Promise<T> => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await step();
      } catch (error) {
        if (classify(error) !== 'transient' || (stopping && tries > triesWhileStopping)) throw error;
        await pause(backoffMs(tries, 20, 2_000));
      }
    }
  };

  const carefully = async (job: Job<M>): Promise<void> => {
    if ((await steady(() => deps.careful.before(job))) === 'bury') {
      await giveUp(job, new Error('this record was alone in flight when the process died, five times'));
    } else {
      const error = await attempt([job]);
      if (error !== null) await alone(job);
    }
    await steady(() => deps.careful.after(job));
  };

  const kick = (): void => void drain().catch((error) => deps.log.fatal({ err: error }, 'the writer stopped'));

  return {
    add: (job) => {
      if (abandoned) {
        if (job.position === null) job.settle({ ok: false, error: new Transient('this process is stopping') });
        return;
      }
      if (queue.length === 0 && !running) lastCommit = steadyMs();
      queue.push(job);
      queuedBytes += job.bytes;
      // One turn of the event loop gathers what arrives together; no timer is involved.
      if (!running) setImmediate(kick);
    },
    full,
    room: () => (full() ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve()),
    depth: () => queue.length,
    stalledMs: () => (queue.length > 0 || running ? steadyMs() - lastCommit : 0),
    stop: async () => {
      stopping = true;
      while (running || queue.length > 0) {
        kick();
        await pause(5);
      }
    },
  };
};
