import type { Pool } from 'pg';
import type { Logger } from '../platform/log';
import { query } from '../platform/postgres';
import { startPurging, type CarryOut, type Purge } from '../platform/purges';
import { repeatedly } from '../platform/repeatedly';
import type { Api } from '../platform/service';
import type { ExecutorMessage } from './messages';

const sweepEveryMs = 60_000;
const runsAtATime = 200;
const ended = `state IN ('completed', 'partial', 'failed', 'cancelled', 'interrupted')`;

type Submit = Pick<Api<ExecutorMessage>, 'submit'>['submit'];

/** Ended runs that have their content for longer than the tenant keeps it. What waits for an answer still is not over. */
export const outlived = async (pool: Pool, tenant: string, days: number): Promise<string[]> =>
  (
    await query<{ id: string }>(
      pool,
      `SELECT id FROM runs WHERE tenant = $1 AND ${ended} AND purged_at IS NULL AND due_at IS NULL
          AND state_since < clock_timestamp() - make_interval(days => $2)
        ORDER BY state_since LIMIT ${runsAtATime}`,
      [tenant, days],
    )
  ).map(({ id }) => id);

/** One step for each tenant; true while there is more to do. */
export const sweep = async (
  pool: Pool,
  submit: Submit,
  contentDays: readonly (readonly [tenant: string, days: number])[],
): Promise<boolean> => {
  let more = false;
  for (const [tenant, days] of contentDays) {
    const runs = await outlived(pool, tenant, days);
    await Promise.all(runs.map((runId) => submit({ type: 'purge', runId, reason: 'age' })));
    more ||= runs.length === runsAtATime;
  }
  return more;
};

/** How many runs of a conversation an operator's purge has before it; `live` ones stand in its way. */
export const runsToPurge = async (
  pool: Pool,
  of: Pick<Purge, 'tenant' | 'account' | 'conversationId'>,
): Promise<{ readonly live: number; readonly ended: number }> => {
  const [row] = await query<{ live: number; ended: number }>(
    pool,
    `SELECT count(*) FILTER (WHERE NOT ${ended})::int AS live, count(*) FILTER (WHERE ${ended} AND purged_at IS NULL)::int AS ended
       FROM runs WHERE tenant = $1 AND account = $2 AND conversation_id = $3 AND state NOT IN ('awaited', 'refused')`,
    [of.tenant, of.account, of.conversationId],
  );
  return { live: row?.live ?? 0, ended: row?.ended ?? 0 };
};

/** Its runs one by one, each decided under its own row. False while one of them has not ended. */
const purgeRuns = async (pool: Pool, submit: Submit, purge: Purge): Promise<boolean> => {
  const rows = await query<{ id: string; over: boolean }>(
    pool,
    `SELECT id, ${ended} AND due_at IS NULL AS over FROM runs
      WHERE tenant = $1 AND account = $2 AND conversation_id = $3 AND purged_at IS NULL AND state NOT IN ('awaited', 'refused') AND created_at <= $4
      ORDER BY created_at LIMIT ${runsAtATime}`,
    [purge.tenant, purge.account, purge.conversationId, new Date(purge.before)],
  );
  const over = rows.filter((row) => row.over);
  await Promise.all(over.map(({ id }) => submit({ type: 'purge', runId: id, reason: 'request' })));
  if (over.length > 0 && rows.length === runsAtATime) return purgeRuns(pool, submit, purge);
  return over.length === rows.length;
};

/** What the executor keeps of a run beside its document; a turn's hash stays in the journal. */
export const purgeBeside = async (pool: Pool, runId: string, taskId: string | null): Promise<void> => {
  await query(pool, 'DELETE FROM inputs WHERE run_id = $1', [runId]);
  await query(pool, `DELETE FROM blobs WHERE ref ~>=~ ($1 || '/') AND ref ~<~ ($1 || '0')`, [runId]);
  await query(
    pool,
    `UPDATE turns SET doc = (doc::jsonb || '{"understood": null, "detail": null}')::text WHERE run_id = $1`,
    [runId],
  );
  await query(
    pool,
    `UPDATE tasks SET title = NULL WHERE task_id = $1 AND title IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.task_id = $1 AND purged_at IS NULL)`,
    [taskId],
  );
};

const carryOut =
  (pool: Pool, submit: Submit): CarryOut =>
  async (purge) => {
    if (purge.runId === null) return purgeRuns(pool, submit, purge);
    await purgeBeside(pool, purge.runId, purge.taskId);
    return true;
  };

/** By age and by request, in the background. Returns how to stop. */
export const startPurge = (
  { pool, submit }: Pick<Api<ExecutorMessage>, 'pool' | 'submit'>,
  contentDays: () => readonly (readonly [tenant: string, days: number])[],
  log: Logger,
): (() => void) => {
  const stops = [
    repeatedly(() => sweep(pool, submit, contentDays()), sweepEveryMs, log),
    startPurging(pool, carryOut(pool, submit), log),
  ];
  return () => stops.forEach((stop) => stop());
};
