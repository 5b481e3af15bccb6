import {
  CompressionCodecs,
  CompressionTypes,
  Kafka,
  logLevel,
  type Consumer as KafkaConsumer,
  type IHeaders,
  type KafkaConfig,
  type logCreator,
} from 'kafkajs';
import type {
  Assignment,
  Broker,
  Consumer,
  ConsumerOptions,
  InRecord,
  OutRecord,
  Producer,
  SendFailure,
} from './broker';
import type { KafkaSettings } from './environment';
import type { Logger } from './log';
import { backoffMs, pause, within } from './pause';

// kafkajs is unmaintained and has known traps; this is the only file that imports it, and the place that covers them.

/** Offsets are sent to the broker at most this often; what is repeated after a crash the inbox absorbs. */
const commitEveryMs = 200;
const goodbyeMs = 3_000;
const sessionTimeoutMs = 6_000;
const heartbeatEveryMs = 1_500;
/** A fetch is answered with the first byte; the wait only bounds idle polling. */
const fetchWaitMs = 1_000;
/** Upper bound of one fetch: small batches keep one slow partition from holding up the round. */
const fetchBytesPerPartition = 512 * 1024;
const fetchBytes = 4 * 1024 * 1024;

/** The idle request queue re-arms a timer with a negative delay for ever; with nothing pending there is nothing to check. */
const calmIdleRequestQueue = (): void => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const RequestQueue = require('kafkajs/src/network/requestQueue') as {
    prototype: { scheduleCheckPendingRequests(this: { pending: unknown[] }): void };
  };
  const original = RequestQueue.prototype.scheduleCheckPendingRequests;
  RequestQueue.prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) original.call(this);
  };
};

const registerCodecs = (): void => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const snappy = require('kafkajs-snappy') as () => {
    compress(e: unknown): Promise<Buffer>;
    decompress(b: Buffer): Promise<Buffer>;
  };
  CompressionCodecs[CompressionTypes.Snappy] = snappy;
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const lz4 = require('lz4-napi') as {
    compressFrame(b: Buffer): Promise<Buffer>;
    decompressFrame(b: Buffer): Promise<Buffer>;
  };
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: (encoder: { buffer: Buffer }) => lz4.compressFrame(encoder.buffer),
    decompress: (buffer: Buffer) => lz4.decompressFrame(buffer),
  });
  // Read only: Node 20 has no zstd of its own, and nothing here needs to write it.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const zstd = require('fzstd') as { decompress(bytes: Uint8Array): Uint8Array };
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: () => Promise.reject(new Error('zstd is read, not written')),
    decompress: (buffer: Buffer) => Promise.resolve(Buffer.from(zstd.decompress(buffer))),
  });
};

const recordFaults = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'CORRUPT_MESSAGE',
  'INVALID_TIMESTAMP',
]);
const topicFaults = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'TOPIC_AUTHORIZATION_FAILED',
  'INVALID_TOPIC_EXCEPTION',
  'UNKNOWN_TOPIC_ID',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

interface WrappedError {
  readonly type?: string;
  readonly cause?: unknown;
  readonly originalError?: unknown;
}

/** A goodbye that a broker does not answer is not waited for. */
const bounded = async (goodbye: Promise<void> | undefined): Promise<void> => {
  await within(goodbye ?? Promise.resolve(), goodbyeMs, () => new Error('no answer')).catch(() => undefined);
};

class MissingPartition extends Error {
  readonly type = 'UNKNOWN_TOPIC_OR_PARTITION';
  constructor(topic: string, partition: number | null) {
    super(`${topic} has no partition ${partition}`);
    this.name = 'MissingPartition';
  }
}

export const failureOf = (error: unknown): SendFailure => {
  for (
    let at = error as WrappedError | undefined, depth = 0;
    at !== undefined && at !== null && depth < 5;
    depth += 1
  ) {
    if (at.type !== undefined && recordFaults.has(at.type)) return 'record';
    if (at.type !== undefined && topicFaults.has(at.type)) return 'topic';
    at = (at.cause ?? at.originalError) as WrappedError | undefined;
  }
  return 'broker';
};

const logTo =
  (log: Logger): logCreator =>
  () =>
  ({ level, log: { message, error, groupId, broker } }) => {
    const fields = { kafka: { error: error as unknown, groupId: groupId as unknown, broker: broker as unknown } };
    // The client reports every lost connection as an error of its own; here it is one reason to wait and try again.
    if (level <= logLevel.WARN) log.warn(fields, message);
    else log.debug(fields, message);
  };

