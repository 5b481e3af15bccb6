import { randomUUID } from 'node:crypto';
import type { MessageSubmitted, ReceiptIssued } from '../../schemas/generated/records';
import { openCodec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { openBroker } from '../../services/platform/kafka';
import { openLog } from '../../services/platform/log';
import { steadyProducer } from '../../services/platform/steady-producer';

const ingress = 'fairlead.ingress.messages.v1';
const receiptsTopic = 'fairlead.admission.receipts.v1';

/** Records in one request to the broker. */
const perSend = 500;

export type Submission = Omit<MessageSubmitted, 'eventId' | 'occurredAt'>;

export interface KafkaSide {
  /** Resolves once the broker has it. Event ids differ, so that a message sent again is a new record of the same identity. */
  readonly submit: (message: Submission) => Promise<void>;
  /** From now on each receipt is shown to `see`; resolves once none can be missed. */
  readonly receipts: (see: (receipt: ReceiptIssued) => void) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What an upstream app does on the topics: submits to the ingress, and reads the receipts. */
export const openKafkaSide = async (): Promise<KafkaSide> => {
  const log = openLog('bench', 'bench', 'silent');
  const broker = openBroker(kafkaSettings(process.env), 'bench', log);
  const codec = await openCodec(
    process.env['SCHEMA_REGISTRY_URL'] ?? '',
    [{ topic: ingress, type: 'MessageSubmitted' }],
    log,
  );
  const producer = steadyProducer(broker, log, () => false);
  const closers: (() => Promise<void>)[] = [];
  const waiting: { message: Submission; done: () => void; failed: (error: unknown) => void }[] = [];
  let sending = false;

  /** What is submitted in the same turn of the event loop goes out in one request. */
  const flush = async (): Promise<void> => {
    if (sending) return;
    sending = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, perSend);
      try {
        await producer.send(
          batch.map(({ message }) => ({
            topic: ingress,
            partition: null,
            key: Buffer.from(message.conversationId),
            value: codec.encode(ingress, 'MessageSubmitted', {
              ...message,
              eventId: randomUUID(),
              occurredAt: Date.now(),
            }),
            headers: {},
          })),
        );
        for (const one of batch) one.done();
      } catch (error) {
        for (const one of batch) one.failed(error);
      }
    }
    sending = false;
  };

  return {
    submit: (message) =>
      new Promise((done, failed) => {
        waiting.push({ message, done, failed });
        setImmediate(() => void flush());
      }),
    receipts: async (see) => {
      let join: () => void = () => undefined;
      const joined = new Promise<void>((resolve) => (join = resolve));
      const consumer = broker.consume({
        group: `bench-${randomUUID()}`,
        topics: [receiptsTopic],
        gatherMs: 0,
        onAssigned: async () => {
          const ends = await broker.offsets(receiptsTopic);
          join();
          return new Map([...ends].map(([partition, { end }]) => [`${receiptsTopic}:${partition}`, end]));
        },
        onError: () => undefined,
        onRecords: async (records) => {
          for (const record of records) {
            const { value } = await codec.decode(record.value, new Set(['ReceiptIssued']));
            see(value as ReceiptIssued);
          }
        },
      });
      closers.push(() => consumer.close());
      await joined;
    },
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      await producer.close();
      await broker.close();
    },
  };
};
