import { Type } from 'typebox';
import type { Pool } from 'pg';
import type { Principal } from './auth';
import type { Decoded } from './codec';
import type { RawRecord } from './dead-letters';
import { Refusal } from './errors';
import { listOf, page, type Http } from './http';
import {
  answers,
  bulkPurgedSchema,
  bulkRedrivenSchema,
  deadLetterSchema,
  deadLettersSchema,
  redrivenSchema,
  settledSchema,
} from './ops-answers';
import { accountOf, auditIn, guard, printable, reasonBody } from './ops-audit';
import type { HeaderValue } from './outbox';
import { pause } from './pause';
import { query } from './postgres';

/** Bulk redrive never floods the service it repairs. */
const defaultRedrivePerSec = 50;
const maxBulkRedrive = 10_000;
/** Rows that one call deletes; the answer says how many matched, so that a caller asks again for the rest. */
const maxPurge = 10_000;

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

const purgeBody = Type.Object(
  {
    olderThanDays: Type.Integer({ minimum: 0, maximum: 36_500 }),
    code: Type.Optional(Type.String({ maxLength: 128 })),
    reason: reasonBody.properties.reason,
    dryRun: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/**
 * Deletes rows with their bytes, and leaves who did it and why, with the hash of what is gone: in one statement, so that
 * nothing goes without its trace. `chosen` picks the rows.
 */
const purgeSql = (chosen: string): string =>
  `WITH gone AS (DELETE FROM dead_letters WHERE ${chosen} RETURNING id, value)
   INSERT INTO audit (account, action, ref, reason)
   SELECT $1, 'dead-letter.purge', id, $2 || coalesce(' [sha256 ' || encode(sha256(value), 'hex') || ']', '') FROM gone RETURNING ref`;
const ofAge = (days: string, code: string): string =>
  `dead_at <= clock_timestamp() - ${days}::int * interval '1 day' AND (${code}::text IS NULL OR code = ${code})`;

/** Lists, redrives, skips and purges what a consumer could not handle (X2). */
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

  app.get('/v1/ops/dead-letters', { ...guard, schema: answers(deadLettersSchema) }, async (request) => {
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

  app.get('/v1/ops/dead-letters/:id', { ...guard, schema: answers(deadLetterSchema) }, async (request) => {
    const { id } = request.params as { id: string };
    const [row] = await query<DeadRow>(
      pool,
      "SELECT * FROM dead_letters WHERE id = $1 ORDER BY state = 'dead' DESC LIMIT 1",
      [id],
    );
    if (row === undefined) throw new Refusal('not_found', 'no dead letter of this id is here');
    return item(row, row.value === null ? null : await deps.decode(row.value));
  });

  app.post('/v1/ops/dead-letters/:id/redrive', { ...guard, schema: answers(redrivenSchema) }, async (request) =>
    redriveOne(request.principal, await find((request.params as { id: string }).id)),
  );

  app.post(
    '/v1/ops/dead-letters/:id/skip',
    { ...guard, schema: { body: reasonBody, ...answers(settledSchema) } },
    async (request) => {
      const row = await find((request.params as { id: string }).id);
      await query(pool, "UPDATE dead_letters SET state = 'skipped' WHERE consumer = $1 AND id = $2", [
        row.consumer,
        row.id,
      ]);
      await audit(request.principal, 'dead-letter.skip', row.id, request.body.reason);
      return { id: row.id, state: 'skipped' };
    },
  );

  app.post(
    '/v1/ops/dead-letters/redrive',
    { ...guard, schema: { body: bulkBody, ...answers(bulkRedrivenSchema) } },
    async (request) => {
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
    },
  );

  app.post(
    '/v1/ops/dead-letters/:id/purge',
    { ...guard, schema: { body: reasonBody, ...answers(settledSchema) } },
    async (request) => {
      const { id } = request.params as { id: string };
      const gone = await query(pool, purgeSql('id = $3'), [accountOf(request.principal), request.body.reason, id]);
      if (gone.length === 0) throw new Refusal('not_found', 'no dead letter of this id is here');
      return { id, state: 'purged' };
    },
  );

  app.post(
    '/v1/ops/dead-letters/purge',
    { ...guard, schema: { body: purgeBody, ...answers(bulkPurgedSchema) } },
    async (request) => {
      const { olderThanDays, code, reason, dryRun = false } = request.body;
      const [count] = await query<{ matched: number; waiting: number }>(
        pool,
        `SELECT count(*)::int AS matched, count(*) FILTER (WHERE state = 'dead')::int AS waiting FROM dead_letters WHERE ${ofAge('$1', '$2')}`,
        [olderThanDays, code ?? null],
      );
      const { matched = 0, waiting = 0 } = count ?? {};
      if (dryRun) return { matched, waiting, purged: 0, dryRun };
      const chosen = ofAge('$3', '$4');
      const gone = await query(
        pool,
        purgeSql(`ctid = ANY(ARRAY(SELECT ctid FROM dead_letters WHERE ${chosen} ORDER BY dead_at LIMIT ${maxPurge}))`),
        [accountOf(request.principal), reason, olderThanDays, code ?? null],
      );
      return { matched, waiting, purged: gone.length, dryRun };
    },
  );
};
