import type { RecordName } from '../../schemas/generated/records';
import type { InRecord } from './broker';
import type { Codec, Decoded } from './codec';
import type { RawRecord } from './dead-letters';
import type { Service, Trace } from './decision';
import { classify } from './errors';
import type { Logger } from './log';
import { backoffMs, pause } from './pause';
import type { Tracing } from './tracing';
import type { Job, Settled, Writer } from './writer';

/** How often a consumer that waits for room or for the registry tells its group that it is alive. */
const aliveEveryMs = 2_000;
/** The drain may be silent this long before the group is no longer told that all is well. */
const maxStallMs = 120_000;

/** What a service reads: one consumer group, its topics (without prefix) and the records it knows there. */
export interface Input<M> {
  readonly group: string;
  readonly topics: Readonly<Record<string, readonly RecordName[]>>;
  /** Urgent inputs are fetched at once; others gather up to 50 ms, which costs a third of the transactions. */
  readonly urgent: boolean;
  /** False where another gate recognises repeats (the ingress has the identity gate). */
  readonly inbox: boolean;
  /** Undefined = this record does not concern the service. May wait, say for the keys of a token; Transient is retried. */
  readonly message: (decoded: Decoded, raw: RawRecord) => M | undefined | Promise<M | undefined>;
}

/** What the writer is handed for a record that could not be decoded; deciding it throws the reason. */
export interface Undecodable {
  readonly type: 'undecodable';
  readonly error: unknown;
}

const isUndecodable = (message: unknown): message is Undecodable => (message as Undecodable).type === 'undecodable';

/** The service as the writer sees it: what could not be decoded is refused like a message whose decision threw (X2). */
export const refusingUndecodable = <M, I>(service: Service<M, I>): Service<M | Undecodable, I> => {
  const { name, kinds, keys, moreKeys, blobs, decide } = service;
  return {
    name,
    kinds,
    keys: (message) => (isUndecodable(message) ? [] : keys(message)),
    ...(moreKeys === undefined
      ? {}
      : { moreKeys: (message, view) => (isUndecodable(message) ? [] : moreKeys(message, view)) }),
    ...(blobs === undefined ? {} : { blobs: (message, view) => (isUndecodable(message) ? [] : blobs(message, view)) }),
    decide: (view, message, context) => {
      if (isUndecodable(message)) throw message.error;
      return decide(view, message, context);
    },
  };
};

export interface RecordJob<M> extends Job<M | Undecodable> {
  readonly raw: RawRecord | null;
}

const header = (raw: InRecord, name: string): string | null => raw.headers[name]?.toString('utf8') ?? null;

const traceOf = (raw: InRecord, eventId: string): Trace => ({
  causationId: eventId,
  correlationId: header(raw, 'ce_correlationid') ?? eventId,
  traceparent: header(raw, 'traceparent'),
});

export const nextOffset = (offset: string): string => (BigInt(offset) + 1n).toString();

const eventIdOf = (decoded: Decoded | null, raw: RawRecord): string =>
  (decoded?.value as { eventId?: string } | undefined)?.eventId ?? `${raw.topic}:${raw.partition}:${raw.offset}`;

export interface Taking {
  readonly redriven?: boolean;
  /** Called while the record has to wait for what it is read with; throws when its partition was lost meanwhile. */
  readonly alive?: () => Promise<void>;
}

export interface Intake {
  readonly take: (raw: RawRecord, settle: (settled: Settled) => void, how?: Taking) => Promise<boolean>;
}

/** Decodes one record and queues it; true when it was queued, false when it does not concern this service. */
export const intake = <M>(deps: {
  readonly codec: Codec;
  readonly writer: Writer<M | Undecodable>;
  readonly input: Input<M>;
  readonly stripPrefix: (topic: string) => string;
  readonly log: Logger;
  readonly tracing: Tracing;
  readonly stopping: () => boolean;
}): Intake => {
  const { codec, input } = deps;
  const accepts = new Map(Object.entries(input.topics).map(([topic, records]) => [topic, new Set(records)]));

  interface Read {
    readonly eventId: string;
    readonly message: M | Undecodable | undefined;
    readonly bad: boolean;
  }

  const read = async (raw: RawRecord, alive: Taking['alive']): Promise<Read> => {
    for (let tries = 0; ; tries += 1) {
      try {
        const decoded = await codec.decode(raw.value, accepts.get(deps.stripPrefix(raw.topic)) ?? new Set());
        const message = input.message(decoded, raw);
        return {
          eventId: eventIdOf(decoded, raw),
          message: message instanceof Promise ? await message : message,
          bad: false,
        };
      } catch (error) {
        if (classify(error) !== 'transient')
          return { eventId: eventIdOf(null, raw), message: { type: 'undecodable', error }, bad: true };
        if (deps.stopping()) throw error;
        if (tries % 10 === 0) deps.log.warn({ err: error }, 'a record waits for what it is read with');
        await alive?.();
        await pause(backoffMs(tries, 50, aliveEveryMs));
      }
    }
  };

  return {
    take: async (raw, settle, { redriven = false, alive } = {}) => {
      const { eventId, message, bad } = await read(raw, alive);
      if (message === undefined) return false;
      const trace = traceOf(raw, eventId);
      const span = deps.tracing.start(`${deps.stripPrefix(raw.topic)} process`, {
        kind: 'consumer',
        parent: trace.traceparent,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.destination.name': raw.topic,
          'messaging.destination.partition.id': String(raw.partition),
          'messaging.kafka.offset': raw.offset,
          'messaging.consumer.group.name': raw.group,
          'fairlead.event_id': eventId,
        },
      });
      const job: RecordJob<M> = {
        message,
        raw,
        cause: eventId,
        trace: { ...trace, traceparent: span.traceparent },
        claim: bad || !input.inbox ? null : { consumer: raw.group, topic: raw.topic, eventId },
        // A redriven record is long behind the position of its partition and must not move it back.
        position: redriven
          ? null
          : { consumer: raw.group, topic: raw.topic, partition: raw.partition, nextOffset: nextOffset(raw.offset) },
        toldId: null,
        bytes: raw.value?.length ?? 0,
        settle: (settled) => {
          span.end(settled.ok ? undefined : settled.error);
          settle(settled);
        },
      };
      deps.writer.add(job);
      return true;
    },
  };
};

/** Waits for room while telling the group that it lives, as long as the drain gets on or its database is the reason. */
export const waitForRoom = async <M>(
  writer: Writer<M>,
  alive: () => Promise<void>,
  closing: () => boolean,
): Promise<void> => {
  while (writer.full() && !closing()) {
    await Promise.race([writer.room(), pause(aliveEveryMs)]);
    if (writer.stalledMs() < maxStallMs) await alive();
  }
};
