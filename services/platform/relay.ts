import type { Pool } from 'pg';
import type { Broker } from './broker';
import { bucketRenewMs, type BucketLeases } from './bucket-leases';
import type { Logger } from './log';
import type { OutboxRow } from './outbox';
import { bucketsToRead, bucketsWithBlocked, deleteSent, readUnsent, type SentRow } from './outbox-table';
import { backoffMs, pause } from './pause';
import { openDelivery } from './relay-delivery';
import { steadyMs } from './clocks';

/** Records in one awaited send; more lanes or larger sends only split or delay batches. */
const sendRows = 500;
/** Below the smallest limits of a broker (1 MiB a batch), so that only a record too large by itself is ever refused. */
const sendBytes = 900_000;
/** Read from the table at once, and sent in several sends: one read looks past everything that was sent and is not yet vacuumed. */
const readRows = 5_000;
const readBytes = 8 * 1024 * 1024;
/** What waits in memory before the relay falls back to its table, which is bounded by the disk only. */
const maxMemoryRows = 20_000;
const maxMemoryBytes = 32 * 1024 * 1024;
const pollMs = 250;
/** Sent rows are deleted together about this often; each delete is a commit, and a crash only repeats what is not yet deleted. */
const acknowledgeEveryMs = 200;
/** Safety net for hints that were lost: rows of other writers in our buckets. */
const scanEveryMs = 500;

export interface Relay {
  /** Rows just committed by this process, in commit order; `foreign` buckets hold older rows of other writers. */
  push(rows: readonly OutboxRow[], foreign: readonly number[]): void;
  /** Another instance committed rows for buckets that may be ours. */
  hint(buckets: readonly number[]): void;
  /** More waits in the table than one read takes, or nothing can be sent. */
  readonly behind: () => boolean;
  /** Rows may have been committed that were never pushed: everything is read from the table once. */
  recheck(): void;
  start(): void;
  stop(): Promise<void>;
}

export interface RelayDeps {
  readonly pool: Pool;
  readonly broker: Broker;
  readonly leases: BucketLeases;
  readonly writer: string;
  readonly log: Logger;
  /** Buckets with rows this process does not own: their owner should be told. */
  readonly tellOthers: (buckets: readonly number[]) => void;
  readonly onBlocked: (row: OutboxRow, error: unknown) => void;
}

const bytesOf = ({ value, key }: OutboxRow): number => (value?.length ?? 0) + key.length + 512;

const sumOf = (rows: readonly OutboxRow[]): number => rows.reduce((sum, row) => sum + bytesOf(row), 0);

/** How many of the first rows go into one send: bounded by count and bytes, at least one. */
const sendCount = (rows: readonly OutboxRow[]): number => {
  let bytes = 0;
  const over = rows.slice(0, sendRows).findIndex((row) => (bytes += bytesOf(row)) > sendBytes);
  return over === -1 ? Math.min(rows.length, sendRows) : Math.max(1, over);
};

/**
 * Brings the outbox to Kafka. A bucket is either `live`, where everything unsent is in memory in commit order, or it is
 * read from the table in id order until nothing is left there. Rows of one key are never sent out of their order: a
 * bucket with a blocked row stays with the table, whose query knows what may not overtake it.
 */
