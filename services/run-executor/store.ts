import type { Pool } from 'pg';
import { kind } from '../platform/decision';
import { query } from '../platform/postgres';
import { dueAt } from './due-at';
import { entityDueAt, type Entity } from './entity';
import { leaseDueAt, type LeaseRow } from './lease';
import { leaseMs } from './seal';
import type { Slots } from './slots';
import type { Tree } from './tree-state';
import { type ConversationRuns, complete, isRun, isTerminal, type RunRow } from './state';

const since = (row: RunRow): number =>
  isRun(row) ? row.enqueuedAt : row.status === 'awaited' ? (row.until ?? 0) : row.at;

const runs = kind<RunRow>({
  name: 'run',
  table: 'runs',
  dueAt,
  columns: [
    { name: 'tenant', type: 'text', of: (row) => row.tenant },
    { name: 'account', type: 'text', of: (row) => row.account },
    { name: 'conversation_id', type: 'text', of: (row) => row.conversationId },
    { name: 'task_id', type: 'text', of: (row) => (isRun(row) ? row.taskId : null) },
    { name: 'state', type: 'text', of: (row) => row.status },
    { name: 'lease_owner', type: 'text', of: (row) => (isRun(row) ? (row.lease?.owner ?? null) : null) },
    { name: 'created_at', type: 'timestamptz', of: since },
    {
      name: 'state_since',
      type: 'timestamptz',
      of: (row) => (isRun(row) ? (row.endedAt ?? row.turn?.sealedAt ?? row.startedAt ?? row.enqueuedAt) : since(row)),
    },
    { name: 'purged_at', type: 'timestamptz', of: (row) => (isRun(row) ? (row.purgedAt ?? null) : null) },
  ],
});

const conversations = kind<ConversationRuns>({ name: 'conversation', table: 'conversations', columns: [] });

const entities = kind<Entity>({ name: 'entity', table: 'entities', dueAt: entityDueAt, columns: [] });

const trees = kind<Tree>({ name: 'tree', table: 'trees', columns: [] });

const slots = kind<Slots>({ name: 'slots', table: 'slots', columns: [] });

const leases = kind<LeaseRow>({ name: 'lease', table: 'leases', dueAt: leaseDueAt, columns: [] });

/** Lock order of all writers: an event holds its entity while it looks for runs. */
export const kinds = [entities, runs, conversations, trees, slots, leases] as const;

export interface StoredRun {
  readonly revision: number;
  readonly row: RunRow;
}

interface DocRow {
  readonly id: string;
  readonly revision: number;
  readonly doc: string;
  readonly created_at: Date;
}

const stored = (row: DocRow): StoredRun => {
  const read = JSON.parse(row.doc) as RunRow;
  return { revision: row.revision, row: isRun(read) ? complete(read) : read };
};

export const findRun = async (pool: Pool, runId: string): Promise<StoredRun | undefined> =>
  (await query<DocRow>(pool, 'SELECT id, revision, doc, created_at FROM runs WHERE id = $1', [runId])).map(stored)[0];

/** Whether something of the run, its owner's lease perhaps, has run out by the database's clock. */
export const isDue = async (pool: Pool, runId: string): Promise<boolean> =>
  (
    await query(
      pool,
      `SELECT 1 FROM runs WHERE id = $1 AND due_at <= clock_timestamp()
        UNION ALL SELECT 1 FROM leases WHERE id = $1 AND due_at <= clock_timestamp()`,
      [runId],
    )
  ).length > 0;

export interface RunFilter {
  readonly tenant: string;
  /** Null = every account of the tenant (operators). */
  readonly account: string | null;
  readonly conversationId: string | null;
  readonly taskId: string | null;
  readonly state: string | null;
  readonly olderThanSec: number | null;
  readonly after: string | null;
  readonly limit: number;
}

