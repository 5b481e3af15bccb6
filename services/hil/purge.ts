import type { Pool } from 'pg';
import { query } from '../platform/postgres';
import { rewrite, type CarryOut } from '../platform/purges';
import type { Clarification, Interaction, Run } from './state';
import { isLive, withoutContent, withoutWords } from './without-content';

const interactionsOf = async (pool: Pool, runId: string): Promise<readonly string[]> => {
  const [row] = await query<{ doc: string }>(pool, 'SELECT doc FROM runs WHERE id = $1', [runId]);
  return row === undefined ? [] : (JSON.parse(row.doc) as Run).refs;
};

const purgeInteraction = async (pool: Pool, ref: string, now: number): Promise<boolean> => {
  const state = await rewrite<Interaction>(pool, 'interactions', ref, (one) => withoutContent(one, now));
  if (state === undefined) return true;
  if (isLive(state)) return false;
  await query(pool, 'DELETE FROM previews WHERE interaction_ref = $1', [ref]);
  // Why an answer was refused stays on record; what it said does not.
  await query(pool, `UPDATE refused_responses SET answer = '{}' WHERE interaction_ref = $1 AND answer <> '{}'`, [ref]);
  const said = await query<{ id: string }>(pool, 'SELECT id FROM clarifications WHERE interaction_ref = $1', [ref]);
  for (const { id } of said) await rewrite<Clarification>(pool, 'clarifications', id, withoutWords);
  return true;
};

/** Questions, permissions and approvals of an ended run, with their answers. */
export const carryOut =
  (pool: Pool): CarryOut =>
  async ({ runId, before }) => {
    if (runId === null) return true;
    let all = true;
    for (const ref of await interactionsOf(pool, runId)) all = (await purgeInteraction(pool, ref, before)) && all;
    return all;
  };