export const startRelay = (deps: RelayDeps): Relay => {
  const { pool, leases, log } = deps;
  const live = new Set<number>();
  const dirty = new Set<number>();
  let memory: OutboxRow[] = [];
  let memoryBytes = 0;
  let sent: SentRow[] = [];
  let stopped = false;
  let woken = false;
  let rouse: () => void = () => undefined;
  let failures = 0;
  let behind = false;
  let loops: Promise<void>[] = [];

  const wake = (): void => {
    woken = true;
    rouse();
  };
  /** What memory holds of these buckets is in the table as well, and goes out from there in its place. */
  const toTable = (buckets: Iterable<number>): void => {
    let wereLive = false;
    for (const bucket of buckets) {
      wereLive = live.delete(bucket) || wereLive;
      dirty.add(bucket);
    }
    if (!wereLive || memory.length === 0) return;
    memory = memory.filter((row) => live.has(row.bucket));
    memoryBytes = sumOf(memory);
  };

  const delivery = openDelivery({
    ...deps,
    toTable,
    onSent: (rows) => void (sent = [...sent, ...rows]),
  });

  const remember = (row: OutboxRow): void => {
    memoryBytes += bytesOf(row);
    memory.push(row);
  };

  const push: Relay['push'] = (rows, foreign) => {
    if (rows.length === 0 && foreign.length === 0) return;
    toTable(foreign);
    const elsewhere = new Set<number>();
    for (const row of rows) {
      if (leases.epoch(row.bucket) === undefined) elsewhere.add(row.bucket);
      else if (live.has(row.bucket)) remember(row);
      else dirty.add(row.bucket);
    }
    if (memory.length > maxMemoryRows || memoryBytes > maxMemoryBytes) toTable([...live]);
    if (elsewhere.size > 0) deps.tellOthers([...elsewhere]);
    wake();
  };

  const send = async (rows: readonly OutboxRow[]): Promise<boolean> => {
    const all = await delivery.send(rows);
    failures = 0;
    return all;
  };

  /** In several sends. False as soon as one is not taken whole: the next read knows what has to wait for what. */
  const sendAll = async (rows: readonly OutboxRow[]): Promise<boolean> => {
    for (let rest = rows; rest.length > 0;) {
      const first = rest.slice(0, sendCount(rest));
      if (stopped || !(await send(first))) return false;
      rest = rest.slice(first.length);
    }
    return true;
  };

  const readTable = async (buckets: readonly number[]): Promise<void> => {
    for (const bucket of buckets) dirty.delete(bucket);
    const waiting = [...delivery.waitingTopics()];
    // Asked before the read: what an operator frees in between is then either read below or read next time.
    const withBlocked = new Set(await bucketsWithBlocked(pool, buckets));
    const rows = await readUnsent(pool, {
      buckets,
      except: sent.map((row) => row.id),
      exceptTopics: waiting,
      maxRows: readRows,
      maxBytes: readBytes,
    });
    const complete = rows.length < readRows && sumOf(rows) < readBytes;
    behind = !complete;
    const all = await sendAll(rows);
    if (!complete || !all) for (const bucket of buckets) dirty.add(bucket);
    if (!complete || !all || waiting.length > 0) return;
    for (const bucket of buckets)
      if (!dirty.has(bucket) && !withBlocked.has(bucket) && leases.epoch(bucket) !== undefined) live.add(bucket);
  };

  const step = async (): Promise<boolean> => {
    if (memory.length > 0) {
      const rows = memory.splice(0, sendCount(memory));
      memoryBytes -= sumOf(rows);
      try {
        await send(rows);
      } catch (error) {
        toTable(rows.map((row) => row.bucket));
        throw error;
      }
      return true;
    }
    const unread = leases.owned().filter((bucket) => dirty.has(bucket) || !live.has(bucket));
    if (unread.length === 0) return false;
    await readTable(unread);
    return memory.length > 0 || unread.some((bucket) => dirty.has(bucket));
  };

  const sendLoop = async (): Promise<void> => {
    while (!stopped) {
      try {
        if (await step()) continue;
        if (!woken) await Promise.race([new Promise<void>((resolve) => (rouse = resolve)), pause(pollMs)]);
        woken = false;
      } catch (error) {
        // The broker or the database is away: everything is safe in the table, and is read from there when it is back.
        toTable([...live]);
        behind = true;
        if (failures++ % 10 === 0) log.warn({ err: error }, 'the relay waits');
        await pause(backoffMs(failures, 100, 3_000));
      }
    }
  };

  const acknowledge = async (): Promise<void> => {
    if (sent.length === 0) return;
    const batch = [...sent];
    await deleteSent(pool, batch, deps.writer);
    sent = sent.slice(batch.length);
  };

  const acknowledgeLoop = async (): Promise<void> => {
    while (!stopped) {
      await pause(acknowledgeEveryMs);
      await acknowledge().catch((error: unknown) => log.debug({ err: error }, 'sent rows are not yet deleted'));
    }
  };

  const scanLoop = async (): Promise<void> => {
    for (let renewedAt = Number.NEGATIVE_INFINITY; !stopped;) {
      try {
        if (steadyMs() - renewedAt >= bucketRenewMs) {
          toTable(await leases.renew());
          renewedAt = steadyMs();
        }
        toTable(await bucketsToRead(pool, leases.owned(), deps.writer));
        wake();
      } catch (error) {
        log.debug({ err: error }, 'the relay could not look after its buckets');
      }
      await pause(scanEveryMs * (0.75 + Math.random() / 2));
    }
  };

  return {
    push,
    behind: () => behind,
    hint: (buckets) => {
      toTable(buckets.filter((bucket) => leases.epoch(bucket) !== undefined));
      wake();
    },
    recheck: () => {
      toTable([...live]);
      wake();
    },
    start: () => {
      loops = [scanLoop(), sendLoop(), acknowledgeLoop()];
    },
    stop: async () => {
      const deadline = steadyMs() + 5_000;
      while (memory.length > 0 && failures === 0 && steadyMs() < deadline) await pause(10);
      stopped = true;
      wake();
      await Promise.all(loops);
      await acknowledge().catch(() => undefined);
      await leases.release().catch(() => undefined);
      await delivery.close();
    },
  };
};
