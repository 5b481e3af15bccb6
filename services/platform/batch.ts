import type { QueryResult } from 'pg';
import { lock, save, type Held, type LockedRow } from './aggregate';
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
import { append, foreignBuckets, type NewOutboxRow, type OutboxRow } from './outbox';
import type { Pipe, Statement } from './postgres';

/** Identity of a record for the inbox; absent for commands, ticks and for the ingress, which has the identity gate. */
export interface Claim {
  readonly consumer: string;
  readonly topic: string;
  readonly eventId: string;
}

export interface Position {
  readonly consumer: string;
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: string;
}

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

const claimId = ({ consumer, topic, eventId }: Claim): string => `${consumer} ${topic} ${eventId}`;

const claimed = (items: readonly { readonly claim: Claim | null }[]): Statement[] => {
  // In one order in every process, each once: two instances that were given the same records must not deadlock.
  const claims = [...new Map(items.flatMap(({ claim }) => (claim === null ? [] : [[claimId(claim), claim] as const])))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, claim]) => claim);
  if (claims.length === 0) return [];
  return [
    {
      name: 'inbox_claim',
      text: `INSERT INTO inbox (consumer, topic, event_id) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
             ON CONFLICT DO NOTHING RETURNING consumer, topic, event_id`,
      values: [claims.map((c) => c.consumer), claims.map((c) => c.topic), claims.map((c) => c.eventId)],
    },
  ];
};

const toldClaim = (items: readonly { readonly toldId: string | null }[]): Statement[] => {
  const ids = items.flatMap((item) => (item.toldId === null ? [] : [item.toldId]));
  return ids.length === 0
    ? []
    : [{ name: 'told_claim', text: 'DELETE FROM told WHERE id = ANY($1::text[]) RETURNING id', values: [ids.sort()] }];
};

const positions = (items: readonly { readonly position: Position | null }[]): Statement[] => {
  const latest = new Map<string, Position>();
  for (const { position } of items)
    if (position !== null) latest.set(`${position.consumer} ${position.topic} ${position.partition}`, position);
  if (latest.size === 0) return [];
  const rows = [...latest.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, position]) => position);
  return [
    {
      name: 'positions_save',
      text: `INSERT INTO positions (consumer, topic, partition, next_offset) SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::bigint[])
             ON CONFLICT (consumer, topic, partition) DO UPDATE SET next_offset = excluded.next_offset`,
      values: [
        rows.map((r) => r.consumer),
        rows.map((r) => r.topic),
        rows.map((r) => r.partition),
        rows.map((r) => r.nextOffset),
      ],
    },
  ];
};

/** Insert-only rows, one statement a table; a repeat of a natural key is the same fact and is ignored. */
export const insertRows = (rows: readonly Row[]): Statement[] => {
  const byTable = new Map<string, Row[]>();
  for (const row of rows) byTable.set(row.table, [...(byTable.get(row.table) ?? []), row]);
  return [...byTable.entries()].map(([table, group]) => {
    const columns = Object.keys(group[0]?.values ?? {});
    const width = columns.length;
    const tuples = group.map((_, index) => `(${columns.map((__, c) => `$${index * width + c + 1}`).join(', ')})`);
    return {
      text: `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples.join(', ')} ON CONFLICT DO NOTHING`,
      values: group.flatMap((row) => columns.map((column) => row.values[column] ?? null)),
    };
  });
};

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
  const inserts = insertRows([...result.rows, ...told(result.told), ...buried.flatMap((letter) => letter.rows)]);
  const appended = outboxRows.length === 0 ? null : append(outboxRows, deps.writer);
  const reclaim = reclaimable(buried.map((letter) => letter.item));
  const tail: Statement[] = [
    ...saves,
    ...inserts,
    ...reclaim,
    ...positions(items),
    ...(appended === null ? [] : [appended.statement, foreignBuckets(appended.buckets, deps.writer)]),
  ];
  await failpoint('batch.decided');
  const results = await pipe.commit(tail, clock.xid);
  await failpoint('batch.committed');

  let at = 0;
  const outcomes = fresh.map((isNew) =>
    isNew ? (result.outcomes[at++] as Outcome) : ({ ok: true, duplicate: true, reply: undefined } as const),
  );
  // After a COMMIT settled by reading back the ids are unknown here: the relay must find those rows in its table, before
  // it sends any later ones from memory.
  const settledLater = results.length === 0;
  const ids = appended === null || settledLater ? [] : (results[tail.length - 2]?.rows as { id: string }[]);
  const foreign = settledLater
    ? (appended?.buckets ?? [])
    : appended === null
      ? []
      : (results[tail.length - 1]?.rows as { bucket: number }[]).map((row) => row.bucket);
  return {
    outcomes,
    performs: result.performs,
    told: result.told,
    sent: ids.map((row, index) => ({
      ...(outboxRows[index] as NewOutboxRow),
      id: row.id,
      bucket: appended?.buckets[index] ?? 0,
    })),
    foreign,
  };
};

/** Dead-lettered records leave no inbox row behind, so that a redrive passes the dedup (case 25). */
const reclaimable = (items: readonly { readonly claim: Claim | null }[]): Statement[] => {
  const claims = items.flatMap((item) => (item.claim === null ? [] : [item.claim]));
  if (claims.length === 0) return [];
  return [
    {
      text: `DELETE FROM inbox USING unnest($1::text[], $2::text[], $3::text[]) AS u(c, t, e) WHERE consumer = c AND topic = t AND event_id = e`,
      values: [claims.map((c) => c.consumer), claims.map((c) => c.topic), claims.map((c) => c.eventId)],
    },
  ];
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
