import { Type } from 'typebox';
import type { Pool } from 'pg';
import type { Principal } from './auth';
import type { TopicLag } from './consumer';
import { blockedIncident } from './incidents';
import { Refusal } from './errors';
import type { Http } from './http';
import { listOf, page } from './http';
import type { HeaderValue } from './outbox';
import type { RawRecord } from './dead-letters';
import { pause } from './pause';
import { query } from './postgres';

/** Bulk redrive never floods the service it repairs. */
const defaultRedrivePerSec = 50;
const maxBulkRedrive = 10_000;

export interface OpsDeps {
  readonly pool: Pool;
  readonly lag: () => Promise<readonly TopicLag[]>;
  /** Puts a record through its consumer again; resolves with the error it met, or null. */
  readonly redrive: (raw: RawRecord) => Promise<unknown>;
}

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

const previewBytes = 512;
const printable = (bytes: Buffer | null): string | null =>
  bytes === null
    ? null
    : bytes
        .subarray(0, previewBytes)
        .toString('utf8')
        .replace(/[^\x20-\x7e\u00a0-\uffff]/g, '·');

const item = (row: DeadRow): Record<string, unknown> => ({
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

const reasonBody = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 1_000 }) },
  { additionalProperties: false },
);
const bulkBody = Type.Object(
  {
    code: Type.Optional(Type.String({ maxLength: 128 })),
    dryRun: Type.Optional(Type.Boolean()),
    perSec: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  },
  { additionalProperties: false },
);

/** The operator routes every service has: dead letters, blocked outbox keys, incidents, lag. */
export const opsRoutes = (app: Http, deps: OpsDeps): void => {
  const { pool } = deps;
  const guard = { config: { roles: ['platform-operator'] } };
  const audit = (who: Principal, action: string, ref: string, reason: string | null): Promise<unknown> =>
    query(pool, 'INSERT INTO audit (account, action, ref, reason) VALUES ($1, $2, $3, $4)', [
      `${who.tenant}/${who.account}`,
      action,
      ref,
      reason,
    ]);

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
    return { items: items.map(item), next };
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

  app.get('/v1/ops/outbox/blocked', guard, async (request) => {
    const { limit, after } = page(request.query as never);
    if (after !== null && !/^\d{1,18}$/.test(after))
      throw new Refusal('field_invalid', 'after must be a key of this list', 'after');
    const rows = await query<{
      id: string;
      topic: string;
      key: Buffer;
      event_id: string;
      blocked_at: Date;
      blocked_message: string;
      waiting: number;
    }>(
      pool,
      `SELECT b.id, b.topic, b.key, b.event_id, b.blocked_at, b.blocked_message,
              (SELECT count(*)::int FROM outbox o WHERE o.bucket = b.bucket AND o.topic = b.topic AND o.key = b.key AND o.id > b.id) AS waiting
         FROM outbox b WHERE b.blocked_at IS NOT NULL AND ($1::bigint IS NULL OR b.id < $1::bigint) ORDER BY b.id DESC LIMIT $2`,
      [after, limit + 1],
    );
    const { items, next } = listOf(rows, limit, (row) => row.id);
    return {
      items: items.map((row) => ({
        key: row.id,
        topic: row.topic,
        recordKey: printable(row.key),
        eventId: row.event_id,
        message: row.blocked_message,
        at: row.blocked_at.toISOString(),
        waiting: row.waiting,
      })),
      next,
    };
  });

  const unblock = (action: 'retry' | 'skip', sql: string): void => {
    app.post(
      `/v1/ops/outbox/:key/${action}`,
      { ...guard, ...(action === 'skip' ? { schema: { body: reasonBody } } : {}) },
      async (request) => {
        const { key } = request.params as { key: string };
        // In one statement: where the relay is refused again at once, it opens the incident again after this.
        const rows = /^\d+$/.test(key)
          ? await query<{ id: string }>(
              pool,
              `WITH freed AS (${sql}), closed AS (
                 UPDATE incidents SET closed_at = clock_timestamp() WHERE id = $2 AND closed_at IS NULL AND EXISTS (SELECT 1 FROM freed))
               SELECT id FROM freed`,
              [key, blockedIncident(key)],
            )
          : [];
        if (rows.length === 0) throw new Refusal('not_found', 'nothing blocked has this key');
        await audit(
          request.principal,
          `outbox.${action}`,
          key,
          (request.body as { reason?: string } | undefined)?.reason ?? null,
        );
        return { key, state: action === 'retry' ? 'retrying' : 'skipped' };
      },
    );
  };
  unblock(
    'retry',
    'UPDATE outbox SET blocked_at = NULL, blocked_message = NULL WHERE id = $1 AND blocked_at IS NOT NULL RETURNING id',
  );
  unblock('skip', 'DELETE FROM outbox WHERE id = $1 AND blocked_at IS NOT NULL RETURNING id');

  app.get('/v1/ops/incidents', guard, async (request) => {
    const { limit, after } = page(request.query as never);
    const rows = await query<{
      id: string;
      kind: string;
      ref: string;
      reason: string;
      actions: string;
      opened_at: Date;
      acknowledged_at: Date | null;
      closed_at: Date | null;
    }>(
      pool,
      `SELECT * FROM incidents WHERE ($1::text IS NULL OR (opened_at, id) < (SELECT opened_at, id FROM incidents WHERE id = $1)) ORDER BY opened_at DESC, id DESC LIMIT $2`,
      [after, limit + 1],
    );
    const { items, next } = listOf(rows, limit, (row) => row.id);
    return {
      items: items.map((row) => ({
        id: row.id,
        kind: row.kind,
        ref: row.ref,
        reason: row.reason,
        actions: JSON.parse(row.actions) as string[],
        openedAt: row.opened_at.toISOString(),
        acknowledgedAt: row.acknowledged_at?.toISOString() ?? null,
        closedAt: row.closed_at?.toISOString() ?? null,
      })),
      next,
    };
  });

  app.post('/v1/ops/incidents/:id/acknowledge', guard, async (request) => {
    const { id } = request.params as { id: string };
    const rows = await query<{ id: string }>(
      pool,
      'UPDATE incidents SET acknowledged_at = coalesce(acknowledged_at, clock_timestamp()) WHERE id = $1 RETURNING id',
      [id],
    );
    if (rows.length === 0) throw new Refusal('not_found', 'no incident of this id');
    await audit(request.principal, 'incident.acknowledge', id, null);
    return { id, state: 'acknowledged' };
  });

  app.get('/v1/ops/lag', guard, async () => ({ items: await deps.lag(), next: null }));
};
