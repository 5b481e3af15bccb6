import type { Toy } from '../support/platform-instances';
import { openWorld, type World } from '../support/platform-world';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

/** Larger than the topic takes here, smaller than what a service refuses to say at all. */
const tooLarge = 'large:600000';
const topicTakes = 400_000;
const usual = 1_048_588;
const topicResource = 2;

let world: World;
let a: Toy;
let b: Toy;
let stored: Tail;
let operator: string;
beforeAll(async () => {
  world = await openWorld('blocked');
  [a, b, stored, operator] = await Promise.all([
    world.start('a'),
    world.start('b'),
    world.tail(world.stored),
    world.operator(),
  ]);
});
afterAll(() => world.close());

const absent = (): string => `${world.prefix}absent`;
const count = (conversation: string): number => stored.firsts(conversation).length;

interface Blocked {
  readonly key: string;
  readonly recordKey: string;
  readonly waiting: number;
  readonly message: string;
}

const blockedKey = async (conversation: string): Promise<Blocked | undefined> => {
  const { body } = await a.request('GET', '/v1/ops/outbox/blocked', undefined, operator);
  return (body as { items: Blocked[] }).items.find(({ recordKey }) => recordKey === conversation);
};

const ops = (key: string, action: string, body?: unknown): Promise<{ status: number }> =>
  a.request('POST', `/v1/ops/outbox/${key}/${action}`, body, operator);

const maxMessageBytes = async (bytes: number): Promise<void> => {
  const admin = world.kafka.admin();
  await admin.connect();
  const configEntries = [{ name: 'max.message.bytes', value: String(bytes) }];
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: topicResource, name: world.stored, configEntries }],
  });
  await admin.disconnect();
};

test('case 32: a record that the broker refuses holds up its own key and no other, on every instance', async () => {
  await maxMessageBytes(topicTakes);
  await a.post('big', 'm1', tooLarge);
  await a.post('big', 'm2');
  await until('it is blocked', () => blockedKey('big'));
  await b.post('big', 'm3');
  for (let message = 0; message < 50; message += 1)
    await (message % 2 === 0 ? a : b).post(`other-${message}`, `o${message}`);
  await until('the other keys are out', () => stored.firsts().length === 50);
  expect(count('big')).toBe(0);
  expect(await blockedKey('big')).toMatchObject({ waiting: 2, message: expect.stringMatching(/larger/) as string });
  const { body } = await a.request('GET', '/v1/ops/incidents', undefined, operator);
  expect((body as { items: { kind: string }[] }).items.map(({ kind }) => kind)).toContain('outbox_blocked');
  expect(await a.metric('fairlead_outbox_blocked_keys')).toBe(1);
});

test('case 32: a retry in vain blocks it again; after the repair the key goes on in its order, and both are audited', async () => {
  const blocked = await until('it is blocked', () => blockedKey('big'));
  expect((await a.request('POST', `/v1/ops/outbox/${blocked.key}/retry`)).status).toBe(401);
  expect((await ops(blocked.key, 'retry')).status).toBe(200);
  await until('it is blocked again', () => blockedKey('big'));
  const open = 'SELECT 1 FROM incidents WHERE id = $1 AND closed_at IS NULL';
  const incident = `outbox-blocked/${blocked.key}`;
  await until('it is an incident again', async () => (await world.sql(open, [incident])).length === 1);
  await maxMessageBytes(4_000_000);
  expect((await ops(blocked.key, 'retry')).status).toBe(200);
  // Written before the relay has looked: it must not overtake what was blocked.
  await a.post('big', 'm4');
  await until('all of the key are out', () => count('big') === 4);
  expect(await world.sql(open, [incident])).toEqual([]);
  expect(stored.firsts('big')).toEqual([1, 2, 3, 4].map((revision) => `big/${revision}/0/MessageStored`));
  await maxMessageBytes(topicTakes);
  const audit = await world.sql<{ account: string; action: string }>(
    'SELECT account, action FROM audit WHERE ref = $1',
    [blocked.key],
  );
  expect(audit).toEqual(Array(2).fill({ account: 'toys/op', action: 'outbox.retry' }));
});

test('case 32: skipped with a reason, the record is left out and the rest of its key goes on', async () => {
  await b.post('skipped', 'm1', tooLarge);
  await b.post('skipped', 'm2');
  const { key } = await until('it is blocked', () => blockedKey('skipped'));
  expect((await ops(key, 'skip', {})).status).toBe(422);
  expect((await ops(key, 'skip', { reason: 'a test record' })).status).toBe(200);
  await until('the next one is out', () => count('skipped') === 1);
  expect(stored.firsts('skipped')).toEqual(['skipped/2/0/MessageStored']);
  expect(await world.sql('SELECT action, reason FROM audit WHERE ref = $1', [key])).toEqual([
    { action: 'outbox.skip', reason: 'a test record' },
  ]);
  expect((await ops(key, 'skip', { reason: 'again' })).status).toBe(404);
  expect(
    await world.sql('SELECT closed_at IS NULL AS open FROM incidents WHERE id = $1', [`outbox-blocked/${key}`]),
  ).toEqual([{ open: false }]);
  await maxMessageBytes(usual);
});

test('case 32: more at once than one request of the broker takes is sent all the same', async () => {
  const count = 360;
  const bytes = 300_000;
  await world.sql(
    `INSERT INTO outbox (bucket, topic, key, value, headers, event_id, writer)
     SELECT 9, $1, convert_to('heavy', 'UTF8'), decode(repeat('00', ${bytes}), 'hex'), '{"ce_id":"heavy-' || n || '"}', 'heavy-' || n, 'another'
       FROM generate_series(1, ${count}) AS n ORDER BY n`,
    [world.stored],
  );
  await until('all are out', () => stored.firsts('heavy').length === count, 60_000);
  expect(stored.firsts('heavy')).toEqual(Array.from({ length: count }, (_, index) => `heavy-${index + 1}`));
});

const insertAll = (topic: string): Promise<unknown> =>
  world.sql(
    `INSERT INTO outbox (bucket, topic, key, value, headers, event_id, writer)
     SELECT n, $1, 'k', 'v', '{}', $1 || n, 'another' FROM generate_series(0, 63) AS n`,
    [topic],
  );

const allOut = (): Promise<unknown> =>
  until('they are out', async () => (await world.sql('SELECT 1 FROM outbox LIMIT 1')).length === 0);

const topics = async (change: 'create' | 'delete', topic: string): Promise<void> => {
  const admin = world.kafka.admin();
  await admin.connect();
  if (change === 'delete') await admin.deleteTopics({ topics: [topic] });
  else
    await admin.createTopics({
      topics: [{ topic, numPartitions: 1, replicationFactor: 1 }],
      waitForLeaders: false,
    });
  await admin.disconnect();
};

test('case 32: while one topic is not there its records wait, and the others flow at their usual pace', async () => {
  await insertAll(absent());
  await until('the topic is found missing', () => [...a.log, ...b.log].some(({ msg }) => /topic cannot/.test(msg)));
  const startedAt = Date.now();
  for (let message = 1; message <= 20; message += 1) {
    await a.post('flowing', `f${message}`);
    await until('it is out', () => count('flowing') === message);
  }
  expect(Date.now() - startedAt).toBeLessThan(15_000);
  await topics('create', absent());
  await allOut();
});

test('case 32: a topic that was written and is deleted afterwards stops no other one', async () => {
  await topics('delete', absent());
  await topics('create', `${world.prefix}later`);
  await insertAll(`${world.prefix}later`);
  await allOut();
});
