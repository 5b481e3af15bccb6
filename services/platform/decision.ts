import type { RecordByName, RecordName } from '../../schemas/generated/records';

/**
 * The vocabulary of every decider. A service is a pure function from locked aggregates and one message to a Decision;
 * everything else (locks, inbox, outbox, commit, hand-over to the outside world) is done once, in batch.ts.
 */

export interface AggregateKey {
  readonly kind: string;
  readonly id: string;
}

/** What the current message may look at. Only aggregates named by `keys` are there; the rest reads as undefined. */
export interface View {
  get<S>(kind: string, id: string): S | undefined;
  /** Number of decisions this aggregate has been through, 0 for one that does not exist yet. */
  revision(kind: string, id: string): number;
  /** Bytes kept in a side table, loaded ahead because `Service.blobs` asked for them. */
  blob(ref: string): Buffer | undefined;
}

/** A fact for other services. Its event id derives from the aggregate, its new revision and the ordinal. */
export interface Emit<R extends RecordName = RecordName> {
  readonly about: AggregateKey;
  readonly topic: string;
  readonly type: R;
  /** Kafka key; the conversation unless the topic map says otherwise. */
  readonly key: string;
  readonly value: Omit<RecordByName[R], 'eventId' | 'occurredAt'>;
  /** Overrides the derived id, for facts about one delivery (a duplicate's receipt) or one repeated request. */
  readonly id?: string;
}

/** What a decision says, once it has its id and its time. */
export interface Fact extends Emit {
  readonly eventId: string;
  readonly occurredAt: number;
  readonly trace: Trace;
}

/** One row for an insert-only side table of the service (journals, blobs, timelines). Repeats are ignored. */
export interface Row {
  readonly table: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A durable message of the service to one of its own aggregates; decided once, soon after this commit. */
export interface Tell<M> {
  readonly message: M;
}

export interface Decision<M = unknown, I = unknown> {
  readonly put?: readonly { readonly key: AggregateKey; readonly state: unknown }[];
  readonly emit?: readonly Emit[];
  readonly rows?: readonly Row[];
  readonly tell?: readonly Tell<M>[];
  /** Incidents that this decision ends; ids of what is not open are ignored. */
  readonly close?: readonly string[];
  /** Work in the outside world, started only after the commit, by this process. */
  readonly perform?: readonly I[];
  /** What the HTTP caller or the worker that brought the message gets back. */
  readonly reply?: unknown;
}

export interface Context {
  /** Milliseconds since the epoch by the database's clock, taken after the locks. The only clock a decision may use. */
  readonly now: number;
  /** Name of this process, for leases. */
  readonly instance: string;
  /** How many further outside works this process may take on, beyond those already decided in this batch. */
  readonly capacity: number;
  /** Event id of the record being decided, or a derived id for commands and ticks. */
  readonly cause: string;
  /** Where the message came from, for state that outlives it; the facts of this decision carry it by themselves. */
  readonly trace: Trace;
}

/** Where a message came from; decides dedup, trace headers and what a failure means. */
export interface Trace {
  readonly causationId: string | null;
  readonly correlationId: string | null;
  readonly traceparent: string | null;
}

export const noTrace: Trace = { causationId: null, correlationId: null, traceparent: null };

export const none: Decision<never, never> = {};

/** The compiler's proof that a switch is total; at run time it names what slipped through. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
};

/** Typed construction of an Emit: the record type fixes the shape of the value. */
export const emit = <R extends RecordName>(
  about: AggregateKey,
  topic: string,
  type: R,
  key: string,
  value: Omit<RecordByName[R], 'eventId' | 'occurredAt'>,
  id?: string,
): Emit => ({ about, topic, type, key, value, ...(id === undefined ? {} : { id }) }) as unknown as Emit;

export interface DueKind<S> {
  /** When this aggregate next needs a `tick`, in ms since the epoch; null = nothing to wait for. */
  readonly dueAt?: (state: S) => number | null;
}

/** A column beside the document, for queries, metrics and constraints. */
export interface Column<S> {
  readonly name: string;
  readonly type: 'text' | 'int' | 'bigint' | 'timestamptz' | 'boolean';
  readonly of: (state: S, id: string) => string | number | boolean | null;
}

/** An aggregate's table: one row per aggregate, its whole decision state as a JSON document, plus columns for queries. */
export interface Kind<S = unknown> extends DueKind<S> {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly Column<S>[];
}

/** Erases the state type of a kind so that kinds of different states stand in one list. */
export const kind = <S>(spec: Kind<S>): Kind => spec as unknown as Kind;

/** The message every service must understand: something this aggregate waits for may be due. */
export interface Tick {
  readonly type: 'tick';
  readonly kind: string;
  readonly id: string;
}

export interface Service<M, I> {
  readonly name: string;
  /** In the one lock order of all writers. */
  readonly kinds: readonly Kind[];
  /** Aggregates a message may read or change; locked before it is decided. */
  readonly keys: (message: M) => readonly AggregateKey[];
  /** Further aggregates that only the first ones name; must rank after them. Called once per batch and message. */
  readonly moreKeys?: (message: M, view: View) => readonly AggregateKey[];
  /** Blobs that decisions of this batch will read, asked once all aggregates are loaded. */
  readonly blobs?: (message: M, view: View) => readonly string[];
  readonly decide: (view: View, message: M, context: Context) => Decision<M, I>;
}
