import type { Client } from 'pg';
import type { ServiceName } from '../../services/platform/migrate';
import { withDatabase } from './database';

/** What finished work leaves behind; queues, leases and samples stay small and are left out. */
const kept: Readonly<Partial<Record<ServiceName, readonly string[]>>> = {
  admission: ['inbox', 'conversations', 'messages', 'blobs'],
  'run-executor': ['inbox', 'runs', 'turns', 'inputs', 'tasks', 'conversations'],
  hil: ['inbox', 'runs'],
  'effect-ledger': ['inbox', 'actions', 'effects', 'fences', 'blobs'],
  publication: ['inbox', 'streams', 'timeline', 'facts', 'report_runs', 'reports'],
};
const tables = Object.entries(kept).flatMap(([service, names]) =>
  names.map((table) => ({ service: service as ServiceName, table })),
);

/** Named as such where there are few of it, as the one account of a benchmark. */
const alsoIds: readonly string[] = ['timeline.account_stream'];

/** In no id that a service makes. */
const copyMark = '~copy';
/** A text with fewer different values is a name, such as a topic or a state, and is not what a row is found by. */
const fewValues = 200;

interface Column {
  readonly name: string;
  readonly drawn: boolean;
  readonly id: boolean;
}

const columnsOf = async (client: Client, table: string): Promise<Column[]> => {
  await client.query(`ANALYZE ${table}`);
  const { rows } = await client.query<Column>(
    `SELECT a.attname AS name, coalesce(pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval%', false) AS drawn,
            a.atttypid = 'text'::regtype AND coalesce(s.n_distinct < 0 OR s.n_distinct > ${fewValues}, false)
              AND EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND a.attnum = ANY(i.indkey)) AS id
       FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       LEFT JOIN pg_stats s ON s.tablename = $1 AND s.attname = a.attname
      WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    [table],
  );
  return rows.map((row) => ({ ...row, id: row.id || alsoIds.includes(`${table}.${row.name}`) }));
};

const count = async (client: Client, table: string): Promise<number> =>
  (await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}`)).rows.map(({ n }) => Number(n))[0] ?? 0;

const storedRows = async (): Promise<number> => {
  let sum = 0;
  for (const { service, table } of tables) sum += await withDatabase(service, (client) => count(client, table));
  return sum;
};

/** Copies of all real rows, `from` to `to`, each with ids of its own that lie beside the real ones. */
const copy = (service: ServiceName, table: string, from: number, to: number): Promise<void> =>
  withDatabase(service, async (client) => {
    const columns = (await columnsOf(client, table)).filter(({ drawn }) => !drawn);
    const first = columns.find(({ id }) => id)?.name;
    if (first === undefined) return;
    const names = columns.map(({ name }) => name).join(', ');
    const values = columns.map(({ name, id }) => (id ? `t.${name} || '${copyMark}' || k` : `t.${name}`)).join(', ');
    await client.query("SET synchronous_commit = off; SET work_mem = '256MB'");
    await client.query(
      `INSERT INTO ${table} (${names}) SELECT ${values} FROM generate_series($1::int, $2::int) k, ${table} t
        WHERE t.${first} NOT LIKE '%${copyMark}%' ON CONFLICT DO NOTHING`,
      [from, to],
    );
    await client.query(`VACUUM (ANALYZE) ${table}`);
  });

export interface History {
  /** Fills up to at least so many rows in all tables together, and says how many there are. */
  fill(rows: number): Promise<number>;
  clear(): Promise<void>;
}

/** The finished work of a long time: what the stack has done itself, copied again and again. */
export const openHistory = (): History => {
  let copies = 0;
  let copied = 0;
  return {
    fill: async (rows) => {
      const before = await storedRows();
      const more = Math.round((rows - before) / (before - copied));
      if (more <= 0) return before;
      for (const { service, table } of tables) await copy(service, table, copies + 1, copies + more);
      copies += more;
      const after = await storedRows();
      copied += after - before;
      return after;
    },
    clear: async () => {
      for (const { service, table } of tables)
        await withDatabase(service, async (client) => {
          const first = (await columnsOf(client, table)).find(({ id }) => id)?.name;
          if (copies > 0 && first !== undefined)
            await client.query(`DELETE FROM ${table} WHERE ${first} LIKE '%${copyMark}%'`);
        });
    },
  };
};
