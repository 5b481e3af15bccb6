import { performance } from 'node:perf_hooks';
import type { Pool } from 'pg';
import { query } from '../platform/postgres';

/** What a process gets of a connector: slots, and instants of its timeline that nobody else gets. */
export interface Leased {
  readonly slots: number;
  /** By this process's steady clock. */
  readonly first: number;
  readonly tokens: number;
  readonly paused: boolean;
}

export interface LeaseWish {
  readonly connector: string;
  readonly concurrency: number;
  readonly gapMs: number;
  readonly busy: number;
  readonly wanted: number;
  readonly tokens: number;
}

export type Lease = (wish: LeaseWish) => Promise<Leased>;

/** A stretch for one process beside others: short, so that they take turns often. */
const blockMs = 40;
/** And alone: long, so that a busy process asks a few times a second only. Whoever joins waits for its end once. */
const aloneBlockMs = 400;
/** A stretch begins at most this far ahead. */
const aheadMs = 250;
/** A process that is gone keeps its slots this long, so that what it has under way has ended. */
export const slotLeaseMs = 15_000;

interface Row {
  readonly slots: number;
  readonly first_us: string;
  readonly tokens: number;
  readonly now_us: string;
  readonly paused: boolean;
}

/** The connector's row in the ledger's database: one rate and one bound for all processes, with or without Redis. */
export const sharedLease =
  (pool: Pool, holder: string, evenPaused: boolean): Lease =>
  async ({ connector, concurrency, gapMs, busy, wanted, tokens }) => {
    const us = (ms: number): number => Math.max(1, Math.round(ms * 1_000));
    const [row] = await query<Row>(
      pool,
      `SELECT slots, first_us, tokens, now_us, paused
         FROM connector_lease($1, $2, $3::int, $4::int, $5::int, $6::int, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::int, $12)`,
      [
        connector,
        holder,
        concurrency,
        busy,
        wanted,
        tokens,
        us(gapMs),
        us(blockMs),
        us(aloneBlockMs),
        us(aheadMs),
        slotLeaseMs,
        evenPaused,
      ],
    );
    if (row === undefined) throw new Error('the pace of a connector was not told');
    const aheadOfNow = (Number(row.first_us) - Number(row.now_us)) / 1_000;
    return { slots: row.slots, first: performance.now() + aheadOfNow, tokens: row.tokens, paused: row.paused };
  };

/** A process without the ledger's database paces itself: the role by hand, the command that tries a contract. */
export const ownLease = (): Lease => {
  const spokenUntil = new Map<string, number>();
  return ({ connector, concurrency, gapMs, tokens }) => {
    const now = performance.now();
    const first = Math.max(now, spokenUntil.get(connector) ?? 0);
    const got = tokens === 0 || first > now + aheadMs ? 0 : Math.max(1, Math.floor(aloneBlockMs / gapMs));
    spokenUntil.set(connector, first + got * gapMs);
    return Promise.resolve({ slots: concurrency, first, tokens: got, paused: false });
  };
};

/** Nothing new is handed out from here on; what was handed out before is used up or void after `settledMs`. */
export const pauseConnector = async (pool: Pool, connector: string, account: string, reason: string | null) =>
  query(
    pool,
    `INSERT INTO connector_pace (connector, paused_at, paused_by, paused_reason) VALUES ($1, clock_timestamp(), $2, $3)
     ON CONFLICT (connector) DO UPDATE SET paused_at = coalesce(connector_pace.paused_at, excluded.paused_at),
       paused_by = excluded.paused_by, paused_reason = excluded.paused_reason`,
    [connector, account, reason],
  );

export const resumeConnector = async (pool: Pool, connector: string) =>
  query(
    pool,
    'UPDATE connector_pace SET paused_at = NULL, paused_by = NULL, paused_reason = NULL WHERE connector = $1',
    [connector],
  );

export const pausedConnectors = async (pool: Pool): Promise<ReadonlySet<string>> =>
  new Set(
    (await query<{ connector: string }>(pool, 'SELECT connector FROM connector_pace WHERE paused_at IS NOT NULL')).map(
      ({ connector }) => connector,
    ),
  );

/** How long a stretch handed out before a pause may still be used. */
export const settledMs = aheadMs + aloneBlockMs;
