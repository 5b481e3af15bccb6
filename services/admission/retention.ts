import type { Pool } from 'pg';
import type { Tick } from '../platform/decision';
import type { Logger } from '../platform/log';
import { query } from '../platform/postgres';
import { startPurging, type CarryOut, type Purge } from '../platform/purges';
import { repeatedly } from '../platform/repeatedly';
import type { Api } from '../platform/service';
import { pastRunRef, type Inbound } from './messages';
import type { RunFacts } from './state';
import { conversationId } from './submission';

const sweepEveryMs = 60_000;
const rowsAtATime = 500;

type Submit = Api<Inbound | Tick>['submit'];

/** Messages whose words are older than `days` and whose owner has decided. */
export const outlived = async (pool: Pool, tenant: string, days: number): Promise<string[]> =>
  (
    await query<{ ref: string }>(
      pool,
      `SELECT b.ref FROM blobs b JOIN messages m ON m.id = b.ref
        WHERE b.tenant = $1 AND b.stored_at < clock_timestamp() - make_interval(days => $2) AND m.due_at IS NULL
        ORDER BY b.stored_at LIMIT ${rowsAtATime}`,
      [tenant, days],
    )
  ).map(({ ref }) => ref);

/** Words of one conversation; those stored by an earlier release are found by what their message says. */
export const ofConversation = (pool: Pool, purge: Purge): Promise<{ ref: string; decided: boolean }[]> =>
  query(
    pool,
    `SELECT b.ref, m.due_at IS NULL AS decided FROM blobs b JOIN messages m ON m.id = b.ref
      WHERE b.tenant = $1 AND b.stored_at <= $4
        AND (b.conversation_id = $3 AND b.account = $2
          OR b.conversation_id IS NULL AND m.doc::json->>'conversationId' = $3 AND m.doc::json->>'account' = $2)
      ORDER BY b.stored_at LIMIT ${rowsAtATime}`,
    [purge.tenant, purge.account, purge.conversationId, new Date(purge.before)],
  );

/** Told before they go: whoever shows the words hears of it even when this process dies in between. */
export const purgeWords = async (
  pool: Pool,
  submit: Submit,
  refs: readonly string[],
  reason: 'age' | 'request',
): Promise<void> => {
  await Promise.all(refs.map((messageId) => submit({ type: 'purge', messageId, reason })));
  await query(pool, 'DELETE FROM blobs WHERE ref = ANY($1::text[])', [refs]);
};

const sweep = async (
  pool: Pool,
  submit: Submit,
  contentDays: readonly (readonly [tenant: string, days: number])[],
): Promise<boolean> => {
  let more = false;
  for (const [tenant, days] of contentDays) {
    const refs = await outlived(pool, tenant, days);
    await purgeWords(pool, submit, refs, 'age');
    more ||= refs.length === rowsAtATime;
  }
  return more;
};

const purgeConversation = async (pool: Pool, submit: Submit, purge: Purge): Promise<boolean> => {
  const rows = await ofConversation(pool, purge);
  const refs = rows.filter(({ decided }) => decided).map(({ ref }) => ref);
  await purgeWords(pool, submit, refs, 'request');
  if (refs.length > 0 && rows.length === rowsAtATime) return purgeConversation(pool, submit, purge);
  return refs.length === rows.length;
};

/** The last facts of a run that left its conversation's projection carry its title. */
const untitle = async (pool: Pool, purge: Purge, runId: string): Promise<void> => {
  const ref = pastRunRef(conversationId(purge.tenant, purge.account, purge.conversationId), runId);
  const [row] = await query<{ bytes: Buffer }>(pool, 'SELECT bytes FROM blobs WHERE ref = $1', [ref]);
  if (row === undefined) return;
  const facts = { ...(JSON.parse(row.bytes.toString('utf8')) as RunFacts), title: null };
  await query(pool, 'UPDATE blobs SET bytes = $2 WHERE ref = $1', [ref, Buffer.from(JSON.stringify(facts))]);
};

export const carryOut =
  (pool: Pool, submit: Submit): CarryOut =>
  async (purge) => {
    if (purge.runId === null) return purgeConversation(pool, submit, purge);
    await untitle(pool, purge, purge.runId);
    return true;
  };

/** By age and by request, in the background; any instance may do it, and all of them do no harm. Returns how to stop. */
export const startRetention = (
  { pool, submit }: Pick<Api<Inbound | Tick>, 'pool' | 'submit'>,
  contentDays: () => readonly (readonly [tenant: string, days: number])[],
  log: Logger,
): (() => void) => {
  const stops = [
    repeatedly(() => sweep(pool, submit, contentDays()), sweepEveryMs, log),
    startPurging(pool, carryOut(pool, submit), log),
  ];
  return () => stops.forEach((stop) => stop());
};
