import type { Pool } from 'pg';
import type { Logger } from './log';
import type { Metrics } from './metrics';
import { query } from './postgres';

const pruneEveryMs = 60_000;
const pruneRows = 5_000;
/** Longer than topic retention (7 days) plus the longest redrive. */
const inboxKeepDays = 45;

/** Deletes by age what only recognises repeats; safety never depends on it (X1). Returns how to stop. */
export const startUpkeep = (pool: Pool, log: Logger, everyMs = pruneEveryMs): (() => void) => {
  let stopped = false;
  const prune = async (): Promise<void> => {
    for (let gone = pruneRows; gone === pruneRows && !stopped;)
      gone = (
        await query(
          pool,
          `DELETE FROM inbox WHERE ctid = ANY(ARRAY(SELECT ctid FROM inbox WHERE handled_at < clock_timestamp() - interval '${inboxKeepDays} days' LIMIT ${pruneRows})) RETURNING 1`,
        )
      ).length;
  };
  const timer = setInterval(
    () => void prune().catch((error: unknown) => log.debug({ err: error }, 'old inbox rows could not be pruned')),
    everyMs,
  );
  return () => {
    stopped = true;
    clearInterval(timer);
  };
};

export interface OutboxNow {
  readonly pending: number;
  readonly oldestSeconds: number;
  readonly blockedKeys: number;
}

/** What waits to be sent. */
export const outboxNow = async (pool: Pool): Promise<OutboxNow> => {
  const [row] = await query<{ pending: string; oldest: number | null; blocked: number }>(
    pool,
    'SELECT count(*) AS pending, extract(epoch FROM clock_timestamp() - min(created_at))::float AS oldest, count(*) FILTER (WHERE blocked_at IS NOT NULL)::int AS blocked FROM outbox',
  );
  return {
    pending: Number(row?.pending ?? 0),
    oldestSeconds: Math.max(0, row?.oldest ?? 0),
    blockedKeys: row?.blocked ?? 0,
  };
};

/** Fills the gauges that come from the platform's own tables. */
export const exportTables = async (pool: Pool, metrics: Metrics): Promise<void> => {
  const outbox = await outboxNow(pool);
  metrics.outboxPending.set(outbox.pending);
  metrics.outboxOldestSeconds.set(outbox.oldestSeconds);
  metrics.outboxBlockedKeys.set(outbox.blockedKeys);
  metrics.incidents.reset();
  for (const one of await query<{ kind: string; n: number }>(
    pool,
    'SELECT kind, count(*)::int AS n FROM incidents WHERE closed_at IS NULL GROUP BY kind',
  ))
    metrics.incidents.set({ kind: one.kind }, one.n);
};
