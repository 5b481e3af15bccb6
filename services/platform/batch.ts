import type { QueryResult } from 'pg';
import { save } from './aggregate';
import { openBatch, type BatchItem } from './batch-open';
import { insertRows, positions, reclaimable } from './batch-statements';
import type { Fact, Row, Service } from './decision';
import { decideBatch, viewOf, type HeldSet, type Outcome, type Told } from './decide-batch';
import { failpoint } from './failpoints';
import { closeIncidents, isIncident, openIncidents } from './incidents';
import { append, type Appended, type NewOutboxRow, type OutboxRow } from './outbox';
import type { Pipe, Statement } from './postgres';

export interface BatchDeps<M, I> {
  readonly pipe: Pipe;
  readonly service: Service<M, I>;
  readonly instance: string;
  readonly writer: string;
  readonly capacity: () => number;
  /** How facts are encoded; throws what is transient while that is not known. */
  readonly encoder: () => (fact: Fact) => NewOutboxRow;
  /** True while the relay has more in its table than it can send soon. */
  readonly behind: () => boolean;
  /** Turns a message whose decision threw into rows (dead letter) for the same transaction. */
  readonly bury: (
    item: BatchItem<M>,
    error: unknown,
    now: number,
  ) => { readonly rows: readonly Row[]; readonly outbox: readonly NewOutboxRow[] };
}

export interface Committed<M, I> {
  readonly outcomes: readonly (Outcome | { readonly ok: true; readonly duplicate: true; readonly reply: undefined })[];
  readonly performs: readonly I[];
  readonly told: readonly Told<M>[];
  readonly sent: readonly OutboxRow[];
  readonly foreign: readonly number[];
}

const told = <M>(messages: readonly Told<M>[]): Row[] =>
  messages.map((message) => ({
    table: 'told',
    values: { id: message.id, message: JSON.stringify(message.message), trace: JSON.stringify(message.trace) },
  }));

/**
 * Handles a batch exactly once, in one transaction of two round trips (three where aggregates name further ones):
 * claim, lock, decide in memory, save, append, commit. The caller hands over what follows from the commit.
 */
export const handleBatch = async <M, I>(
  deps: BatchDeps<M, I>,
  items: readonly BatchItem<M>[],
): Promise<Committed<M, I>> => {
  const { pipe, service } = deps;
  const encode = deps.encoder();
  const { held, fresh, todo, clock } = await openBatch(pipe, service, items);
  const blobs = await loadBlobs(deps, todo, held);
  await failpoint('batch.loaded');

  const now = Math.floor(Number(clock.now));
  const result = decideBatch(
    service,
    held,
    blobs,
    todo,
    {
      now,
      instance: deps.instance,
      capacity: deps.capacity(),
    },
    encode,
  );
  const buried = result.outcomes.flatMap((outcome, index) => {
    const item = todo[index];
    return outcome.ok || item === undefined ? [] : [{ item, ...deps.bury(item, outcome.error, now) }];
  });
  const outboxRows = [...result.outbox, ...buried.flatMap((letter) => letter.outbox)];
  const changed = held.all().filter((row) => row.changed);
  const saves = service.kinds.flatMap((kind) =>
    save(
      kind,
      changed.filter((row) => row.key.kind === kind.name),
    ),
  );
  const rows = [...result.rows, ...told(result.told), ...buried.flatMap((letter) => letter.rows)];
  const appended = append(outboxRows, deps.writer, deps.behind());
  const tail: Statement[] = [
    ...saves,
    ...insertRows(rows.filter((row) => !isIncident(row))),
    ...openIncidents(rows.filter(isIncident)),
    ...closeIncidents(result.closed),
    ...reclaimable(buried.map((letter) => letter.item)),
    ...positions(items),
    // Last, under every lock and after every save: what it says about other writers' rows holds until the commit.
    ...(appended === null ? [] : [appended.statement]),
  ];
  await failpoint('batch.decided');
  const results = await pipe.commit(tail, clock.xid);
  await failpoint('batch.committed');

  let at = 0;
  const outcomes = fresh.map((isNew) =>
    isNew ? (result.outcomes[at++] as Outcome) : ({ ok: true, duplicate: true, reply: undefined } as const),
  );
  return { outcomes, performs: result.performs, told: result.told, ...handOver(outboxRows, appended, results) };
};

/** What the relay is told: the rows with their ids, and the buckets it must read from its table instead. */
const handOver = (
  rows: readonly NewOutboxRow[],
  appended: Appended | null,
  results: readonly QueryResult[],
): { readonly sent: readonly OutboxRow[]; readonly foreign: readonly number[] } => {
  if (appended === null) return { sent: [], foreign: [] };
  // After a COMMIT settled by reading back the ids are unknown here: the relay must find those rows in its table, before
  // it sends any later ones from memory.
  const answer = results.at(-2)?.rows[0] as { ids: string[]; foreign_buckets: number[] } | undefined;
  if (answer === undefined) return { sent: [], foreign: appended.buckets };
  return {
    sent: rows.map((row, index) => ({
      ...row,
      id: answer.ids[index] ?? '',
      bucket: appended.buckets[index] ?? 0,
    })),
    foreign: [...appended.unasked, ...answer.foreign_buckets],
  };
};

const loadBlobs = async <M, I>(
  deps: BatchDeps<M, I>,
  items: readonly BatchItem<M>[],
  held: HeldSet,
): Promise<Map<string, Buffer>> => {
  const wants = deps.service.blobs;
  if (wants === undefined) return new Map();
  const view = viewOf(held, new Map());
  const refs = [...new Set(items.flatMap((item) => wants(item.message, view)))];
  if (refs.length === 0) return new Map();
  const [result] = await deps.pipe.burst([
    { name: 'blobs_load', text: 'SELECT ref, bytes FROM blobs WHERE ref = ANY($1::text[])', values: [refs] },
  ]);
  return new Map((result?.rows as { ref: string; bytes: Buffer }[]).map((row) => [row.ref, row.bytes]));
};
