import type { Pool } from 'pg';
import type { Assignment, Broker, Consumer, ConsumerOptions, PartitionOffsets } from './broker';
import type { RawRecord } from './dead-letters';
import type { Intake } from './intake';
import { nextOffset, waitForRoom } from './intake';
import type { Logger } from './log';
import { query } from './postgres';
import type { Writer } from './writer';
import { steadyMs, wallMs } from './clocks';

/** What is not urgent (projections, receipts) is gathered this long: a third of the transactions for it. */
const gatherMs = 50;
/** Positions of records that do not concern the service are stored this often: they cost nothing to read again. */
const storeSkippedEveryMs = 5_000;

interface Track extends Assignment {
  /** Time stamps of records queued and not settled, oldest first. */
  readonly open: number[];
  next: string | null;
  skippedTo: string | null;
  /** Records before this offset were handled by a later state of the database than the one there is now. */
  replayUntil: bigint | null;
  /** Reached by skipping, not yet in the database. */
  unstored: string | null;
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
    const made: Track = {
      topic,
      partition,
      open: [],
      next: null,
      skippedTo: null,
      replayUntil: null,
      unstored: null,
      progressAt: steadyMs(),
    };
    tracks.set(name, made);
    return made;
  };

  const reached = (track: Track, next: string): void => {
    track.next = next;
    consumer.commit([{ topic: track.topic, partition: track.partition, nextOffset: next }]);
  };

  const settled = (track: Track, offset: string): void => {
    track.open.shift();
    track.progressAt = steadyMs();
    const skippedTo = track.open.length === 0 ? track.skippedTo : null;
    if (skippedTo !== null) track.skippedTo = null;
    track.unstored = skippedTo;
    reached(track, skippedTo ?? nextOffset(offset));
  };

  const skipped = (track: Track, next: string): void => {
    if (track.open.length > 0) track.skippedTo = next;
    else reached(track, (track.unstored = next));
  };

  const storeSkipped = async (): Promise<void> => {
    const rows = [...tracks.values()].flatMap((track) => {
      const next = track.unstored;
      track.unstored = null;
      return next === null ? [] : [{ ...track, next }];
    });
    if (rows.length === 0) return;
    await query(
      deps.pool,
      `INSERT INTO positions (consumer, topic, partition, next_offset) SELECT $1, * FROM unnest($2::text[], $3::int[], $4::bigint[])
       ON CONFLICT (consumer, topic, partition) DO UPDATE SET next_offset = greatest(positions.next_offset, excluded.next_offset)`,
      [deps.group, rows.map((row) => row.topic), rows.map((row) => row.partition), rows.map((row) => row.next)],
    ).catch((error: unknown) => deps.log.debug({ err: error }, 'skipped positions are stored later'));
  };
  const storing = setInterval(() => void storeSkipped(), storeSkippedEveryMs);
  let closing = false;

  const isReplay = (track: Track, offset: string): boolean =>
    track.replayUntil !== null && BigInt(offset) < track.replayUntil;

  const onRecords: ConsumerOptions['onRecords'] = async (records, alive, next) => {
    for (const record of records) {
      await waitForRoom(deps.writer, alive, () => closing);
      if (closing) return;
      const track = trackOf(record);
      const raw: RawRecord = {
        ...record,
        group: deps.group,
        redriveCount: 0,
        replayed: isReplay(track, record.offset),
      };
      track.open.push(record.timestampMs);
      let queued = false;
      try {
        queued = await deps.intake.take(raw, () => settled(track, record.offset), { alive });
      } finally {
        if (!queued) track.open.pop();
      }
      if (!queued) skipped(track, nextOffset(record.offset));
    }
    const last = records.at(-1);
    if (last !== undefined && next !== nextOffset(last.offset)) skipped(trackOf(last), next);
  };

  /**
   * The database knows what it has handled. Where the broker's committed offset is ahead of it (a database restored to
   * a little earlier, X3) the records in between are read again, all of them where it knows nothing; where it is behind,
   * the inbox absorbs the repeats.
   */
  const onAssigned = async (assigned: readonly Assignment[]): Promise<ReadonlyMap<string, string>> => {
    const names = new Set(assigned.map(({ topic, partition }) => `${topic}:${partition}`));
    for (const name of tracks.keys()) if (!names.has(name)) tracks.delete(name);
    const rows = await query<{ topic: string; partition: number; next_offset: string }>(
      deps.pool,
      'SELECT topic, partition, next_offset FROM positions WHERE consumer = $1',
      [deps.group],
    );
    // After the positions: ends only grow, so that no position is taken for one beyond the end.
    const topics = [...new Set(assigned.map(({ topic }) => topic))];
    const offsets = new Map(
      await Promise.all(topics.map(async (topic) => [topic, await deps.broker.offsets(topic)] as const)),
    );
    const committed = await deps.broker.committed(deps.group, topics);
    const stored = new Map(rows.map((row) => [`${row.topic}:${row.partition}`, row.next_offset]));
    const starts = new Map<string, string>();
    for (const one of assigned) {
      const name = `${one.topic}:${one.partition}`;
      const { first, end } = offsets.get(one.topic)?.get(one.partition) ?? { first: '0', end: '0' };
      const next = BigInt(stored.get(name) ?? first);
      // A position beyond the end belongs to an earlier topic of this name.
      const start = next > BigInt(end) || next < BigInt(first) ? first : next.toString();
      starts.set(name, start);
      const track = trackOf(one);
      track.next = start;
      const handled = committed.get(name);
      track.replayUntil = handled !== undefined && BigInt(handled) > BigInt(start) ? BigInt(handled) : null;
    }
    return starts;
  };

  const consumer: Consumer = deps.broker.consume({
    group: deps.group,
    topics: deps.topics,
    gatherMs: deps.urgent ? 0 : gatherMs,
    onRecords,
    onAssigned,
    onError: (error) =>
      deps.log.warn({ err: error, group: deps.group }, 'the consumer lost its broker and tries again'),
  });

  const lag = async (): Promise<readonly TopicLag[]> => {
    const now = steadyMs();
    const owned = consumer.assigned();
    const offsets = new Map<string, ReadonlyMap<number, PartitionOffsets>>();
    for (const topic of new Set(owned.map((one) => one.topic))) offsets.set(topic, await deps.broker.offsets(topic));
    return owned.map(({ topic, partition }) => {
      const track = trackOf({ topic, partition });
      const end = BigInt(offsets.get(topic)?.get(partition)?.end ?? '0');
      const behind = track.next === null ? end : end - BigInt(track.next);
      const records = Number(behind > 0n ? behind : 0n);
      const progressAge = records === 0 ? 0 : Math.max(0, (now - track.progressAt) / 1_000);
      if (records === 0) track.progressAt = now;
      const oldest = track.open[0];
      // Nothing fetched yet: the wait since the last progress is the best bound there is. Clocks ahead never show below 0.
      const timeLag = records === 0 ? 0 : oldest === undefined ? progressAge : Math.max(0, (wallMs() - oldest) / 1_000);
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

  return {
    group: deps.group,
    lag,
    close: async () => {
      closing = true;
      clearInterval(storing);
      await consumer.close();
      await storeSkipped();
    },
  };
};
