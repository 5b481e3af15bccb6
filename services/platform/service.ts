import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { topicsOf, topicName, topics, type GroupName } from '../../schemas/topics';
import type { RecordName } from '../../schemas/generated/records';
import { openAuth } from './auth';
import type { BatchItem, Committed } from './batch';
import { bucketLeases } from './bucket-leases';
import { beCareful } from './careful';
import { openCodec, type Registered } from './codec';
import { startConsumer, type RunningConsumer, type TopicLag } from './consumer';
import { deadLetter, type RawRecord } from './dead-letters';
import type { Fact } from './decide-batch';
import { noTrace, type AggregateKey, type Kind, type Service, type Tick, type Trace } from './decision';
import { watchDue } from './due';
import { BadSetting, readEnvironment, type Environment } from './environment';
import { Transient } from './errors';
import { openHttp, type Http } from './http';
import { incidentRow } from './incidents';
import { intake, type Input, type RecordJob, type Undecodable } from './intake';
import { openBroker } from './kafka';
import { openLog, type Logger } from './log';
import { openMetrics, type Metrics } from './metrics';
import { opsRoutes } from './ops';
import { headersOf, type NewOutboxRow } from './outbox';
import { pause, within } from './pause';
import { openPipe, openPool, query } from './postgres';
import { openHints, type Hints } from './redis';
import { startRelay } from './relay';
import { startWriter, type Settled, type Writer } from './writer';

/** Beyond the grace for outside work: draining, goodbyes to the servers. */
const stopMarginMs = 5_000;
/** Works in the outside world that one process carries at a time, unless the service says otherwise. */
const defaultCapacity = 512;
/** How often lag is measured for the watchdog; the figures asked for by people are fresh. */
const watchdogMs = 15_000;
const silentAfterSeconds = 120;
/** Hints to other instances are gathered this long; more often would cost more than it saves. */
const hintEveryMs = 5;
const pruneEveryMs = 60_000;
const pruneRows = 5_000;
/** Longer than topic retention (7 days) plus the longest redrive. */
const inboxKeepDays = 45;

/** What a service's own code may use while it runs. */
export interface Api<M> {
  readonly env: Environment;
  readonly log: Logger;
  readonly pool: Pool;
  readonly metrics: Metrics;
  readonly hints: Hints;
  /** Decides a message in the next batch; resolves with the decision's reply once it is committed. */
  readonly submit: (message: M, trace?: Trace) => Promise<unknown>;
  readonly stopping: () => boolean;
}

export interface ServiceSpec<M, I> {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly keys: (message: M | Tick) => readonly AggregateKey[];
  readonly moreKeys?: Service<M | Tick, I>['moreKeys'];
  readonly blobs?: Service<M | Tick, I>['blobs'];
  readonly decide: Service<M | Tick, I>['decide'];
  readonly inputs: readonly Input<M | Tick>[];
  /** Topics (without prefix) and the records this service writes there. */
  readonly writes: Readonly<Record<string, readonly RecordName[]>>;
  readonly capacity?: number;
  readonly perform?: (intent: I, api: Api<M | Tick>) => Promise<void>;
  readonly routes?: (app: Http, api: Api<M | Tick>) => void | Promise<void>;
  /** Fills the service's own gauges from its tables, just before they are read. */
  readonly beforeMetrics?: (api: Api<M | Tick>) => Promise<void>;
  readonly start?: (api: Api<M | Tick>) => Promise<() => Promise<void>>;
  /** Ready without Kafka (admission takes HTTP messages into its outbox). */
  readonly readyWithoutBroker?: boolean;
}

