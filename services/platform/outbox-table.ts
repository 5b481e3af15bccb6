import type { Pool } from 'pg';
import type { OutboxRow } from './outbox';
import { query } from './postgres';

/** Own rows older than this that are still in the table were lost from memory; the relay's look-around sends them. */
const strandedAfterMs = 5_000;

/** What the relay does with the outbox table. Each change presents the epoch of the bucket, so a stale owner is refused. */

interface TableRow {
  id: string;
  bucket: number;
  topic: string;
  partition: number | null;
  key: Buffer;
  value: Buffer | null;
  headers: string;
  event_id: string;
}

export interface Unsent {
  readonly buckets: readonly number[];
  /** Sent already, not yet deleted. */
  readonly except: readonly string[];
  readonly exceptTopics: readonly string[];
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Oldest first, bounded by count and bytes; nothing of a key behind its blocked row. */
export const readUnsent = async (pool: Pool, wanted: Unsent): Promise<OutboxRow[]> => {
  const rows = await query<TableRow>(
    pool,
    `SELECT id, bucket, topic, partition, key, value, headers, event_id FROM (
       SELECT *, coalesce(sum(octet_length(value)) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before FROM (
         SELECT * FROM outbox o
          WHERE bucket = ANY($1::smallint[]) AND NOT (id = ANY($2::bigint[])) AND NOT (topic = ANY($3::text[])) AND blocked_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM outbox b WHERE b.blocked_at IS NOT NULL AND b.bucket = o.bucket AND b.topic = o.topic AND b.key = o.key AND b.id < o.id)
          ORDER BY id LIMIT $4) first) sized
      WHERE before < $5 ORDER BY id`,
    [wanted.buckets, wanted.except, wanted.exceptTopics, wanted.maxRows, wanted.maxBytes],
  );
  return rows.map(({ event_id: eventId, headers, ...row }) => ({
    ...row,
    eventId,
    headers: JSON.parse(headers) as OutboxRow['headers'],
  }));
};

const bucketsOf = (rows: readonly { readonly bucket: number }[]): number[] => rows.map((row) => row.bucket);

export const bucketsWithBlocked = async (pool: Pool, buckets: readonly number[]): Promise<number[]> =>
  bucketsOf(
    await query<{ bucket: number }>(
      pool,
      'SELECT DISTINCT bucket FROM outbox WHERE bucket = ANY($1::smallint[]) AND blocked_at IS NOT NULL',
      [buckets],
    ),
  );

/** Buckets with rows of other writers, or with rows of one's own that were lost from memory; blocked ones do not count. */
export const bucketsToRead = async (pool: Pool, buckets: readonly number[], writer: string): Promise<number[]> =>
  bucketsOf(
    await query<{ bucket: number }>(
      pool,
      `SELECT b AS bucket FROM unnest($1::smallint[]) AS b
        WHERE EXISTS (SELECT 1 FROM outbox o WHERE o.bucket = b AND o.writer < $2 AND o.blocked_at IS NULL)
           OR EXISTS (SELECT 1 FROM outbox o WHERE o.bucket = b AND o.writer > $2 AND o.blocked_at IS NULL)
           OR (SELECT created_at FROM outbox o WHERE o.bucket = b AND o.writer = $2 AND o.blocked_at IS NULL ORDER BY o.id LIMIT 1)
              < clock_timestamp() - interval '${strandedAfterMs} milliseconds'`,
      [buckets, writer],
    ),
  );

/** False when the bucket is another's by now. */
export const markBlocked = async (
  pool: Pool,
  row: OutboxRow,
  owner: { readonly writer: string; readonly epoch: number },
  message: string,
): Promise<boolean> => {
  const marked = await query(
    pool,
    `UPDATE outbox o SET blocked_at = clock_timestamp(), blocked_message = $2 FROM relay_buckets b
      WHERE o.id = $1 AND b.bucket = o.bucket AND b.owner = $3 AND b.epoch = $4 RETURNING 1`,
    [row.id, message.slice(0, 1_000), owner.writer, owner.epoch],
  );
  return marked.length > 0;
};

export interface SentRow {
  readonly id: string;
  readonly bucket: number;
  readonly epoch: number;
}

export const deleteSent = async (pool: Pool, rows: readonly SentRow[], writer: string): Promise<void> => {
  await query(
    pool,
    `DELETE FROM outbox o USING unnest($1::bigint[], $2::smallint[], $3::int[]) AS u(id, bucket, epoch), relay_buckets b
      WHERE o.id = u.id AND b.bucket = u.bucket AND b.owner = $4 AND b.epoch = u.epoch`,
    [rows.map((row) => row.id), bucketsOf(rows), rows.map((row) => row.epoch), writer],
  );
};
