import type { AggregateKey, Kind } from './decision';
import type { Statement } from './postgres';

/** One aggregate as the batch holds it: `loaded` is the revision in the table, 0 when there is no row yet. */
export interface Held {
  readonly key: AggregateKey;
  readonly loaded: number;
  revision: number;
  state: unknown;
  changed: boolean;
}

export interface LockedRow {
  readonly id: string;
  readonly revision: number;
  readonly doc: string;
}

/** Rows are locked in id order inside a kind, kinds in their rank: the one order of all writers, so no deadlock. */
export const lock = (kind: Kind, ids: readonly string[]): Statement => ({
  name: `lock_${kind.table}`,
  text: `SELECT id, revision, doc FROM ${kind.table} WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE`,
  values: [[...ids].sort()],
});

const columnsOf = (kind: Kind): { readonly names: string[]; readonly types: string[] } => ({
  names: ['id', 'revision', 'doc', 'due_at', ...kind.columns.map((column) => column.name)],
  types: ['text', 'int', 'text', 'timestamptz', ...kind.columns.map((column) => column.type)],
});

const instant = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const valuesOf = (kind: Kind, rows: readonly Held[]): unknown[][] => [
  rows.map((row) => row.key.id),
  rows.map((row) => row.revision),
  rows.map((row) => JSON.stringify(row.state)),
  rows.map((row) => instant(kind.dueAt?.(row.state) ?? null)),
  ...kind.columns.map((column) =>
    rows.map((row) => {
      const value = column.of(row.state, row.key.id);
      return column.type === 'timestamptz' && typeof value === 'number' ? instant(value) : value;
    }),
  ),
];

const byId = (a: Held, b: Held): number => (a.key.id < b.key.id ? -1 : 1);

/**
 * Saves what changed, by revision. `expect_rows` raises a serialization failure inside the server when a row was
 * missed, so that the COMMIT of the same burst cannot go through; the batch is then tried again from its locks.
 */
export const save = (kind: Kind, held: readonly Held[]): Statement[] => {
  const { names, types } = columnsOf(kind);
  const casts = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const made = held.filter((row) => row.loaded === 0).sort(byId);
  const moved = held.filter((row) => row.loaded > 0).sort(byId);
  const statements: Statement[] = [];
  if (made.length > 0)
    statements.push({
      name: `insert_${kind.table}`,
      text: `WITH made AS (INSERT INTO ${kind.table} (${names.join(', ')}) SELECT * FROM unnest(${casts}) ON CONFLICT (id) DO NOTHING RETURNING 1)
             SELECT expect_rows((SELECT count(*) FROM made), cardinality($1::text[]))`,
      values: valuesOf(kind, made),
    });
  if (moved.length > 0)
    statements.push({
      name: `update_${kind.table}`,
      text: `WITH moved AS (UPDATE ${kind.table} t SET ${names
        .slice(1)
        .map((name) => `${name} = u.${name}`)
        .join(', ')}
               FROM unnest(${casts}, $${types.length + 1}::int[]) AS u(${names.join(', ')}, was)
               WHERE t.id = u.id AND t.revision = u.was RETURNING 1)
             SELECT expect_rows((SELECT count(*) FROM moved), cardinality($1::text[]))`,
      values: [...valuesOf(kind, moved), moved.map((row) => row.loaded)],
    });
  return statements;
};

/** Aggregates whose time has come, oldest first. */
export const due = (kind: Kind, limit: number): Statement => ({
  text: `SELECT id FROM ${kind.table} WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT ${limit}`,
});
