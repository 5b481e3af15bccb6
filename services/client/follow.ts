import { createParser } from 'eventsource-parser';

const firstPauseMs = 200;
const maxPauseMs = 5_000;
/** What was just started may not be shown yet: for so long an unknown stream is asked for again before that is believed. */
const notYetShownMs = 3_000;

/** One event of a stream, as publication tells it. */
export interface Happened {
  /** Where to go on after this one, at any gateway. */
  readonly cursor: string;
  readonly kind: 'message' | 'receipt' | 'run' | 'turn' | 'interaction' | 'action' | 'report' | 'snapshot';
  readonly eventId: string;
  readonly at: string;
  readonly item: Readonly<Record<string, unknown>>;
}

export interface FollowOptions {
  readonly after: string | null;
  readonly signal: AbortSignal | undefined;
  /** So long a stream that cannot be had is tried for before the last failure is thrown. */
  readonly retryForMs: number;
  /** A run's stream ends with the run; any other that ends was broken off. */
  readonly ends: boolean;
}

const ended = 204;
const terminal: ReadonlySet<unknown> = new Set(['completed', 'partial', 'failed', 'cancelled', 'interrupted']);

/** Goes on from the last event over whatever breaks; each event comes once. */
export async function* follow(
  open: (cursor: string | null) => Promise<Response>,
  { after, signal, retryForMs, ends }: FollowOptions,
): AsyncGenerator<Happened, void, undefined> {
  const stopped = (): boolean => signal?.aborted === true;
  let cursor = after;
  let over = false;
  let failingSince: number | null = null;
  const startedAt = Date.now();
  for (let pauseMs = firstPauseMs; !stopped(); pauseMs = Math.min(maxPauseMs, pauseMs * 2)) {
    try {
      const response = await open(cursor);
      if (response.status === ended) return;
      if (!response.ok || response.body === null) throw new Error(`the stream answered ${response.status}`);
      const waiting: Happened[] = [];
      const parser = createParser({
        onEvent: ({ id, event, data }) => {
          const told = JSON.parse(data) as Omit<Happened, 'cursor' | 'kind'>;
          waiting.push({ ...told, cursor: id ?? '', kind: (event ?? 'message') as Happened['kind'] });
        },
      });
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        parser.feed(decoder.decode(chunk, { stream: true }));
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          [cursor, failingSince, pauseMs] = [next.cursor, null, firstPauseMs];
          over ||= ends && next.kind === 'run' && terminal.has(next.item['state']);
          yield next;
        }
      }
      // Ended by the server: with the run, or because an instance went; then another one has the rest.
      if (over) return;
      failingSince ??= Date.now();
    } catch (error) {
      if (stopped()) return;
      const notYetShown =
        (error as { status?: unknown }).status === 404 && cursor === after && Date.now() - startedAt < notYetShownMs;
      if (error instanceof Error && error.name === 'FairleadError' && !notYetShown) throw error;
      failingSince ??= Date.now();
      if (Date.now() - failingSince > retryForMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
