// The local PostgreSQL: data made once, listening on loopback only, durable as by default.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { authDir } from './auth.mjs';
import { rolePassword } from './database-url.mjs';
import { run } from './machine.mjs';
import { plainError } from './plain-error.mjs';

const adminRole = 'fairlead';
const maxConnections = 200;
const systemState = '/var/lib/fairlead';
const registryRole = 'registry';
const connectTries = 20;
const connectPauseMs = 250;

const passwordPath = (home) => join(authDir(home), 'postgres.password');
const locationPath = (home) => join(home, 'postgres.path');

const password = (home) => {
  const path = passwordPath(home);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(path, 'utf8').trim();
};

/** Undefined as long as this home has made no database: asking for addresses makes nothing. */
export const localAdminUrl = (home, port) =>
  existsSync(passwordPath(home)) ? `postgres://${adminRole}:${password(home)}@127.0.0.1:${port}/postgres` : undefined;

/** PostgreSQL refuses to run as root, so root runs it as user postgres. */
const serverUser = () => {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    execFileSync('useradd', ['--system', '--shell', '/usr/sbin/nologin', 'postgres']);
    return { uid: id('-u'), gid: id('-g') };
  }
};

const mayWrite = (folder, user) =>
  !user || spawnSync('test', ['-w', folder], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;

const make = (folder, user) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
};

/**
 * The folder for the database's files: inside FAIRLEAD_HOME, or in the system's state folder where user postgres
 * cannot get there (a clone in root's own folder). The choice is remembered, or a changed mode would hide the data.
 */
const dataFolder = (home, user) => {
  const remembered = existsSync(locationPath(home)) && readFileSync(locationPath(home), 'utf8').trim();
  if (remembered) return make(remembered, user);
  let folder = make(join(home, 'postgres'), user);
  if (!mayWrite(folder, user)) {
    rmSync(folder, { recursive: true });
    mkdirSync(systemState, { recursive: true, mode: 0o755 });
    folder = make(join(systemState, createHash('sha256').update(home).digest('hex').slice(0, 16)), user);
  }
  writeFileSync(locationPath(home), `${folder}\n`);
  return folder;
};

/** Deletes the database's files, also where they are outside of FAIRLEAD_HOME. */
export const removeData = (home) => {
  if (!existsSync(locationPath(home))) return;
  rmSync(readFileSync(locationPath(home), 'utf8').trim(), { recursive: true, force: true });
};

export const dataVersion = (home) => {
  try {
    const folder = readFileSync(locationPath(home), 'utf8').trim();
    return Number(readFileSync(join(folder, 'data', 'PG_VERSION'), 'utf8'));
  } catch {
    return undefined;
  }
};

const cleanEnv = () => ({ PATH: process.env.PATH, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TZ: 'UTC' });

const init = async (bin, folder, home, user) => {
  const data = join(folder, 'data');
  if (existsSync(data)) return data;
  const temporary = `${data}.new`;
  rmSync(temporary, { recursive: true, force: true });
  const secret = join(folder, 'password');
  writeFileSync(secret, `${password(home)}\n`, { mode: 0o600 });
  if (user) chownSync(secret, user.uid, user.gid);
  const args = [
    '-D',
    temporary,
    '-U',
    adminRole,
    '-A',
    'scram-sha-256',
    '--pwfile',
    secret,
    '-E',
    'UTF8',
    '--no-locale',
  ];
  const { ok, output } = await run(join(bin, 'initdb'), args, { ...user, cwd: folder, env: cleanEnv() });
  rmSync(secret, { force: true });
  if (!ok) throw plainError(`PostgreSQL's data could not be made in ${folder}: ${output.trim().split('\n').at(-1)}`);
  renameSync(temporary, data);
  return data;
};

/** After a kill, the file may name a pid that another program has by now, which PostgreSQL would take for a server. */
const clearStalePid = (data) => {
  const path = join(data, 'postmaster.pid');
  if (!existsSync(path)) return;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres')) return;
  } catch (error) {
    if (error.code !== 'ENOENT' || !existsSync('/proc/self')) return;
  }
  rmSync(path, { force: true });
};

/** Seldom: after each one every page is written to the log whole once more. A crash is still recovered from in seconds. */
const checkpoints = ['checkpoint_timeout=15min', 'max_wal_size=2GB'];

export const postgresCommand = async ({ home, bin, port }) => {
  const user = serverUser();
  const folder = dataFolder(home, user);
  const data = await init(bin, folder, home, user);
  clearStalePid(data);
  const settings = ['unix_socket_directories=', `max_connections=${maxConnections}`, 'timezone=UTC', ...checkpoints];
  return {
    command: join(bin, 'postgres'),
    args: ['-D', data, '-h', '127.0.0.1', '-p', String(port), ...settings.flatMap((each) => ['-c', each])],
    env: cleanEnv(),
    cwd: folder,
    ...user,
  };
};

const connected = async (pg, adminUrl) => {
  for (let tried = 1; ; tried += 1) {
    const client = new pg.Client({ connectionString: adminUrl });
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (tried === connectTries) throw plainError(`PostgreSQL of DATABASE_ADMIN_URL: ${error.message}`);
      await pause(connectPauseMs);
    }
  }
};

/** The schema registry keeps its schemas in a database of its own, so that their ids survive. */
export const ensureRegistryDatabase = async (adminUrl) => {
  const { default: pg } = await import('pg');
  const secret = rolePassword(adminUrl, registryRole);
  const client = await connected(pg, adminUrl);
  try {
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [registryRole]);
    const verb = role.rowCount === 0 ? 'CREATE' : 'ALTER';
    await client.query(`${verb} ROLE ${registryRole} LOGIN PASSWORD '${secret}'`);
    const database = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [registryRole]);
    if (database.rowCount === 0) {
      // An administrator who is no superuser must be a member of the role to give it a database.
      await client.query(`GRANT ${registryRole} TO CURRENT_USER`);
      await client.query(`CREATE DATABASE ${registryRole} OWNER ${registryRole}`);
    }
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  return {
    url: `jdbc:postgresql://${url.host}/${registryRole}${url.search}`,
    username: registryRole,
    password: secret,
  };
};
