import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { migrationFolders, serviceDatabaseUrl, serviceNames, type ServiceName } from '../platform/migrate';
import type { ClockReading, DatabaseSettings } from './doctor-judge';

/** Folder that holds services/ beside this build. */
const root = join(__dirname, '..', '..');

const urlOf = (service: ServiceName): string | undefined => {
  const admin = process.env['DATABASE_ADMIN_URL'];
  return (
    process.env[`${service.replaceAll('-', '_').toUpperCase()}_DATABASE_URL`] ??
    (admin === undefined ? undefined : serviceDatabaseUrl(admin, service))
  );
};

const connected = async <T>(url: string, look: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url, application_name: 'fairlead doctor' });
  await client.connect();
  try {
    return await look(client);
  } finally {
    await client.end();
  }
};

export interface DatabaseLook {
  readonly settings: DatabaseSettings;
  readonly clock: ClockReading;
}

/** Settings, connections and clock of PostgreSQL, by the administrator's account or any service's. */
export const lookAtDatabase = (): Promise<DatabaseLook> => {
  const url = process.env['DATABASE_ADMIN_URL'] ?? serviceNames.map(urlOf).find((one) => one !== undefined);
  if (url === undefined)
    throw new Error('not looked at: neither DATABASE_ADMIN_URL nor a <SERVICE>_DATABASE_URL is set');
  return connected(url, async (client) => {
    const askedAt = Date.now();
    const { rows: times } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    const answeredAt = Date.now();
    const { rows } = await client.query<{ name: string; setting: string }>(
      `SELECT name, setting FROM pg_settings
        WHERE name IN ('fsync', 'synchronous_commit', 'max_connections', 'superuser_reserved_connections')
       UNION ALL SELECT 'used', count(*)::text FROM pg_stat_activity WHERE backend_type IS NULL OR backend_type = 'client backend'`,
    );
    const setting = (name: string): string => rows.find((row) => row.name === name)?.setting ?? '';
    return {
      settings: {
        fsync: setting('fsync'),
        synchronousCommit: setting('synchronous_commit'),
        maxConnections: Number(setting('max_connections')),
        reserved: Number(setting('superuser_reserved_connections')),
        used: Number(setting('used')),
      },
      clock: {
        name: 'PostgreSQL',
        aheadMs: (times[0]?.now.getTime() ?? askedAt) - (askedAt + answeredAt) / 2,
        unsureMs: (answeredAt - askedAt) / 2,
      },
    };
  });
};

/** Migrations of this release that a service's database has not had yet. */
export const pendingMigrations = async (): Promise<string | null> => {
  const problems: string[] = [];
  for (const service of serviceNames) {
    const url = urlOf(service);
    if (url === undefined) return `${service} was not looked at: no database address is set for it`;
    const wanted = migrationFolders(root, service)
      .filter(({ path }) => existsSync(path))
      .flatMap(({ name, path }) =>
        readdirSync(path)
          .filter((file) => file.endsWith('.sql'))
          .map((file) => `${name}/${file}`),
      );
    const done = await connected(url, async (client) => {
      const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations');
      return new Set(rows.map(({ name }) => name));
    });
    const pending = wanted.filter((name) => !done.has(name));
    if (pending.length > 0) problems.push(`${service} lacks ${pending.join(', ')}`);
  }
  return problems.length === 0 ? null : problems.join('; ');
};