export const listRuns = async (pool: Pool, filter: RunFilter): Promise<StoredRun[]> =>
  (
    await query<DocRow>(
      pool,
      `SELECT id, revision, doc, created_at FROM runs
        WHERE tenant = $1 AND ($2::text IS NULL OR account = $2) AND ($3::text IS NULL OR conversation_id = $3) AND ($4::text IS NULL OR task_id = $4)
          AND ($5::text IS NULL OR state = $5) AND ($6::int IS NULL OR state_since < clock_timestamp() - make_interval(secs => $6)) AND state NOT IN ('awaited', 'refused')
          AND ($7::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM runs WHERE id = $7))
        ORDER BY created_at DESC, id DESC LIMIT $8`,
      [
        filter.tenant,
        filter.account,
        filter.conversationId,
        filter.taskId,
        filter.state,
        filter.olderThanSec,
        filter.after,
        filter.limit,
      ],
    )
  ).map(stored);

export interface TurnRow {
  readonly number: number;
  readonly attempts: number;
  readonly requirements_version: number;
  readonly input_sha256: string;
  readonly outcome: string;
  readonly doc: string;
  readonly started_at: Date;
  readonly ended_at: Date;
}

export const listTurns = (pool: Pool, runId: string, after: number | null, limit: number): Promise<TurnRow[]> =>
  query<TurnRow>(
    pool,
    'SELECT * FROM turns WHERE run_id = $1 AND ($2::int IS NULL OR number < $2) ORDER BY number DESC LIMIT $3',
    [runId, after, limit],
  );

export const sealedInput = async (
  pool: Pool,
  runId: string,
  turn: number,
): Promise<{ readonly bytes: Buffer; readonly sha256: string } | undefined> =>
  (
    await query<{ bytes: Buffer; sha256: string }>(
      pool,
      'SELECT bytes, sha256 FROM inputs WHERE run_id = $1 AND turn = $2',
      [runId, turn],
    )
  )[0];

export const loadBlobs = async (pool: Pool, refs: readonly string[]): Promise<ReadonlyMap<string, Buffer>> =>
  refs.length === 0
    ? new Map()
    : new Map(
        (
          await query<{ ref: string; bytes: Buffer }>(
            pool,
            'SELECT ref, bytes FROM blobs WHERE ref = ANY($1::text[])',
            [refs],
          )
        ).map((row) => [row.ref, row.bytes]),
      );

export interface TaskRow {
  readonly task_id: string;
  readonly tenant: string;
  readonly account: string;
  readonly conversation_id: string;
  readonly entity_type: string | null;
  readonly entity_id: string | null;
  readonly title: string | null;
  readonly created_at: Date;
}

export const findTask = async (pool: Pool, taskId: string): Promise<TaskRow | undefined> =>
  (await query<TaskRow>(pool, 'SELECT * FROM tasks WHERE task_id = $1', [taskId]))[0];

export const queued = async (pool: Pool, tenant: string, account: string | null): Promise<StoredRun[]> =>
  (
    await query<DocRow>(
      pool,
      `SELECT id, revision, doc, created_at FROM runs WHERE tenant = $1 AND ($2::text IS NULL OR account = $2) AND (state = 'queued' OR id IN (SELECT jsonb_array_elements(doc::jsonb->'waiting')->>'runId' FROM slots WHERE id = $1)) ORDER BY created_at, id LIMIT 500`,
      [tenant, account],
    )
  ).map(stored);

/** Works that a dead process of this name still claims; a claim is due when it ends, by the run or by its renewals. */
export const orphans = (pool: Pool, owner: string): Promise<{ id: string; doc: string }[]> =>
  query<{ id: string; doc: string }>(
    pool,
    `SELECT id, doc FROM runs WHERE lease_owner = $1 AND due_at <= clock_timestamp() + interval '${leaseMs} milliseconds'
      UNION SELECT r.id, r.doc FROM leases l JOIN runs r ON r.id = l.id
       WHERE r.lease_owner = $1 AND l.due_at <= clock_timestamp() + interval '${leaseMs} milliseconds'`,
    [owner],
  );

export const countStates = async (
  pool: Pool,
): Promise<{ readonly counts: ReadonlyMap<string, number>; readonly oldest: ReadonlyMap<string, number> }> => {
  const rows = await query<{ state: string; n: number; age: number }>(
    pool,
    `SELECT state, count(*)::int AS n, greatest(0, extract(epoch FROM clock_timestamp() - min(state_since)))::float AS age FROM runs GROUP BY state`,
  );
  return {
    counts: new Map(rows.map((row) => [row.state, row.n])),
    oldest: new Map(rows.filter((row) => !isTerminal(row.state as never)).map((row) => [row.state, row.age])),
  };
};
