import type { Pool } from 'pg';
import { kind, type Kind } from '../platform/decision';
import { query } from '../platform/postgres';
import { isSettled, storedReceipt } from './receipts';
import type { Answer } from './messages';
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

/** In lock order: a message before the conversation it belongs to. */
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
