import type { Pool } from 'pg';
import type { EventStream } from '../platform/event-stream';
import type { Logger } from '../platform/log';
import type { Hints } from '../platform/redis';
import { mayRead } from './answer';
import { itemOf } from './item';
import type { Actor } from './messages';
import { changedLately, inboxOf, manyOf, type Change, type Listed } from './store';

const hintChannel = 'hil.inbox';
/** The way without Redis, and the safety net with it. */
const pollMs = 1_000;
/** Changes within this are one look, and one hint. */
const gatherMs = 10;
/** Longer than the longest transaction: a change that commits late still lies inside the window. */
const windowSec = 60;
const maxChanges = 5_000;
/** Beyond these the oldest is forgotten; its last state may then be sent once more, which changes nothing. */
const maxTold = 20_000;
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
  /** Revisions already told. */
  const told = new Map<string, number>();
  let wanted = new Set<string>();
  let gathering: NodeJS.Timeout | null = null;
  let telling = new Set<string>();

  const note = ({ id, revision }: Change): boolean => {
    if ((told.get(id) ?? 0) >= revision) return false;
    told.delete(id);
    told.set(id, revision);
    const oldest = told.keys().next().value;
    if (told.size > maxTold && oldest !== undefined) told.delete(oldest);
    return true;
  };

  const tell = async (refs: readonly string[]): Promise<void> => {
    if (readers.size === 0 || refs.length === 0) return;
    for (const row of await manyOf(pool, refs))
      if (note(row))
        for (const reader of readers) if (mayRead(row.state, reader.actor)) reader.stream.send(eventOf(row));
  };
  const quietly = (work: Promise<void>): void =>
    void work.catch((error: unknown) => log.debug({ err: error }, 'the live inbox could not look'));

  const want = (refs: readonly string[]): void => {
    if (readers.size === 0) return;
    for (const ref of refs) wanted.add(ref);
    gathering ??= setTimeout(() => {
      const now = [...wanted];
      wanted = new Set();
      gathering = null;
      quietly(tell(now));
    }, gatherMs);
  };
  hints.subscribe(hintChannel, (text) => want(text.split(',')));

  const sweep = async (): Promise<void> => {
    if (readers.size === 0) return;
    const changes = await changedLately(pool, windowSec, maxChanges);
    await tell(changes.filter(({ id, revision }) => (told.get(id) ?? 0) < revision).map(({ id }) => id));
  };
  const poll = setInterval(() => quietly(sweep()), pollMs);

  return {
    /** After a commit: here at once, elsewhere by one hint for many commits. */
    wake: (refs: readonly string[]): void => {
      want(refs);
      if (telling.size === 0)
        setTimeout(() => {
          hints.publish(hintChannel, [...telling].join(','));
          telling = new Set();
        }, gatherMs);
      for (const ref of refs) telling.add(ref);
    },
    join: async (actor: Actor, stream: EventStream): Promise<void> => {
      const reader = { actor, stream };
      // Listening starts before the snapshot is read: a change in between comes twice rather than never.
      if (readers.size === 0) for (const change of await changedLately(pool, windowSec, maxChanges)) note(change);
      readers.add(reader);
      stream.onClose(() => readers.delete(reader));
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
      for (const { stream } of readers) stream.end();
    },
  };
};

export type Inbox = ReturnType<typeof openInbox>;
