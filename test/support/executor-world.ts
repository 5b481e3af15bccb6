import { randomBytes, createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { applyTopics } from '../../schemas/apply';
import type { StartRun } from '../../schemas/generated/records';
import { topicName } from '../../schemas/topics';
import type { TurnInput } from '../../schemas/turn-protocol/input';
import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { openCodec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { idsOf } from '../../services/platform/identity';
import { kafkaClient } from '../../services/platform/kafka-client';
import { openLog } from '../../services/platform/log';
import { ensureDatabase, migrate } from '../../services/platform/migrate';
import { spawnToy, type ToyProcess } from './platform-instances';
import type { ToolRequest } from '../../services/run-executor/tools/tool';
import { dropDatabase, dropTopics, required } from './platform-world';
import { openTail, type Tail } from './topic-tail';

const root = join(__dirname, '..', '..');
const program = join(root, 'dist', 'services', 'run-executor', 'main.js');
const identity = { tenant: 'local', app: 'local', account: 'alice' } as const;
const silent = openLog('test', 'test', 'silent');

/** One question of an executor to the agent, which answers when the test says so. */
export interface Asked {
  readonly input: TurnInput;
  readonly sha256: string;
  readonly attempt: number;
  answer(output: Partial<TurnOutput>): void;
}

/** One call of the tool `look`, which answers at once. */
export interface Called {
  readonly callId: string;
  readonly turn: number;
}

/** Executors as processes with topics and a database of their own; what they ask and say is the other services' part. */
export interface ExecutorWorld {
  readonly asked: readonly Asked[];
  readonly called: readonly Called[];
  readonly databaseUrl: string;
  spawn(instance: string, env?: Readonly<Record<string, string>>): Promise<ToyProcess>;
  /** Sends the command that admission would; resolves with the run. */
  start(clientMessageId: string): Promise<string>;
  tail(topic: string): Promise<Tail>;
  token(): Promise<string>;
  close(): Promise<void>;
}

const agent = async (asked: Asked[], called: Called[]) => {
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    open.add(response);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
      if (request.url === '/look') {
        const {
          callId,
          for: { turn },
        } = body as ToolRequest;
        called.push({ callId, turn });
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ callId, ok: true, output: `seen ${called.length} times` }));
        return;
      }
      const input = body as TurnInput;
      asked.push({
        input,
        sha256: String(request.headers['fairlead-input-sha256']),
        attempt: Number(request.headers['fairlead-attempt']),
        answer: (output) => {
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ for: input.for, ...output }));
        },
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const response of open) response.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}/`, close };
};

const configuration = (url: string): string => `
tenants: { local: { defaultAgent: held } }
ingress: [{ topic: ingress.messages.v1, tenant: local, app: local, accounts: asserted }]
agents: { held: { url: "${url}", tools: [look] } }
tools: { look: { url: "${url}look" } }
connectors:
  remote: { operations: [send], submit: { url: "http://127.0.0.1:1/" }, allowAddresses: [loopback] }
`;

const startRecord = (clientMessageId: string): StartRun => ({
  ...identity,
  ...idsOf({ ...identity, clientMessageId }),
  eventId: `start-${clientMessageId}`,
  occurredAt: Date.now(),
  conversationId: 'c1',
  clientMessageId,
  relation: 'new_task',
  content: 'do it',
  contentSha256: '',
  receivedAt: Date.now(),
  agent: null,
  title: null,
  priority: 5,
  scheduled: false,
  requirements: null,
  mode: 'parallel',
  dependsOnRunId: null,
  parentRunId: null,
  continuationOfRunId: null,
  parentFacts: null,
  interactionRef: null,
  requestRevision: null,
  entityType: null,
  entityId: null,
  interruptRunId: null,
  attempt: 1,
});

export const openExecutorWorld = async (file: string): Promise<ExecutorWorld> => {
  const name = `test-${file}-${randomBytes(3).toString('hex')}`;
  const prefix = `${name}.`;
  const kafka = kafkaClient(kafkaSettings(process.env), name, silent);
  const registryUrl = required('SCHEMA_REGISTRY_URL');
  const makeDatabase = async (): Promise<string> => {
    const url = await ensureDatabase(required('DATABASE_ADMIN_URL'), name);
    const path = (service: string): string => join(root, 'services', service, 'migrations');
    await migrate(url, [
      { name: 'platform', path: path('platform') },
      { name: 'run-executor', path: path('run-executor') },
    ]);
    return url;
  };
  const only = [
    ...['run.commands.v1', 'run.events.v1', 'hil.requests.v1', 'hil.events.v1'],
    ...[
      'effect.commands.v1',
      'effect.events.v1',
      'publication.commands.v1',
      'publication.events.v1',
      'content.purges.v1',
    ],
  ];
  const topics = { kafka, registryUrl, prefix, only, replicationFactor: 1, minInsyncReplicas: 1, log: () => undefined };
  const [databaseUrl] = await Promise.all([makeDatabase(), applyTopics(topics)]);
  const commands = topicName(prefix, 'run.commands.v1');
  const codec = await openCodec(registryUrl, [{ topic: commands, type: 'StartRun' }], silent);
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const asked: Asked[] = [];
  const called: Called[] = [];
  const held = await agent(asked, called);
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-executor-'));
  const config = join(folder, 'configuration.yaml');
  writeFileSync(config, configuration(held.url));
  const env = {
    KAFKA_BROKERS: required('KAFKA_BROKERS'),
    SCHEMA_REGISTRY_URL: registryUrl,
    REDIS_URL: required('REDIS_URL'),
    AUTH_JWKS_URL: required('AUTH_JWKS_URL'),
    AUTH_ISSUER: required('AUTH_ISSUER'),
    AUTH_AUDIENCE: required('AUTH_AUDIENCE'),
    DATABASE_URL: databaseUrl,
    TOPIC_PREFIX: prefix,
    FAIRLEAD_CONFIG: config,
    HOST: '127.0.0.1',
    PORT: '0',
  };
  const instances: ToyProcess[] = [];
  const tails: Tail[] = [];
  return {
    asked,
    called,
    databaseUrl,
    spawn: async (instance, more = {}) => {
      const spawned = await spawnToy({ ...env, INSTANCE: instance, ...more }, program);
      instances.push(spawned);
      return spawned;
    },
    start: async (clientMessageId) => {
      const record = startRecord(clientMessageId);
      const value = codec.encode(commands, 'StartRun', record);
      await producer.send({ topic: commands, messages: [{ key: record.conversationId, value }] });
      return record.runId;
    },
    tail: async (topic) => {
      const tail = await openTail(kafka, topicName(prefix, topic as never));
      tails.push(tail);
      return tail;
    },
    token: () =>
      new SignJWT({ tenant: identity.tenant, app: identity.app, roles: [] })
        .setProtectedHeader({ alg: 'ES256' })
        .setSubject(identity.account)
        .setIssuer(env.AUTH_ISSUER)
        .setAudience(env.AUTH_AUDIENCE)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(createPrivateKey(readFileSync(required('AUTH_PRIVATE_KEY_FILE'), 'utf8'))),
    close: async () => {
      await Promise.all(instances.map((instance) => instance.end()));
      await Promise.all([held.close(), ...tails.map((tail) => tail.close())]);
      await producer.disconnect();
      rmSync(folder, { recursive: true });
      await Promise.all([dropDatabase(name), dropTopics(kafka, prefix)]);
    },
  };
};
