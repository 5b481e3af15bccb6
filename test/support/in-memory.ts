import type { Held } from '../../services/platform/aggregate';
import { decideBatch, heldSet, viewOf, type Outcome, type Told } from '../../services/platform/decide-batch';
import type { Fact } from '../../services/platform/decision';
import { noTrace, type AggregateKey, type Kind, type Row, type Service } from '../../services/platform/decision';

export type Deciders<M, I> = Pick<Service<M, I>, 'kinds' | 'keys' | 'moreKeys' | 'blobs' | 'decide'> & {
  readonly name?: string;
};

export interface Sent<M, I> {
  readonly facts: readonly Fact[];
  readonly rows: readonly Row[];
  readonly told: readonly Told<M>[];
  readonly performs: readonly I[];
  readonly reply: unknown;
}

/** One aggregate that a transaction changed; the state before it is parsed only where somebody asks. */
export interface Change {
  readonly key: AggregateKey;
  readonly revision: number;
  readonly before: () => unknown;
  readonly after: unknown;
}

export interface Transacted<M, I> extends Omit<Sent<M, I>, 'reply'> {
  readonly outcomes: readonly Outcome[];
  readonly changes: readonly Change[];
}

interface How {
  readonly capacity?: number;
  readonly instance?: string;
}

export interface InMemory<M, I> {
  /** Decides several messages in one transaction; a throw leaves no trace of its message and is an outcome. */
  transact(items: readonly { readonly message: M; readonly cause: string }[], options?: How): Transacted<M, I>;
  /** Decides one message as the batch handler would, in a transaction of its own. */
  send(message: M, options?: How & { readonly cause?: string }): Sent<M, I>;
  /** Like `send`, and then everything it told itself. */
  settle(message: M): Sent<M, I>;
  state<S>(kind: string, id: string): S | undefined;
  revision(kind: string, id: string): number;
  /** Changes a stored aggregate under its revision, as no decision would. */
  alter<S>(kind: string, id: string, change: (state: S) => void): void;
  ids(kind: string): string[];
  blob(ref: string): Buffer | undefined;
  dueAt(kind: Kind, id: string): number | null;
  now: number;
  /** Room for outside work unless a send says otherwise. */
  capacity: number;
}

/** A service's deciders over tables in memory: the same keys, locks, blobs and order as the real writer. */
export const inMemory = <M, I>(
  service: Deciders<M, I>,
  startAt = Date.parse('2026-01-01T00:00:00Z'),
): InMemory<M, I> => {
  const aggregates = new Map<string, { revision: number; doc: string }>();
  const blobs = new Map<string, Buffer>();
  let causes = 0;
  const name = (kind: string, id: string): string => `${kind}\u0001${id}`;

  const world: InMemory<M, I> = {
    now: startAt,
    capacity: 1_000,
    transact: (items, options = {}) => {
      const held = heldSet();
      const docs = new Map<string, string>();
      const hold = (keys: readonly AggregateKey[]): void => {
        for (const key of keys) {
          if (held.get(key) !== undefined) continue;
          const row = aggregates.get(name(key.kind, key.id));
          const revision = row?.revision ?? 0;
          if (row !== undefined) docs.set(name(key.kind, key.id), row.doc);
          held.set({
            key,
            loaded: revision,
            revision,
            state: row === undefined ? undefined : JSON.parse(row.doc),
            changed: false,
          } satisfies Held);
        }
      };
      hold(items.flatMap(({ message }) => service.keys(message)));
      // Named before anything is decided, as the writer does.
      hold(items.flatMap(({ message }) => service.moreKeys?.(message, viewOf(held, new Map())) ?? []));
      const wanted = items.flatMap(({ message }) => service.blobs?.(message, viewOf(held, new Map())) ?? []);
      const loaded = new Map(
        wanted.flatMap((ref) => (blobs.has(ref) ? [[ref, blobs.get(ref) as Buffer] as const] : [])),
      );
      const result = decideBatch(
        { name: service.name ?? 'in-memory', ...service },
        held,
        loaded,
        items.map(({ message, cause }) => ({ message, cause, trace: noTrace })),
        { now: world.now, instance: options.instance ?? 'one', capacity: options.capacity ?? world.capacity },
      );
      const changed = held.all().filter((row) => row.changed);
      for (const row of changed)
        aggregates.set(name(row.key.kind, row.key.id), { revision: row.revision, doc: JSON.stringify(row.state) });
      for (const row of result.rows)
        if (row.table === 'blobs') blobs.set(String(row.values['ref']), row.values['bytes'] as Buffer);
      return {
        ...result,
        changes: changed.map(({ key, revision, state }) => {
          const doc = docs.get(name(key.kind, key.id));
          let parsed: unknown;
          return {
            key,
            revision,
            before: () => (parsed ??= doc === undefined ? undefined : JSON.parse(doc)),
            after: state,
          };
        }),
      };
    },
    send: (message, options = {}) => {
      const cause = options.cause ?? `cause-${(causes += 1)}`;
      const { outcomes, facts, rows, told, performs } = world.transact([{ message, cause }], options);
      const [outcome] = outcomes;
      if (outcome === undefined || !outcome.ok) throw outcome === undefined ? new Error('no outcome') : outcome.error;
      return { facts, rows, told, performs, reply: outcome.reply };
    },
    settle: (message) => {
      const first = world.send(message);
      const all = {
        facts: [...first.facts],
        rows: [...first.rows],
        told: [] as Told<M>[],
        performs: [...first.performs],
        reply: first.reply,
      };
      const queue = [...first.told];
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const more = world.send(next.message, { cause: next.id });
        all.facts.push(...more.facts);
        all.rows.push(...more.rows);
        all.performs.push(...more.performs);
        queue.push(...more.told);
      }
      return all;
    },
    state: <S>(kind: string, id: string) => {
      const row = aggregates.get(name(kind, id));
      return row === undefined ? undefined : (JSON.parse(row.doc) as S);
    },
    alter: <S>(kind: string, id: string, change: (state: S) => void) => {
      const row = aggregates.get(name(kind, id));
      if (row === undefined) throw new Error(`no ${kind} ${id}`);
      const state = JSON.parse(row.doc) as S;
      change(state);
      aggregates.set(name(kind, id), { ...row, doc: JSON.stringify(state) });
    },
    revision: (kind, id) => aggregates.get(name(kind, id))?.revision ?? 0,
    ids: (kind) =>
      [...aggregates.keys()]
        .filter((key) => key.startsWith(`${kind}\u0001`))
        .map((key) => key.split('\u0001')[1] as string),
    blob: (ref) => blobs.get(ref),
    dueAt: (kind, id) => {
      const row = aggregates.get(name(kind.name, id));
      return row === undefined ? null : (kind.dueAt?.(JSON.parse(row.doc)) ?? null);
    },
  };
  return world;
};
