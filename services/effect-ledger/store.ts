import type { Pool } from 'pg';
import { kind, type Kind } from '../platform/decision';
import { query } from '../platform/postgres';
import { actionDueAt } from './decide';
import type { Action, Effect, Fence } from './state';

/** The one lock order of all writers. */
export const kinds: readonly Kind[] = [
  kind<Fence>({
    name: 'fence',
    table: 'fences',
    columns: [{ name: 'tenant', type: 'text', of: (fence) => fence.tenant }],
  }),
  kind<Effect>({
    name: 'effect',
    table: 'effects',
    columns: [{ name: 'tenant', type: 'text', of: (effect) => effect.tenant }],
  }),
  kind<Action>({
    name: 'action',
    table: 'actions',
    dueAt: actionDueAt,
    columns: [
      { name: 'tenant', type: 'text', of: (action) => action.tenant },
      { name: 'account', type: 'text', of: (action) => action.account },
      { name: 'run_id', type: 'text', of: (action) => action.runId },
      { name: 'connector', type: 'text', of: (action) => action.connector },
      { name: 'subject', type: 'text', of: (action) => action.subject },
      { name: 'state', type: 'text', of: (action) => action.standing.status },
      { name: 'opened_at', type: 'timestamptz', of: (action) => action.openedAt },
      {
        name: 'unknown_since',
        type: 'timestamptz',
        of: (action) => (action.standing.status === 'unknown' ? action.unknownSince : null),
      },
    ],
  }),
];

export interface StoredAction {
  readonly revision: number;
  readonly action: Action;
}

/** Whose actions are asked for: one account's, or with null all of the tenant. */
export interface Reader {
  readonly tenant: string;
  readonly account: string | null;
}

export interface ActionFilter {
  readonly state?: string | undefined;
  readonly runId?: string | undefined;
  readonly connector?: string | undefined;
  readonly subject?: string | undefined;
}

interface Row {
  readonly revision: number;
  readonly doc: string;
}

const stored = (row: Row): StoredAction => ({ revision: row.revision, action: JSON.parse(row.doc) as Action });

export const readAction = async (pool: Pool, reader: Reader, actionKey: string): Promise<StoredAction | null> => {
  const [row] = await query<Row>(
    pool,
    'SELECT revision, doc FROM actions WHERE id = $1 AND tenant = $2 AND ($3::text IS NULL OR account = $3)',
    [actionKey, reader.tenant, reader.account],
  );
  return row === undefined ? null : stored(row);
};

/** Newest first; the cursor is the last shown action's opening and key, so that new actions shift nothing. */
export const cursorOf = ({ action }: StoredAction): string =>
  Buffer.from(`${action.openedAt} ${action.actionKey}`).toString('base64url');

const readCursor = (cursor: string): readonly [openedAt: string, actionKey: string] | null => {
  const [openedAt = '', actionKey = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  return /^\d{1,15}$/.test(openedAt) && actionKey !== '' ? [new Date(Number(openedAt)).toISOString(), actionKey] : null;
};

/** Null: the cursor is none of ours. */
export const listActions = async (
  pool: Pool,
  reader: Reader,
  filter: ActionFilter,
  page: { readonly limit: number; readonly after: string | null },
): Promise<StoredAction[] | null> => {
  const after = page.after === null ? [null, null] : readCursor(page.after);
  if (after === null) return null;
  const rows = await query<Row>(
    pool,
    `SELECT revision, doc FROM actions
     WHERE tenant = $1 AND ($2::text IS NULL OR account = $2) AND ($3::text IS NULL OR state = $3) AND ($4::text IS NULL OR run_id = $4)
       AND ($5::text IS NULL OR connector = $5) AND ($6::text IS NULL OR subject = $6)
       AND ($7::timestamptz IS NULL OR (opened_at, id) < ($7::timestamptz, $8::text))
     ORDER BY opened_at DESC, id DESC LIMIT $9`,
    [
      reader.tenant,
      reader.account,
      filter.state ?? null,
      filter.runId ?? null,
      filter.connector ?? null,
      filter.subject ?? null,
      ...after,
      page.limit + 1,
    ],
  );
  return rows.map(stored);
};

/** Actions of a connector in these states, oldest first; as much of them as their messages need. */
export const openOf = async (
  pool: Pool,
  connector: string,
  states: readonly string[],
  limit: number,
): Promise<Pick<Action, 'actionKey' | 'runId' | 'compensation'>[]> => {
  const rows = await query<{ doc: string }>(
    pool,
    'SELECT doc FROM actions WHERE connector = $1 AND state = ANY($2::text[]) ORDER BY opened_at, id LIMIT $3',
    [connector, states, limit],
  );
  return rows.map(({ doc }) => {
    const { actionKey, runId, compensation } = JSON.parse(doc) as Action;
    return { actionKey, runId, compensation: compensation ?? null };
  });
};

export const countByState = async (pool: Pool): Promise<ReadonlyMap<string, number>> =>
  new Map(
    (
      await query<{ state: string; n: number }>(pool, 'SELECT state, count(*)::int AS n FROM actions GROUP BY state')
    ).map(({ state, n }) => [state, n]),
  );

export const oldestUnknownSeconds = async (pool: Pool): Promise<number> => {
  const [row] = await query<{ age: number | null }>(
    pool,
    `SELECT extract(epoch FROM clock_timestamp() - min(unknown_since))::float AS age FROM actions WHERE unknown_since IS NOT NULL`,
  );
  return Math.max(0, row?.age ?? 0);
};

export const databaseNow = async (pool: Pool): Promise<number> => {
  const [row] = await query<{ now: number }>(
    pool,
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float AS now',
  );
  if (row === undefined) throw new Error('the database did not tell its time');
  return row.now;
};
