import type { Pool } from 'pg';
import type { ContentPurged } from '../../schemas/generated/records';
import type { Row } from './decision';
import type { Logger } from './log';
import { query } from './postgres';
import { repeatedly } from './repeatedly';
import { inTransaction } from './transaction';

const lookEveryMs = 2_000;
const purgesAtATime = 20;
/** For so long nobody else takes a purge that is being carried out. */
const claimSec = 120;
/** Live content is waited for ever more slowly. */
const firstDelaySec = 60;
const slowestDelaySec = 86_400;
/**
 * When a service looks again for content that was on its way, or came back with an old record: the last look comes after
 * the retention of the topics and after that of the inbox, which knows what was handled before.
 */
const looksAfterSec = [60, 3_600, 86_400, 8 * 86_400, 46 * 86_400] as const;

/** What a purge says, as far as it is needed to carry it out. */
export type Purge = Pick<
  ContentPurged,
  'tenant' | 'account' | 'conversationId' | 'taskId' | 'runId' | 'messageId' | 'before' | 'documents'
>;

const idOf = ({ runId, messageId, tenant, account, conversationId, before }: Purge): string =>
  runId !== null
    ? `run/${runId}`
    : messageId !== null
      ? `message/${messageId}`
      : `conversation/${JSON.stringify([tenant, account, conversationId])}/${before}`;

/** Kept in the transaction that learns of it; carried out in the background, in small steps. */
export const purgeRow = (purge: Purge): Row => {
  const { tenant, account, conversationId, taskId, runId, messageId, before, documents } = purge;
  const what: Purge = { tenant, account, conversationId, taskId, runId, messageId, before, documents };
  return { table: 'purges', values: { id: idOf(purge), what: JSON.stringify(what) } };
};

/** False: something of it is still live, and goes when it has ended. */
export type CarryOut = (purge: Purge) => Promise<boolean>;

const claimDue = (pool: Pool): Promise<{ id: string; what: string; looks: number; delays: number }[]> =>
  query(
    pool,
    `UPDATE purges SET next_at = clock_timestamp() + interval '${claimSec} seconds' WHERE id = ANY(ARRAY(
       SELECT id FROM purges WHERE next_at <= clock_timestamp() ORDER BY next_at LIMIT ${purgesAtATime} FOR UPDATE SKIP LOCKED))
     RETURNING id, what, looks, delays`,
  );

/** After the last look nothing can come back any more, and the row goes too. */
const settle = async (
  pool: Pool,
  { id, looks, delays }: { readonly id: string; readonly looks: number; readonly delays: number },
  all: boolean,
): Promise<void> => {
  if (all && looks >= looksAfterSec.length) return void (await query(pool, 'DELETE FROM purges WHERE id = $1', [id]));
  const afterSec = all ? looksAfterSec[looks] : Math.min(firstDelaySec * 2 ** Math.min(delays, 20), slowestDelaySec);
  await query(
    pool,
    'UPDATE purges SET looks = looks + $2, delays = delays + $3, next_at = clock_timestamp() + make_interval(secs => $4) WHERE id = $1',
    [id, all ? 1 : 0, all ? 0 : 1, afterSec],
  );
};

/** Carries out what is due, and says how many that were. One that fails comes again later, and holds up no other. */
export const carryOutDue = async (
  pool: Pool,
  carryOut: CarryOut,
  onFailure: (error: unknown) => void,
): Promise<number> => {
  const due = await claimDue(pool);
  for (const one of due) {
    const all = await carryOut(JSON.parse(one.what) as Purge).catch((error: unknown) => {
      onFailure(error);
      return false;
    });
    await settle(pool, one, all);
  }
  return due.length;
};

/** Any instance carries purges out, and several at once do no harm. */
export const startPurging = (pool: Pool, carryOut: CarryOut, log: Logger): (() => void) =>
  repeatedly(
    async () =>
      (await carryOutDue(pool, carryOut, (error) => log.warn({ err: error }, 'a purge failed'))) === purgesAtATime,
    lookEveryMs,
    log,
  );

/**
 * Changes a stored document as a writer would, but tells nobody: its revision, which others know it by, stays. `change`
 * answers null where nothing is to be done.
 */
export const rewrite = <S>(
  pool: Pool,
  table: string,
  id: string,
  change: (state: S) => S | null,
): Promise<S | undefined> =>
  inTransaction(pool, 'BEGIN', async (client) => {
    const { rows } = await client.query<{ doc: string }>(`SELECT doc FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
    const [row] = rows;
    if (row === undefined) return undefined;
    const state = JSON.parse(row.doc) as S;
    const next = change(state);
    if (next === null) return state;
    await client.query(`UPDATE ${table} SET doc = $2 WHERE id = $1`, [id, JSON.stringify(next)]);
    return next;
  });
