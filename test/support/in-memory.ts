import type { Held } from '../../services/platform/aggregate';
import { decideBatch, heldSet, viewOf, type Fact, type Told } from '../../services/platform/decide-batch';
import { noTrace, type Kind, type Row, type Service } from '../../services/platform/decision';

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

export interface InMemory<M, I> {
  /** Decides one message as the batch handler would, in a transaction of its own. */
  send(
    message: M,
    options?: { readonly cause?: string; readonly capacity?: number; readonly instance?: string },
  ): Sent<M, I>;
  /** Like `send`, and then everything it told itself. */
  settle(message: M): Sent<M, I>;
  state<S>(kind: string, id: string): S | undefined;
  revision(kind: string, id: string): number;
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
    send: (message, options = {}) => {
      const held = heldSet();
      const hold = (keys: readonly { readonly kind: string; readonly id: string }[]): void => {
        for (const key of keys) {
          if (held.get(key) !== undefined) continue;
          const row = aggregates.get(name(key.kind, key.id));
          const revision = row?.revision ?? 0;
          held.set({
            key,
            loaded: revision,
            revision,
            state: row === undefined ? undefined : JSON.parse(row.doc),
            changed: false,
          } satisfies Held);
        }
      };
      hold(service.keys(message));
      hold(service.moreKeys?.(message, viewOf(held, new Map())) ?? []);
      const wanted = service.blobs?.(message, viewOf(held, new Map())) ?? [];
      const loaded = new Map(
        wanted.flatMap((ref) => (blobs.has(ref) ? [[ref, blobs.get(ref) as Buffer] as const] : [])),
      );
      const result = decideBatch(
        { name: service.name ?? 'in-memory', ...service },
        held,
        loaded,
        [{ message, cause: options.cause ?? `cause-${(causes += 1)}`, trace: noTrace }],
        { now: world.now, instance: options.instance ?? 'one', capacity: options.capacity ?? world.capacity },
      );
      const [outcome] = result.outcomes;
      if (outcome === undefined || !outcome.ok) throw outcome === undefined ? new Error('no outcome') : outcome.error;
      for (const row of held.all())
        if (row.changed)
          aggregates.set(name(row.key.kind, row.key.id), { revision: row.revision, doc: JSON.stringify(row.state) });
      for (const row of result.rows)
        if (row.table === 'blobs') blobs.set(String(row.values['ref']), row.values['bytes'] as Buffer);
      return {
        facts: result.facts,
        rows: result.rows,
        told: result.told,
        performs: result.performs,
        reply: outcome.reply,
      };
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
