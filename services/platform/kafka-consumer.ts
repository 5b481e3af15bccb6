import type { Consumer as KafkaConsumer, IHeaders, Kafka } from 'kafkajs';
import type { Assignment, Consumer, ConsumerOptions, InRecord } from './broker';
import { bounded } from './kafka-client';
import { betweenRounds } from './kafka-rounds';
import type { Logger } from './log';
import { backoffMs, pause } from './pause';
import { steadyMs } from './clocks';

/** Offsets are sent to the broker at most this often: the positions in the database are what a restart goes by. */
const commitEveryMs = 1_000;
const sessionTimeoutMs = 6_000;
const heartbeatEveryMs = 1_500;
/** A fetch is answered with the first byte; the wait only bounds idle polling. */
const fetchWaitMs = 1_000;
/** Upper bound of one fetch: small batches keep one slow partition from holding up the round. */
const fetchBytesPerPartition = 512 * 1024;
const fetchBytes = 4 * 1024 * 1024;

const readHeaders = (headers: IHeaders | undefined): Record<string, Buffer> => {
  const read: Record<string, Buffer> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined && first !== null) read[name] = Buffer.isBuffer(first) ? first : Buffer.from(first);
  }
  return read;
};

/** Keeps one consumer of a group running: kafkajs gives up on what it calls non-retriable, a service may not. */
export const supervise = (kafka: Kafka, options: ConsumerOptions, log: Logger): Consumer => {
  let current: KafkaConsumer | null = null;
  let owned: readonly Assignment[] = [];
  let closed = false;
  let pending = new Map<string, { topic: string; partition: number; offset: string }>();

  const owns = (topic: string, partition: number): boolean =>
    owned.some((one) => one.topic === topic && one.partition === partition);

  const flush = async (): Promise<void> => {
    if (pending.size === 0 || current === null) return;
    const offsets = [...pending.values()].filter((one) => owns(one.topic, one.partition));
    pending = new Map();
    try {
      if (offsets.length > 0) await current.commitOffsets(offsets);
    } catch (error) {
      // A rebalance or a restart of the broker in between: the positions in the database stay right, the group catches up.
      log.debug({ err: error, group: options.group }, 'offsets were not taken');
    }
  };
  const timer = setInterval(() => void flush(), commitEveryMs);
  const rounds = betweenRounds(options.group, options.gatherMs);

  const run = async (): Promise<void> => {
    const consumer = kafka.consumer({
      groupId: options.group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: 15_000,
      heartbeatInterval: heartbeatEveryMs,
      minBytes: 1,
      maxBytes: fetchBytes,
      maxBytesPerPartition: fetchBytesPerPartition,
      maxWaitTimeInMs: fetchWaitMs,
      allowAutoTopicCreation: false,
      retry: { retries: 8, initialRetryTime: 200, maxRetryTime: 3_000, restartOnFailure: () => Promise.resolve(false) },
    });
    let ready: Promise<void> = Promise.resolve();
    /** The assignment whose starting points are set. */
    let sought: readonly Assignment[] | null = null;
    const crashed = new Promise<unknown>((resolve) =>
      consumer.on(consumer.events.CRASH, (event) => resolve(event.payload.error)),
    );
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      owned = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => ({ topic, partition })),
      );
      pending = new Map();
      ready = seekTo(consumer, owned);
    });
    /** Says where to start, however long the database that knows it is away; until then nothing is handed on. */
    const seekTo = async (on: KafkaConsumer, assigned: readonly Assignment[]): Promise<void> => {
      for (let tries = 0; !closed && current === on && owned === assigned; tries += 1) {
        try {
          const starts = await options.onAssigned(assigned);
          for (const { topic, partition } of assigned) {
            const offset = starts.get(`${topic}:${partition}`);
            if (offset !== undefined) on.seek({ topic, partition, offset });
          }
          sought = assigned;
          return;
        } catch (error) {
          options.onError(error);
          await pause(backoffMs(tries, 100, 3_000));
        }
      }
    };
    try {
      current = consumer;
      await consumer.connect();
      await consumer.subscribe({ topics: [...options.topics], fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: async ({ batch, resolveOffset, heartbeat, isRunning, isStale }) => {
          while (!closed && isRunning() && sought !== owned) {
            await Promise.race([ready, pause(heartbeatEveryMs)]);
            await heartbeat();
          }
          if (closed || !isRunning() || isStale()) return;
          const records = batch.messages.map((message): InRecord => ({
            topic: batch.topic,
            partition: batch.partition,
            offset: message.offset,
            timestampMs: Number(message.timestamp),
            key: message.key,
            value: message.value,
            headers: readHeaders(message.headers),
          }));
          rounds.took(records.length);
          await options.onRecords(records, heartbeat, (BigInt(batch.lastOffset()) + 1n).toString());
          const last = records.at(-1);
          if (last !== undefined && !isStale()) resolveOffset(last.offset);
          await heartbeat();
        },
      });
      if (closed) return;
      throw await crashed;
    } finally {
      owned = [];
      current = null;
      await bounded(consumer.disconnect());
    }
  };

  const loop = async (): Promise<void> => {
    for (let tries = 0; !closed; tries += 1) {
      const startedAt = steadyMs();
      try {
        await run();
      } catch (error) {
        if (closed) return;
        options.onError(error);
        if (steadyMs() - startedAt > 60_000) tries = 0;
        await pause(backoffMs(tries, 200, 5_000));
      }
    }
  };
  void loop();

  return {
    commit: (offsets) => {
      for (const { topic, partition, nextOffset } of offsets)
        if (owns(topic, partition)) pending.set(`${topic}:${partition}`, { topic, partition, offset: nextOffset });
    },
    assigned: () => owned,
    close: async () => {
      closed = true;
      clearInterval(timer);
      rounds.close();
      await bounded(flush());
      await bounded(current?.disconnect());
      owned = [];
    },
  };
};
