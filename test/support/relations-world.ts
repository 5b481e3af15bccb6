import { createPrivateKey, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import type { Kafka } from 'kafkajs';
import { Client } from 'pg';
import { applyTopics } from '../../schemas/apply';
import { kafkaSettings } from '../../services/platform/environment';
import { kafkaClient } from '../../services/platform/kafka-client';
import { openLog } from '../../services/platform/log';
import { ensureDatabase, migrate } from '../../services/platform/migrate';
import { spawnToy, type ToyProcess } from './platform-instances';
import { dropDatabase, dropTopics, required } from './platform-world';

const root = join(__dirname, '..', '..');
/** Those who decide about messages. */
const deciding = ['admission', 'run-executor', 'hil'] as const;
type Name = (typeof deciding)[number] | 'publication';

export interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Some of the services as processes, with topics, databases and a configuration file of their own. */
export interface RelationsWorld {
  readonly process: Readonly<Record<Name, ToyProcess>>;
  readonly kafka: Kafka;
  readonly prefix: string;
  /** Another instance of a service, on the same database. */
  second(service: Name): Promise<ToyProcess>;
  /** Puts a new configuration file in the place of the old one, as editors do. */
  configure(text: string): void;
  call(
    service: Name,
    method: string,
    path: string,
    body?: object,
    more?: {
      readonly headers?: Record<string, string>;
      readonly roles?: readonly string[];
      readonly instance?: ToyProcess;
    },
  ): Promise<Reply>;
  token(roles: readonly string[]): Promise<string>;
  /** Submits a message; resolves with the answer to it. */
  say(conversation: string, body: object, headers?: Record<string, string>): Promise<Reply>;
  sql(service: Name, text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export const openRelationsWorld = async (
  file: string,
  configuration: string,
  services: readonly Name[] = deciding,
): Promise<RelationsWorld> => {
  const name = `test-${file}-${randomBytes(3).toString('hex')}`;
  const prefix = `${name}.`;
  const silent = openLog('test', 'test', 'silent');
  const kafka = kafkaClient(kafkaSettings(process.env), name, silent);
  const registryUrl = required('SCHEMA_REGISTRY_URL');
  const urls = {} as Record<Name, string>;
  for (const service of services) {
    urls[service] = await ensureDatabase(required('DATABASE_ADMIN_URL'), `${name}-${service}`);
    await migrate(
      urls[service],
      ['platform', service].map((one) => ({ name: one, path: join(root, 'services', one, 'migrations') })),
    );
  }
  const replication = { replicationFactor: 1, minInsyncReplicas: 1 };
  await applyTopics({ kafka, registryUrl, prefix, ...replication, log: () => undefined });
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-relations-'));
  const config = join(folder, 'configuration.yaml');
  const configure = (text: string): void => {
    writeFileSync(`${config}.new`, text);
    renameSync(`${config}.new`, config);
  };
  configure(configuration);
  const inherited = [
    'KAFKA_BROKERS',
    'SCHEMA_REGISTRY_URL',
    'REDIS_URL',
    'AUTH_JWKS_URL',
    'AUTH_ISSUER',
    'AUTH_AUDIENCE',
  ];
  const env = {
    ...Object.fromEntries(inherited.map((one) => [one, required(one)])),
    ...{ TOPIC_PREFIX: prefix, FAIRLEAD_CONFIG: config, HOST: '127.0.0.1', PORT: '0' },
  };
  const start = (service: Name, instance: string): Promise<ToyProcess> =>
    spawnToy(
      { ...env, DATABASE_URL: urls[service], INSTANCE: instance },
      join(root, 'dist', 'services', service, 'main.js'),
    );
  const started = await Promise.all(services.map((service) => start(service, service)));
  const processes = Object.fromEntries(services.map((service, n) => [service, started[n]])) as unknown as Record<
    Name,
    ToyProcess
  >;
  const token = (roles: readonly string[]): Promise<string> =>
    new SignJWT({ tenant: 'local', app: 'local', roles })
      .setProtectedHeader({ alg: 'ES256' })
      .setSubject('alice')
      .setIssuer(required('AUTH_ISSUER'))
      .setAudience(required('AUTH_AUDIENCE'))
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(createPrivateKey(readFileSync(required('AUTH_PRIVATE_KEY_FILE'), 'utf8')));
  const call: RelationsWorld['call'] = async (
    service,
    method,
    path,
    body,
    { headers = {}, roles = [], instance } = {},
  ) => {
    const response = await fetch(`http://127.0.0.1:${(instance ?? processes[service]).port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await token(roles)}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return {
    process: processes,
    kafka,
    prefix,
    configure,
    token,
    second: async (service) => {
      const instance = await start(service, `${service}-2`);
      started.push(instance);
      return instance;
    },
    call,
    say: (conversation, body, headers = {}) =>
      call('admission', 'POST', `/v1/conversations/${conversation}/messages`, body, { headers }),
    sql: async (service, text, values = []) => {
      const client = new Client({ connectionString: urls[service] });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text, [...values])).rows;
      } finally {
        await client.end();
      }
    },
    close: async () => {
      await Promise.all(started.map((one) => one.end()));
      rmSync(folder, { recursive: true });
      await Promise.all([...services.map((service) => dropDatabase(`${name}-${service}`)), dropTopics(kafka, prefix)]);
    },
  };
};
