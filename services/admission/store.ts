import type { Pool } from 'pg';
import { kind, type Kind } from '../platform/decision';
import type { Logger } from '../platform/log';
import { query } from '../platform/postgres';
import { repeatedly } from '../platform/repeatedly';
import { isSettled, storedReceipt } from './receipts';
import type { Answer } from './messages';
import { usageAt, type Usage } from './quota';
import type { Conversation, Message } from './state';

const dueAt = (state: Message): number | null => {
  switch (state.status) {
    case 'asking':
      return state.askAt;
    case 'looking':
      return state.lookAt;
    case 'decided':
      return null;
  }
};

/** In lock order: a message before the conversation it belongs to, and what its whole tenant shares last. */
export const kinds: readonly Kind[] = [
  kind<Message>({
    name: 'message',
    table: 'messages',
    dueAt,
    columns: [
      { name: 'settled', type: 'boolean', of: (state) => isSettled(state.receipt.status) },
      { name: 'received_at', type: 'timestamptz', of: (state) => state.receivedAt },
    ],
  }),
  kind<Conversation>({ name: 'conversation', table: 'conversations', columns: [] }),
  kind<Usage>({ name: 'usage', table: 'tenant_usage', columns: [] }),
];

interface MessageRow {
  readonly id: string;
  readonly doc: string;
}

const answerOf = ({ id, doc }: MessageRow): Answer => {
  const message = JSON.parse(doc) as Message;
  return { receipt: storedReceipt(id, message), http: message.http ?? 202 };
};

/** The newest receipt of a stored message, whatever conversation it was sent in. */
export const readReceipt = async (pool: Pool, messageId: string): Promise<Answer | null> => {
  const { rows } = await pool.query<MessageRow>({
    name: 'receipt_read',
    text: 'SELECT id, doc FROM messages WHERE id = $1',
    values: [messageId],
  });
  return rows[0] === undefined ? null : answerOf(rows[0]);
};

/** Which of these messages are settled by now, by whichever instance. */
export const readSettled = async (pool: Pool, messageIds: readonly string[]): Promise<Answer[]> => {
  const { rows } = await pool.query<MessageRow>({
    name: 'receipts_settled',
    text: 'SELECT id, doc FROM messages WHERE id = ANY($1::text[]) AND settled',
    values: [messageIds],
  });
  return rows.map(answerOf);
};

export const readUndecided = async (
  pool: Pool,
): Promise<{ readonly count: number; readonly oldestSeconds: number }> => {
  const [row] = await query<{ n: number; oldest: number | null }>(
    pool,
    `SELECT count(*)::int AS n, extract(epoch FROM clock_timestamp() - min(received_at))::float AS oldest
       FROM messages WHERE due_at IS NOT NULL`,
  );
  return { count: row?.n ?? 0, oldestSeconds: Math.max(0, row?.oldest ?? 0) };
};

/** What tenants have used today, by the database's clock; a tenant without a row has used nothing. */
export const readUsage = async (pool: Pool, tenants: readonly string[]): Promise<(tenant: string) => Usage> => {
  const rows = await query<{ id: string | null; doc: string | null; now: number }>(
    pool,
    `SELECT u.id, u.doc, extract(epoch FROM clock.now)::float * 1000 AS now
       FROM (SELECT clock_timestamp() AS now) clock LEFT JOIN tenant_usage u ON u.id = ANY($1::text[])`,
    [tenants],
  );
  const now = Math.floor(rows[0]?.now ?? 0);
  const known = new Map(rows.map(({ id, doc }) => [id, doc === null ? undefined : (JSON.parse(doc) as Usage)]));
  return (tenant) => usageAt(known.get(tenant), now);
};

/** More tenants than this make no series each: those that have used most of their quota do. */
const maxQuotaSeries = 100;

export const fullestQuotas = async (
  pool: Pool,
  quotas: readonly (readonly [tenant: string, messagesPerDay: number])[],
): Promise<(readonly [tenant: string, ratio: number])[]> => {
  if (quotas.length === 0) return [];
  const usageOf = await readUsage(
    pool,
    quotas.map(([tenant]) => tenant),
  );
  return quotas
    .map(([tenant, messagesPerDay]) => [tenant, usageOf(tenant).messages / messagesPerDay] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, maxQuotaSeries);
};

const rewindEveryMs = 3_600_000;
const rewindFrom = 1_000_000_000;

/**
 * A revision is an int and rises with every message of the tenant, for ever. Nothing is derived from those of usage, and
 * whoever changes the row holds it from reading to commit, so that they may begin anew in between.
 */
export const startRewinding = (pool: Pool, log: Logger): (() => void) =>
  repeatedly(
    async () => {
      await query(pool, 'UPDATE tenant_usage SET revision = 1 WHERE revision > $1', [rewindFrom]);
      return false;
    },
    rewindEveryMs,
    log,
  );
