import type { Pool } from 'pg';
import { Refusal } from './errors';
import { listOf, page, type Http } from './http';
import { blockedIncident } from './incidents';
import { answers, blockedKeysSchema, unblockedSchema } from './ops-answers';
import { auditIn, guard, printable, reasonBody } from './ops-audit';
import { query } from './postgres';

/** Keys that wait behind a record Kafka refuses, and what an operator can do about them. */
export const outboxRoutes = (app: Http, pool: Pool): void => {
  const audit = auditIn(pool);

  app.get('/v1/ops/outbox/blocked', { ...guard, schema: answers(blockedKeysSchema) }, async (request) => {
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
      { ...guard, schema: { ...(action === 'skip' ? { body: reasonBody } : {}), ...answers(unblockedSchema) } },
      async (request) => {
        const { key } = request.params as { key: string };
        // In one statement: where the relay is refused again at once, it opens the incident again after this.
        const rows = /^\d{1,18}$/.test(key)
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
};
