import type { Pool } from 'pg';
import { query } from '../platform/postgres';
import { rewrite, type CarryOut } from '../platform/purges';
import { previewRef, requestRef, type Action } from './state';
import { isLive, withoutContent } from './without-content';

/** Sealed bytes, previews and the remotes' answers of a run's settled actions. */
export const carryOut =
  (pool: Pool): CarryOut =>
  async ({ runId, before }) => {
    if (runId === null) return true;
    let all = true;
    for (const { id } of await query<{ id: string }>(pool, 'SELECT id FROM actions WHERE run_id = $1', [runId])) {
      const action = await rewrite<Action>(pool, 'actions', id, (one) => withoutContent(one, before));
      if (action === undefined) continue;
      if (isLive(action)) all = false;
      else await query(pool, 'DELETE FROM blobs WHERE ref = ANY($1::text[])', [[requestRef(id), previewRef(id)]]);
    }
    return all;
  };
