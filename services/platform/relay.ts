import type { Pool } from 'pg';
import type { Broker, OutRecord, Producer } from './broker';
import { bucketRenewMs, type BucketLeases } from './bucket-leases';
import { failpoint } from './failpoints';
import type { Logger } from './log';
import { wireHeaders, type OutboxRow } from './outbox';
import { backoffMs, pause } from './pause';
import { query } from './postgres';

/** Records in one awaited send; more lanes or larger sends only split or delay batches. */
const sendRows = 500;
/** Rows waiting in memory before the relay falls back to its table, which is bounded by the disk only. */
const maxMemoryRows = 20_000;
const pollMs = 250;
/** Sent rows are deleted together about this often; each delete is a commit. */
const acknowledgeEveryMs = 50;
/** Own rows older than this that are still in the table were lost from memory; the poll sends them. */
const strandedAfterMs = 5_000;
/** Safety net for hints that were lost: rows of other writers in our buckets, blocked keys that an operator freed. */
const scanEveryMs = 500;
const topicRetryMs = 2_000;

export interface Relay {
  /** Rows just committed by this process, in commit order; `foreign` buckets hold older rows of other writers. */
  push(rows: readonly OutboxRow[], foreign: readonly number[]): void;
  /** Another instance committed rows for buckets that may be ours. */
  hint(buckets: readonly number[]): void;
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

interface TableRow {
  id: string;
  bucket: number;
  topic: string;
  partition: number | null;
  key: Buffer;
  value: Buffer | null;
  headers: string;
  event_id: string;
}

const keyOf = (row: { readonly topic: string; readonly key: Buffer }): string =>
  `${row.topic} ${row.key.toString('base64')}`;

/**
 * Brings the outbox to Kafka. A bucket is either `live`, where everything unsent is in memory in commit order, or it is
 * read from the table in id order until nothing is left there. Rows of one key are never sent out of their order.
 */
export const startRelay = (deps: RelayDeps): Relay => {
  const { pool, leases, log } = deps;
  const live = new Set<number>();
  const dirty = new Set<number>();
  let memory: OutboxRow[] = [];
  let sent: { id: string; bucket: number; epoch: number }[] = [];
  const blocked = new Set<string>();
  const waitingTopics = new Map<string, number>();
  let producer: Producer | null = null;
  let stopped = false;
  let wake: () => void = () => undefined;
  let failures = 0;
  let loops: Promise<void>[] = [];

  const toTable = (buckets: Iterable<number>): void => {
    for (const bucket of buckets) {
      live.delete(bucket);
      dirty.add(bucket);
    }
  };
  const forgetMemory = (): void => {
    toTable(memory.map((row) => row.bucket));
    memory = [];
  };

  const push: Relay['push'] = (rows, foreign) => {
    toTable(foreign);
    const elsewhere = new Set<number>();
    for (const row of rows) {
      if (leases.epoch(row.bucket) === undefined) elsewhere.add(row.bucket);
      else if (live.has(row.bucket)) memory.push(row);
      else dirty.add(row.bucket);
    }
    if (memory.length > maxMemoryRows) forgetMemory();
    if (elsewhere.size > 0) deps.tellOthers([...elsewhere]);
    wake();
  };

  const deliver = async (rows: readonly OutboxRow[]): Promise<void> => {
    producer ??= await deps.broker.producer();
    const records: OutRecord[] = rows.map(({ topic, partition, key, value, headers }) => ({
      topic,
      partition,
      key,
      value,
      headers: wireHeaders(headers),
    }));
    await producer.send(records);
    await failpoint('relay.sent');
  };

  const done = (rows: readonly OutboxRow[], epochs: ReadonlyMap<number, number>): void => {
    for (const row of rows) sent.push({ id: row.id, bucket: row.bucket, epoch: epochs.get(row.bucket) ?? -1 });
  };

  /** Finds out what is wrong: one record, one topic, or the broker. Order inside a key is kept throughout. */
  const sortOut = async (rows: readonly OutboxRow[], epochs: ReadonlyMap<number, number>): Promise<void> => {
    for (const row of rows) {
      if (blocked.has(keyOf(row)) || (waitingTopics.get(row.topic) ?? 0) > Date.now()) {
        toTable([row.bucket]);
        continue;
      }
      try {
        await deliver([row]);
        done([row], epochs);
      } catch (error) {
        const failure = producer?.failureOf(error) ?? 'broker';
        if (failure === 'broker') throw error;
        toTable([row.bucket]);
        if (failure === 'topic') {
          waitingTopics.set(row.topic, Date.now() + topicRetryMs);
          log.warn({ err: error, topic: row.topic }, 'a topic cannot be written; its records wait');
        } else await block(row, error);
      }
    }
  };

  const block = async (row: OutboxRow, error: unknown): Promise<void> => {
    const message = error instanceof Error ? error.message : String(error);
    await query(pool, 'UPDATE outbox SET blocked_at = clock_timestamp(), blocked_message = $2 WHERE id = $1', [
      row.id,
      message.slice(0, 1_000),
    ]);
    blocked.add(keyOf(row));
    log.error(
      { err: error, eventId: row.eventId, topic: row.topic },
      'Kafka refuses this record; its key waits for an operator',
    );
    deps.onBlocked(row, error);
  };

  const send = async (rows: readonly OutboxRow[]): Promise<void> => {
    const epochs = new Map<number, number>();
    const mine = rows.filter((row) => {
      const epoch = leases.epoch(row.bucket);
      if (epoch === undefined) return (toTable([row.bucket]), false);
      epochs.set(row.bucket, epoch);
      return !blocked.has(keyOf(row)) || (toTable([row.bucket]), false);
    });
    if (mine.length === 0) return;
    try {
      await deliver(mine);
      done(mine, epochs);
    } catch (error) {
      if ((producer?.failureOf(error) ?? 'broker') === 'broker') throw error;
      await sortOut(mine, epochs);
    }
    failures = 0;
  };

  const readTable = async (buckets: readonly number[]): Promise<void> => {
    for (const bucket of buckets) dirty.delete(bucket);
    const waiting = [...waitingTopics].filter(([, until]) => until > Date.now()).map(([topic]) => topic);
    const rows = await query<TableRow>(
      pool,
      `SELECT id, bucket, topic, partition, key, value, headers, event_id FROM outbox o
        WHERE bucket = ANY($1::smallint[]) AND NOT (id = ANY($2::bigint[])) AND NOT (topic = ANY($3::text[])) AND blocked_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM outbox b WHERE b.blocked_at IS NOT NULL AND b.bucket = o.bucket AND b.topic = o.topic AND b.key = o.key AND b.id < o.id)
        ORDER BY id LIMIT ${sendRows}`,
      [buckets, sent.map((row) => row.id), waiting],
    );
    if (rows.length > 0)
      await send(
        rows.map(({ event_id: eventId, headers, ...row }) => ({
          ...row,
          eventId,
          headers: JSON.parse(headers) as OutboxRow['headers'],
        })),
      );
    if (rows.length < sendRows && waiting.length === 0)
      for (const bucket of buckets) if (!dirty.has(bucket) && leases.epoch(bucket) !== undefined) live.add(bucket);
  };

  const step = async (): Promise<boolean> => {
    if (memory.length > 0) {
      const rows = memory.splice(0, sendRows);
      try {
        await send(rows);
      } catch (error) {
        toTable(rows.map((row) => row.bucket));
        throw error;
      }
      return true;
    }
    const behind = leases.owned().filter((bucket) => dirty.has(bucket) || !live.has(bucket));
    const stuck = waitingTopics.size > 0 && [...waitingTopics.values()].every((until) => until > Date.now());
    if (behind.length === 0 || stuck) return false;
    await readTable(behind);
    return memory.length > 0 || behind.some((bucket) => !live.has(bucket) && dirty.has(bucket));
  };

  const sendLoop = async (): Promise<void> => {
    while (!stopped) {
      try {
        if (await step()) continue;
        for (const [topic, until] of waitingTopics) if (until <= Date.now()) waitingTopics.delete(topic);
        await Promise.race([new Promise<void>((resolve) => (wake = resolve)), pause(pollMs)]);
      } catch (error) {
        // The broker or the database is away: everything is safe in the table, and is read from there when it is back.
        forgetMemory();
        if (failures++ % 10 === 0) log.warn({ err: error }, 'the relay waits');
        await producer?.close().catch(() => undefined);
        producer = null;
        await pause(backoffMs(failures, 100, 3_000));
      }
    }
  };

  const acknowledge = async (): Promise<void> => {
    if (sent.length === 0) return;
    const batch = [...sent];
    await query(
      pool,
      `DELETE FROM outbox o USING unnest($1::bigint[], $2::smallint[], $3::int[]) AS u(id, bucket, epoch), relay_buckets b
        WHERE o.id = u.id AND b.bucket = u.bucket AND b.owner = $4 AND b.epoch = u.epoch`,
      [batch.map((row) => row.id), batch.map((row) => row.bucket), batch.map((row) => row.epoch), deps.writer],
    );
    sent = sent.slice(batch.length);
  };

  const acknowledgeLoop = async (): Promise<void> => {
    while (!stopped) {
      await pause(acknowledgeEveryMs);
      await acknowledge().catch((error: unknown) => log.debug({ err: error }, 'sent rows are not yet deleted'));
    }
  };

  const scanLoop = async (): Promise<void> => {
    for (let renewedAt = 0; !stopped;) {
      try {
        if (Date.now() - renewedAt >= bucketRenewMs) {
          toTable(await leases.renew());
          renewedAt = Date.now();
        }
        const rows = await query<{ bucket: number }>(
          pool,
          `SELECT DISTINCT bucket FROM outbox WHERE bucket = ANY($1::smallint[]) AND blocked_at IS NULL
              AND (writer <> $2 OR created_at < clock_timestamp() - interval '${strandedAfterMs} milliseconds')`,
          [leases.owned(), deps.writer],
        );
        toTable(rows.map((row) => row.bucket));
        const keys = await query<{ topic: string; key: Buffer }>(
          pool,
          'SELECT topic, key FROM outbox WHERE blocked_at IS NOT NULL',
        );
        blocked.clear();
        for (const row of keys) blocked.add(keyOf(row));
        wake();
      } catch (error) {
        log.debug({ err: error }, 'the relay could not look after its buckets');
      }
      await pause(scanEveryMs * (0.75 + Math.random() / 2));
    }
  };

  return {
    push,
    hint: (buckets) => {
      toTable(buckets.filter((bucket) => leases.epoch(bucket) !== undefined));
      wake();
    },
    start: () => {
      loops = [scanLoop(), sendLoop(), acknowledgeLoop()];
    },
    stop: async () => {
      const deadline = Date.now() + 5_000;
      while (memory.length > 0 && failures === 0 && Date.now() < deadline) await pause(10);
      stopped = true;
      wake();
      await Promise.all(loops);
      await acknowledge().catch(() => undefined);
      await leases.release().catch(() => undefined);
      await producer?.close().catch(() => undefined);
    },
  };
};
