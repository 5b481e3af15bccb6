import type { Pool } from 'pg';
import type { RecordName } from '../../schemas/generated/records';
import { topicName, topics } from '../../schemas/topics';
import type { Broker } from './broker';
import { openCodec, type Codec, type Decoded, type Registered } from './codec';
import { startConsumer, type RunningConsumer, type TopicLag } from './consumer';
import type { RawRecord } from './dead-letters';
import type { Kind, Tick, Trace } from './decision';
import { watchDue } from './due';
import type { Environment } from './environment';
import { intake, type Input, type Intake, type Undecodable } from './intake';
import type { Logger } from './log';
import { backoffMs, pause } from './pause';
import type { Relay } from './relay';
import type { Tracing } from './tracing';
import type { Writer } from './writer';

const firstRetryMs = 200;
const maxRetryMs = 3_000;
const allRecords: ReadonlySet<RecordName> = new Set(topics.flatMap(({ records }) => records));

export interface ReadingDeps<M> {
  readonly env: Environment;
  readonly broker: Broker;
  readonly pool: Pool;
  readonly writer: Writer<M | Undecodable>;
  readonly relay: Relay;
  readonly kinds: readonly Kind[];
  readonly inputs: readonly Input<M>[];
  readonly writes: Readonly<Record<string, readonly RecordName[]>>;
  readonly tick: (tick: Tick, done: (ok: boolean) => void) => void;
  readonly told: (id: string, message: M, trace: Trace, done: () => void) => void;
  /** The service's own loops; called again when it throws. */
  readonly last: () => Promise<void>;
  readonly stopping: () => boolean;
  readonly log: Logger;
  readonly tracing: Tracing;
}

export interface Reading {
  readonly codec: () => Codec | null;
  /** Why this process does not read yet; null once everything has started. */
  readonly problem: () => string | null;
  readonly lag: () => Promise<readonly TopicLag[]>;
  /** What some bytes say, for the eye; null where they are no record of ours or nothing can be decoded yet. */
  readonly decode: (value: Buffer) => Promise<Decoded | null>;
  /** Puts a record through its consumer again; resolves with the error it met, or null. */
  readonly redrive: (raw: RawRecord) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

export const stripPrefix =
  (prefix: string) =>
  (topic: string): string =>
    topic.startsWith(prefix) ? topic.slice(prefix.length) : topic;

const registeredOf = (writes: Readonly<Record<string, readonly RecordName[]>>, prefix: string): Registered[] =>
  Object.entries(writes).flatMap(([topic, records]) =>
    records.map((type) => ({ topic: topicName(prefix, topic), type })),
  );

/**
 * Everything that brings messages to the writer, in the order in which one needs the other. Each part starts once; where
 * one cannot, its reason is shown and the next try goes on from there.
 */
export const startReading = <M>(deps: ReadingDeps<M>): Reading => {
  const { env, broker, pool, writer, relay, log, stopping } = deps;
  const prefixed = (name: string): string => topicName(env.topicPrefix, name);
  let codec: Codec | null = null;
  let problem: string | null = 'waiting for the schema registry';
  let relaying = false;
  let due: { readonly stop: () => Promise<void> } | null = null;
  const readers = new Map<string, { readonly intake: Intake; readonly consumer: RunningConsumer }>();

  const read = (known: Codec, input: Input<M>): void => {
    const group = prefixed(input.group);
    if (readers.has(group)) return;
    const reader = intake({
      codec: known,
      writer,
      input,
      stripPrefix: stripPrefix(env.topicPrefix),
      log,
      stopping,
      tracing: deps.tracing,
    });
    const topics = Object.keys(input.topics).map(prefixed);
    const consumer = startConsumer({ broker, pool, writer, intake: reader, group, topics, urgent: input.urgent, log });
    readers.set(group, { intake: reader, consumer });
  };

  const startParts = async (): Promise<void> => {
    codec ??= await openCodec(env.registryUrl, registeredOf(deps.writes, env.topicPrefix), log, stopping);
    if (!relaying) relay.start();
    relaying = true;
    due ??= watchDue<M>({
      pool,
      kinds: deps.kinds,
      log,
      full: () => writer.full() || stopping(),
      tick: deps.tick,
      told: deps.told,
    });
    for (const input of deps.inputs) read(codec, input);
    await deps.last();
  };

  const start = async (): Promise<void> => {
    for (let tries = 0; !stopping(); tries += 1) {
      try {
        await startParts();
        problem = null;
        return;
      } catch (error) {
        if (stopping()) return;
        problem = `reading could not start: ${error instanceof Error ? error.message : String(error)}`;
        if (tries % 10 === 0) log.error({ err: error }, 'the service could not start reading and tries again');
        await pause(backoffMs(tries, firstRetryMs, maxRetryMs));
      }
    }
  };
  const started = start();

  return {
    codec: () => codec,
    problem: () => problem,
    lag: async () => (await Promise.all([...readers.values()].map(({ consumer }) => consumer.lag()))).flat(),
    decode: async (value) => (await codec?.decode(value, allRecords).catch(() => null)) ?? null,
    redrive: (raw) =>
      new Promise((resolve, reject) => {
        const reader = readers.get(raw.group);
        if (reader === undefined) return resolve(new Error(`this instance does not read for ${raw.group}`));
        reader.intake
          .take(raw, (settled) => resolve(settled.ok ? null : settled.error), { redriven: true })
          .then((queued) => (queued ? undefined : resolve(null)), reject);
      }),
    stop: async () => {
      await started;
      await Promise.all([...readers.values()].map(({ consumer }) => consumer.close()));
      await due?.stop();
    },
  };
};
