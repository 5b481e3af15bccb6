import type { Pool } from 'pg';
import type { Logger } from '../platform/log';
import { query } from '../platform/postgres';

const everyMs = 60_000;
const rowsAtATime = 1_000;

/**
 * Removes words older than `days` of messages whose owner has decided; the message itself stays with its identity, the
 * hash of its words and its receipt, so that a repeat is still a repeat (A6). Returns how many were removed.
 */
export const purgeContent = async (pool: Pool, tenant: string, days: number): Promise<number> =>
  (
    await query(
      pool,
      `DELETE FROM blobs WHERE ref = ANY(ARRAY(
         SELECT b.ref FROM blobs b JOIN messages m ON m.id = b.ref
          WHERE b.tenant = $1 AND b.stored_at < clock_timestamp() - make_interval(days => $2) AND m.due_at IS NULL
          ORDER BY b.stored_at LIMIT ${rowsAtATime})) RETURNING 1`,
      [tenant, days],
    )
  ).length;

/** Goes on in the background, in small steps; any instance may do it, and all of them do no harm. Returns how to stop. */
export const startRetention = (
  pool: Pool,
  contentDays: () => readonly (readonly [tenant: string, days: number])[],
  log: Logger,
): (() => void) => {
  let stopped = false;
  const purge = async (): Promise<void> => {
    for (const [tenant, days] of contentDays())
      for (let gone = rowsAtATime; gone === rowsAtATime && !stopped;) gone = await purgeContent(pool, tenant, days);
  };
  const timer = setInterval(
    () => void purge().catch((error: unknown) => log.warn({ err: error }, 'old words could not be removed')),
    everyMs,
  );
  return () => {
    stopped = true;
    clearInterval(timer);
  };
};
