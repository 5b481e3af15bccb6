import type { Client } from 'pg';
import { untilCount, withDatabase } from './database';
import { usage } from './processes';
import { submitScripted } from './submit';

const soonMs = 30_000;
const idleMs = 10_000;
const rounded = (value: number, digits = 1): number => Number(value.toFixed(digits));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const countRuns = async (client: Client, where: string, values: readonly unknown[]): Promise<number> =>
  (await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM runs WHERE ${where}`, [...values])).rows[0]?.n ??
  0;

const hasEnded = `state IN ('completed', 'partial', 'failed', 'cancelled', 'interrupted')`;

/** Time between two seals of a run whose agent answers at once: what a turn costs besides the agent. */
export const turns = async (runs: number, perRun: number): Promise<object> =>
  withDatabase('run-executor', async (client) => {
    const round = async (stamp: string, n: number) => {
      const started = performance.now();
      const ids = await submitScripted(
        stamp,
        Array.from({ length: n }, () => `turns ${perRun}`),
      );
      const ended = () => countRuns(client, `id = ANY($1) AND ${hasEnded}`, [ids]);
      await untilCount('runs of the turns workload', n, ended, soonMs + n * perRun * 20);
      return { ids, seconds: (performance.now() - started) / 1_000 };
    };
    const stamp = `turns-${Date.now().toString(36)}`;
    await round(`${stamp}-warm`, Math.min(runs, 20));
    const { ids, seconds } = await round(stamp, runs);
    const { rows } = await client.query<{ p50: number; p95: number; p99: number }>(
      `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS p50, percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) AS p95,
              percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) AS p99
         FROM (SELECT extract(epoch FROM started_at - lag(started_at) OVER (PARTITION BY run_id ORDER BY number)) * 1000 AS ms
                 FROM turns WHERE run_id = ANY($1)) t WHERE ms IS NOT NULL`,
      [ids],
    );
    const { p50 = 0, p95 = 0, p99 = 0 } = rows[0] ?? {};
    return {
      workload: 'turns',
      inFlight: runs,
      turns: runs * perRun,
      turnsPerSec: rounded((runs * perRun) / seconds),
      ...{ p50Ms: rounded(p50), p95Ms: rounded(p95), p99Ms: rounded(p99) },
    };
  });

const copies = (of: string): string =>
  `SELECT 'run_' || substr(md5('${of}' || g::text), 1, 26) AS id, g FROM generate_series(1, $2::int) g`;

/**
 * What kill -9 leaves of a process with that many works in its hands: their runs with a sealed turn and a lease that
 * was renewed just now. Measured from there to the last run that another owner has asked again, and to the last end.
 */
export const takeover = async (runs: number): Promise<object> =>
  withDatabase('run-executor', async (client) => {
    const stamp = `takeover-${Date.now().toString(36)}`;
    const [template = ''] = await submitScripted(stamp, [`hold ${stamp}`]);
    const asked = () => countRuns(client, `id = $1 AND lease_owner IS NOT NULL`, [template]);
    await untilCount('the run to be copied', 1, asked, soonMs);
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO inputs SELECT c.id, turn, requirements_version, encode(sha256(b.bytes), 'hex'), b.bytes, sealed_at
         FROM inputs i, (${copies(stamp)}) c, LATERAL (SELECT convert_to(replace(convert_from(i.bytes, 'UTF8'), $1, c.id), 'UTF8') AS bytes) b
        WHERE i.run_id = $1`,
      [template, runs],
    );
    const leaseEnds = `clock_timestamp() + interval '6 seconds'`;
    await client.query(
      `INSERT INTO runs (id, revision, doc, due_at, tenant, account, conversation_id, task_id, state, lease_owner, created_at, state_since)
       SELECT c.id, r.revision, jsonb_set(jsonb_set(replace(r.doc, $1, c.id)::jsonb, '{turn,inputSha256}', to_jsonb(i.sha256)), '{lease}',
                jsonb_build_object('owner', 'killed', 'until', (extract(epoch FROM ${leaseEnds}) * 1000)::bigint))::text,
              ${leaseEnds}, r.tenant, r.account, r.conversation_id, r.task_id, r.state, 'killed', r.created_at, r.state_since
         FROM runs r, (${copies(stamp)}) c JOIN inputs i ON i.run_id = c.id AND i.turn = 1 WHERE r.id = $1`,
      [template, runs],
    );
    await client.query('COMMIT');
    const killedAt = performance.now();
    const ids = (await client.query<{ id: string }>(copies(stamp).replace('$2', '$1'), [runs])).rows.map(
      (row) => row.id,
    );
    const taken = () => countRuns(client, `id = ANY($1) AND lease_owner IS DISTINCT FROM 'killed'`, [ids]);
    await untilCount('runs with a new owner', runs, taken, 120_000);
    const takenMs = performance.now() - killedAt;
    await untilCount(
      'runs at their end',
      runs,
      () => countRuns(client, `id = ANY($1) AND ${hasEnded}`, [ids]),
      120_000,
    );
    return {
      workload: 'takeover',
      runs,
      takenOverSec: rounded(takenMs / 1_000, 2),
      endedSec: rounded((performance.now() - killedAt) / 1_000, 2),
    };
  });

/** CPU and memory of the executor with that many parked runs, beside those without. */
export const parked = async (runs: number, home: string): Promise<object> =>
  withDatabase('run-executor', async (client) => {
    const name = 'run-executor';
    const idle = async () => {
      const before = usage(home);
      await pause(idleMs);
      const after = usage(home);
      const cpu = (of: string): number =>
        ((after.get(of)?.cpuSec ?? 0) - (before.get(of)?.cpuSec ?? 0)) / (idleMs / 1_000);
      return { executor: cpu(name), postgres: cpu('postgres'), memoryMiB: after.get(name)?.memoryMiB ?? 0 };
    };
    const stamp = `parked-${Date.now().toString(36)}`;
    const [template = ''] = await submitScripted(stamp, ['park']);
    // Parked for good: its question is known to be open, so nothing about it is due soon.
    const parkedRun = () =>
      countRuns(client, `id = $1 AND state = 'parked' AND due_at > clock_timestamp() + interval '1 minute'`, [
        template,
      ]);
    await untilCount('the run to be copied', 1, parkedRun, soonMs);
    const without = await idle();
    await client.query(
      `INSERT INTO runs (id, revision, doc, due_at, tenant, account, conversation_id, task_id, state, lease_owner, created_at, state_since)
       SELECT c.id, revision, replace(doc, $1, c.id), due_at, tenant, account, conversation_id, task_id, state, NULL, created_at, state_since
         FROM runs, (${copies(stamp)}) c WHERE runs.id = $1`,
      [template, runs],
    );
    await client.query('ANALYZE runs');
    await client.query('CHECKPOINT').catch(() => undefined);
    await pause(idleMs / 2);
    const withRuns = await idle();
    const percent = (share: number): number => rounded(share * 100, 2);
    return {
      workload: 'parked',
      runs,
      executorCpuPercent: { without: percent(without.executor), with: percent(withRuns.executor) },
      postgresCpuPercent: { without: percent(without.postgres), with: percent(withRuns.postgres) },
      executorMiB: { without: rounded(without.memoryMiB), with: rounded(withRuns.memoryMiB) },
      bytesPerRun: Math.max(0, Math.round(((withRuns.memoryMiB - without.memoryMiB) * 2 ** 20) / runs)),
    };
  });
