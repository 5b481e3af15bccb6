import type { Held } from './aggregate';
import { isIncident } from './incidents';
import type { AggregateKey, Context, Decision, Emit, Fact, Row, Service, Trace, View } from './decision';
import type { NewOutboxRow } from './outbox';

/** One message with the trace it carries; `cause` names it in the facts it leads to. */
export interface Item<M> {
  readonly message: M;
  readonly cause: string;
  readonly trace: Trace;
}

export interface Told<M> {
  readonly id: string;
  readonly message: M;
  readonly trace: Trace;
}

export type Outcome = { readonly ok: true; readonly reply: unknown } | { readonly ok: false; readonly error: unknown };

export interface BatchResult<M, I> {
  readonly facts: readonly Fact[];
  /** The facts as they go out; empty where nothing was asked to encode them. */
  readonly outbox: readonly NewOutboxRow[];
  readonly rows: readonly Row[];
  readonly told: readonly Told<M>[];
  /** Ids of incidents to close, after those of `rows` are open. */
  readonly closed: readonly string[];
  readonly performs: readonly I[];
  readonly outcomes: readonly Outcome[];
}

/** Aggregates of one batch by kind and id. */
export interface HeldSet {
  get(key: AggregateKey): Held | undefined;
  set(held: Held): void;
  all(): Held[];
}

export const heldSet = (): HeldSet => {
  const rows = new Map<string, Held>();
  const name = (key: AggregateKey): string => `${key.kind}\u0001${key.id}`;
  return {
    get: (key) => rows.get(name(key)),
    set: (held) => void rows.set(name(held.key), held),
    all: () => [...rows.values()],
  };
};

export const viewOf = (held: HeldSet, blobs: ReadonlyMap<string, Buffer>): View => ({
  get: <S>(kind: string, id: string) => held.get({ kind, id })?.state as S | undefined,
  revision: (kind, id) => held.get({ kind, id })?.revision ?? 0,
  blob: (ref) => blobs.get(ref),
});

/**
 * The pure middle of every batch, shared by the real writer and by the simulation: each message is decided against what
 * the messages before it left behind. A throw blames its message alone and leaves no trace of it in the batch.
 */
export const decideBatch = <M, I>(
  service: Service<M, I>,
  held: HeldSet,
  blobs: ReadonlyMap<string, Buffer>,
  items: readonly Item<M>[],
  base: { readonly now: number; readonly instance: string; readonly capacity: number },
  encode: ((fact: Fact) => NewOutboxRow) | null = null,
): BatchResult<M, I> => {
  // What an earlier message of the batch keeps is not in the table yet, and the next one may need it.
  const kept = new Map(blobs);
  const view = viewOf(held, kept);
  const facts: Fact[] = [];
  const outbox: NewOutboxRow[] = [];
  const rows: Row[] = [];
  const told: Told<M>[] = [];
  const closed = new Set<string>();
  const performs: I[] = [];
  const outcomes = items.map((item): Outcome => {
    const context: Context = {
      ...base,
      capacity: base.capacity - performs.length,
      cause: item.cause,
      trace: item.trace,
    };
    try {
      const decision = service.decide(view, item.message, context);
      apply(decision, item, context);
      return { ok: true, reply: decision.reply };
    } catch (error) {
      return { ok: false, error };
    }
  });
  return { facts, outbox, rows, told, closed: [...closed], performs, outcomes };

  function apply(decision: Decision<M, I>, item: Item<M>, context: Context): void {
    const puts = (decision.put ?? []).map(({ key, state }) => ({ row: lockedRow(key), state }));
    for (const fact of decision.emit ?? [])
      if (fact.id === undefined && !puts.some(({ row }) => row.key.id === fact.about.id))
        throw new Error(`${fact.type} about ${fact.about.id} would repeat an id: its aggregate did not change`);
    const said = factsOf(decision.emit ?? [], new Map(puts.map(({ row }) => [row, row.revision + 1])), item, context);
    // What does not fit its schema or its topic is the fault of this message, and nothing of it may stay.
    if (encode !== null) outbox.push(...said.map(encode));
    facts.push(...said);
    for (const { row, state } of puts) {
      row.state = state;
      row.revision += 1;
      row.changed = true;
    }
    for (const row of decision.rows ?? []) {
      rows.push(row);
      // Found again after an earlier message of the batch had closed it.
      if (isIncident(row)) closed.delete(String(row.values['id']));
      if (row.table === 'blobs') kept.set(row.values['ref'] as string, row.values['bytes'] as Buffer);
    }
    for (const id of decision.close ?? []) closed.add(id);
    (decision.tell ?? []).forEach((tell, index) =>
      told.push({ id: `${item.cause}/tell/${index}`, message: tell.message, trace: traced(item) }),
    );
    performs.push(...(decision.perform ?? []));
  }

  /** The id of a fact derives from its aggregate, the revision this decision gives it, and its place among its facts. */
  function factsOf(
    emits: readonly Emit[],
    revisions: ReadonlyMap<Held, number>,
    item: Item<M>,
    context: Context,
  ): Fact[] {
    const ordinals = new Map<string, number>();
    const derive = (about: AggregateKey): string => {
      const ordinal = ordinals.get(about.id) ?? 0;
      ordinals.set(about.id, ordinal + 1);
      const row = held.get(about);
      const revision = row === undefined ? 0 : (revisions.get(row) ?? row.revision);
      return `${about.id}/${revision}/${ordinal}`;
    };
    return emits.map((emit) => ({
      ...emit,
      eventId: emit.id ?? `${derive(emit.about)}/${emit.type}`,
      occurredAt: context.now,
      trace: traced(item),
    }));
  }

  function lockedRow(key: AggregateKey): Held {
    const row = held.get(key);
    if (row === undefined) throw new Error(`${service.name} decided on ${key.kind} ${key.id} without having locked it`);
    return row;
  }

  function traced(item: Item<M>): Trace {
    return {
      causationId: item.cause,
      correlationId: item.trace.correlationId ?? item.cause,
      traceparent: item.trace.traceparent,
    };
  }
};
