import { unsaid } from '../../schemas/unsaid';
import { openKafkaSide } from './kafka-side';

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
  const kafka = await openKafkaSide();
  const stamp = Date.now().toString(36);
  const admitted = new Set<string>();
  const settled = new Set<string>();
  let lastAdmitted = 0;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  await kafka.receipts(({ clientMessageId, status }) => {
    if (!clientMessageId.startsWith(stamp)) return;
    if (status !== 'admitted') settled.add(clientMessageId);
    else if (admitted.add(clientMessageId).size === messages) lastAdmitted = performance.now();
    if (admitted.size === messages && (!untilSettled || settled.size === messages)) finish();
  });
  const started = performance.now();
  await Promise.all(
    Array.from({ length: messages }, (_, n) =>
      kafka.submit({
        ...unsaid,
        account: 'bench',
        conversationId: `ingress-${stamp}-${n}`,
        clientMessageId: `${stamp}-${n}`,
        content: 'after something that never was',
        relation: 'NEW_TASK',
        dependsOnRunId: 'run_none',
      }),
    ),
  );
  await finished;
  const ended = performance.now();
  await kafka.close();
  return {
    admittedSec: (lastAdmitted - started) / 1_000,
    settledSec: untilSettled ? (ended - started) / 1_000 : null,
    admitted: admitted.size,
    settled: settled.size,
  };
};
