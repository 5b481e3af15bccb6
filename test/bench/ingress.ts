import { randomUUID } from 'node:crypto';
import type { ReceiptIssued } from '../../schemas/generated/records';
import { unsaid } from '../../schemas/unsaid';
import { openCodec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { openBroker } from '../../services/platform/kafka';
import { openLog } from '../../services/platform/log';
import { steadyProducer } from '../../services/platform/steady-producer';

const ingress = 'fairlead.ingress.messages.v1';
const receipts = 'fairlead.admission.receipts.v1';
const perSend = 500;

export interface Absorbed {
  /** Seconds from the first record on the topic to the last `admitted` receipt. */
  readonly admittedSec: number;
  /** Until each message has its last word; none of them starts a run, so the executor hardly counts. Null: not waited for. */
  readonly settledSec: number | null;
  readonly admitted: number;
  readonly settled: number;
}

/** Puts messages on the ingress as fast as the broker takes them and counts, by id, the receipts that come back. */
export const absorb = async (messages: number, untilSettled: boolean): Promise<Absorbed> => {
  const log = openLog('bench', 'bench', 'silent');
  const broker = openBroker(kafkaSettings(process.env), 'bench-ingress', log);
  const codec = await openCodec(
    process.env['SCHEMA_REGISTRY_URL'] ?? '',
    [{ topic: ingress, type: 'MessageSubmitted' }],
    log,
  );
  const stamp = Date.now().toString(36);
  const admitted = new Set<string>();
  const settled = new Set<string>();
  let lastAdmitted = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  let join: () => void = () => undefined;
  const joined = new Promise<void>((resolve) => (join = resolve));
  const consumer = broker.consume({
    group: `bench-${randomUUID()}`,
    topics: [receipts],
    gatherMs: 0,
    onAssigned: async () => {
      const ends = await broker.offsets(receipts);
      join();
      return new Map([...ends].map(([partition, { end }]) => [`${receipts}:${partition}`, end]));
    },
    onError: () => undefined,
    onRecords: async (records) => {
      for (const record of records) {
        const { value } = await codec.decode(record.value, new Set(['ReceiptIssued']));
        const { clientMessageId, status } = value as ReceiptIssued;
        if (!clientMessageId.startsWith(stamp)) continue;
        if (status !== 'admitted') settled.add(clientMessageId);
        else if (admitted.add(clientMessageId).size === messages) lastAdmitted = performance.now();
        if (admitted.size === messages && (!untilSettled || settled.size === messages)) finish();
      }
    },
  });
  await joined;
  const producer = steadyProducer(broker, log, () => false);
  const started = performance.now();
  for (let from = 0; from < messages; from += perSend)
    await producer.send(
      Array.from({ length: Math.min(perSend, messages - from) }, (_, index) => {
        const id = `${stamp}-${from + index}`;
        const value = codec.encode(ingress, 'MessageSubmitted', {
          ...unsaid,
          eventId: id,
          occurredAt: Date.now(),
          account: 'bench',
          conversationId: `ingress-${id}`,
          clientMessageId: id,
          content: 'after something that never was',
          relation: 'NEW_TASK',
          dependsOnRunId: 'run_none',
        });
        return { topic: ingress, partition: null, key: Buffer.from(`ingress-${id}`), value, headers: {} };
      }),
    );
  await finished;
  const ended = performance.now();
  await consumer.close();
  await producer.close();
  await broker.close();
  return {
    admittedSec: (lastAdmitted - started) / 1_000,
    settledSec: untilSettled ? (ended - started) / 1_000 : null,
    admitted: admitted.size,
    settled: settled.size,
  };
};
