import { createParser } from 'eventsource-parser';
import type { Call } from './call';
import type { Owners } from './owners';

/** Where the stream of a run cannot be had, or something moved that it does not tell, a look is taken this often. */
const lookEveryMs = 1_000;
const againAfterMs = 500;

export interface Wakes {
  /** Resolves when something of the run has happened since the last call, or after a while. */
  readonly next: () => Promise<void>;
  readonly close: () => void;
}

/** Wakes whoever follows a run, from publication's stream of it; what is true is then read from its owners. */
export const openWakes = (owners: Owners, call: Call, runId: string): Wakes => {
  const closing = new AbortController();
  const signal = AbortSignal.any([call.signal, closing.signal]);
  let cursor: string | null = null;
  let pending = false;
  let wake: (() => void) | null = null;
  const happened = (): void => {
    pending = true;
    wake?.();
  };
  signal.addEventListener('abort', happened, { once: true });

  const listen = async (): Promise<void> => {
    const response = await owners.events(call, runId, cursor, signal);
    if (response.status !== 200 || response.body === null) return void (await response.body?.cancel());
    const parser = createParser({
      onEvent: (event) => {
        cursor = event.id ?? cursor;
        happened();
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
      parser.feed(decoder.decode(chunk, { stream: true }));
  };
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
  const keepListening = async (): Promise<void> => {
    while (!signal.aborted) {
      await listen().catch(() => undefined);
      if (!signal.aborted) await pause(againAfterMs);
    }
  };
  void keepListening();

  return {
    next: async () => {
      if (!pending && !signal.aborted)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, lookEveryMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      wake = null;
      pending = false;
    },
    close: () => closing.abort(),
  };
};
