import type { Pool } from 'pg';
import type { TopicLag } from './consumer';
import { query } from './postgres';

const keepMinutes = 60;
/** One point of the history; a few samples of each instance fall into it. */
const pointSeconds = 60;
/** An instance that has not measured for this long is not shown any more: it was stopped, or it died. */
const goneAfterSeconds = 90;

const worst = (lag: readonly TopicLag[]): number => Math.max(0, ...lag.map((one) => one.timeLagSeconds));

/** Keeps what an instance has just measured, and forgets what is older than the history. */
export const keepSample = async (pool: Pool, instance: string, lag: readonly TopicLag[]): Promise<void> => {
  const records = lag.reduce((sum, one) => sum + one.lag, 0);
  await query(
    pool,
    `WITH forgotten AS (DELETE FROM lag_samples WHERE at < clock_timestamp() - interval '${keepMinutes} minutes')
     INSERT INTO lag_samples (instance, records, time_lag_seconds) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    [instance, records, worst(lag)],
  );
};

export interface InstanceSeen {
  readonly instance: string;
  readonly seenAt: string;
  readonly lag: number;
  readonly timeLagSeconds: number;
}

export interface LagPoint {
  readonly at: string;
  readonly lag: number;
  readonly timeLagSeconds: number;
}

/** The instances that measured lately, each with its last sample. */
export const instancesSeen = async (pool: Pool): Promise<InstanceSeen[]> =>
  (
    await query<{ instance: string; at: Date; records: string; time_lag_seconds: number }>(
      pool,
      `SELECT DISTINCT ON (instance) instance, at, records, time_lag_seconds FROM lag_samples
        WHERE at > clock_timestamp() - interval '${goneAfterSeconds} seconds' ORDER BY instance, at DESC`,
    )
  ).map((row) => ({
    instance: row.instance,
    seenAt: row.at.toISOString(),
    lag: Number(row.records),
    timeLagSeconds: row.time_lag_seconds,
  }));

/** The last hour of the whole service, oldest first: instances read different partitions, so their records add up. */
export const lagHistory = async (pool: Pool): Promise<LagPoint[]> =>
  (
    await query<{ at: Date; records: number; seconds: number }>(
      pool,
      `SELECT at, sum(records)::float AS records, max(seconds) AS seconds FROM (
         SELECT instance, date_bin('${pointSeconds} seconds', at, 'epoch') AS at, avg(records) AS records, max(time_lag_seconds) AS seconds
           FROM lag_samples GROUP BY 1, 2) point
        GROUP BY at ORDER BY at`,
    )
  ).map((row) => ({ at: row.at.toISOString(), lag: Math.round(row.records), timeLagSeconds: row.seconds }));
