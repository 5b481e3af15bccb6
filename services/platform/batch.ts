import type { QueryResult } from 'pg';
import { lock, save, type Held, type LockedRow } from './aggregate';
import {
  claimed,
  claimId,
  insertRows,
  positions,
  reclaimable,
  toldClaim,
  type Claim,
  type Position,
} from './batch-statements';
import type { AggregateKey, Kind, Row, Service } from './decision';
import {
  decideBatch,
  heldSet,
  viewOf,
  type Fact,
  type HeldSet,
  type Item,
  type Outcome,
  type Told,
} from './decide-batch';
import { failpoint } from './failpoints';
import { closeIncidents, isIncident, openIncidents } from './incidents';
import { append, type Appended, type NewOutboxRow, type OutboxRow } from './outbox';
import type { Pipe, Statement } from './postgres';

export interface BatchItem<M> extends Item<M> {
  readonly claim: Claim | null;
  readonly position: Position | null;
  /** Id of the durable internal message this is, deleted in the same transaction. */
  readonly toldId: string | null;
}

/** A record that cannot be decoded or decided; it becomes a dead letter in the batch's own transaction (X2). */
export interface Encode {
  (facts: readonly Fact[]): NewOutboxRow[];
}

export interface BatchDeps<M, I> {
  readonly pipe: Pipe;
  readonly service: Service<M, I>;
  readonly instance: string;
  readonly writer: string;
  readonly capacity: () => number;
  readonly encode: Encode;
  /** True while the relay has more in its table than it can send soon. */
  readonly behind: () => boolean;
  /** Turns a message whose decision threw into rows (dead letter) for the same transaction. */
  readonly bury: (
    item: BatchItem<M>,
    error: unknown,
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

const groupByKind = (keys: readonly AggregateKey[]): Map<string, Set<string>> => {
  const groups = new Map<string, Set<string>>();
  for (const { kind, id } of keys) groups.set(kind, (groups.get(kind) ?? new Set<string>()).add(id));
  return groups;
};

const lockAll = (
  kinds: readonly Kind[],
  keys: readonly AggregateKey[],
): { statements: Statement[]; kinds: Kind[]; wanted: Map<string, Set<string>> } => {
  const wanted = groupByKind(keys);
  const used = kinds.filter((kind) => wanted.has(kind.name));
  return { wanted, kinds: used, statements: used.map((kind) => lock(kind, [...(wanted.get(kind.name) ?? [])])) };
};

const fill = (held: HeldSet, plan: ReturnType<typeof lockAll>, results: readonly QueryResult[]): void =>
  plan.kinds.forEach((kind, index) => {
    const found = new Map((results[index]?.rows as LockedRow[]).map((row) => [row.id, row]));
    for (const id of plan.wanted.get(kind.name) ?? []) {
      const row = found.get(id);
      const revision = row?.revision ?? 0;
      const state: unknown = row === undefined ? undefined : JSON.parse(row.doc);
      held.set({ key: { kind: kind.name, id }, loaded: revision, revision, state, changed: false } satisfies Held);
    }
  });

/**
 * Handles a batch exactly once, in one transaction of two round trips (three where aggregates name further ones):
 * claim, lock, decide in memory, save, append, commit. The caller hands over what follows from the commit.
 */
export const handleBatch = async <M, I>(
  deps: BatchDeps<M, I>,
  items: readonly BatchItem<M>[],
): Promise<Committed<M, I>> => {
  const { pipe, service } = deps;
  const plan = lockAll(
    service.kinds,
    items.flatMap((item) => service.keys(item.message)),
  );
  const claims = claimed(items);
  const tolds = toldClaim(items);
  const first = await pipe.burst([
    { text: 'BEGIN' },
    ...claims,
    ...tolds,
    ...plan.statements,
    {
      name: 'clock',
      text: 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now, pg_current_xact_id()::text AS xid',
    },
  ]);
  let next = 1;
  const freshIds = new Set(
    claims.length === 0
      ? []
      : first[next++]?.rows.map((r: Claim & { event_id: string }) => `${r.consumer} ${r.topic} ${r.event_id}`),
  );
  const toldIds = new Set(tolds.length === 0 ? [] : first[next++]?.rows.map((r: { id: string }) => r.id));
  const held = heldSet();
  fill(held, plan, first.slice(next));
  const clock = first.at(-1)?.rows[0] as { now: string; xid: string };
  const once = new Set<string>();
  const isFresh = (item: BatchItem<M>): boolean => {
    if (item.toldId !== null) return toldIds.delete(item.toldId);
    if (item.claim === null) return true;
    const id = claimId(item.claim);
    // The same event twice in one batch: the first one is it.
    return freshIds.has(id) && !once.has(id) && once.add(id) !== undefined;
  };
  const fresh = items.map(isFresh);
  const todo = items.filter((_, index) => fresh[index]);

  const more = service.moreKeys;
  if (more !== undefined) {
    const view = viewOf(held, new Map());
    const keys = todo.flatMap((item) => more(item.message, view)).filter((key) => held.get(key) === undefined);
    const second = lockAll(service.kinds, keys);
    if (second.statements.length > 0) fill(held, second, await pipe.burst(second.statements));
  }
  const blobs = await loadBlobs(deps, todo, held);
  await failpoint('batch.loaded');

  const result = decideBatch(service, held, blobs, todo, {
    now: Math.floor(Number(clock.now)),
    instance: deps.instance,
    capacity: deps.capacity(),
  });
  const buried = result.outcomes.flatMap((outcome, index) => {
    const item = todo[index];
    return outcome.ok || item === undefined ? [] : [{ item, ...deps.bury(item, outcome.error) }];
  });
  const outboxRows = [...deps.encode(result.facts), ...buried.flatMap((letter) => letter.outbox)];
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
