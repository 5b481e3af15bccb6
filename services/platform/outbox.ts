import { createHash } from 'node:crypto';
import type { RecordName } from '../../schemas/generated/records';
import type { Fact } from './decision';
import { pack } from './packed';
import type { Statement } from './postgres';

/** Unit of relay ownership; a power of two that many instances can share, few enough that one lease query covers all. */
export const bucketCount = 64;

/** Text, or bytes that are not text (headers of dead letters are kept as they came). */
export type HeaderValue = string | { readonly base64: string };

export const wireHeaders = (headers: Readonly<Record<string, HeaderValue>>): Record<string, string | Buffer> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : Buffer.from(value.base64, 'base64'),
    ]),
  );

/** One record on its way to Kafka. `id` is drawn under the aggregate's lock, so ids of one aggregate follow its commits. */
export interface OutboxRow {
  readonly id: string;
  readonly bucket: number;
  readonly topic: string;
  readonly partition: number | null;
  readonly key: Buffer;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
  readonly eventId: string;
}

export type NewOutboxRow = Omit<OutboxRow, 'id' | 'bucket'> & { readonly tenant: string };

const bucketOf = (tenant: string, key: Buffer): number =>
  createHash('md5').update(tenant).update('\0').update(key).digest().readUInt16BE(0) % bucketCount;

/** CloudEvents Kafka binding, binary mode, and the trace (X5). */
export const headersOf = (fact: Fact, source: string): Record<string, string> => ({
  ce_specversion: '1.0',
  ce_id: fact.eventId,
  ce_source: source,
  ce_type: `fairlead.${fact.type}`,
  ce_subject: fact.about.id,
  ce_time: new Date(fact.occurredAt).toISOString(),
  ...(fact.trace.causationId === null ? {} : { ce_causationid: fact.trace.causationId }),
  ...(fact.trace.correlationId === null ? {} : { ce_correlationid: fact.trace.correlationId }),
  ...(fact.trace.traceparent === null ? {} : { traceparent: fact.trace.traceparent }),
});

/** Below the limit of a topic, with room for key and headers. */
const maxValueBytes = 1_000_000;

/** A fact as it goes to Kafka. What does not fit its schema or its topic throws here, before anything says it. */
export const rowOf = (
  fact: Fact,
  encode: (topic: string, type: RecordName, value: never) => Buffer,
  topicOf: (name: string) => string,
  source: string,
): NewOutboxRow => {
  const topic = topicOf(fact.topic);
  const value = encode(topic, fact.type, {
    ...fact.value,
    eventId: fact.eventId,
    occurredAt: fact.occurredAt,
  } as never);
  if (value.length > maxValueBytes)
    throw new Error(
      `${fact.type} about ${fact.about.id} has ${value.length} bytes; a record may have ${maxValueBytes}`,
    );
  return {
    tenant: (fact.value as { tenant?: string }).tenant ?? '',
    topic,
    partition: null,
    key: Buffer.from(fact.key),
    value,
    eventId: fact.eventId,
    headers: headersOf(fact, source),
  };
};

/** Asked in two ranges of the index, so that the rows of this writer, which are nearly all there are, are not looked at. */
export const foreignIn = (bucket: string, writer: string): string =>
  ['<', '>']
    .map((side) => `EXISTS (SELECT 1 FROM outbox o WHERE o.bucket = ${bucket} AND o.writer ${side} ${writer})`)
    .join(' OR ');

export interface Appended {
  /** Answers with one row: `ids` in the order of the rows, and the `foreign_buckets`. */
  readonly statement: Statement;
  readonly buckets: readonly number[];
  /** Not asked about, so that the relay has to read them from its table. */
  readonly unasked: readonly number[];
}

/**
 * Appends, and asks which of the buckets hold unsent rows of another writer. It runs under the aggregates' locks: an
 * earlier row of the same aggregate is committed by then and so is seen, and the relay reads the table instead of
 * overtaking it from memory. While the relay is far behind it reads the table whatever the answer, and the question would
 * cost more with every row that waits. Ids are drawn in the order of the rows.
 */
export const append = (rows: readonly NewOutboxRow[], writer: string, behind: boolean): Appended | null => {
  if (rows.length === 0) return null;
  const known = new Map<string, number>();
  const buckets = rows.map((row) => {
    const name = `${row.tenant}\u0000${row.key.toString('latin1')}`;
    const bucket = known.get(name) ?? bucketOf(row.tenant, row.key);
    known.set(name, bucket);
    return bucket;
  });
  const touched = [...new Set(buckets)];
  const pieces = pack([
    ...rows.map((row) => row.key),
    ...rows.map((row) => row.value),
    ...rows.map((row) => JSON.stringify(row.headers)),
  ]);
  const part = <T>(list: readonly T[], index: number): readonly T[] =>
    list.slice(index * rows.length, (index + 1) * rows.length);
  return {
    buckets,
    unasked: behind ? touched : [],
    statement: {
      name: 'outbox_append',
      text: `WITH appended AS (
               INSERT INTO outbox (bucket, topic, partition, key, value, headers, event_id, writer)
               SELECT bucket, topic, partition, substring($1::bytea FROM ks FOR kl), substring($1 FROM vs FOR vl),
                      convert_from(substring($1 FROM hs FOR hl), 'UTF8'), event_id, $2
                 FROM unnest($4::smallint[], $5::text[], $6::int[], $7::text[], $8::int[], $9::int[], $10::int[], $11::int[], $12::int[], $13::int[])
                   WITH ORDINALITY AS u(bucket, topic, partition, event_id, ks, kl, vs, vl, hs, hl, ordinal)
                ORDER BY ordinal RETURNING id)
             SELECT (SELECT array_agg(id::text ORDER BY id) FROM appended) AS ids,
                    ARRAY(SELECT b FROM unnest($3::smallint[]) AS b WHERE ${foreignIn('b', '$2')}) AS foreign_buckets`,
      values: [
        pieces.bytes,
        writer,
        behind ? [] : touched,
        buckets,
        rows.map((row) => row.topic),
        rows.map((row) => row.partition),
        rows.map((row) => row.eventId),
        ...[0, 1, 2].flatMap((index) => [part(pieces.starts, index), part(pieces.lengths, index)]),
      ],
    },
  };
};
