import { Client } from 'pg';
import { serviceDatabaseUrl, serviceNames, type ServiceName } from '../platform/migrate';
import type { Finding } from './doctor';

// Counts that must agree once nothing is under way: what a service owns, and what the others were told of it. On a busy
// stack a few facts are always between two services, so each rule leaves out what is younger than this.
const settleSec = 30;
const shownProblems = 5;

type Query = <R extends Record<string, unknown>>(service: ServiceName, sql: string) => Promise<R[]>;
type Problems = readonly string[];

const terminal = `('completed', 'partial', 'failed', 'cancelled', 'interrupted')`;
/** Others ended with their run, and are told nobody but the reader of the run. */
const committed = `('continue', 'report', 'fail', 'superseded')`;
const overdue = `(due_at IS NULL OR due_at < clock_timestamp() - interval '60 seconds')`;

/** One database after the other: an audit may take its time, and connections are scarce. */
const withDatabases = async <T>(run: (query: Query) => Promise<T>): Promise<T> => {
  const admin = process.env['DATABASE_ADMIN_URL'];
  const clients = new Map<ServiceName, Client>();
  try {
    for (const service of serviceNames) {
      const own = process.env[`${service.replaceAll('-', '_').toUpperCase()}_DATABASE_URL`];
      const url = own ?? (admin === undefined ? undefined : serviceDatabaseUrl(admin, service));
      if (url === undefined) throw new Error('set DATABASE_ADMIN_URL, or one <SERVICE>_DATABASE_URL per service');
      const client = new Client({ connectionString: url, application_name: 'fairlead audit' });
      await client.connect();
      clients.set(service, client);
    }
    return await run(
      async <R>(service: ServiceName, sql: string) => ((await clients.get(service)?.query(sql))?.rows ?? []) as R[],
    );
  } finally {
    await Promise.all([...clients.values()].map((client) => client.end()));
  }
};

/** What the owner holds of each id, against the newest that reached the timeline. */
const agree = async (
  query: Query,
  owner: readonly [ServiceName, string],
  shown: string,
  what: string,
): Promise<Problems> => {
  const held = await query<{ id: string; value: string }>(...owner);
  const seen = new Map(
    (await query<{ id: string; value: string }>('publication', shown)).map(({ id, value }) => [id, value]),
  );
  return held
    .filter(({ id, value }) => seen.get(id) !== value)
    .map(({ id, value }) => `${what} ${id} is ${value}, shown as ${seen.get(id) ?? 'nothing'}`);
};

/** The newest item of each thing in the timeline. */
const newest = (kind: string, id: string, value: string): string =>
  `SELECT DISTINCT ON (id) id, value FROM
     (SELECT ${id} AS id, ${value} AS value, account_stream, account_seq FROM (SELECT *, item::json AS j FROM timeline WHERE kind = '${kind}') t) s
    ORDER BY id, account_seq DESC`;

const ids = async (query: Query, service: ServiceName, sql: string, say: (id: string) => string): Promise<Problems> =>
  (await query<{ id: string }>(service, sql)).map(({ id }) => say(id));

