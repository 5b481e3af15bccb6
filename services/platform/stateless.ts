import type { RecordByName, RecordName } from '../../schemas/generated/records';
import { topicName, topicsOf, topics as allTopics, type GroupName } from '../../schemas/topics';
import { openAuth } from './auth';
import type { Assignment, Consumer, InRecord, OutRecord } from './broker';
import { openCodec, type Decoded } from './codec';
import { deadLetter, type RawRecord } from './dead-letters';
import { readEnvironment, BadSetting, type Environment } from './environment';
import { classify } from './errors';
import { openHttp } from './http';
import { nextOffset } from './intake';
import { openBroker } from './kafka';
import { openLog, type Logger } from './log';
import { openMetrics, type Metrics } from './metrics';
import { wireHeaders } from './outbox';
import { backoffMs, pause, within } from './pause';
import { steadyProducer } from './steady-producer';
import { steadyMs, wallMs } from './clocks';

/** Records taken on and not finished; more would only be asked for again after a crash. */
const maxInFlight = 64;
const aliveEveryMs = 2_000;
const lagEveryMs = 15_000;
/** How long a probe or a scrape waits for the broker. */
const probeMs = 2_000;

const answered = <T>(asked: Promise<T>): Promise<T> =>
  within(asked, probeMs, () => new Error('the broker does not answer'));

/** One record in answer to another. Its id derives from the fact, because there is no aggregate to derive it from. */
export interface Produced<R extends RecordName = RecordName> {
  readonly topic: string;
  readonly type: R;
  readonly key: string;
  readonly eventId: string;
  readonly value: Omit<RecordByName[R], 'eventId'>;
}

/**
 * A consumer that owns nothing durable: each record is handled once per delivery, what it led to is produced, and only
 * then its offset counts. A crash in between means the record is handled again.
 */
export interface StatelessSpec {
  readonly service: string;
  readonly writes: Readonly<Record<string, readonly RecordName[]>>;
  readonly handle: (decoded: Decoded) => Promise<readonly Produced[]>;
  readonly close?: () => void;
}

interface Track extends Assignment {
  /** Offsets taken on, oldest first, with what is known of each. */
  readonly open: { readonly offset: string; readonly at: number; done: boolean }[];
  next: string | null;
  progressAt: number;
}

const produced = (topic: string, one: Produced, value: Buffer, raw: RawRecord, source: string): OutRecord => ({
  topic,
  partition: null,
  key: Buffer.from(one.key),
  value,
  headers: {
    ce_specversion: '1.0',
    ce_id: one.eventId,
    ce_source: source,
    ce_type: `fairlead.${one.type}`,
    ce_subject: one.key,
    ce_time: new Date().toISOString(),
    ...(raw.headers['ce_id'] === undefined ? {} : { ce_causationid: raw.headers['ce_id'] }),
    ...(raw.headers['ce_correlationid'] === undefined ? {} : { ce_correlationid: raw.headers['ce_correlationid'] }),
    ...(raw.headers['traceparent'] === undefined ? {} : { traceparent: raw.headers['traceparent'] }),
  },
});

