import type { Pool } from 'pg';
import type { Assignment, Broker, Consumer, InRecord } from './broker';
import type { RawRecord } from './dead-letters';
import type { Intake } from './intake';
import { nextOffset, waitForRoom } from './intake';
import type { Logger } from './log';
import { query } from './postgres';
import type { Writer } from './writer';

/** `minBytes` of relaxed consumers: large enough that the broker gathers until `maxWaitMs` is over. */
const relaxedMinBytes = 256 * 1024;
const relaxedMaxWaitMs = 50;
/** An urgent fetch is answered with the first byte; the wait only bounds idle polling. */
const urgentMaxWaitMs = 1_000;

interface Track extends Assignment {
  /** Time stamps of records queued and not settled, oldest first. */
  readonly open: number[];
  next: string | null;
  skippedTo: string | null;
  progressAt: number;
}

export interface TopicLag {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  readonly lag: number;
  readonly timeLagSeconds: number;
  readonly progressAgeSeconds: number;
}

export interface RunningConsumer {
  readonly group: string;
  readonly lag: () => Promise<readonly TopicLag[]>;
  readonly close: () => Promise<void>;
}

export interface ConsumerDeps<M> {
  readonly broker: Broker;
  readonly pool: Pool;
  readonly writer: Writer<M>;
  readonly intake: Intake;
  readonly group: string;
  readonly topics: readonly string[];
  readonly urgent: boolean;
  readonly log: Logger;
}

/** One consumer group of a service: feeds the writer's queue, and commits to Kafka what the database has committed. */
export const startConsumer = <M>(deps: ConsumerDeps<M>): RunningConsumer => {
  const tracks = new Map<string, Track>();
  const trackOf = ({ topic, partition }: Assignment): Track => {
    const name = `${topic}:${partition}`;
    const known = tracks.get(name);
    if (known !== undefined) return known;
    const made: Track = { topic, partition, open: [], next: null, skippedTo: null, progressAt: Date.now() };
    tracks.set(name, made);
    return made;
  };

  const settled = (track: Track, offset: string): void => {
    track.open.shift();
    track.progressAt = Date.now();
    track.next = track.open.length === 0 && track.skippedTo !== null ? track.skippedTo : nextOffset(offset);
    if (track.open.length === 0) track.skippedTo = null;
    consumer.commit([{ topic: track.topic, partition: track.partition, nextOffset: track.next }]);
  };

  const skipped = (track: Track, offset: string): void => {
    if (track.open.length > 0) track.skippedTo = nextOffset(offset);
    else {
      track.next = nextOffset(offset);
      consumer.commit([{ topic: track.topic, partition: track.partition, nextOffset: track.next }]);
    }
  };

  const onRecords = async (records: readonly InRecord[], alive: () => Promise<void>): Promise<void> => {
    for (const record of records) {
      await waitForRoom(deps.writer, alive);
      const track = trackOf(record);
      const raw: RawRecord = { ...record, group: deps.group, redriveCount: 0 };
      track.open.push(record.timestampMs);
      if (!(await deps.intake.take(raw, () => settled(track, record.offset)))) {
        track.open.pop();
        skipped(track, record.offset);
      }
    }
  };

  /**
   * The database knows what it has handled. Where the broker's committed offset is ahead of it (a database restored to
   * a little earlier, X3) the records in between are read again; where it is behind, the inbox absorbs the repeats.
   */
  const onAssigned = async (assigned: readonly Assignment[]): Promise<ReadonlyMap<string, string>> => {
    const names = new Set(assigned.map(({ topic, partition }) => `${topic}:${partition}`));
    for (const name of tracks.keys()) if (!names.has(name)) tracks.delete(name);
    for (const one of assigned) trackOf(one);
    const rows = await query<{ topic: string; partition: number; next_offset: string }>(
      deps.pool,
      'SELECT topic, partition, next_offset FROM positions WHERE consumer = $1',
      [deps.group],
    );
    const starts = new Map<string, string>();
    for (const row of rows) {
      const name = `${row.topic}:${row.partition}`;
      if (!names.has(name)) continue;
      const end = (await deps.broker.endOffsets(row.topic)).get(row.partition) ?? '0';
      // A topic made anew starts at zero; a position beyond its end belongs to the old one.
      if (BigInt(row.next_offset) > BigInt(end)) continue;
      starts.set(name, row.next_offset);
      const track = tracks.get(name);
      if (track !== undefined) track.next = row.next_offset;
    }
    return starts;
  };

  const consumer: Consumer = deps.broker.consume({
    group: deps.group,
    topics: deps.topics,
    minBytes: deps.urgent ? 1 : relaxedMinBytes,
    maxWaitMs: deps.urgent ? urgentMaxWaitMs : relaxedMaxWaitMs,
    onRecords,
    onAssigned,
    onError: (error) =>
      deps.log.warn({ err: error, group: deps.group }, 'the consumer lost its broker and tries again'),
  });

  const lag = async (): Promise<readonly TopicLag[]> => {
    const now = Date.now();
    const owned = consumer.assigned();
    const ends = new Map<string, ReadonlyMap<number, string>>();
    for (const topic of new Set(owned.map((one) => one.topic))) ends.set(topic, await deps.broker.endOffsets(topic));
    return owned.map(({ topic, partition }) => {
      const track = trackOf({ topic, partition });
      const end = BigInt(ends.get(topic)?.get(partition) ?? '0');
      const behind = track.next === null ? end : end - BigInt(track.next);
      const records = Number(behind > 0n ? behind : 0n);
      const progressAge = records === 0 ? 0 : Math.max(0, (now - track.progressAt) / 1_000);
      if (records === 0) track.progressAt = now;
      const oldest = track.open[0];
      // Nothing fetched yet: the wait since the last progress is the best bound there is. Clocks ahead never show below 0.
      const timeLag = records === 0 ? 0 : oldest === undefined ? progressAge : Math.max(0, (now - oldest) / 1_000);
      return {
        group: deps.group,
        topic,
        partition,
        lag: records,
        timeLagSeconds: timeLag,
        progressAgeSeconds: progressAge,
      };
    });
  };

  return { group: deps.group, lag, close: () => consumer.close() };
};
