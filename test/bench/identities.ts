import type { Client } from 'pg';
import { withDatabase } from './database';
import { usage } from './processes';
import { receipts } from './receipts';

const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));
const few = 1_000;
const warmUpMessages = 500;

/** Identities as ended messages leave them, each a copy of a real one under an id of its own. */
const made = `SELECT 'msg_' || substr(md5($1 || g::text), 1, 26) AS id FROM generate_series(1, $2::int) g`;

const seed = async (client: Client, stamp: string, count: number): Promise<void> => {
  await client.query(
    `INSERT INTO messages (id, revision, doc, due_at, settled, received_at)
     SELECT c.id, m.revision, replace(m.doc, m.id, c.id), NULL, true, m.received_at
       FROM (SELECT * FROM messages WHERE due_at IS NULL ORDER BY received_at DESC LIMIT 1) m, (${made}) c ON CONFLICT DO NOTHING`,
    [stamp, count],
  );
  await client.query('ANALYZE messages');
};

/** What a message costs admission beside a thousand stored identities, and beside as many as are asked for. */
export const identities = async (many: number, perSec: number, messages: number, home: string): Promise<object> =>
  withDatabase('admission', async (client) => {
    const stamp = `identities-${Date.now().toString(36)}`;
    const measure = async () => {
      await receipts(perSec, warmUpMessages);
      const before = usage(home);
      const times = await receipts(perSec, messages);
      const after = usage(home);
      const cpuMs = (name: string): number =>
        rounded((((after.get(name)?.cpuSec ?? 0) - (before.get(name)?.cpuSec ?? 0)) * 1_000) / messages, 3);
      const { rows } = await client.query<{ n: number }>('SELECT count(*)::int AS n FROM messages');
      return {
        stored: rows[0]?.n ?? 0,
        admissionCpuMs: cpuMs('admission'),
        postgresCpuMs: cpuMs('postgres'),
        p50Ms: times.p50Ms,
        p99Ms: times.p99Ms,
      };
    };
    try {
      await receipts(perSec, warmUpMessages);
      await seed(client, stamp, few);
      const beside = { few: await measure(), many: null as Awaited<ReturnType<typeof measure>> | null };
      await seed(client, stamp, many);
      beside.many = await measure();
      return { workload: 'identities', perSec, messages, ...beside };
    } finally {
      await client.query(`DELETE FROM messages WHERE id IN (${made})`, [stamp, many]);
    }
  });