export interface RunningService {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

const registeredOf = (writes: ServiceSpec<never, never>['writes'], prefix: string): Registered[] =>
  Object.entries(writes).flatMap(([topic, records]) =>
    records.map((type) => ({ topic: topicName(prefix, topic), type })),
  );

export const startService = async <M, I>(
  env: Environment,
  log: Logger,
  metrics: Metrics,
  spec: ServiceSpec<M, I>,
): Promise<RunningService> => {
  type Msg = M | Tick;
  let stopping = false;
  let active = 0;
  const writerId = `${env.instance}:${randomUUID()}`;
  const capacity = spec.capacity ?? defaultCapacity;
  const prefixed = (name: string): string => topicName(env.topicPrefix, name);
  const strip = (topic: string): string =>
    topic.startsWith(env.topicPrefix) ? topic.slice(env.topicPrefix.length) : topic;

  const pool = openPool(env.databaseUrl, `${spec.name} reads`, log);
  const upkeep = openPool(env.databaseUrl, `${spec.name} relay`, log, 2);
  const pipe = openPipe(env.databaseUrl, `${spec.name} writes`, log);
  const hints = openHints(env.redisUrl, env.topicPrefix, log);
  const broker = openBroker(env.kafka, env.instance, log);
  const auth = openAuth(env.auth);
  await waitFor(
    () => query(upkeep, 'SELECT 1 FROM process_marks LIMIT 1'),
    log,
    () => stopping,
  );
  const careful = await beCareful(upkeep, env.instance);
  // HTTP answers from here on: while Kafka or the registry are still away, admission already takes messages.
  const codecReady = openCodec(env.registryUrl, registeredOf(spec.writes, env.topicPrefix), log, () => stopping);

  let pendingHints = new Set<number>();
  const relay = startRelay({
    pool: upkeep,
    broker,
    leases: bucketLeases(upkeep, env.instance, writerId),
    writer: writerId,
    log,
    tellOthers: (buckets) => {
      if (pendingHints.size === 0)
        setTimeout(() => {
          hints.publish(`outbox.${spec.name}`, [...pendingHints].join(','));
          pendingHints = new Set();
        }, hintEveryMs);
      for (const bucket of buckets) pendingHints.add(bucket);
    },
    onBlocked: (row, error) =>
      void openIncident({
        id: `outbox-blocked/${row.id}`,
        kind: 'outbox_blocked',
        ref: row.eventId,
        reason: `Kafka refuses a record for ${row.topic}: ${error instanceof Error ? error.message : String(error)}`,
        actions: ['outbox retry', 'outbox skip'],
      }),
  });
  hints.subscribe(`outbox.${spec.name}`, (text) => relay.hint(text.split(',').map(Number)));

  const openIncident = async (incident: Parameters<typeof incidentRow>[0]): Promise<void> => {
    const { values } = incidentRow(incident);
    await query(
      upkeep,
      'INSERT INTO incidents (id, kind, ref, reason, actions) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
      Object.values(values),
    ).catch((error: unknown) => log.error({ err: error, incident }, 'an incident could not be recorded'));
  };

  let codec: Awaited<typeof codecReady> | null = null;
  const encode = (facts: readonly Fact[]): NewOutboxRow[] =>
    facts.map((fact) => {
      const topic = prefixed(fact.topic);
      const value = { ...fact.value, eventId: fact.eventId, occurredAt: fact.occurredAt } as never;
      return {
        tenant: (fact.value as { tenant?: string }).tenant ?? '',
        topic,
        partition: null,
        key: Buffer.from(fact.key),
        value: (codec as NonNullable<typeof codec>).encode(topic, fact.type, value),
        eventId: fact.eventId,
        headers: headersOf(fact, `/fairlead/${spec.name}`),
      };
    });

  const isUndecodable = (message: Msg | Undecodable): message is Undecodable =>
    (message as Undecodable).type === 'undecodable';
  const service: Service<Msg | Undecodable, I> = {
    name: spec.name,
    kinds: spec.kinds,
    keys: (message) => (isUndecodable(message) ? [] : spec.keys(message)),
    ...(spec.moreKeys === undefined
      ? {}
      : { moreKeys: (message, view) => (isUndecodable(message) ? [] : (spec.moreKeys?.(message, view) ?? [])) }),
    ...(spec.blobs === undefined
      ? {}
      : { blobs: (message, view) => (isUndecodable(message) ? [] : (spec.blobs?.(message, view) ?? [])) }),
    decide: (view, message, context) => {
      if (isUndecodable(message)) throw message.error;
      return spec.decide(view, message, context) as never;
    },
  };

  const rawOf = (item: BatchItem<Msg | Undecodable>): RawRecord | null => (item as RecordJob<Msg>).raw ?? null;

  const writer: Writer<Msg | Undecodable> = startWriter({
    pipe,
    service,
    instance: env.instance,
    writer: writerId,
    capacity: () => (stopping ? 0 : capacity - active),
    encode,
    log,
    // A commit may have gone through without its rows being pushed.
    onTrouble: () => relay.recheck(),
    careful: {
      active: careful.active,
      before: (job) => careful.before(rawOf(job)),
      after: (job) => careful.after(rawOf(job)),
    },
    observe: (items, seconds) => {
      metrics.batchItems.observe(items);
      metrics.batchSeconds.observe(seconds);
    },
    bury: (item, error) => {
      const raw = rawOf(item);
      log.error({ err: error, cause: item.cause }, 'a message could not be decided');
      if (raw === null) return { rows: [], outbox: [] };
      const letter = deadLetter(raw, error, 1);
      metrics.deadLetters.inc({ topic: strip(raw.topic), code: String(letter.row.values['code']) });
      return { rows: [letter.row], outbox: [letter.outbox] };
    },
    onCommit: (committed: Committed<Msg | Undecodable, I>) => {
      relay.push(committed.sent, committed.foreign);
      for (const outcome of committed.outcomes) if ('duplicate' in outcome) metrics.duplicates.inc();
      for (const one of committed.told) addTold(one.id, one.message as Msg, one.trace, () => undefined);
      for (const intent of committed.performs) perform(intent);
    },
  });

  const job = (
    message: Msg,
    cause: string,
    trace: Trace,
    toldId: string | null,
    settle: (settled: Settled) => void,
  ): RecordJob<Msg> => ({
    message,
    cause,
    trace,
    toldId,
    claim: null,
    position: null,
    raw: null,
    bytes: 0,
    settle,
  });
  const addTold = (id: string, message: Msg, trace: Trace, done: () => void): void =>
    writer.add(job(message, id, trace, id, done));

  const submit: Api<Msg>['submit'] = (message, trace = noTrace) =>
    new Promise((resolve, reject) => {
      if (codec === null) return reject(new Transient('the schema registry has not answered yet'));
      writer.add(
        job(message, `${env.instance}/${randomUUID()}`, trace, null, (settled) =>
          settled.ok ? resolve(settled.reply) : reject(settled.error),
        ),
      );
    });
  const api: Api<Msg> = { env, log, pool, metrics, hints, submit, stopping: () => stopping };

  const perform = (intent: I): void => {
    if (spec.perform === undefined) return;
    active += 1;
    spec
      .perform(intent, api)
      .catch((error: unknown) =>
        log.error({ err: error }, 'outside work ended without a result; its lease will say so'),
      )
      .finally(() => {
        active -= 1;
      });
  };

  const consumers: RunningConsumer[] = [];
  const intakes = new Map<string, ReturnType<typeof intake>>();
  let due: { stop: () => Promise<void> } | null = null;
  const startReading = async (): Promise<void> => {
    codec = await codecReady;
    relay.start();
    due = watchDue<Msg>({
      pool: upkeep,
      kinds: spec.kinds,
      log,
      full: () => writer.full() || stopping,
      tick: (tick, done) =>
        writer.add(job(tick, `${tick.id}/tick/${randomUUID()}`, noTrace, null, (settled) => done(settled.ok))),
      told: addTold,
    });
    for (const input of spec.inputs) {
      const group = prefixed(input.group);
      const reader = intake({ codec, writer, input, stripPrefix: strip, log, stopping: () => stopping });
      intakes.set(group, reader);
      consumers.push(
        startConsumer({
          broker,
          pool: upkeep,
          writer,
          intake: reader,
          group,
          topics: Object.keys(input.topics).map(prefixed),
          urgent: input.urgent,
          log,
        }),
      );
    }
  };
  const reading = startReading().catch((error: unknown) => {
    if (!stopping) log.fatal({ err: error }, 'the service could not start reading');
  });

  const lag = async (): Promise<readonly TopicLag[]> =>
    (await Promise.all(consumers.map((consumer) => consumer.lag()))).flat();
  const exportLag = async (): Promise<void> => {
    metrics.lag.reset();
    const worst = new Map<string, TopicLag>();
    for (const one of await lag()) {
      metrics.lag.set({ consumergroup: one.group, topic: one.topic, partition: one.partition }, one.lag);
      const before = worst.get(one.topic);
      if (before === undefined || before.timeLagSeconds < one.timeLagSeconds) worst.set(one.topic, one);
    }
    for (const [topic, one] of worst) {
      metrics.timeLagSeconds.set({ topic: strip(topic) }, one.timeLagSeconds);
      metrics.progressAgeSeconds.set({ topic: strip(topic) }, one.progressAgeSeconds);
      if (one.progressAgeSeconds > silentAfterSeconds)
        await openIncident({
          id: `silent-consumer/${one.group}/${topic}/${Math.floor(Date.now() / 3_600_000)}`,
          kind: 'silent_consumer',
          ref: one.group,
          reason: `${one.lag} records wait on ${topic} without progress for ${Math.round(one.progressAgeSeconds)} s`,
          actions: ['check the broker', 'restart the instance'],
        });
    }
  };
  const watchdog = setInterval(
    () => void exportLag().catch((error: unknown) => log.debug({ err: error }, 'lag could not be measured')),
    watchdogMs,
  );

  const prune = async (): Promise<void> => {
    for (;;) {
      const gone = await query(
        upkeep,
        `DELETE FROM inbox WHERE ctid = ANY(ARRAY(SELECT ctid FROM inbox WHERE handled_at < clock_timestamp() - interval '${inboxKeepDays} days' LIMIT ${pruneRows})) RETURNING 1`,
      );
      if (gone.length < pruneRows || stopping) return;
    }
  };
  const pruner = setInterval(
    () => void prune().catch((error: unknown) => log.debug({ err: error }, 'old inbox rows could not be pruned')),
    pruneEveryMs,
  );

  const app = await openHttp({
    service: spec.name,
    auth,
    log,
    metrics,
    ready: async () => {
      if (stopping) throw new Error('stopping');
      await within(query(pool, 'SELECT 1'), 2_000, () => new Error('the database does not answer'));
      if (codec === null && spec.readyWithoutBroker !== true) throw new Error('waiting for the schema registry');
      if (spec.readyWithoutBroker !== true)
        await within(broker.ping(), 2_000, () => new Error('the broker does not answer'));
    },
    beforeMetrics: async () => {
      const [row] = await query<{ pending: string; oldest: number | null; blocked: number }>(
        pool,
        'SELECT count(*) AS pending, extract(epoch FROM clock_timestamp() - min(created_at))::float AS oldest, count(*) FILTER (WHERE blocked_at IS NOT NULL)::int AS blocked FROM outbox',
      );
      metrics.outboxPending.set(Number(row?.pending ?? 0));
      metrics.outboxOldestSeconds.set(Math.max(0, row?.oldest ?? 0));
      metrics.outboxBlockedKeys.set(row?.blocked ?? 0);
      metrics.incidents.reset();
      for (const one of await query<{ kind: string; n: number }>(
        pool,
        'SELECT kind, count(*)::int AS n FROM incidents WHERE closed_at IS NULL GROUP BY kind',
      ))
        metrics.incidents.set({ kind: one.kind }, one.n);
      await Promise.all([
        spec.beforeMetrics?.(api),
        within(exportLag(), 2_000, () => new Error('the broker does not answer')).catch(() => undefined),
      ]);
    },
  });
  opsRoutes(app, {
    pool,
    lag,
    redrive: (raw) =>
      new Promise((resolve, reject) => {
        const reader = intakes.get(raw.group);
        if (reader === undefined) return resolve(new Error(`this instance does not read for ${raw.group}`));
        reader
          .take(raw, (settled) => resolve(settled.ok ? null : settled.error), { redriven: true })
          .then((queued) => (queued ? undefined : resolve(null)), reject);
      }),
  });
  await spec.routes?.(app, api);
  // The service's own loops submit decisions, whose facts need the registry's ids.
  const stopOwn = reading.then(() => (stopping ? undefined : spec.start?.(api)));
  await app.listen({ port: env.port, host: env.host });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : env.port;
  log.info({ port }, 'listening');

  return {
    port,
    stop: async () => {
      stopping = true;
      clearInterval(watchdog);
      clearInterval(pruner);
      await reading;
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await due?.stop();
      const deadline = Date.now() + env.shutdownGraceMs;
      while (active > 0 && Date.now() < deadline) await pause(20);
      await app.close();
      await (
        await stopOwn
      )?.();
      await writer.stop();
      await relay.stop();
      await careful.left().catch(() => undefined);
      hints.close();
      await broker.close();
      await pipe.close();
      await Promise.all([pool.end(), upkeep.end()]);
    },
  };
};

const waitFor = async (probe: () => Promise<unknown>, log: Logger, stopping: () => boolean): Promise<void> => {
  for (let tries = 0; !stopping(); tries += 1) {
    try {
      await probe();
      return;
    } catch (error) {
      if (tries % 10 === 0) log.warn({ err: error }, 'waiting for the database and its migrations');
      await pause(Math.min(200 * 2 ** tries, 3_000));
    }
  }
};

/** The whole of a service's main: settings, start, signals. A bad setting is one line and exit 1 (X4). */
export const runService = async <M, I>(
  name: string,
  make: (env: Environment, log: Logger, metrics: Metrics) => Promise<ServiceSpec<M, I>>,
): Promise<void> => {
  let env: Environment;
  try {
    env = readEnvironment(name);
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    process.stderr.write(`${name} cannot start: ${error.message}\n`);
    process.exit(1);
  }
  const log = openLog(name, env.instance, env.logLevel);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a promise nobody waited for failed'));
  const groups = topics
    .flatMap((topic) => topic.consumers.map((group) => ({ group, topic: topic.name })))
    .filter(({ group }) => group === name || group.startsWith(`${name}.`));
  const metrics = openMetrics(name, [...new Set(groups.map(({ topic }) => topic))]);
  let running: RunningService;
  try {
    running = await startService(env, log, metrics, await make(env, log, metrics));
  } catch (error) {
    if (!(error instanceof BadSetting)) log.fatal({ err: error }, 'the service could not start');
    process.stderr.write(`${name} cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  const stop = (): void => {
    // What is down may keep a stop waiting; what is not committed by then is read again by the next process.
    setTimeout(() => {
      log.error('the stop took too long');
      process.exit(1);
    }, env.shutdownGraceMs + stopMarginMs).unref();
    void running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the stop was not clean');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
};

/** The topics of a group with the records a service handles there; for `Input.topics`. */
export const groupTopics = (group: GroupName): Record<string, readonly RecordName[]> =>
  Object.fromEntries(topicsOf(group).map((name) => [name, topics.find((topic) => topic.name === name)?.records ?? []]));
