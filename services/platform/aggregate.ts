import type { AggregateKey, Kind } from './decision';
import { pack } from './packed';
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

const instant = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const byId = (a: Held, b: Held): number => (a.key.id < b.key.id ? -1 : 1);

interface Columns {
  readonly names: readonly string[];
  readonly values: readonly unknown[];
  /** Columns of the unnested parameters, and what each table column is made of. */
  readonly from: string;
  readonly select: readonly string[];
}

/** Documents travel packed in $1; everything else as arrays of its type. */
const columnsOf = (kind: Kind, rows: readonly Held[]): Columns => {
  const docs = pack(rows.map((row) => JSON.stringify(row.state)));
  const arrays: readonly (readonly [name: string, type: string, values: readonly unknown[]])[] = [
    ['id', 'text', rows.map((row) => row.key.id)],
    ['revision', 'int', rows.map((row) => row.revision)],
    ['doc_start', 'int', docs.starts],
    ['doc_length', 'int', docs.lengths],
    ['due_at', 'timestamptz', rows.map((row) => instant(kind.dueAt?.(row.state) ?? null))],
    ...kind.columns.map(
      (column) =>
        [
          column.name,
          column.type,
          rows.map((row) => {
            const value = column.of(row.state, row.key.id);
            return column.type === 'timestamptz' && typeof value === 'number' ? instant(value) : value;
          }),
        ] as const,
    ),
    ['was', 'int', rows.map((row) => row.loaded)],
  ];
  const own = kind.columns.map((column) => column.name);
  return {
    names: ['id', 'revision', 'doc', 'due_at', ...own],
    values: [docs.bytes, ...arrays.map(([, , values]) => values)],
    from: `unnest(${arrays.map(([, type], index) => `$${index + 2}::${type}[]`).join(', ')}) AS u(${arrays.map(([name]) => name).join(', ')})`,
    select: [
      'u.id',
      'u.revision',
      "convert_from(substring($1::bytea FROM u.doc_start FOR u.doc_length), 'UTF8')",
      'u.due_at',
      ...own.map((name) => `u.${name}`),
    ],
  };
};

const expected = 'cardinality($2::text[])';

/**
 * Saves what changed, by revision. `expect_rows` raises a serialization failure inside the server when a row was
 * missed, so that the COMMIT of the same burst cannot go through; the batch is then tried again from its locks.
 */
export const save = (kind: Kind, held: readonly Held[]): Statement[] => {
  const made = held.filter((row) => row.loaded === 0).sort(byId);
  const moved = held.filter((row) => row.loaded > 0).sort(byId);
  return [...(made.length === 0 ? [] : [insert(kind, made)]), ...(moved.length === 0 ? [] : [update(kind, moved)])];
};

const insert = (kind: Kind, rows: readonly Held[]): Statement => {
  const { names, values, from, select } = columnsOf(kind, rows);
  return {
    name: `insert_${kind.table}`,
    text: `WITH made AS (INSERT INTO ${kind.table} (${names.join(', ')}) SELECT ${select.join(', ')} FROM ${from} ON CONFLICT (id) DO NOTHING RETURNING 1)
           SELECT expect_rows((SELECT count(*) FROM made), ${expected})`,
    values,
  };
};

const update = (kind: Kind, rows: readonly Held[]): Statement => {
  const { names, values, from, select } = columnsOf(kind, rows);
  const sets = names.map((name, index) => `${name} = ${select[index]}`).slice(1);
  return {
    name: `update_${kind.table}`,
    text: `WITH moved AS (UPDATE ${kind.table} t SET ${sets.join(', ')} FROM ${from} WHERE t.id = u.id AND t.revision = u.was RETURNING 1)
           SELECT expect_rows((SELECT count(*) FROM moved), ${expected})`,
    values,
  };
};

/** Aggregates of all kinds whose time has come, oldest first within a kind, in one look. Null where no kind has times. */
export const due = (kinds: readonly Kind[], limit: number): string | null => {
  const looks = kinds
    .filter((kind) => kind.dueAt !== undefined)
    .map(
      ({ name, table }) =>
        `(SELECT '${name}' AS kind, id FROM ${table} WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT ${limit})`,
    );
  return looks.length === 0 ? null : looks.join(' UNION ALL ');
};
