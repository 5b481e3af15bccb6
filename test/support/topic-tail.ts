import { randomUUID } from 'node:crypto';
import type { Kafka } from 'kafkajs';

export interface TailRecord {
  readonly partition: number;
  readonly offset: string;
  readonly key: string;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Everything on a topic from its beginning, as another team would read it: with a client of its own. */
export interface Tail {
  readonly records: TailRecord[];
  /** Event ids in the order of their first appearance, of one key or of all. */
  readonly firsts: (key?: string) => string[];
  readonly close: () => Promise<void>;
}

export const openTail = async (kafka: Kafka, topic: string): Promise<Tail> => {
  const consumer = kafka.consumer({ groupId: `tail-${randomUUID()}`, maxWaitTimeInMs: 100 });
  const records: TailRecord[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const joined = new Promise<void>((resolve) => consumer.on(consumer.events.GROUP_JOIN, () => resolve()));
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
      records.push({
        partition,
        offset: message.offset,
        key: message.key?.toString() ?? '',
        value: message.value,
        headers: Object.fromEntries(headers) as Record<string, string>,
      });
    },
  });
  await joined;
  return {
    records,
    firsts: (key) => [
      ...new Set(
        records.filter((one) => key === undefined || one.key === key).map((one) => one.headers['ce_id'] ?? ''),
      ),
    ],
    close: () => consumer.disconnect(),
  };
};
