import { unsaid } from '../../schemas/unsaid';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import type { Kafka, Producer } from 'kafkajs';
import { Client, Pool } from 'pg';
import { applyTopics } from '../../schemas/apply';
import type { MessageSubmitted } from '../../schemas/generated/records';
import { deadLetterTopic, topicName } from '../../schemas/topics';
import { openCodec, type Codec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { kafkaClient } from '../../services/platform/kafka-client';
import { openLog } from '../../services/platform/log';
import { ensureDatabase, migrate, roleOf } from '../../services/platform/migrate';
import { startToy, spawnToy, type Toy, type ToyProcess } from './platform-instances';
import { openTail, type Tail } from './topic-tail';
import { toyGroup, toyReads, toyTable, toyWrites } from './platform-toy';
import { witnesses } from './until';

type Env = Readonly<Record<string, string>>;

/** Topics, group, database and role of one test file; nothing of it is seen by any other. */
export interface World {
  readonly prefix: string;
  readonly group: string;
  readonly ingress: string;
  readonly stored: string;
  readonly deadLetters: string;
  readonly kafka: Kafka;
  readonly producer: Producer;
  readonly codec: Codec;
  readonly databaseUrl: string;
  readonly env: Env;
  readonly instances: readonly (Toy | ToyProcess)[];
  sql<R extends Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<R[]>;
  start(instance: string, env?: Env): Promise<Toy>;
  spawn(instance: string, env?: Env): Promise<ToyProcess>;
  /** Puts messages on the ingress, in order inside a conversation. */
  submit(
    messages: readonly (readonly [conversation: string, id: string, content?: string])[],
    headers?: Readonly<Record<string, string>>,
  ): Promise<void>;
  submitted(conversation: string, id: string, content?: string): MessageSubmitted;
  tail(topic: string): Promise<Tail>;
  operator(): Promise<string>;
  close(): Promise<void>;
}

const silent = openLog('test', 'test', 'silent');
export const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: these tests need the servers that npm test starts`);
  return value;
};

const submitted = (conversation: string, id: string, content = 'hello'): MessageSubmitted => ({
  ...unsaid,
  eventId: `submitted-${id}`,
  occurredAt: Date.now(),
  conversationId: conversation,
  clientMessageId: id,
  content,
  account: 'tester',
});

/** A role of its own and the platform's tables, without those of any real service. */
const makeDatabase = async (name: string): Promise<string> => {
  const url = await ensureDatabase(required('DATABASE_ADMIN_URL'), name);
  await migrate(url, [{ name: 'platform', path: join(__dirname, '..', '..', 'services', 'platform', 'migrations') }]);
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(toyTable);
  await client.end();
  return url;
};

const makeTopics = (kafka: Kafka, registryUrl: string, prefix: string): Promise<unknown> =>
  applyTopics({
    kafka,
    registryUrl,
    prefix,
    only: [toyReads, toyWrites],
    replicationFactor: 1,
    minInsyncReplicas: 1,
    log: () => undefined,
  });

export const dropDatabase = async (name: string): Promise<void> => {
  const admin = new Client({ connectionString: required('DATABASE_ADMIN_URL') });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${roleOf(name)} WITH (FORCE)`);
  await admin.query(`DROP ROLE IF EXISTS ${roleOf(name)}`);
  await admin.end();
};

export const openWorld = async (file: string): Promise<World> => {
  const name = `test-${file}-${randomBytes(3).toString('hex')}`;
  const prefix = `${name}.`;
  const kafka = kafkaClient(kafkaSettings(process.env), name, silent);
  const registryUrl = required('SCHEMA_REGISTRY_URL');
  const [databaseUrl] = await Promise.all([makeDatabase(name), makeTopics(kafka, registryUrl, prefix)]);
  const ingress = topicName(prefix, toyReads);
  const codec = await openCodec(registryUrl, [{ topic: ingress, type: 'MessageSubmitted' }], silent);
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const pool = new Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  const env = {
    KAFKA_BROKERS: required('KAFKA_BROKERS'),
    SCHEMA_REGISTRY_URL: registryUrl,
    REDIS_URL: required('REDIS_URL'),
    AUTH_JWKS_URL: required('AUTH_JWKS_URL'),
    AUTH_ISSUER: required('AUTH_ISSUER'),
    AUTH_AUDIENCE: required('AUTH_AUDIENCE'),
    DATABASE_URL: databaseUrl,
    TOPIC_PREFIX: prefix,
    HOST: '127.0.0.1',
    PORT: '0',
  };
  const instances: (Toy | ToyProcess)[] = [];
  const tails: Tail[] = [];
  const witness = async (): Promise<string> => {
    const sessions = await pool.query<{ line: string }>(
      `SELECT concat_ws(' | ', application_name, state, wait_event, now() - state_change, left(query, 120)) AS line
         FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const lines = await Promise.all(instances.map((instance) => instance.account()));
    return [...lines, ...sessions.rows.map(({ line }) => line)].join('\n');
  };
  witnesses.add(witness);
  const keep = <T extends Toy | ToyProcess>(instance: T): T => (instances.push(instance), instance);
  return {
    prefix,
    group: `${prefix}${toyGroup}`,
    ingress,
    stored: topicName(prefix, toyWrites),
    deadLetters: deadLetterTopic(prefix, toyReads, toyGroup),
    kafka,
    producer,
    codec,
    databaseUrl,
    env,
    instances,
    sql: async <R>(text: string, values: readonly unknown[] = []) =>
      (await pool.query(text, values as unknown[])).rows as R[],
    start: async (instance, more = {}) => keep(await startToy({ ...env, INSTANCE: instance, ...more })),
    spawn: async (instance, more = {}) => keep(await spawnToy({ ...env, INSTANCE: instance, ...more })),
    submit: async (messages, headers = {}) => {
      await producer.send({
        topic: ingress,
        messages: messages.map(([conversation, id, content]) => ({
          key: conversation,
          headers,
          value: codec.encode(ingress, 'MessageSubmitted', submitted(conversation, id, content)),
        })),
      });
    },
    submitted,
    tail: async (topic) => {
      const tail = await openTail(kafka, topic);
      tails.push(tail);
      return tail;
    },
    operator: () =>
      new SignJWT({ tenant: 'toys', app: 'toy', roles: ['platform-operator'] })
        .setProtectedHeader({ alg: 'ES256' })
        .setSubject('op')
        .setIssuer(env.AUTH_ISSUER)
        .setAudience(env.AUTH_AUDIENCE)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(createPrivateKey(readFileSync(required('AUTH_PRIVATE_KEY_FILE'), 'utf8'))),
    close: async () => {
      witnesses.delete(witness);
      await Promise.all(instances.map((instance) => instance.end()));
      await Promise.all(tails.map((tail) => tail.close()));
      await producer.disconnect();
      await pool.end();
      await Promise.all([dropDatabase(name), dropTopics(kafka, prefix)]);
    },
  };
};

/** A broker with the topics of all test files would get slower from file to file. */
export const dropTopics = async (kafka: Kafka, prefix: string): Promise<void> => {
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
  await admin.deleteTopics({ topics });
  await admin.disconnect();
};
