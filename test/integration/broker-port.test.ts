import { randomBytes } from 'node:crypto';
import type { Broker, Consumer, ConsumerOptions, InRecord, OutRecord, Producer } from '../../services/platform/broker';
import { kafkaSettings } from '../../services/platform/environment';
import { openBroker } from '../../services/platform/kafka';
import { kafkaClient } from '../../services/platform/kafka-client';
import { openLog } from '../../services/platform/log';
import { until } from '../support/until';

// What services/platform/broker.ts promises, whichever client is behind it.

jest.setTimeout(120_000);

const log = openLog('test', 'broker-port', 'silent');
const settings = kafkaSettings(process.env);
const prefix = `test-port-${randomBytes(3).toString('hex')}.`;
const topic = `${prefix}records`;
const admin = kafkaClient(settings, 'broker-port', log).admin();
let broker: Broker;
const consumers: Consumer[] = [];
const producers: Producer[] = [];

/** Closed at the end whatever becomes of its test. */
const openProducer = async (): Promise<Producer> => {
  const producer = await broker.producer();
  producers.push(producer);
  return producer;
};

const makeTopic = async (name: string, numPartitions = 2): Promise<void> => {
  await admin.createTopics({ topics: [{ topic: name, numPartitions, replicationFactor: 1 }], waitForLeaders: false });
  await until('the topic has leaders', async () => {
    const { topics } = await admin.fetchTopicMetadata();
    if (topics.find((one) => one.name === name)?.partitions.every(({ leader }) => leader >= 0) !== true) return false;
    // Metadata may name a leader that does not know of it yet.
    return (await admin.fetchTopicOffsets(name)).length === numPartitions;
  });
};

beforeAll(async () => {
  await admin.connect();
  await makeTopic(topic);
  broker = openBroker(settings, 'broker-port', log);
});

afterAll(async () => {
  await Promise.all([...consumers, ...producers].map((client) => client.close()));
  await broker.close();
  await admin.deleteTopics({ topics: (await admin.listTopics()).filter((name) => name.startsWith(prefix)) });
  await admin.disconnect();
});

const record = (key: string, value: string, more: Partial<OutRecord> = {}): OutRecord => ({
  topic,
  partition: null,
  key: Buffer.from(key),
  value: Buffer.from(value),
  headers: {},
  ...more,
});

interface Reading {
  readonly consumer: Consumer;
  readonly records: InRecord[];
  readonly errors: unknown[];
}

const read = (group: string, more: Partial<ConsumerOptions> = {}): Reading => {
  const records: InRecord[] = [];
  const errors: unknown[] = [];
  const consumer = broker.consume({
    group: `${prefix}${group}`,
    topics: [topic],
    gatherMs: 0,
    onRecords: (batch) => (records.push(...batch), Promise.resolve()),
    onAssigned: () => Promise.resolve(new Map()),
    onError: (error) => errors.push(error),
    ...more,
  });
  consumers.push(consumer);
  return { consumer, records, errors };
};

test('records arrive as they were sent, in order of each key', async () => {
  const producer = await openProducer();
  const { records } = read('as-sent');
  const sent = Array.from({ length: 300 }, (_, index) => record(`key-${index % 7}`, String(index)));
  await producer.send(sent.slice(0, 150));
  await producer.send(sent.slice(150));
  await until('all are read', () => records.length === 300);
  for (let key = 0; key < 7; key += 1)
    expect(records.filter((one) => one.key?.toString() === `key-${key}`).map((one) => Number(one.value))).toEqual(
      sent.flatMap((_, index) => (index % 7 === key ? [index] : [])),
    );
});

test('keys, values and headers keep their bytes; null is null; the partition asked for is the one it goes to', async () => {
  const name = `${prefix}bytes`;
  await makeTopic(name);
  const producer = await openProducer();
  const bytes = Buffer.from([0xff, 0x00, 0xfe]);
  const odd = record('', '', {
    topic: name,
    partition: 1,
    key: bytes,
    value: null,
    headers: { raw: bytes, text: 'ü' },
  });
  await producer.send([odd, { ...odd, key: null, value: Buffer.alloc(0) }]);
  const { records } = read('bytes', { topics: [name] });
  const [first, second] = await until('both are read', () => (records.length === 2 ? records : null));
  expect(first).toMatchObject({ partition: 1, offset: '0', key: bytes, value: null });
  expect(first?.headers).toEqual({ raw: bytes, text: Buffer.from('ü') });
  expect(second).toMatchObject({ offset: '1', key: null, value: Buffer.alloc(0) });
  expect((await broker.offsets(name)).get(1)).toEqual({ first: '0', end: '2' });
  expect((await broker.offsets(name)).get(0)).toEqual({ first: '0', end: '0' });
});

