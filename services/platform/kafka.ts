import type { IHeaders } from 'kafkajs';
import type { Broker, OutRecord, Producer, SendFailure } from './broker';
import type { KafkaSettings } from './environment';
import { bounded, kafkaClient } from './kafka-client';
import { supervise } from './kafka-consumer';
import type { Logger } from './log';

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
