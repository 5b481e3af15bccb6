import type { Pool } from 'pg';
import type { Broker, OutRecord, Producer } from './broker';
import type { BucketLeases } from './bucket-leases';
import { failpoint } from './failpoints';
import type { Logger } from './log';
import { wireHeaders, type OutboxRow } from './outbox';
import { markBlocked, type SentRow } from './outbox-table';
import { within } from './pause';
import { steadyMs } from './clocks';

const topicRetryMs = 2_000;
/** Longer than the client waits for one request: what is silent beyond that is given up and begun anew. */
const silentMs = 20_000;

const keyOf = (row: { readonly topic: string; readonly key: Buffer }): string =>
  `${row.topic} ${row.key.toString('base64')}`;

export interface DeliveryDeps {
  readonly pool: Pool;
  readonly broker: Broker;
  readonly leases: BucketLeases;
  readonly writer: string;
  readonly log: Logger;
  readonly onBlocked: (row: OutboxRow, error: unknown) => void;
  /** These buckets are read from the table from now on. */
  readonly toTable: (buckets: readonly number[]) => void;
  readonly onSent: (rows: readonly SentRow[]) => void;
}

export interface Delivery {
  /**
   * Sends rows in their order. False when some of them have to wait, for their topic, their bucket's owner or an operator;
   * throws when the broker or the database is away, and then nothing of them counts as sent.
   */
  send(rows: readonly OutboxRow[]): Promise<boolean>;
  /** Topics that could not be written a moment ago. */
  waitingTopics(): Set<string>;
  close(): Promise<void>;
}

/** Brings rows to Kafka in one awaited send, and finds out which topic or record is at fault when Kafka says no. */
export const openDelivery = (deps: DeliveryDeps): Delivery => {
  const { leases, log, toTable } = deps;
  const waiting = new Map<string, number>();
  let producer: Producer | null = null;

  const silent = (): Error => new Error('the broker says nothing');

  const close = async (): Promise<void> => {
    const last = producer;
    producer = null;
    await last?.close().catch(() => undefined);
  };

  const deliver = async (rows: readonly OutboxRow[]): Promise<void> => {
    producer ??= await within(deps.broker.producer(), silentMs, silent);
    const records: OutRecord[] = rows.map(({ topic, partition, key, value, headers }) => ({
      topic,
      partition,
      key,
      value,
      headers: wireHeaders(headers),
    }));
    await within(producer.send(records), silentMs, silent);
    await failpoint('relay.sent');
  };

  const failureOf = (error: unknown): 'record' | 'topic' | 'broker' => producer?.failureOf(error) ?? 'broker';

  /**
   * After any trouble with the broker the producer is thrown away before its partitions are written again (case 58). After
   * trouble with a topic too: it asks about every topic it ever wrote to, and one that is gone would fail all others.
   */
  const lost = async (error: unknown): Promise<never> => {
    await close();
    throw error;
  };

  const done = (rows: readonly OutboxRow[], epochs: ReadonlyMap<number, number>): void =>
    deps.onSent(rows.map((row) => ({ id: row.id, bucket: row.bucket, epoch: epochs.get(row.bucket) ?? -1 })));

  /** Resolves with what is wrong with these records; trouble with the broker itself is thrown. */
  const attempt = async (
    rows: readonly OutboxRow[],
    epochs: ReadonlyMap<number, number>,
  ): Promise<{ readonly failure: 'record' | 'topic'; readonly error: unknown } | null> => {
    try {
      await deliver(rows);
      done(rows, epochs);
      return null;
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'broker') return lost(error);
      toTable(rows.map((row) => row.bucket));
      if (failure === 'topic') {
        await close();
        const topic = rows[0]?.topic ?? '';
        waiting.set(topic, steadyMs() + topicRetryMs);
        log.warn({ err: error, topic }, 'a topic cannot be written; its records wait');
      }
      return { failure, error };
    }
  };

  /** Topic by topic: order is promised inside a key of one topic. True when all went out after all. */
  const sortOut = async (rows: readonly OutboxRow[], epochs: ReadonlyMap<number, number>): Promise<boolean> => {
    let all = true;
    for (const topic of new Set(rows.map((row) => row.topic))) {
      const ofTopic = rows.filter((row) => row.topic === topic);
      let refused = await attempt(ofTopic, epochs);
      if (refused !== null) all = false;
      const blocked = new Set<string>();
      for (const row of refused?.failure === 'record' ? ofTopic : []) {
        if (blocked.has(keyOf(row))) continue;
        refused = await attempt([row], epochs);
        if (refused?.failure === 'topic') break;
        if (refused === null) continue;
        blocked.add(keyOf(row));
        await block(row, epochs.get(row.bucket) ?? -1, refused.error);
      }
    }
    return all;
  };

  const block = async (row: OutboxRow, epoch: number, error: unknown): Promise<void> => {
    const message = error instanceof Error ? error.message : String(error);
    if (!(await markBlocked(deps.pool, row, { writer: deps.writer, epoch }, message))) return;
    log.error(
      { err: error, eventId: row.eventId, topic: row.topic },
      'Kafka refuses this record; its key waits for an operator',
    );
    deps.onBlocked(row, error);
  };

  const waitingTopics = (): Set<string> => {
    const now = steadyMs();
    return new Set([...waiting].filter(([, until]) => until > now).map(([topic]) => topic));
  };

  return {
    waitingTopics,
    close,
    send: async (rows) => {
      const epochs = new Map<number, number>();
      const wait = waitingTopics();
      const mine = rows.filter((row) => {
        const epoch = leases.epoch(row.bucket);
        if (epoch === undefined || wait.has(row.topic)) return (toTable([row.bucket]), false);
        epochs.set(row.bucket, epoch);
        return true;
      });
      if (mine.length === 0) return false;
      try {
        await deliver(mine);
        done(mine, epochs);
        return mine.length === rows.length;
      } catch (error) {
        const failure = failureOf(error);
        if (failure === 'broker') return lost(error);
        if (failure === 'topic') await close();
        return (await sortOut(mine, epochs)) && mine.length === rows.length;
      }
    },
  };
};
