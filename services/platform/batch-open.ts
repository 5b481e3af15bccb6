import type { QueryResult } from 'pg';
import { lock, type Held, type LockedRow } from './aggregate';
import { claimed, claimId, toldClaim, type Claim, type Position } from './batch-statements';
import type { AggregateKey, Kind, Service } from './decision';
import { heldSet, viewOf, type HeldSet, type Item } from './decide-batch';
import { Transient } from './errors';
import type { Pipe, Statement } from './postgres';

export interface BatchItem<M> extends Item<M> {
  readonly claim: Claim | null;
  readonly position: Position | null;
  /** Id of the durable internal message this is, deleted in the same transaction. */
  readonly toldId: string | null;
}

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

/** How often aggregates may name further ones; each time the transaction begins again. */
const maxOpenings = 5;

export interface Opened<M> {
  readonly held: HeldSet;
  readonly fresh: readonly boolean[];
  readonly todo: readonly BatchItem<M>[];
  readonly clock: { readonly now: string; readonly xid: string };
}

/**
 * Begins, claims and locks. Where an aggregate names further ones they are not locked on top: kinds and ids would then be
 * taken out of the one order of all writers, and two instances could wait for each other. The transaction begins again
 * with all of them, at the same price of one round trip.
 */
export const openBatch = async <M, I>(
  pipe: Pipe,
  service: Service<M, I>,
  items: readonly BatchItem<M>[],
): Promise<Opened<M>> => {
  const keys = items.flatMap((item) => service.keys(item.message));
  for (let openings = 1; ; openings += 1) {
    const opened = await begin(pipe, service.kinds, items, keys, openings > 1);
    const more = service.moreKeys;
    if (more === undefined) return opened;
    const view = viewOf(opened.held, new Map());
    const named = opened.todo
      .flatMap((item) => more(item.message, view))
      .filter((key) => opened.held.get(key) === undefined);
    if (named.length === 0) return opened;
    if (openings === maxOpenings) throw new Transient('the aggregates of a batch keep naming others');
    keys.push(...named);
  }
};

const begin = async <M>(
  pipe: Pipe,
  kinds: readonly Kind[],
  items: readonly BatchItem<M>[],
  keys: readonly AggregateKey[],
  again: boolean,
): Promise<Opened<M>> => {
  const plan = lockAll(kinds, keys);
  const claims = claimed(items);
  const tolds = toldClaim(items);
  if (again) await pipe.rollback();
  const results = await pipe.begin([
    ...claims,
    ...tolds,
    ...plan.statements,
    {
      name: 'clock',
      text: 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now, pg_current_xact_id()::text AS xid',
    },
  ]);
  let next = 0;
  const freshIds = new Set(
    claims.length === 0
      ? []
      : results[next++]?.rows.map((r: Claim & { event_id: string }) => `${r.consumer} ${r.topic} ${r.event_id}`),
  );
  const toldIds = new Set(tolds.length === 0 ? [] : results[next++]?.rows.map((r: { id: string }) => r.id));
  const held = heldSet();
  fill(held, plan, results.slice(next));
  const once = new Set<string>();
  const isFresh = (item: BatchItem<M>): boolean => {
    if (item.toldId !== null) return toldIds.delete(item.toldId);
    if (item.claim === null) return true;
    const id = claimId(item.claim);
    // The same event twice in one batch: the first one is it.
    return freshIds.has(id) && !once.has(id) && once.add(id) !== undefined;
  };
  const fresh = items.map(isFresh);
  return {
    held,
    fresh,
    todo: items.filter((_, index) => fresh[index]),
    clock: results.at(-1)?.rows[0] as Opened<M>['clock'],
  };
};
