import { createHmac } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';

/** One number for the whole cluster: migrations of one service never run twice at a time. */
const migrationLock = 7_402_001;

export const roleOf = (service: string): string => `fairlead_${service.replaceAll('-', '_')}`;

/** Each service's role has its own password, derived so that nothing needs to be stored beside the administrator's. */
export const serviceDatabaseUrl = (adminUrl: string, service: string): string => {
  const url = new URL(adminUrl);
  const role = roleOf(service);
  const password = createHmac('sha256', decodeURIComponent(url.password)).update(role).digest('hex');
  url.username = role;
  url.password = password;
  url.pathname = `/${role}`;
  return url.toString();
};

/** Makes role and database where they are missing. Names are fixed identifiers, never input. */
export const ensureDatabase = async (adminUrl: string, service: string): Promise<string> => {
  const target = serviceDatabaseUrl(adminUrl, service);
  const { password } = new URL(target);
  const role = roleOf(service);
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const roles = await admin.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    await admin.query(`${roles.rowCount === 0 ? 'CREATE' : 'ALTER'} ROLE ${role} LOGIN PASSWORD '${password}'`);
    const databases = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [role]);
    if (databases.rowCount === 0) {
      await admin.query(`CREATE DATABASE ${role} OWNER ${role}`);
      await admin.query(`REVOKE CONNECT ON DATABASE ${role} FROM PUBLIC`);
    }
  } finally {
    await admin.end();
  }
  return target;
};

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();

/** Applies the platform's and the service's SQL files that are not applied yet, each in a transaction, under a lock. */
export const migrate = async (
  databaseUrl: string,
  folders: readonly { readonly name: string; readonly path: string }[],
): Promise<string[]> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const applied: string[] = [];
  try {
    await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const done = new Set(
      (await client.query<{ name: string }>('SELECT name FROM migrations')).rows.map((row) => row.name),
    );
    for (const folder of folders)
      for (const file of await filesIn(folder.path)) {
        const name = `${folder.name}/${file}`;
        if (done.has(name)) continue;
        await client.query('BEGIN');
        await client.query(await readFile(join(folder.path, file), 'utf8'));
        await client.query('INSERT INTO migrations (name) VALUES ($1)', [name]);
        await client.query('COMMIT');
        applied.push(name);
      }
  } finally {
    await client.end();
  }
  return applied;
};

export const serviceNames = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** `compiledRoot` is the folder that holds services/. */
export const migrationFolders = (compiledRoot: string, service: ServiceName): { name: string; path: string }[] => [
  { name: 'platform', path: join(compiledRoot, 'services', 'platform', 'migrations') },
  { name: service, path: join(compiledRoot, 'services', service, 'migrations') },
];
