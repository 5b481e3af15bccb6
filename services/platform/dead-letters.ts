import type { InRecord } from './broker';
import type { Row } from './decision';
import { Malformed } from './errors';
import type { HeaderValue, NewOutboxRow } from './outbox';

/** A record as it arrived, with the consumer group it arrived for. */
export interface RawRecord extends InRecord {
  readonly group: string;
  readonly redriveCount: number;
  /** This group had handled it before its database was restored to a little earlier (X3). */
  readonly replayed: boolean;
}

export interface DeadLetter {
  readonly row: Row;
  readonly outbox: NewOutboxRow;
}

export const deadLetterId = (raw: Pick<RawRecord, 'topic' | 'partition' | 'offset'>): string =>
  `${raw.topic}:${raw.partition}:${raw.offset}`;

const headerValue = (value: Buffer): HeaderValue => {
  const text = value.toString('utf8');
  return Buffer.from(text, 'utf8').equals(value) ? text : { base64: value.toString('base64') };
};

export const headerValues = (headers: Readonly<Record<string, Buffer>>): Record<string, HeaderValue> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerValue(value)]));

/** Reason and origin travel with the raw record; the row is what operators list, redrive and skip (X2). */
export const deadLetter = (raw: RawRecord, error: unknown, attempts: number): DeadLetter => {
  const code = error instanceof Malformed ? error.code : 'defect';
  // Text columns take no NUL, and an error may quote the record.
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 1_000).replaceAll('\0', '?');
  const key = raw.key ?? Buffer.alloc(0);
  return {
    row: {
      table: 'dead_letters',
      values: {
        consumer: raw.group,
        id: deadLetterId(raw),
        topic: raw.topic,
        partition: raw.partition,
        record_offset: raw.offset,
        record_at: new Date(Math.max(0, raw.timestampMs)),
        code,
        message,
        attempts,
        key,
        value: raw.value,
        headers: JSON.stringify(headerValues(raw.headers)),
      },
    },
    outbox: {
      tenant: '',
      topic: `${raw.topic}.${raw.group}.dlt`,
      partition: raw.partition,
      key,
      value: raw.value,
      eventId: `${deadLetterId(raw)}/dlt/${raw.redriveCount}`,
      headers: {
        ...headerValues(raw.headers),
        'dlt.original-topic': raw.topic,
        'dlt.original-partition': String(raw.partition),
        'dlt.original-offset': raw.offset,
        'dlt.original-timestamp': String(raw.timestampMs),
        'dlt.code': code,
        'dlt.message': message.replace(/[^\x20-\x7e]/g, '?'),
        'dlt.attempts': String(attempts),
        'dlt.redrive-count': String(raw.redriveCount),
      },
    },
  };
};
