import { readFileSync } from 'node:fs';
import { openBroker } from '../../services/platform/kafka';
import { openLog } from '../../services/platform/log';
import { openPool, query } from '../../services/platform/postgres';
import { openWorld, type World } from '../support/platform-world';
import { startTlsServers, type TlsServers } from '../support/tls-servers';
import { until } from '../support/until';

const silent = openLog('test', 'test', 'silent');
let servers: TlsServers;
let world: World;

const under = (ca: string): string => `${servers.adminUrl}?sslmode=verify-full&sslrootcert=${ca}`;

const asks = async (url: string): Promise<unknown> => {
  const pool = openPool(url, 'tls-test', silent, 1);
  try {
    return await query(pool, 'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  } finally {
    await pool.end();
  }
};

const pings = async (ca: string, password: string): Promise<true> => {
  const settings = {
    brokers: [servers.brokers],
    ssl: { ca: readFileSync(ca, 'utf8') },
    sasl: { mechanism: 'plain', username: servers.username, password },
  };
  const broker = openBroker(settings, 'tls-test', silent);
  try {
    await broker.ping();
    return true;
  } finally {
    await broker.close();
  }
};

beforeAll(async () => {
  servers = await startTlsServers();
  await until('PostgreSQL answers under TLS', () => asks(under(servers.ca)));
  await until('Kafka answers under TLS', () => pings(servers.ca, servers.password));
  const kafka = {
    KAFKA_BROKERS: servers.brokers,
    KAFKA_SSL_CA: servers.ca,
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: servers.username,
    KAFKA_SASL_PASSWORD: servers.password,
  };
  Object.assign(process.env, kafka, { DATABASE_ADMIN_URL: under(servers.ca) });
  world = await openWorld('tls');
  await world.start('toy', kafka);
}, 180_000);
afterAll(async () => {
  await world?.close();
  await servers?.close();
}, 60_000);

test('a service works through a Kafka with TLS and SASL and a PostgreSQL with TLS', async () => {
  const stored = await world.tail(world.stored);
  await world.submit([['one', 'm1']]);
  await until('its event is out', () => stored.firsts('one').length === 1);
  expect(await world.instances[0]?.ready()).toBe(true);
  const plain = await world.sql(
    `SELECT a.application_name FROM pg_stat_activity a LEFT JOIN pg_stat_ssl s USING (pid)
      WHERE a.datname = current_database() AND s.ssl IS NOT TRUE AND a.backend_type = 'client backend'`,
  );
  expect(plain).toEqual([]);
});

test('PostgreSQL: another authority, a wrong password and no TLS are refused, and said', async () => {
  await expect(asks(under(servers.otherCa))).rejects.toThrow(/certificate/);
  const wrong = new URL(under(servers.ca));
  wrong.password = 'wrong';
  await expect(asks(wrong.href)).rejects.toThrow(/password authentication failed/);
  await expect(asks(servers.adminUrl)).rejects.toThrow(/no pg_hba.conf entry .* no encryption/);
});

test('Kafka: another authority and a wrong password are refused, and said', async () => {
  await expect(pings(servers.otherCa, servers.password)).rejects.toThrow(/certificate/);
  await expect(pings(servers.ca, 'wrong')).rejects.toThrow(/[Aa]uthentication failed/);
});