const startStateless = async (
  env: Environment,
  log: Logger,
  metrics: Metrics,
  groupName: GroupName,
  spec: StatelessSpec,
): Promise<() => Promise<void>> => {
  let stopping = false;
  let inFlight = 0;
  const prefixed = (name: string): string => topicName(env.topicPrefix, name);
  const group = prefixed(groupName);
  const names = topicsOf(groupName);
  const accepts = new Map(
    names.map((name) => [prefixed(name), new Set(allTopics.find((topic) => topic.name === name)?.records ?? [])]),
  );
  const broker = openBroker(env.kafka, env.instance, log);
  const writes = Object.entries(spec.writes).flatMap(([topic, types]) =>
    types.map((type) => ({ topic: prefixed(topic), type })),
  );
  const codecReady = openCodec(env.registryUrl, writes, log, () => stopping);
  let ready = false;

  const producer = steadyProducer(broker, log, () => stopping);

  let tracks = new Map<string, Track>();
  const trackOf = ({ topic, partition }: Assignment): Track => {
    const name = `${topic}:${partition}`;
    const known = tracks.get(name);
    if (known !== undefined) return known;
    const made: Track = { topic, partition, open: [], next: null, progressAt: steadyMs() };
    tracks.set(name, made);
    return made;
  };

  const finished = (track: Track): void => {
    let last: string | null = null;
    while (track.open[0]?.done === true) last = track.open.shift()?.offset ?? null;
    // After a rebalance the track is another one, and the partition is read from its committed offset on.
    if (last === null || tracks.get(`${track.topic}:${track.partition}`) !== track) return;
    track.next = nextOffset(last);
    track.progressAt = steadyMs();
    consumer.commit([{ topic: track.topic, partition: track.partition, nextOffset: track.next }]);
  };

  const outcomeOf = async (raw: RawRecord): Promise<readonly OutRecord[]> => {
    const codec = await codecReady;
    for (let tries = 0; ; tries += 1) {
      try {
        const answers = await spec.handle(await codec.decode(raw.value, accepts.get(raw.topic) ?? new Set()));
        return answers.map((one) => {
          const value = codec.encode(prefixed(one.topic), one.type, { ...one.value, eventId: one.eventId } as never);
          return produced(prefixed(one.topic), one, value, raw, `/fairlead/${spec.service}`);
        });
      } catch (error) {
        if (classify(error) === 'transient') {
          if (stopping) throw error;
          await pause(backoffMs(tries, 50, 3_000));
          continue;
        }
        log.error({ err: error, topic: raw.topic, offset: raw.offset }, 'a record could not be handled');
        const { outbox, row } = deadLetter(raw, error, 1);
        metrics.deadLetters.inc({ topic: raw.topic.slice(env.topicPrefix.length), code: String(row.values['code']) });
        const { topic, partition, key, value } = outbox;
        return [{ topic, partition, key, value, headers: wireHeaders(outbox.headers) }];
      }
    }
  };

  const take = async (record: InRecord): Promise<void> => {
    const track = trackOf(record);
    const entry = { offset: record.offset, at: record.timestampMs, done: false };
    track.open.push(entry);
    inFlight += 1;
    try {
      await producer.send(await outcomeOf({ ...record, group, redriveCount: 0, replayed: false }));
      entry.done = true;
      finished(track);
    } catch (error) {
      log.warn({ err: error, topic: record.topic, offset: record.offset }, 'a record is left for the next owner');
    } finally {
      inFlight -= 1;
    }
  };

  const consumer: Consumer = broker.consume({
    group,
    topics: names.map(prefixed),
    gatherMs: 0,
    onRecords: async (records, alive) => {
      let toldAt = steadyMs();
      for (const record of records) {
        while (inFlight >= maxInFlight) {
          await pause(5);
          if (steadyMs() - toldAt < aliveEveryMs) continue;
          toldAt = steadyMs();
          await alive();
        }
        if (stopping) return;
        void take(record);
      }
    },
    onAssigned: (assigned) => {
      tracks = new Map();
      for (const one of assigned) trackOf(one);
      return Promise.resolve(new Map());
    },
    onError: (error) => log.warn({ err: error, group }, 'the consumer lost its broker and tries again'),
  });
  void codecReady.then(
    () => void (ready = true),
    () => undefined,
  );

  const exportLag = async (): Promise<void> => {
    metrics.lag.reset();
    const now = steadyMs();
    for (const topic of names) {
      const ends = await broker.offsets(prefixed(topic));
      let timeLag = 0;
      let progressAge = 0;
      for (const one of consumer.assigned().filter((each) => each.topic === prefixed(topic))) {
        const track = trackOf(one);
        const oldest = track.open[0]?.at;
        // Where nothing was fetched since the start there is nothing to fetch: the group's own offset is not known here.
        const from = track.next ?? track.open[0]?.offset ?? null;
        const behind =
          from === null ? 0 : Math.max(0, Number(BigInt(ends.get(one.partition)?.end ?? from) - BigInt(from)));
        metrics.lag.set({ consumergroup: group, topic: one.topic, partition: one.partition }, behind);
        if (behind === 0) track.progressAt = now;
        else progressAge = Math.max(progressAge, (now - track.progressAt) / 1_000);
        if (oldest !== undefined) timeLag = Math.max(timeLag, (wallMs() - oldest) / 1_000);
      }
      metrics.timeLagSeconds.set({ topic }, timeLag);
      metrics.progressAgeSeconds.set({ topic }, progressAge);
    }
  };
  const lagTimer = setInterval(() => void exportLag().catch(() => undefined), lagEveryMs);

  const app = await openHttp({
    service: spec.service,
    auth: openAuth(env.auth),
    log,
    metrics,
    ready: async () => {
      if (stopping) throw new Error('stopping');
      if (!ready) throw new Error('waiting for the schema registry');
      await answered(broker.ping());
    },
    beforeMetrics: () => answered(exportLag()).catch(() => undefined),
  });
  await app.listen({ port: env.port, host: '0.0.0.0' });
  log.info({ port: env.port }, 'listening');

  return async (): Promise<void> => {
    stopping = true;
    clearInterval(lagTimer);
    const deadline = steadyMs() + env.shutdownGraceMs;
    while (inFlight > 0 && steadyMs() < deadline) await pause(20);
    await consumer.close();
    await producer.close();
    await app.close();
    spec.close?.();
    await broker.close();
  };
};

/** Stands where a stateless role was given no database. */
export const noDatabase = 'postgresql://none';

/** The whole of a stateless role's main. It owns no database, so it starts without one. */
export const runStateless = async (
  service: string,
  group: GroupName,
  make: (env: Environment, log: Logger, metrics: Metrics) => StatelessSpec,
): Promise<void> => {
  try {
    const env = readEnvironment(service, { DATABASE_URL: noDatabase, ...process.env });
    const log = openLog(service, env.instance, env.logLevel);
    process.on('unhandledRejection', (error) => log.error({ err: error }, 'a promise nobody waited for failed'));
    const metrics = openMetrics(service, topicsOf(group));
    const stop = await startStateless(env, log, metrics, group, make(env, log, metrics));
    const end = (): void => {
      void stop().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'the stop was not clean');
          process.exit(1);
        },
      );
    };
    process.once('SIGTERM', end);
    process.once('SIGINT', end);
  } catch (error) {
    const why = error instanceof BadSetting ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${service} cannot start: ${why}\n`);
    process.exit(1);
  }
};
