// The local stack on itself: npm test has started its servers, these tests take some away.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortBase } from '../../infra/local/network.mjs';
import { home as homeOf, portSpan, ports } from '../../infra/local/ports.mjs';
import { allRunning, isAlive, running } from '../../infra/local/processes.mjs';
import { serverNames } from '../../infra/local/servers.mjs';
import { describeStack, down, up } from '../../infra/local/stack.mjs';

const urlNames = ['KAFKA_BROKERS', 'SCHEMA_REGISTRY_URL', 'DATABASE_ADMIN_URL', 'REDIS_URL'];

/** Without the addresses, so that the home's own servers are meant. */
const ownEnv = Object.fromEntries(Object.entries(process.env).filter(([name]) => !urlNames.includes(name)));
const home = homeOf(ownEnv);

const pids = () => Object.fromEntries(serverNames.map((name) => [name, running(home, name)?.pid]));

const kill = async (pid: number) => {
  process.kill(pid, 'SIGKILL');
  const deadline = Date.now() + 5_000;
  while (isAlive(pid) && Date.now() < deadline) await new Promise(setImmediate);
};

test('beside a running stack nothing is started, and the running servers are the ones the tests use', async () => {
  const before = pids();
  const { session, urls } = await up({ env: ownEnv, only: [] });
  expect(session.started).toEqual([]);
  expect(pids()).toEqual(before);
  expect(urls).toEqual(Object.fromEntries(urlNames.map((name) => [name, process.env[name]])));
});

test('after a kill only what is missing is started again, on the same port', async () => {
  const before = pids();
  await kill(before['redis'] ?? 0);
  expect(running(home, 'redis')).toBeUndefined();
  const { session, urls } = await up({ env: ownEnv, only: [] });
  expect(session.started.map(({ name }) => name)).toEqual(['redis']);
  expect(urls['REDIS_URL']).toBe(process.env['REDIS_URL']);
  expect({ ...pids(), redis: before['redis'] }).toEqual(before);
});

test('another home on the same ports gets one line that says what to do, and leaves nothing behind', async () => {
  const other = mkdtempSync(join(tmpdir(), 'fairlead-other-'));
  try {
    const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, DATABASE_ADMIN_URL } = process.env;
    const env = { ...ownEnv, KAFKA_BROKERS, SCHEMA_REGISTRY_URL, DATABASE_ADMIN_URL, FAIRLEAD_HOME: other };
    const port = ports(ownEnv)['redis'];
    await expect(up({ env, only: [] })).rejects.toThrow(
      new RegExp(`^port ${port} \\(redis\\) is used by another program: .*FAIRLEAD_PORT_BASE.*$`),
    );
    expect(allRunning(other)).toEqual([]);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test('a home with addresses given starts only the rest, and down ends exactly that', async () => {
  const other = mkdtempSync(join(tmpdir(), 'fairlead-other-'));
  const { KAFKA_BROKERS, SCHEMA_REGISTRY_URL, DATABASE_ADMIN_URL } = process.env;
  const env = {
    ...ownEnv,
    KAFKA_BROKERS,
    SCHEMA_REGISTRY_URL,
    DATABASE_ADMIN_URL,
    FAIRLEAD_HOME: other,
    FAIRLEAD_PORT_BASE: String(await freePortBase(portSpan)),
  };
  const before = pids();
  try {
    const { session } = await up({ env, only: [] });
    expect(session.started.map(({ name }) => name)).toEqual(['redis']);
    expect(describeStack(env).urls['KAFKA_BROKERS']).toBe(KAFKA_BROKERS);
    const ended = await down({ env });
    expect(ended.map(({ name, forced }) => ({ name, forced }))).toEqual([{ name: 'redis', forced: false }]);
    expect(existsSync(join(other, 'run', 'redis.pid'))).toBe(false);
    expect(pids()).toEqual(before);
  } finally {
    await down({ env });
    rmSync(other, { recursive: true, force: true });
  }
});
