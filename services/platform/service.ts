import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { topicsOf, topicName, topics, type GroupName } from '../../schemas/topics';
import type { RecordName } from '../../schemas/generated/records';
import { openAuth } from './auth';
import { wallMs } from './clocks';
import { bucketLeases } from './bucket-leases';
import { beCareful } from './careful';
import { deadLetter } from './dead-letters';
import { noTrace, type AggregateKey, type Kind, type Service, type Tick, type Trace } from './decision';
import type { Environment } from './environment';
import { Transient } from './errors';
import { openHttp, type Http } from './http';
import { blockedIncident, incidentsIn } from './incidents';
import { refusingUndecodable, type Input, type Undecodable } from './intake';
import { openBroker } from './kafka';
import type { LiveConfiguration } from './live-configuration';
import { keepSample } from './lag-samples';
import type { Logger } from './log';
import type { Metrics } from './metrics';
import { opsRoutes } from './ops';
import { rowOf } from './outbox';
import { outboxHints } from './outbox-hints';
import { outsideWork } from './outside-work';
import { within } from './pause';
import { openPipe, openPool, query, untilMigrated } from './postgres';
import { startReading, stripPrefix } from './reading';
import { openHints, type Hints } from './redis';
import { startRelay } from './relay';
import { exportTables, startUpkeep } from './upkeep';
import { jobOf, rawOf, unburied } from './own-messages';
import { openTracing, type Tracing } from './tracing';
import { startWatchdog } from './watchdog';
import { startWriter, type Writer } from './writer';

/** Works in the outside world that one process carries at a time, unless the service says otherwise. */
const defaultCapacity = 512;
/** How long a probe or a scrape waits for a server behind us. */
const probeMs = 2_000;
/** A database that answers and takes nothing, as with a full disk: whoever has something to write is better off elsewhere. */
const stalledAfterMs = 5_000;

/** What a service's own code may use while it runs. */
export interface Api<M> {
  readonly env: Environment;
  readonly log: Logger;
  readonly pool: Pool;
  readonly metrics: Metrics;
  readonly hints: Hints;
  readonly tracing: Tracing;
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
  /** Followed and closed by the platform: a file that is not taken is an incident (X4). */
  readonly configuration?: LiveConfiguration;
  readonly perform?: (intent: I, api: Api<M | Tick>) => Promise<void>;
  readonly routes?: (app: Http, api: Api<M | Tick>) => void | Promise<void>;
  /** Fills the service's own gauges from its tables, just before they are read. */
  readonly beforeMetrics?: (api: Api<M | Tick>) => Promise<void>;
  /** Its own loops, once messages can be decided; called again when it throws. Returns how to stop them. */
  readonly start?: (api: Api<M | Tick>) => Promise<() => Promise<void>>;
  /** Ready without Kafka (admission takes HTTP messages into its outbox). */
  readonly readyWithoutBroker?: boolean;
}

