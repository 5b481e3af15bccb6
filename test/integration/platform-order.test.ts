import type { Toy } from '../support/platform-instances';
import type { ToyState } from '../support/platform-toy';
import { openWorld, type World } from '../support/platform-world';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

let world: World;
let a: Toy;
let b: Toy;
let stored: Tail;
beforeAll(async () => {
  world = await openWorld('order');
  [a, b, stored] = await Promise.all([world.start('a'), world.start('b'), world.tail(world.stored)]);
});
afterAll(() => world.close());

const ids = (conversation: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${conversation}/${index + 1}/0/MessageStored`);

const outboxIsEmpty = async (): Promise<boolean> => (await world.sql('SELECT 1 FROM outbox LIMIT 1')).length === 0;

test('case 29: fifty writers at once on two instances: what is published equals what is committed, in order of each key', async () => {
  const writers = Array.from({ length: 50 }, (_, index) => index);
  await Promise.all(
    writers.map(async (writer) => {
      for (let message = 0; message < 20; message += 1)
        await (message % 2 === 0 ? a : b).post(`many-${writer % 10}`, `w${writer}-${message}`);
    }),
  );
  await until('everything is published', () => stored.firsts().length === 1_000);
  await until('everything is acknowledged', outboxIsEmpty);
  for (let conversation = 0; conversation < 10; conversation += 1)
    expect(stored.firsts(`many-${conversation}`)).toEqual(ids(`many-${conversation}`, 100));
  const states = await world.sql<{ doc: string }>("SELECT doc FROM toys WHERE id LIKE 'many-%'");
  const committed = states.flatMap(({ doc }) => (JSON.parse(doc) as ToyState).seen);
  expect(new Set(committed).size).toBe(1_000);
});

test('case 32: two instances that write one key in turn keep its order, whoever relays it', async () => {
  for (let message = 0; message < 200; message += 1)
    expect(await (message % 2 === 0 ? a : b).post('in-turn', `t${message}`)).toBe(message + 1);
  await until('everything is published', () => stored.firsts('in-turn').length === 200);
  expect(stored.firsts('in-turn')).toEqual(ids('in-turn', 200));
});

test('case 28: a number drawn early and committed late is sent late, not skipped', async () => {
  const row = (key: string): string =>
    `INSERT INTO outbox (bucket, topic, key, value, headers, event_id, writer)
     SELECT bucket, topic, '${key}', value, '{"ce_id":"${key}"}', '${key}', 'another' FROM last_seen RETURNING id`;
  // The bucket is one that both keys share, as far as the relay is concerned.
  await world.sql(`CREATE TABLE last_seen AS SELECT 7::smallint AS bucket, $1::text AS topic, '\\x'::bytea AS value`, [
    world.stored,
  ]);
  const { Client } = await import('pg');
  const early = new Client({ connectionString: world.databaseUrl });
  await early.connect();
  await early.query('BEGIN');
  const first = (await early.query<{ id: string }>(row('early'))).rows[0];
  const [second] = await world.sql<{ id: string }>(row('late'));
  expect(Number(first?.id)).toBeLessThan(Number(second?.id));
  await until('the later number is out', () => stored.firsts('late').length === 1);
  await until('and gone from the table', outboxIsEmpty);
  await early.query('COMMIT');
  await early.end();
  await until('the earlier number follows', () => stored.firsts('early').length === 1);
  await until('and nothing is left', outboxIsEmpty);
});

test('X5: a record says what it is, what caused it, and which trace it belongs to', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await world.producer.send({
    topic: world.ingress,
    messages: [
      {
        key: 'traced',
        value: world.codec.encode(world.ingress, 'MessageSubmitted', world.submitted('traced', 'trace-1')),
        headers: { traceparent, ce_correlationid: 'the-correlation' },
      },
    ],
  });
  const record = await until('the record is out', () => stored.records.find(({ key }) => key === 'traced'));
  const { ce_time: time, ...headers } = record.headers;
  expect(headers).toEqual({
    ce_specversion: '1.0',
    ce_id: 'traced/1/0/MessageStored',
    ce_source: '/fairlead/toy',
    ce_type: 'fairlead.MessageStored',
    ce_subject: 'traced',
    ce_causationid: 'submitted-trace-1',
    ce_correlationid: 'the-correlation',
    traceparent,
  });
  expect(Math.abs(Date.parse(time ?? '') - Date.now())).toBeLessThan(60_000);
});
