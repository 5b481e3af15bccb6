import type { Pool } from 'pg';
import type { TopicLag } from './consumer';
import type { RawRecord } from './dead-letters';
import { Refusal } from './errors';
import { listOf, page, type Http } from './http';
import { answers, incidentsSchema, lagSchema, settledSchema, statusSchema } from './ops-answers';
import { auditIn, guard } from './ops-audit';
import type { Decoded } from './codec';
import { instancesSeen, lagHistory } from './lag-samples';
import { deadLetterRoutes } from './ops-dead-letters';
import { outboxRoutes } from './ops-outbox';
import { query } from './postgres';
import { outboxNow } from './upkeep';

export interface OpsDeps {
  readonly pool: Pool;
  readonly lag: () => Promise<readonly TopicLag[]>;
  readonly redrive: (raw: RawRecord) => Promise<unknown>;
  /** What some bytes say; null where they are no record of ours. */
  readonly decode: (value: Buffer) => Promise<Decoded | null>;
}

/** The operator routes every service has: dead letters, blocked outbox keys, incidents, lag, and how the service is. */
export const opsRoutes = (app: Http, deps: OpsDeps): void => {
  const { pool } = deps;
  const audit = auditIn(pool);
  deadLetterRoutes(app, deps);
  outboxRoutes(app, pool);

  app.get('/v1/ops/incidents', { ...guard, schema: answers(incidentsSchema) }, async (request) => {
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

  app.post('/v1/ops/incidents/:id/acknowledge', { ...guard, schema: answers(settledSchema) }, async (request) => {
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

  app.get('/v1/ops/status', { ...guard, schema: answers(statusSchema) }, async () => {
    const [instances, history, outbox] = await Promise.all([instancesSeen(pool), lagHistory(pool), outboxNow(pool)]);
    return { instances, history, outbox };
  });

  app.get('/v1/ops/lag', { ...guard, schema: answers(lagSchema) }, async () => ({
    items: await deps.lag(),
    next: null,
  }));
};
