import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceDatabaseUrl } from '../../infra/local/database-url.mjs';
import { takeLock, withLock } from '../../infra/local/lock.mjs';
import { home, ports } from '../../infra/local/ports.mjs';
import { allRunning, announce, isAlive, running, withdraw } from '../../infra/local/processes.mjs';
import { wantedServers } from '../../infra/local/servers.mjs';
import { describeStack } from '../../infra/local/stack.mjs';
import { serviceDatabaseUrl as platformsDatabaseUrl } from '../../services/platform/migrate';

const neverUsedPid = 2 ** 22 + 1;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-unit-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('ports and files of the local stack', () => {
  test.each([
    ['gateway', 7400, 0],
    ['admission', 7401, 1],
    ['run-executor', 7402, 2],
    ['hil', 7403, 3],
    ['effect-ledger', 7404, 4],
    ['publication', 7405, 5],
    ['demo-remote', 7410, 10],
    ['kafka', 19092, 20],
    ['registry', 18081, 21],
    ['postgres', 15432, 22],
    ['redis', 16379, 23],
  ])('%s listens on %d, or on FAIRLEAD_PORT_BASE + %d', (name, fixed, offset) => {
    expect(ports({})[name]).toBe(fixed);
    expect(ports({ FAIRLEAD_PORT_BASE: '21000' })[name]).toBe(21000 + offset);
  });

  test.each(['x', '80', '65530', '1.5'])('FAIRLEAD_PORT_BASE=%s is refused, naming the variable', (base) => {
    expect(() => ports({ FAIRLEAD_PORT_BASE: base })).toThrow(/FAIRLEAD_PORT_BASE/);
  });

  test('FAIRLEAD_HOME says where the data is, .fairlead in the clone without it', () => {
    expect(home({ FAIRLEAD_HOME: '/x/y' })).toBe('/x/y');
    expect(home({})).toBe(join(__dirname, '../../.fairlead'));
  });

  test('a server whose address is given is not started, each by itself', () => {
    expect(wantedServers({})).toEqual(['kafka', 'registry', 'postgres', 'redis']);
    expect(wantedServers({ KAFKA_BROKERS: 'b:1' })).toEqual(['registry', 'postgres', 'redis']);
    expect(wantedServers({ SCHEMA_REGISTRY_URL: 'http://r' })).toEqual(['kafka', 'postgres', 'redis']);
    expect(wantedServers({ DATABASE_ADMIN_URL: 'postgres://a:b@c/d' })).toEqual(['kafka', 'registry', 'redis']);
    expect(wantedServers({ REDIS_URL: 'redis://r' })).toEqual(['kafka', 'registry', 'postgres']);
    // With every service's own database given, only the registry could still need the local one.
    expect(wantedServers({ SCHEMA_REGISTRY_URL: 'http://r' }, true)).toEqual(['kafka', 'redis']);
    expect(wantedServers({}, true)).toContain('postgres');
  });

  test('commands get the given addresses and a running process keeps the port it announced', () => {
    announce(folder, 'gateway', process.pid, 4711);
    const { env, portOf } = describeStack({ FAIRLEAD_HOME: folder, KAFKA_BROKERS: 'b:1', FAIRLEAD_PORT_BASE: '21000' });
    expect(env).toMatchObject({ KAFKA_BROKERS: 'b:1', REDIS_URL: 'redis://127.0.0.1:21023', FAIRLEAD_HOME: folder });
    expect(env.FAIRLEAD_URL).toBe('http://127.0.0.1:4711');
    expect(portOf('hil')).toBe(21003);
  });
});

describe('a service database follows from the administrator address', () => {
  test('role, database and password', () => {
    const url = new URL(serviceDatabaseUrl('postgres://root:s%40crt@db:5432/postgres?sslmode=require', 'run-executor'));
    const password = createHmac('sha256', 's@crt').update('fairlead_run_executor').digest('hex');
    expect(url.href).toBe(`postgres://fairlead_run_executor:${password}@db:5432/fairlead_run_executor?sslmode=require`);
  });

  test('platform derives the same, or migrations would lock the services out', () => {
    const admin = 'postgres://fairlead:abc%2Fdef@127.0.0.1:15432/postgres';
    expect(serviceDatabaseUrl(admin, 'effect-ledger')).toBe(platformsDatabaseUrl(admin, 'effect-ledger'));
  });
});

describe('pid files', () => {
  test('the process that announced itself is found with its port', () => {
    announce(folder, 'hil', process.pid, 7403);
    expect(running(folder, 'hil')).toEqual({ name: 'hil', pid: process.pid, port: 7403 });
    expect(allRunning(folder).map(({ name }) => name)).toEqual(['hil']);
  });

  test('a dead process, an unreadable file and a missing file are nothing', () => {
    announce(folder, 'hil', neverUsedPid, 7403);
    expect(running(folder, 'hil')).toBeUndefined();
    writeFileSync(join(folder, 'run', 'hil.pid'), 'nonsense');
    expect(running(folder, 'hil')).toBeUndefined();
    expect(running(folder, 'kafka')).toBeUndefined();
  });

  test('a pid that began after the file was written belongs to another program', () => {
    announce(folder, 'hil', process.pid, 7403);
    const longAgo = new Date(Date.now() - 24 * 3600 * 1000);
    utimesSync(join(folder, 'run', 'hil.pid'), longAgo, longAgo);
    expect(isAlive(process.pid)).toBe(true);
    expect(running(folder, 'hil')).toBeUndefined();
  });

  test('a process withdraws only its own announcement', () => {
    announce(folder, 'hil', process.pid, 7403);
    withdraw(folder, 'hil', neverUsedPid);
    expect(running(folder, 'hil')).toBeDefined();
    withdraw(folder, 'hil', process.pid);
    expect(existsSync(join(folder, 'run', 'hil.pid'))).toBe(false);
    expect(existsSync(join(folder, 'run', 'hil.port'))).toBe(false);
  });
});

describe('the lock of a home', () => {
  test('two holders take turns', async () => {
    const path = join(folder, 'lock');
    const order: string[] = [];
    const release = await takeLock(path, 'a test');
    const second = withLock(path, 'a test', async () => {
      order.push('second');
    });
    order.push('first');
    release();
    await second;
    expect(order).toEqual(['first', 'second']);
    expect(existsSync(path)).toBe(false);
  });

  test('a dead holder is passed over', async () => {
    const path = join(folder, 'lock');
    writeFileSync(path, `${neverUsedPid} 0 1`);
    const release = await takeLock(path, 'a test');
    expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    release();
  });
});
