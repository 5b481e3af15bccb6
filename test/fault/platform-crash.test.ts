import type { ToyProcess } from '../support/platform-instances';
import type { ToyState } from '../support/platform-toy';
import { openWorld, type World } from '../support/platform-world';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

// A killed member leaves its group only when its session has run out. The tests of this file wait for that side by side,
// each in a world of its own.
const inWorld =
  (name: string, test: (world: World, stored: Tail) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const world = await openWorld(name);
    try {
      await test(world, await world.tail(world.stored));
    } finally {
      await world.close();
    }
  };

const messages = (name: string, count: number): [string, string][] =>
  Array.from({ length: count }, (_, index) => [`${name}-${index % 3}`, `${name}${index}`]);

const expectAll = async (world: World, stored: Tail, name: string, count: number): Promise<void> => {
  const conversations = [0, 1, 2].map((index) => `${name}-${index}`);
  await until('all are out', () => conversations.every((one) => stored.firsts(one).length === count / 3));
  for (const one of conversations)
    expect(stored.firsts(one)).toEqual(
      Array.from({ length: count / 3 }, (_, index) => `${one}/${index + 1}/0/MessageStored`),
    );
  const rows = await world.sql<{ doc: string }>('SELECT doc FROM toys WHERE id LIKE $1', [`${name}-%`]);
  expect(rows.reduce((sum, { doc }) => sum + (JSON.parse(doc) as ToyState).seen.length, 0)).toBe(count);
  await until('nothing is left to send', async () => (await world.sql('SELECT 1 FROM outbox LIMIT 1')).length === 0);
};

const died = async (toy: ToyProcess): Promise<void> => {
  expect(await toy.exited).toBe('SIGKILL');
};

test.concurrent(
  'case 30: killed between send and mark: all is sent, what is sent twice is the same event',
  inWorld('sender', async (world, stored) => {
    const toy = await world.spawn('sender', { FAIRLEAD_FAILPOINTS: 'relay.sent=exit' });
    await world.submit(messages('sent', 90));
    await died(toy);
    await until('the first send is on the topic', () => stored.records.length > 0);
    const before = stored.records.length;
    await world.spawn('sender');
    await expectAll(world, stored, 'sent', 90);
    await until('what was sent before the kill came again', () => stored.records.length === 90 + before);
  }),
);

for (const point of ['batch.loaded', 'batch.decided', 'batch.committed'])
  test.concurrent(
    `X3: killed at ${point}, everything is decided once and sent in order`,
    inWorld(point.replace('.', '-'), async (world, stored) => {
      const toy = await world.spawn('a', { FAIRLEAD_FAILPOINTS: `${point}=exit:2` });
      await world.submit(messages('m', 30));
      await until('a batch went through', () => stored.records.length > 0);
      await world.submit(messages('m', 60).slice(30));
      await died(toy);
      await world.spawn('a');
      await expectAll(world, stored, 'm', 60);
    }),
  );

test.concurrent(
  'case 36: a record that kills the process is a dead letter after five deaths alone, the others are handled',
  inWorld('mortal', async (world, stored) => {
    const deadLetters = await world.tail(world.deadLetters);
    const submitted = [
      ['deadly', 'd1'],
      ['deadly', 'd2', 'exit'],
      ['deadly', 'd3'],
    ] as const;
    await world.submit(submitted);
    const die = async (): Promise<void> => died(await world.spawn('mortal'));
    // One death says nothing about the records in flight; after a second one in a row they are taken one by one.
    await die();
    expect(await world.sql('SELECT crashes FROM process_marks')).toEqual([{ crashes: 0 }]);
    expect(await world.sql('SELECT 1 FROM suspects')).toEqual([]);
    await world.sql('UPDATE process_marks SET crashes = 1');
    await die();
    const suspect = 'SELECT deaths, record_offset FROM suspects';
    expect(await world.sql(suspect)).toEqual([{ deaths: 0, record_offset: '1' }]);
    // The deaths in between are told to the database: each would take the time of a session.
    await world.sql('UPDATE suspects SET deaths = 3');
    await die();
    expect(await world.sql(suspect)).toEqual([{ deaths: 4, record_offset: '1' }]);
    await world.spawn('mortal');
    await until('the others are handled', () => stored.firsts('deadly').length === 2, 30_000);
    expect(stored.firsts('deadly')).toEqual(['deadly/1/0/MessageStored', 'deadly/2/0/MessageStored']);
    await until('it is a dead letter', () => deadLetters.records.length === 1);
    expect(deadLetters.records[0]?.headers).toMatchObject({
      'dlt.code': 'defect',
      'dlt.message': 'this record was alone in flight when the process died, five times',
    });
  }),
);