const configOf = (settings: KafkaSettings, clientId: string, log: Logger): KafkaConfig => ({
  clientId,
  brokers: [...settings.brokers],
  ...(settings.ssl === null ? {} : { ssl: settings.ssl }),
  ...(settings.sasl === null ? {} : { sasl: settings.sasl as KafkaConfig['sasl'] }),
  connectionTimeout: 3_000,
  requestTimeout: 15_000,
  logLevel: logLevel.INFO,
  logCreator: logTo(log),
  retry: { initialRetryTime: 100, maxRetryTime: 3_000, retries: 5 },
});

const readHeaders = (headers: IHeaders | undefined): Record<string, Buffer> => {
  const read: Record<string, Buffer> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined && first !== null) read[name] = Buffer.isBuffer(first) ? first : Buffer.from(first);
  }
  return read;
};

let prepared = false;

/** The client itself, for setting up topics; services go through `openBroker`. */
export const kafkaClient = (settings: KafkaSettings, clientId: string, log: Logger): Kafka => {
  if (!prepared) {
    process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
    calmIdleRequestQueue();
    registerCodecs();
    prepared = true;
  }
  return new Kafka(configOf(settings, clientId, log));
};

export const openBroker = (settings: KafkaSettings, clientId: string, log: Logger): Broker => {
  const kafka = kafkaClient(settings, clientId, log);
  const admin = kafka.admin();
  let adminUp: Promise<void> | null = null;
  const connectedAdmin = async (): Promise<typeof admin> => {
    adminUp ??= admin.connect();
    try {
      await adminUp;
    } catch (error) {
      adminUp = null;
      throw error;
    }
    return admin;
  };

  return {
    producer: async () => {
      // Not idempotent on purpose: kafkajs counts its sequence down after a time-out, and the next send is then taken
      // for a duplicate and lost. One request in flight keeps the order; inboxes absorb what is sent twice (case 58).
      const producer = kafka.producer({
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        idempotent: false,
        // One try: on a second one kafkajs leaves out brokers that answered before, and with them partitions that moved
        // to such a broker in between. The relay tries again with all of its records.
        retry: { retries: 0 },
      });
      await producer.connect();
      return {
        send: async (records: readonly OutRecord[]) => {
          const byTopic = new Map<
            string,
            { key: Buffer | null; value: Buffer | null; headers: IHeaders; partition?: number }[]
          >();
          for (const { topic, key, value, headers, partition } of records) {
            const message = { key, value, headers: headers as IHeaders, ...(partition === null ? {} : { partition }) };
            const list = byTopic.get(topic);
            if (list === undefined) byTopic.set(topic, [message]);
            else list.push(message);
          }
          const written = await producer.sendBatch({
            acks: -1,
            topicMessages: [...byTopic].map(([topic, messages]) => ({ topic, messages })),
          });
          const partitions = new Set(written.map((one) => `${one.topicName}:${one.partition}`));
          const lost = records.find(
            ({ topic, partition }) => partition !== null && !partitions.has(`${topic}:${partition}`),
          );
          // kafkajs leaves out what is meant for a partition that does not exist, and says nothing.
          if (lost !== undefined) throw new MissingPartition(lost.topic, lost.partition);
        },
        failureOf,
        close: () => bounded(producer.disconnect()),
      } satisfies Producer;
    },
    consume: (options) => supervise(kafka, options, log),
    offsets: async (topic) => {
      const rows = await (await connectedAdmin()).fetchTopicOffsets(topic);
      return new Map(rows.map((row) => [row.partition, { first: row.low, end: row.high }]));
    },
    committed: async (group, topics) => {
      const rows = await (await connectedAdmin()).fetchOffsets({ groupId: group, topics: [...topics] });
      return new Map(
        rows.flatMap(({ topic, partitions }) =>
          partitions.flatMap(({ partition, offset }) =>
            BigInt(offset) < 0n ? [] : [[`${topic}:${partition}`, offset] as const],
          ),
        ),
      );
    },
    ping: async () => {
      await (await connectedAdmin()).describeCluster();
    },
    close: async () => {
      if (adminUp !== null) await bounded(admin.disconnect());
    },
  };
};

/** Keeps one consumer of a group running: kafkajs gives up on what it calls non-retriable, a service may not. */
const supervise = (kafka: Kafka, options: ConsumerOptions, log: Logger): Consumer => {
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
      const startedAt = Date.now();
      try {
        await run();
      } catch (error) {
        if (closed) return;
        options.onError(error);
        if (Date.now() - startedAt > 60_000) tries = 0;
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
      await bounded(flush());
      await bounded(current?.disconnect());
      owned = [];
    },
  };
};