const rules: readonly {
  readonly what: string;
  readonly advice: string;
  readonly find: (query: Query) => Promise<Problems>;
}[] = [
  {
    what: 'every message has its answer, or its owner is being asked',
    advice: 'look at the incidents of admission',
    find: (query) =>
      ids(
        query,
        'admission',
        `SELECT id FROM messages WHERE doc::json->>'status' <> 'decided' AND ${overdue}`,
        (id) => `message ${id} waits for nothing`,
      ),
  },
  {
    what: 'every run has ended, or is due for a look',
    advice: 'look at the incidents of run-executor; POST /v1/ops/runs/{runId}/release-lease',
    find: (query) =>
      ids(
        query,
        'run-executor',
        `SELECT id FROM runs WHERE state NOT IN ${terminal} AND state NOT IN ('awaited', 'refused') AND ${overdue}`,
        (id) => `run ${id} waits for nothing`,
      ),
  },
  {
    what: 'every action is settled, waits for a person, or is due for a look',
    advice: 'npx fairlead actions; look at the incidents of effect-ledger',
    find: (query) =>
      ids(
        query,
        'effect-ledger',
        `SELECT id FROM actions WHERE state IN ('admitted', 'sending', 'unknown') AND ${overdue}`,
        (id) => `action ${id} waits for nothing`,
      ),
  },
  {
    what: 'each run that a receipt names exists',
    advice: 'a fact between admission and run-executor was lost: report it',
    find: async (query) => {
      const told = await query<{ id: string }>(
        'admission',
        `SELECT doc::json->'receipt'->>'runId' AS id FROM messages
          WHERE doc::json->'receipt'->>'status' IN ('run_queued', 'run_started', 'follow_up_created')`,
      );
      const known = new Set((await query<{ id: string }>('run-executor', 'SELECT id FROM runs')).map(({ id }) => id));
      return told.filter(({ id }) => id !== null && !known.has(id)).map(({ id }) => `run ${id} is not there`);
    },
  },
  {
    what: 'the state of each run is the one that is shown',
    advice: 'a fact between run-executor and publication was lost or waits: npx fairlead lag, npx fairlead dlt list',
    find: (query) =>
      agree(
        query,
        ['run-executor', `SELECT id, state AS value FROM runs WHERE state IN ${terminal}`],
        newest('run', `j->>'runId'`, `j->>'state'`),
        'run',
      ),
  },
  {
    what: 'each committed turn is shown',
    advice: 'a fact between run-executor and publication was lost or waits: npx fairlead lag, npx fairlead dlt list',
    find: (query) =>
      agree(
        query,
        [
          'run-executor',
          `SELECT run_id || '/' || number AS id, input_sha256 AS value FROM turns WHERE outcome IN ${committed} AND ended_at < clock_timestamp() - interval '${settleSec} seconds'`,
        ],
        newest('turn', `(j->>'runId') || '/' || (j->>'number')`, `j->>'inputSha256'`),
        'turn',
      ),
  },
  {
    what: 'the state of each settled action is the one that is shown',
    advice: 'a fact between effect-ledger and publication was lost or waits: npx fairlead lag, npx fairlead dlt list',
    find: (query) =>
      agree(
        query,
        [
          'effect-ledger',
          `SELECT id, state AS value FROM actions WHERE state IN ('succeeded', 'failed', 'denied', 'withdrawn')`,
        ],
        newest('action', `j->>'actionKey'`, `j->>'state'`),
        'action',
      ),
  },
  {
    what: 'each receipt is shown in its newest revision',
    advice: 'a fact between admission and publication was lost or waits: npx fairlead lag, npx fairlead dlt list',
    find: (query) =>
      agree(
        query,
        [
          'admission',
          `SELECT id, doc::json->'receipt'->>'revision' AS value FROM messages
            WHERE settled AND received_at < clock_timestamp() - interval '${settleSec} seconds' AND due_at IS NULL`,
        ],
        newest('receipt', `j->>'messageId'`, `j->>'revision'`),
        'receipt of',
      ),
  },
  {
    what: 'the report of each completed run is published, byte for byte, until it is purged',
    advice: 'report it: the pointer of a run names bytes that are not there',
    find: (query) =>
      agree(
        query,
        [
          'run-executor',
          `SELECT id || '/' || (doc::json->'report'->>'version') || '/' || (doc::json->'report'->>'seq') AS id, doc::json->'report'->>'sha256' AS value
             FROM runs WHERE state = 'completed' AND purged_at IS NULL`,
        ],
        `SELECT run_id || '/' || version || '/' || seq AS id, encode(sha256(bytes), 'hex') AS value FROM reports`,
        'report',
      ),
  },
  {
    what: 'an effect happened once, but for repeats that a person approved',
    advice: 'compare with the remote; npx fairlead actions',
    find: (query) =>
      ids(
        query,
        'effect-ledger',
        `SELECT connector || ':' || (doc::json->>'operation') || ':' || subject AS id FROM actions
          WHERE state = 'succeeded' AND coalesce(doc::json->>'repeat', 'false') <> 'true'
          GROUP BY tenant, connector, doc::json->>'operation', subject HAVING count(*) > 1`,
        (id) => `effect ${id} has several successes`,
      ),
  },
  {
    what: 'each stream is numbered without a gap',
    advice: 'report it: clients at a cursor may have missed something',
    find: (query) =>
      ids(
        query,
        'publication',
        `SELECT stream AS id FROM timeline GROUP BY stream HAVING max(seq) - min(seq) + 1 <> count(*)`,
        (id) => `stream ${id} has a gap`,
      ),
  },
  {
    what: 'no outbox holds anything back',
    advice: 'npx fairlead doctor; GET /v1/ops/{service}/outbox/blocked',
    find: async (query) => {
      const counts = await Promise.all(
        serviceNames.map(async (service) => {
          const [row] = await query<{ n: number }>(
            service,
            `SELECT count(*)::int AS n FROM outbox WHERE created_at < clock_timestamp() - interval '${settleSec} seconds'`,
          );
          return { service, n: row?.n ?? 0 };
        }),
      );
      return counts.filter(({ n }) => n > 0).map(({ service, n }) => `${n} at ${service}`);
    },
  },
  {
    what: 'no dead letter waits for an operator',
    advice: 'npx fairlead dlt list',
    find: async (query) =>
      (
        await Promise.all(
          serviceNames.map(async (service) =>
            (
              await query<{ code: string; n: number }>(
                service,
                `SELECT code, count(*)::int AS n FROM dead_letters WHERE state = 'dead' GROUP BY code`,
              )
            ).map(({ code, n }) => `${n} ${code} at ${service}`),
          ),
        )
      ).flat(),
  },
];

/** `fairlead doctor --audit`: counts what the services hold against what they told each other. */
export const audit = (): Promise<Finding[]> =>
  withDatabases(async (query) => {
    const findings: Finding[] = [];
    for (const { what, advice, find } of rules) {
      const problems = await find(query);
      const rest = problems.length - shownProblems;
      const found = problems.slice(0, shownProblems).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
      findings.push({ what, ok: problems.length === 0, found, advice });
    }
    return findings;
  });