test('a refused send says whether record, topic or broker is at fault', async () => {
  const fault = async (bad: OutRecord): Promise<string> => {
    const producer = await openProducer();
    const error: unknown = await producer.send([bad]).then(
      () => null,
      (why: unknown) => why,
    );
    const failure = error === null ? 'none' : producer.failureOf(error);
    return failure;
  };
  expect(await fault(record('k', 'x'.repeat(2_000_000)))).toBe('record');
  expect(await fault(record('k', 'x', { topic: `${prefix}absent` }))).toBe('topic');
  expect(await fault(record('k', 'x', { partition: 9 }))).toBe('topic');
  expect(await fault(record('k', 'x'))).toBe('none');
  const nobody = openBroker({ ...settings, brokers: ['127.0.0.1:1'] }, 'nobody', log);
  const error: unknown = await nobody.producer().catch((why: unknown) => why);
  const producer = await openProducer();
  expect(producer.failureOf(error)).toBe('broker');
  await expect(nobody.ping()).rejects.toThrow();
  await nobody.close();
});

test('a consumer starts where the assignment says, before it is handed anything', async () => {
  const name = `${prefix}starts`;
  await makeTopic(name, 1);
  const producer = await openProducer();
  await producer.send(Array.from({ length: 10 }, (_, index) => record('k', String(index), { topic: name })));
  let asked = 0;
  const { records, errors } = read('starts', {
    topics: [name],
    // The database that knows may be away at first; nothing is handed on meanwhile.
    onAssigned: () => {
      asked += 1;
      if (asked < 3) return Promise.reject(new Error('not yet'));
      return Promise.resolve(new Map([[`${name}:0`, '7']]));
    },
  });
  await until('three are read', () => records.length >= 3);
  expect(records.map((one) => one.offset)).toEqual(['7', '8', '9']);
  expect(errors).toHaveLength(2);
});

test('what is no record, as the end of a transaction, is passed over', async () => {
  const name = `${prefix}transactions`;
  await makeTopic(name, 1);
  const transactional = kafkaClient(settings, 'upstream', log).producer({
    transactionalId: `${prefix}upstream`,
    maxInFlightRequests: 1,
    idempotent: true,
  });
  await transactional.connect();
  for (const value of ['a', 'b']) {
    const transaction = await transactional.transaction();
    await transaction.send({ topic: name, messages: [{ value }] });
    await transaction.commit();
  }
  await transactional.disconnect();
  const nexts: string[] = [];
  const { records } = read('transactions', {
    topics: [name],
    onRecords: (batch, _alive, next) => (records.push(...batch), nexts.push(next), Promise.resolve()),
  });
  await until('both are read', () => records.length === 2);
  expect(records.map((one) => one.offset)).toEqual(['0', '2']);
  expect(nexts.at(-1)).toBe((await broker.offsets(name)).get(0)?.end);
});

test('committed offsets are where the group goes on; those of partitions it does not own are left out', async () => {
  const name = `${prefix}commits`;
  await makeTopic(name, 1);
  const producer = await openProducer();
  await producer.send(['a', 'b', 'c'].map((value) => record('k', value, { topic: name })));
  const first = read('commits', { topics: [name] });
  await until('all are read', () => first.records.length === 3);
  first.consumer.commit([
    { topic: name, partition: 0, nextOffset: '2' },
    { topic: name, partition: 5, nextOffset: '99' },
  ]);
  await first.consumer.close();
  expect(first.consumer.assigned()).toEqual([]);
  const second = read('commits', { topics: [name] });
  await until('the rest is read', () => second.records.length >= 1);
  expect(second.records.map((one) => one.value?.toString())).toEqual(['c']);
});

test('two of a group share the partitions; when one leaves, the other has all', async () => {
  const one = read('shared');
  await until('the first has both', () => one.consumer.assigned().length === 2);
  const two = read('shared');
  await until('each has one', () => one.consumer.assigned().length === 1 && two.consumer.assigned().length === 1);
  await two.consumer.close();
  await until('the first has both again', () => one.consumer.assigned().length === 2);
});

test('a topic that is not there yet is waited for', async () => {
  const name = `${prefix}later`;
  const { records, errors } = read('later', { topics: [name] });
  await until('it says so', () => errors.length > 0);
  await makeTopic(name, 1);
  const producer = await openProducer();
  await producer.send([record('k', 'here', { topic: name })]);
  await until('it is read', () => records.length === 1, 30_000);
});
