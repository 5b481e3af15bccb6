import { Type } from 'typebox';
import type { Pool } from 'pg';
import type { Principal } from './auth';
import type { Decoded } from './codec';
import type { RawRecord } from './dead-letters';
import { Refusal } from './errors';
import { listOf, page, type Http } from './http';
import { auditIn, guard, printable, reasonBody } from './ops-audit';
import type { HeaderValue } from './outbox';
import { pause } from './pause';
import { query } from './postgres';

/** Bulk redrive never floods the service it repairs. */
const defaultRedrivePerSec = 50;
const maxBulkRedrive = 10_000;

interface DeadRow {
  id: string;
  consumer: string;
  topic: string;
  partition: number;
  record_offset: string;
  record_at: Date;
  code: string;
  message: string;
  attempts: number;
  redrive_count: number;
  key: Buffer | null;
  value: Buffer | null;
  headers: string;
  dead_at: Date;
  state: string;
}

const item = (row: DeadRow, decoded: Decoded | null): Record<string, unknown> => ({
  id: row.id,
  consumer: row.consumer,
  topic: row.topic,
  code: row.code,
  message: row.message,
  at: row.dead_at.toISOString(),
  attempts: row.attempts,
  redriveCount: row.redrive_count,
  state: row.state,
  key: printable(row.key),
  preview: printable(row.value),
  decoded: decoded === null ? null : { record: decoded.name, value: decoded.value },
});

const rawOf = (row: DeadRow): RawRecord => ({
  group: row.consumer,
  topic: row.topic,
  partition: row.partition,
  offset: row.record_offset,
  timestampMs: row.record_at.getTime(),
  key: row.key,
  value: row.value,
  redriveCount: row.redrive_count + 1,
  replayed: false,
  headers: Object.fromEntries(
    Object.entries(JSON.parse(row.headers) as Record<string, HeaderValue>).map(([name, value]) => [
      name,
      typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.base64, 'base64'),
    ]),
  ),
});

const bulkBody = Type.Object(
  {
    code: Type.Optional(Type.String({ maxLength: 128 })),
    dryRun: Type.Optional(Type.Boolean()),
    perSec: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  },
  { additionalProperties: false },
);

/** Lists, redrives and skips what a consumer could not handle (X2). */
export const deadLetterRoutes = (
  app: Http,
  deps: {
    readonly pool: Pool;
    /** Puts a record through its consumer again; resolves with the error it met, or null. */
    readonly redrive: (raw: RawRecord) => Promise<unknown>;
    /** What some bytes say; null where they are no record of ours. */
    readonly decode: (value: Buffer) => Promise<Decoded | null>;
  },
): void => {
  const { pool } = deps;
  const audit = auditIn(pool);

  const redriveOne = async (
    who: Principal,
    row: DeadRow,
  ): Promise<{ id: string; state: string; code: string | null; message: string | null }> => {
    await query(pool, 'UPDATE dead_letters SET redrive_count = redrive_count + 1 WHERE consumer = $1 AND id = $2', [
      row.consumer,
      row.id,
    ]);
    const error = await deps.redrive(rawOf(row));
    const message = error === null ? null : error instanceof Error ? error.message : JSON.stringify(error);
    if (error === null)
      await query(pool, "UPDATE dead_letters SET state = 'redriven' WHERE consumer = $1 AND id = $2", [
        row.consumer,
        row.id,
      ]);
    else
      await query(
        pool,
        'UPDATE dead_letters SET message = $3, dead_at = clock_timestamp() WHERE consumer = $1 AND id = $2',
        [row.consumer, row.id, message],
      );
    await audit(who, 'dead-letter.redrive', row.id, message);
    return { id: row.id, state: error === null ? 'redriven' : 'dead', code: error === null ? null : row.code, message };
  };

  const find = async (id: string): Promise<DeadRow> => {
    const [row] = await query<DeadRow>(pool, "SELECT * FROM dead_letters WHERE id = $1 AND state = 'dead' LIMIT 1", [
      id,
    ]);
    if (row === undefined) throw new Refusal('not_found', 'no dead letter of this id is waiting here');
    return row;
  };

  app.get('/v1/ops/dead-letters', guard, async (request) => {
    const { limit, after } = page(request.query as never);
    const { code } = request.query as { code?: string };
    const rows = await query<DeadRow>(
      pool,
      `SELECT * FROM dead_letters WHERE state = 'dead' AND ($1::text IS NULL OR code = $1)
          AND ($2::text IS NULL OR (dead_at, id) < (SELECT dead_at, id FROM dead_letters WHERE id = $2 LIMIT 1))
        ORDER BY dead_at DESC, id DESC LIMIT $3`,
      [code ?? null, after, limit + 1],
    );
    const { items, next } = listOf(rows, limit, (row) => row.id);
    const decoded = await Promise.all(items.map(({ value }) => (value === null ? null : deps.decode(value))));
    return { items: items.map((row, index) => item(row, decoded[index] ?? null)), next };
  });

  app.post('/v1/ops/dead-letters/:id/redrive', guard, async (request) =>
    redriveOne(request.principal, await find((request.params as { id: string }).id)),
  );

  app.post('/v1/ops/dead-letters/:id/skip', { ...guard, schema: { body: reasonBody } }, async (request) => {
    const row = await find((request.params as { id: string }).id);
    await query(pool, "UPDATE dead_letters SET state = 'skipped' WHERE consumer = $1 AND id = $2", [
      row.consumer,
      row.id,
    ]);
    await audit(request.principal, 'dead-letter.skip', row.id, request.body.reason);
    return { id: row.id, state: 'skipped' };
  });

  app.post('/v1/ops/dead-letters/redrive', { ...guard, schema: { body: bulkBody } }, async (request) => {
    const { code, dryRun = false, perSec = defaultRedrivePerSec } = request.body;
    const rows = await query<DeadRow>(
      pool,
      `SELECT * FROM dead_letters WHERE state = 'dead' AND ($1::text IS NULL OR code = $1) ORDER BY topic, partition, record_offset LIMIT ${maxBulkRedrive}`,
      [code ?? null],
    );
    if (dryRun) return { matched: rows.length, redriven: 0, failed: 0, dryRun };
    let redriven = 0;
    for (const row of rows) {
      if ((await redriveOne(request.principal, row)).state === 'redriven') redriven += 1;
      await pause(1_000 / perSec);
    }
    return { matched: rows.length, redriven, failed: rows.length - redriven, dryRun };
  });
};
