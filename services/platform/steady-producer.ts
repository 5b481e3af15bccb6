import type { Broker, OutRecord, Producer } from './broker';
import type { Logger } from './log';
import { backoffMs, pause } from './pause';

const triesWhileStopping = 3;

/** Sends in order, and again until the broker takes it: what was found out is not thrown away. */
export interface SteadyProducer {
  readonly send: (records: readonly OutRecord[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

export const steadyProducer = (broker: Broker, log: Logger, stopping: () => boolean): SteadyProducer => {
  let producer: Producer | null = null;
  let last: Promise<void> = Promise.resolve();

  const sendNow = async (records: readonly OutRecord[]): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      try {
        producer ??= await broker.producer();
        return await producer.send(records);
      } catch (error) {
        // A producer whose send failed is not used again.
        await producer?.close().catch(() => undefined);
        producer = null;
        if (stopping() && tries > triesWhileStopping) throw error;
        if (tries % 10 === 0) log.warn({ err: error }, 'results wait for the broker');
        await pause(backoffMs(tries, 100, 3_000));
      }
    }
  };

  return {
    send: (records) => {
      const mine = last.then(() => sendNow(records));
      last = mine.catch(() => undefined);
      return mine;
    },
    close: async () => {
      await last;
      await producer?.close().catch(() => undefined);
    },
  };
};
