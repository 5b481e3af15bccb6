import type { Pool } from 'pg';
import type { EventStream } from '../platform/event-stream';
import type { Logger } from '../platform/log';
import type { Hints } from '../platform/redis';
import { cursorOf, snapshotOf } from './snapshot';
import { firstKept, headsOf, rowsAfter, type Scope, type TimelineRow } from './store';

const hintChannel = 'publication.streams';
/** Hints within this go out as one. */
const gatherMs = 5;
/** The way without Redis, and the safety net with it. One query for all readers of this process. */
const pollMs = 400;
/** Read ahead of a client, in one query; a row alone may have 256 KiB. */
const page = { rows: 200, bytes: 256 * 1024 };
export const maxReaders = 5_000;

/** Where a client wants to go on: after a number, or with a fresh snapshot because its cursor says nothing here. */
export type Start = { readonly type: 'after'; readonly seq: number } | { readonly type: 'snapshot' };

/** Null for what no stream has ever given. */
export const placeOf = (cursor: string): { readonly epoch: string; readonly seq: number } | null => {
  const [, epoch, digits] = /^([0-9a-f]{8})\.(\d{1,15})$/.exec(cursor) ?? [];
  return epoch === undefined || digits === undefined ? null : { epoch, seq: Number(digits) };
};

/** Too old, foreign or unreadable: a snapshot (P3). `first` = the first event that is kept, null = none is. */
export const startAt = (
  place: ReturnType<typeof placeOf>,
  head: { readonly epoch: string; readonly seq: number } | undefined,
  first: number | null,
): Start => {
  if (place === null || head === undefined || head.epoch !== place.epoch || place.seq > head.seq)
    return { type: 'snapshot' };
  return place.seq < (first ?? head.seq + 1) - 1 ? { type: 'snapshot' } : { type: 'after', seq: place.seq };
};

/** No cursor: from the first kept event on. */
export const startOf = async (pool: Pool, scope: Scope, cursor: string | null): Promise<Start> => {
  if (cursor === null) return { type: 'after', seq: 0 };
  const place = placeOf(cursor);
  if (place === null) return { type: 'snapshot' };
  const [head] = await headsOf(pool, [scope.stream]);
  return startAt(place, head, head === undefined ? null : await firstKept(pool, scope));
};

interface Reader {
  readonly scope: Scope;
  readonly stream: EventStream;
  /** Everything up to here was sent. */
  seq: number;
  /** The stream's number up to which there was nothing more to send. */
  checked: number;
  ended: boolean;
  pumping: boolean;
  again: boolean;
}

const eventOf = (row: TimelineRow) => ({
  id: cursorOf(row.epoch, row.seq),
  event: row.kind,
  data: `{"eventId":${JSON.stringify(row.eventId)},"at":"${row.at}","item":${row.item}}`,
});

/**
 * Clients that follow a stream. Each reads its own way through the table, as fast as it takes it: the table is the
 * buffer, so a slow client costs nobody anything. Wakes only say that looking is worth it.
 */
export const openReaders = (pool: Pool, hints: Hints, log: Logger) => {
  const readers = new Map<string, Set<Reader>>();
  let count = 0;
  let telling = new Set<string>();
  let polling = false;
  let stopped = false;

  const send = async (reader: Reader): Promise<void> => {
    for (let more = true; more && reader.stream.isOpen();) {
      reader.again = false;
      const rows = await rowsAfter(pool, reader.scope, reader.seq, page);
      for (const row of rows) {
        if (!reader.stream.send(eventOf(row))) return;
        reader.seq = row.seq;
        reader.ended ||= row.ended;
        await reader.stream.drained();
      }
      const bytes = rows.reduce((sum, row) => sum + row.item.length, 0);
      more = rows.length === page.rows || bytes >= page.bytes || reader.again;
    }
    // A run's stream ends after its end, once everything that is known was sent.
    if (reader.scope.runId !== null && reader.ended) reader.stream.end();
  };

  const pump = (reader: Reader): void => {
    if (reader.pumping) {
      reader.again = true;
      return;
    }
    reader.pumping = true;
    send(reader)
      .catch((error: unknown) => {
        // Its place is kept; the next poll looks again.
        reader.checked = -1;
        log.debug({ err: error }, 'a reader could not be served now');
      })
      .finally(() => {
        reader.pumping = false;
      });
  };

  const wakeHere = (ids: Iterable<string>): void => {
    for (const id of ids) for (const reader of readers.get(id) ?? []) pump(reader);
  };
  hints.subscribe(hintChannel, (text) => wakeHere(text.split(',')));

  const poll = async (): Promise<void> => {
    if (polling || readers.size === 0) return;
    polling = true;
    try {
      for (const head of await headsOf(pool, [...readers.keys()]))
        for (const reader of readers.get(head.id) ?? [])
          if (reader.seq < head.seq && reader.checked < head.seq) {
            reader.checked = head.seq;
            pump(reader);
          }
    } catch (error) {
      log.debug({ err: error }, 'the heads of the streams could not be read');
    } finally {
      polling = false;
    }
  };
  const timer = setInterval(() => void poll(), pollMs);

  return {
    count: (): number => count,
    /** After a commit: here at once, elsewhere by one hint for many commits. */
    wake: (ids: readonly string[]): void => {
      wakeHere(ids);
      if (telling.size === 0)
        setTimeout(() => {
          hints.publish(hintChannel, [...telling].join(','));
          telling = new Set();
        }, gatherMs);
      for (const id of ids) telling.add(id);
    },
    join: async (scope: Scope, stream: EventStream, start: Start, ended: boolean): Promise<void> => {
      const seq = start.type === 'after' ? start.seq : 0;
      const reader: Reader = { scope, stream, seq, checked: -1, ended, pumping: false, again: false };
      if (start.type === 'snapshot') {
        const snapshot = await snapshotOf(pool, scope);
        reader.seq = snapshot.seq;
        const at = new Date().toISOString();
        stream.send({
          id: snapshot.cursor,
          event: 'snapshot',
          data: `{"eventId":null,"at":"${at}","item":${snapshot.json}}`,
        });
      }
      if (stopped) return stream.end();
      const mine = readers.get(scope.stream) ?? new Set();
      readers.set(scope.stream, mine.add(reader));
      count += 1;
      stream.onClose(() => {
        count -= 1;
        mine.delete(reader);
        if (mine.size === 0 && readers.get(scope.stream) === mine) readers.delete(scope.stream);
      });
      pump(reader);
    },
    stop: (): void => {
      stopped = true;
      clearInterval(timer);
      for (const mine of readers.values()) for (const reader of mine) reader.stream.end();
    },
  };
};

export type Readers = ReturnType<typeof openReaders>;