export interface RunningService {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

/** Wires one service: what it decides, and everything around that. Listens at once, reads as soon as it can. */
export const startService = async <M, I>(
  env: Environment,
  log: Logger,
  metrics: Metrics,
  spec: ServiceSpec<M, I>,
): Promise<RunningService> => {
  type Msg = M | Tick;
  let stopping = false;
  const isStopping = (): boolean => stopping;
  const writerId = `${env.instance}:${randomUUID()}`;
  const capacity = spec.capacity ?? defaultCapacity;
  const strip = stripPrefix(env.topicPrefix);

  const pool = openPool(env.databaseUrl, `${spec.name} reads`, log);
  const upkeep = openPool(env.databaseUrl, `${spec.name} relay`, log, 2);
  const pipe = openPipe(env.databaseUrl, `${spec.name} writes`, log);
  const hints = openHints(env.redisUrl, env.topicPrefix, log);
  const broker = openBroker(env.kafka, env.instance, log);
  const tracing = await openTracing(spec.name, env.instance, env.tracesUrl);
  await untilMigrated(upkeep, log, isStopping);
  const careful = await beCareful(upkeep, env.instance);
  const incidents = incidentsIn(upkeep, log);

  spec.configuration?.follow((problem) => void incidents.configuration(spec.configuration?.path ?? '', problem));

  const neighbours = outboxHints(hints, `outbox.${spec.name}`);
  const relay = startRelay({
    pool: upkeep,
    broker,
    leases: bucketLeases(upkeep, env.instance, writerId),
    writer: writerId,
    log,
    tellOthers: neighbours.tell,
    onBlocked: (row, error) =>
      void incidents.open({
        id: blockedIncident(row.id),
        kind: 'outbox_blocked',
        ref: row.eventId,
        reason: `Kafka refuses a record for ${row.topic}: ${error instanceof Error ? error.message : String(error)}`,
        actions: ['outbox retry', 'outbox skip'],
      }),
  });
  neighbours.listen(relay.hint);

  const submit: Api<Msg>['submit'] = (message, trace = noTrace) =>
    new Promise((resolve, reject) => {
      if (reading.codec() === null) return reject(new Transient('the schema registry has not answered yet'));
      writer.add(
        jobOf(message, `${env.instance}/${randomUUID()}`, trace, null, (settled) =>
          settled.ok ? resolve(settled.reply) : reject(settled.error),
        ),
      );
    });
  const api: Api<Msg> = { env, log, pool, metrics, hints, tracing, submit, stopping: isStopping };
  const { perform } = spec;
  const work = outsideWork(perform === undefined ? undefined : (intent: I) => perform(intent, api), log);
  const addTold = (id: string, message: Msg, trace: Trace, done: () => void): void =>
    writer.add(jobOf(message, id, trace, id, done));

  const writer: Writer<Msg | Undecodable> = startWriter({
    pipe,
    service: refusingUndecodable<Msg, I>(spec),
    instance: env.instance,
    writer: writerId,
    capacity: () => (stopping ? 0 : capacity - work.active()),
    encoder: () => {
      const codec = reading.codec();
      if (codec === null) throw new Transient('the schema registry has not answered yet');
      return (fact) =>
        rowOf(fact, codec.encode, (topic) => topicName(env.topicPrefix, topic), `/fairlead/${spec.name}`);
    },
    behind: relay.behind,
    log,
    // A commit may have gone through without its rows being pushed.
    onTrouble: relay.recheck,
    careful: {
      active: careful.active,
      before: (job) => careful.before(rawOf(job)),
      after: (job) => careful.after(rawOf(job)),
    },
    observe: (jobs, seconds) => {
      metrics.batchItems.observe(jobs.length);
      metrics.batchSeconds.observe(seconds);
      const links = jobs.flatMap(({ trace }) => trace.traceparent ?? []);
      const startedAtMs = wallMs() - seconds * 1_000;
      tracing
        .start('commit', {
          kind: 'internal',
          parent: null,
          links,
          startedAtMs,
          attributes: { 'fairlead.messages': jobs.length },
        })
        .end();
    },
    bury: (item, error, now) => {
      const raw = rawOf(item);
      log.error({ err: error, cause: item.cause }, 'a message could not be decided');
      if (raw === null) return { rows: unburied(item, now), outbox: [] };
      const letter = deadLetter(raw, error, 1);
      metrics.deadLetters.inc({ topic: strip(raw.topic), code: String(letter.row.values['code']) });
      return { rows: [letter.row], outbox: [letter.outbox] };
    },
    onCommit: (committed) => {
      relay.push(committed.sent, committed.foreign);
      for (const outcome of committed.outcomes) if ('duplicate' in outcome) metrics.duplicates.inc();
      for (const one of committed.told) addTold(one.id, one.message as Msg, one.trace, () => undefined);
      committed.performs.forEach(work.start);
    },
  });

  const watchdog = startWatchdog({
    lag: () => reading.lag(),
    metrics,
    stripPrefix: strip,
    incidents,
    keep: (lag) => keepSample(upkeep, env.instance, lag),
    log,
  });
  const app = await openHttp({
    service: spec.name,
    tracing,
    stopping: isStopping,
    auth: openAuth(env.auth),
    log,
    metrics,
    ready: async () => {
      if (stopping) throw new Error('stopping');
      await within(query(pool, 'SELECT 1'), probeMs, () => new Error('the database does not answer'));
      if (writer.stalledMs() > stalledAfterMs) throw new Error('the database takes nothing');
      // Nothing can be decided before: what is decided is encoded with the registry's ids.
      const problem = reading.problem();
      if (problem !== null) throw new Error(problem);
      if (spec.readyWithoutBroker !== true)
        await within(broker.ping(), probeMs, () => new Error('the broker does not answer'));
    },
    beforeMetrics: async () => {
      const measured = within(watchdog.measure(), probeMs, () => new Error('the broker does not answer'));
      await Promise.all([exportTables(pool, metrics), spec.beforeMetrics?.(api), measured.catch(() => undefined)]);
    },
  });
  opsRoutes(app, {
    pool,
    lag: () => reading.lag(),
    redrive: (raw) => reading.redrive(raw),
    decode: (value) => reading.decode(value),
  });
  await spec.routes?.(app, api);

  let stopOwn: (() => Promise<void>) | undefined;
  const reading = startReading<Msg>({
    env,
    broker,
    pool: upkeep,
    writer,
    relay,
    kinds: spec.kinds,
    inputs: spec.inputs,
    writes: spec.writes,
    tick: (tick, done) =>
      writer.add(jobOf<Msg>(tick, `${tick.id}/tick/${randomUUID()}`, noTrace, null, (settled) => done(settled.ok))),
    told: addTold,
    tracing,
    last: async () => {
      stopOwn = await spec.start?.(api);
    },
    stopping: isStopping,
    log,
  });
  const stopUpkeep = startUpkeep(upkeep, log);
  await app.listen({ port: env.port, host: env.host });
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : env.port;
  log.info({ port }, 'listening');

  return {
    port,
    stop: async () => {
      stopping = true;
      watchdog.stop();
      stopUpkeep();
      spec.configuration?.close();
      await reading.stop();
      await work.ended(env.shutdownGraceMs);
      await stopOwn?.();
      await writer.stop();
      // Only now: who waits for a commit gets its answer.
      await app.close();
      await relay.stop();
      await careful.left().catch(() => undefined);
      hints.close();
      await broker.close();
      await pipe.close();
      await tracing.close();
      await Promise.all([pool.end(), upkeep.end()]);
    },
  };
};

/** The topics of a group with the records a service handles there; for `Input.topics`. */
export const groupTopics = (group: GroupName): Record<string, readonly RecordName[]> =>
  Object.fromEntries(topicsOf(group).map((name) => [name, topics.find((topic) => topic.name === name)?.records ?? []]));
