import type { Pool } from 'pg';
import type { EventStream } from '../platform/event-stream';
import type { Logger } from '../platform/log';
import type { Hints } from '../platform/redis';
import { mayRead } from './answer';
import { itemOf } from './item';
import type { Actor } from './messages';
import { changedLately, inboxOf, type Listed } from './store';

const hintChannel = 'hil.inbox';
/** The way without Redis, and the safety net with it. */
const pollMs = 1_000;
/** Hints within this are one look. */
const gatherMs = 10;
/** Longer than the longest transaction: a change that commits late still lies inside the window. */
const windowSec = 60;
const maxChanges = 2_000;
const maxSnapshot = 500;

interface Reader {
  readonly actor: Actor;
  readonly stream: EventStream;
}

const eventOf = (row: Listed) => ({
  id: `${row.id}/${row.revision}`,
  event: 'interaction',
  data: JSON.stringify({
    eventId: `${row.id}/${row.revision}`,
    at: new Date(row.state.changedAt).toISOString(),
    item: itemOf(row.state),
  }),
});

/**
 * Live inboxes. What a reader gets is state, not history: first what is open, then every later change of an
 * interaction, so a reader that was away only has to connect again. One look serves all readers of this process.
 */
export const openInbox = (pool: Pool, hints: Hints, log: Logger) => {
  const readers = new Set<Reader>();
  /** Revisions already told, kept as long as the window can bring them up again. */
  let told = new Map<string, number>();
  let primed = false;
  let looking = false;
  let again = false;
  let gathering: NodeJS.Timeout | null = null;

  const look = async (): Promise<void> => {
    if (readers.size === 0) return;
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    try {
      const rows = await changedLately(pool, windowSec, maxChanges);
      const fresh = rows.filter((row) => (told.get(row.id) ?? 0) < row.revision).reverse();
      told = new Map(rows.map((row) => [row.id, Math.max(row.revision, told.get(row.id) ?? 0)]));
      if (primed)
        for (const row of fresh)
          for (const reader of readers) if (mayRead(row.state, reader.actor)) reader.stream.send(eventOf(row));
      primed = true;
    } catch (error) {
      log.debug({ err: error }, 'the live inbox could not look');
    } finally {
      looking = false;
    }
    if (again) {
      again = false;
      await look();
    }
  };

  const soon = (): void => {
    gathering ??= setTimeout(() => {
      gathering = null;
      void look();
    }, gatherMs);
  };
  hints.subscribe(hintChannel, soon);
  const poll = setInterval(() => void look(), pollMs);
  let hinting: NodeJS.Timeout | null = null;

  return {
    /** After a commit: here at once, elsewhere by a hint; many commits share one. */
    wake: (): void => {
      soon();
      hinting ??= setTimeout(() => {
        hinting = null;
        hints.publish(hintChannel, '');
      }, gatherMs);
    },
    join: async (actor: Actor, stream: EventStream): Promise<void> => {
      const reader = { actor, stream };
      // Listening starts before the snapshot is read: a change in between comes twice rather than never.
      if (readers.size === 0) primed = false;
      readers.add(reader);
      stream.onClose(() => readers.delete(reader));
      await look();
      const rows = await inboxOf(pool, actor, { state: 'open', conversationId: null, after: null, limit: maxSnapshot });
      const items = rows.map((row) => itemOf(row.state));
      stream.send({
        id: 'snapshot',
        event: 'snapshot',
        data: JSON.stringify({ eventId: null, at: new Date().toISOString(), item: { items } }),
      });
    },
    stop: (): void => {
      clearInterval(poll);
      if (gathering !== null) clearTimeout(gathering);
      if (hinting !== null) clearTimeout(hinting);
      for (const { stream } of readers) stream.end();
    },
  };
};

export type Inbox = ReturnType<typeof openInbox>;
