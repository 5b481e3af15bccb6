import type { Pool } from 'pg';
import { query } from './postgres';
import { bucketCount } from './outbox';
import { steadyMs } from './clocks';

/** A dead relay's buckets are free after this long; a live one renews at a third of it. */
export const bucketLeaseMs = 5_000;
export const bucketRenewMs = 1_500;
/** A relay stops using a lease this long before it ends, so that a pause between check and send stays inside it. */
const leaseMarginMs = 750;

export interface BucketLeases {
  /** Renews what is held, gives up what exceeds the fair share, takes what is free. Returns buckets newly taken. */
  renew(): Promise<readonly number[]>;
  /** Epoch of a bucket this process may send for right now, else undefined. */
  epoch(bucket: number): number | undefined;
  owned(): number[];
  release(): Promise<void>;
}

/**
 * Ownership of outbox buckets among the instances of one service. The owner's name starts with the instance name: a
 * process that starts under a name takes over at once what its dead predecessor of the same name still holds.
 */
export const bucketLeases = (pool: Pool, instance: string, owner: string): BucketLeases => {
  const epochs = new Map<number, number>();
  let validUntil = 0;

  const renew = async (): Promise<readonly number[]> => {
    const askedAt = steadyMs();
    const until = `clock_timestamp() + interval '${bucketLeaseMs} milliseconds'`;
    await query(
      pool,
      `INSERT INTO relay_members (owner, until) VALUES ($1, ${until}) ON CONFLICT (owner) DO UPDATE SET until = excluded.until`,
      [owner],
    );
    await query(
      pool,
      `DELETE FROM relay_members WHERE until < clock_timestamp() OR (owner LIKE $1 || ':%' AND owner <> $2)`,
      [instance, owner],
    );
    const [live] = await query<{ n: number }>(pool, 'SELECT count(*)::int AS n FROM relay_members');
    const share = Math.ceil(bucketCount / Math.max(1, live?.n ?? 1));
    const kept = await query<{ bucket: number; epoch: number }>(
      pool,
      `UPDATE relay_buckets SET until = ${until} WHERE owner = $1 AND until > clock_timestamp() RETURNING bucket, epoch`,
      [owner],
    );
    const surplus = kept.slice(share).map((row) => row.bucket);
    if (surplus.length > 0)
      await query(
        pool,
        'UPDATE relay_buckets SET owner = NULL, until = clock_timestamp() WHERE owner = $1 AND bucket = ANY($2::smallint[])',
        [owner, surplus],
      );
    const taken =
      kept.length >= share
        ? []
        : await query<{ bucket: number; epoch: number }>(
            pool,
            `UPDATE relay_buckets SET owner = $1, epoch = epoch + 1, until = ${until}
              WHERE bucket IN (SELECT bucket FROM relay_buckets
                                WHERE owner IS NULL OR until < clock_timestamp() OR (owner LIKE $2 || ':%' AND owner <> $1)
                                ORDER BY bucket LIMIT $3 FOR UPDATE SKIP LOCKED)
              RETURNING bucket, epoch`,
            [owner, instance, share - kept.length],
          );
    epochs.clear();
    for (const { bucket, epoch } of [...kept.slice(0, share), ...taken]) epochs.set(bucket, epoch);
    validUntil = askedAt + bucketLeaseMs - leaseMarginMs;
    return taken.map((row) => row.bucket);
  };

  const current = (): boolean => steadyMs() < validUntil;
  return {
    renew,
    epoch: (bucket) => (current() ? epochs.get(bucket) : undefined),
    owned: () => (current() ? [...epochs.keys()] : []),
    release: async () => {
      epochs.clear();
      await query(pool, 'UPDATE relay_buckets SET owner = NULL, until = clock_timestamp() WHERE owner = $1', [owner]);
      await query(pool, 'DELETE FROM relay_members WHERE owner = $1', [owner]);
    },
  };
};
