import { Client } from 'pg';
import { topicDrift } from './setup';
import { serviceNames } from '../platform/migrate';
import { connect } from './remote';

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  readonly advice: string;
}

const probeMs = 3_000;

const check = async (what: string, advice: string, probe: () => Promise<string | null>): Promise<Finding> => {
  try {
    const wrong = await Promise.race([
      probe(),
      new Promise<string>((resolve) => {
        setTimeout(() => resolve(`no answer in ${probeMs} ms`), probeMs).unref();
      }),
    ]);
    return { what, ok: wrong === null, found: wrong ?? '', advice };
  } catch (error) {
    return { what, ok: false, found: error instanceof Error ? error.message : String(error), advice };
  }
};

const database = async (): Promise<string | null> => {
  const url = process.env['DATABASE_ADMIN_URL'];
  if (url === undefined) return 'DATABASE_ADMIN_URL is not set, so PostgreSQL was not looked at';
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'max_connections')",
    );
    const setting = (name: string): string => rows.find((row) => row.name === name)?.setting ?? '';
    if (setting('fsync') !== 'on') return 'fsync is off: a power cut can lose what was acknowledged';
    if (setting('synchronous_commit') === 'off')
      return 'synchronous_commit is off: a crash can lose what was acknowledged';
    return Number(setting('max_connections')) < 60
      ? `max_connections is ${setting('max_connections')}; the five services use up to 6 each and instance`
      : null;
  } finally {
    await client.end();
  }
};

const serviceUrl = (service: string): string | undefined =>
  process.env[`${service.replaceAll('-', '_').toUpperCase()}_URL`];

const ready = async (service: string): Promise<string | null> => {
  const url = serviceUrl(service);
  if (url === undefined) return 'its address is not known here';
  const response = await fetch(`${url}/readyz`);
  return response.ok ? null : (((await response.json()) as { reason?: string }).reason ?? `answers ${response.status}`);
};

const quiet = async (path: string, name: string): Promise<string | null> => {
  const remote = connect(['platform-operator']);
  const counts = await Promise.all(
    serviceNames.map(async (service) => ({
      service,
      n: (await remote.get<{ items: { closedAt?: string | null }[] }>(`/v1/ops/${service}${path}`)).items.filter(
        (item) => (item.closedAt ?? null) === null,
      ).length,
    })),
  );
  const some = counts.filter(({ n }) => n > 0);
  return some.length === 0 ? null : some.map(({ service, n }) => `${n} ${name} at ${service}`).join(', ');
};

/** Everything at once; each finding says what to do about it. */
export const examine = (): Promise<Finding[]> =>
  Promise.all([
    check('PostgreSQL keeps what it acknowledges', 'look at postgresql.conf', database),
    check('topics and schemas are as the map says', 'run: npx fairlead topics apply', async () => {
      const [first, ...rest] = await topicDrift(1, 1);
      return first === undefined
        ? null
        : `${first.what}: expected ${first.expected}, found ${first.actual}${rest.length === 0 ? '' : `, and ${rest.length} more`}`;
    }),
    ...serviceNames.map((service) =>
      check(`${service} is ready`, `see its log; start it with: npx fairlead service ${service}`, () => ready(service)),
    ),
    check('no dead letters wait', 'run: npx fairlead dlt list', () => quiet('/dead-letters', 'dead letters')),
    check('no outbox key is blocked', 'see /v1/ops/{service}/outbox/blocked', () =>
      quiet('/outbox/blocked', 'blocked keys'),
    ),
    check('no incident is open', 'see /v1/ops/{service}/incidents', () => quiet('/incidents', 'incidents')),
  ]);
