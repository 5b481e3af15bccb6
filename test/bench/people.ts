import { Agent } from 'node:http';
import { localToken } from '../../services/cli/remote';
import { untilCount, withDatabase } from './database';
import { call } from './http-call';
import { closedLoop, percentile, rounded } from './load';
import { submitScripted } from './submit';

const soonMs = 30_000;
const pages = 300;

const opened = async (stamp: string): Promise<string> => {
  const [runId = ''] = await submitScripted(stamp, ['park']);
  return runId;
};

/** Copies of one open request, each with an id of its own; `$1` the run whose request it is, `$2` how many. */
const copies = (dueAt: string, expiresAt: string, doc: string): string =>
  `INSERT INTO interactions (id, revision, doc, due_at, state, tenant, account, conversation_id, run_id, published_at, expires_at, changed_at)
   SELECT 'int_' || substr(md5($3 || g::text), 1, 26), i.revision, ${doc}, ${dueAt}, i.state, i.tenant, i.account, i.conversation_id,
          i.run_id, i.published_at - g * interval '1 millisecond', ${expiresAt}, NULL
     FROM interactions i, generate_series(1, $2::int) g WHERE i.run_id = $1`;
const docOfCopy = `replace(i.doc, i.id, 'int_' || substr(md5($3 || g::text), 1, 26))`;

/** The first page of the inbox of somebody with that many open requests. */
export const inbox = (many: number): Promise<object> =>
  withDatabase('hil', async (client) => {
    const stamp = `inbox-${Date.now().toString(36)}`;
    const runId = await opened(stamp);
    const open = async (): Promise<number> =>
      (
        await client.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM interactions WHERE run_id = $1 AND state = 'open'`,
          [runId],
        )
      ).rows[0]?.n ?? 0;
    await untilCount('the request to be copied', 1, open, soonMs);
    await client.query(copies('NULL', 'NULL', docOfCopy), [runId, many, stamp]);
    await client.query('ANALYZE interactions');
    const token = await localToken({ account: 'bench', roles: [], app: 'local', tenant: 'local' });
    const agent = new Agent({ keepAlive: true });
    const url = `${process.env['HIL_URL'] ?? ''}/v1/interactions?state=open&limit=50`;
    const times = await closedLoop(1, pages, async () => {
      const { status, text } = await call(agent, 'GET', url, token);
      const { items } = JSON.parse(text) as { items: unknown[] };
      if (status !== 200 || items.length !== 50) throw new Error(`the inbox answered ${status}`);
    });
    agent.destroy();
    const sorted = times.sort((a, b) => a - b);
    return { open: many, p50Ms: rounded(percentile(sorted, 0.5)), p99Ms: rounded(percentile(sorted, 0.99)) };
  });

/** That many requests end in the same second; measured until the last of them is closed. */
export const expiries = (many: number): Promise<object> =>
  withDatabase('hil', async (client) => {
    const stamp = `expiries-${Date.now().toString(36)}`;
    const runId = await opened(stamp);
    const count = async (state: string): Promise<number> =>
      (
        await client.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM interactions WHERE run_id = $1 AND state = '${state}'`,
          [runId],
        )
      ).rows[0]?.n ?? 0;
    await untilCount('the request to be copied', 1, () => count('open'), soonMs);
    const { rows } = await client.query<{ ms: string }>(
      `SELECT (extract(epoch FROM clock_timestamp() + interval '5 seconds') * 1000)::bigint AS ms`,
    );
    const endsAt = Number(rows[0]?.ms);
    const moment = `to_timestamp(${endsAt} / 1000.0)`;
    const doc = `jsonb_set((${docOfCopy})::jsonb, '{asked,expiresAt}', '${endsAt}')::text`;
    await client.query(copies(moment, moment, doc), [runId, many, stamp]);
    await untilCount('closed requests', many, () => count('closed'), 120_000);
    return { requests: many, closedAfterSec: rounded((Date.now() - endsAt) / 1_000) };
  });
