import type { Answer, Settlement } from './messages';

/** How often receipts that other instances settle are looked for; those of this process are told at once. */
const pollMs = 100;
/** Beyond this many open waits a POST is answered at once with what is known. */
const maxWaiting = 10_000;

export interface Waiters {
  /** The first settled receipt, or null when it does not come in time. */
  readonly wait: (messageId: string, ms: number) => Promise<Answer | null>;
  readonly settled: (settlement: Settlement) => void;
  readonly close: () => void;
}

export const openWaiters = (read: (messageIds: readonly string[]) => Promise<readonly Answer[]>): Waiters => {
  const waiting = new Map<string, Set<(answer: Answer | null) => void>>();
  let count = 0;
  let timer: NodeJS.Timeout | null = null;

  const tell = (messageId: string, answer: Answer): void => {
    for (const take of waiting.get(messageId) ?? []) take(answer);
  };

  const poll = async (): Promise<void> => {
    timer = null;
    try {
      for (const answer of await read([...waiting.keys()])) tell(answer.receipt.messageId ?? '', answer);
    } catch {
      // The database is away for the moment; each wait has its own end.
    }
    schedule();
  };
  const schedule = (): void => {
    if (timer === null && waiting.size > 0) timer = setTimeout(() => void poll(), pollMs);
  };

  return {
    wait: (messageId, ms) => {
      if (count >= maxWaiting || ms <= 0) return Promise.resolve(null);
      return new Promise((resolve) => {
        const takers = waiting.get(messageId) ?? new Set();
        waiting.set(messageId, takers);
        count += 1;
        const take = (answer: Answer | null): void => {
          clearTimeout(end);
          takers.delete(take);
          if (takers.size === 0) waiting.delete(messageId);
          count -= 1;
          resolve(answer);
        };
        const end = setTimeout(() => take(null), ms);
        takers.add(take);
        schedule();
      });
    },
    settled: ({ receipt, http }) => tell(receipt.messageId ?? '', { receipt, http }),
    close: () => {
      for (const takers of waiting.values()) for (const take of takers) take(null);
      if (timer !== null) clearTimeout(timer);
    },
  };
};
