import { Client } from 'pg';
import { errorsOf, type ToyProcess } from '../support/platform-instances';
import type { ToyState } from '../support/platform-toy';
import { openWorld, type World } from '../support/platform-world';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

const graceMs = 20_000;

let world: World;
let stored: Tail;
beforeAll(async () => {
  world = await openWorld('restart');
  stored = await world.tail(world.stored);
});
afterAll(() => world.close());
afterEach(() => Promise.all(world.instances.map((instance) => instance.end())));

const conversations = Array.from({ length: 12 }, (_, index) => index);

const messages = (name: string, from: number, to: number): [string, string][] =>
  Array.from({ length: to - from }, (_, index) => [
    `${name}-${(from + index) % conversations.length}`,
    `${name}${from + index}`,
  ]);

/** A batch that touches this conversation stays in flight until it is let go. */
const hold = async (conversation: string): Promise<() => Promise<void>> => {
  const holder = new Client({ connectionString: world.databaseUrl });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM toys WHERE id = $1 FOR UPDATE', [conversation]);
  return () => holder.end();
};

const isHeld = async (): Promise<boolean> =>
  (await world.sql("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"))
    .length > 0;

const expectAll = async (name: string, count: number): Promise<void> => {
  const perKey = count / conversations.length;
  const keys = conversations.map((index) => `${name}-${index}`);
  await until('all are out', () => keys.every((key) => stored.firsts(key).length === perKey));
  for (const key of keys)
    expect(stored.firsts(key)).toEqual(
      Array.from({ length: perKey }, (_, index) => `${key}/${index + 1}/0/MessageStored`),
    );
  const rows = await world.sql<{ doc: string }>('SELECT doc FROM toys WHERE id LIKE $1', [`${name}-%`]);
  const seen = rows.flatMap(({ doc }) => (JSON.parse(doc) as ToyState).seen);
  expect([...seen].sort()).toEqual(
    messages(name, 0, count)
      .map(([, id]) => id)
      .sort(),
  );
};

const stop = async (toy: ToyProcess): Promise<void> => {
  const startedAt = Date.now();
  toy.kill('SIGTERM');
  expect(await toy.exited).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(graceMs);
  expect({ errors: errorsOf(toy.log), output: toy.output() }).toEqual({ errors: [], output: '' });
};

test('case 35, 39: a rolling restart with a batch in flight loses nothing, doubles nothing and comes to rest', async () => {
  const [a, b] = await Promise.all([world.spawn('a'), world.spawn('b')]);
  await world.submit(messages('roll', 0, 300));
  await until('both have begun', () => stored.firsts().length > 100);
  const letGo = await hold('roll-3');
  await world.submit(messages('roll', 300, 1_200));
  await until('a batch is in flight', isHeld);
  const stopped = stop(a);
  await world.submit(messages('roll', 1_200, 1_800));
  await letGo();
  await stopped;
  const a2 = await world.spawn('a');
  await world.submit(messages('roll', 1_800, 2_400));
  await stop(b);
  const b2 = await world.spawn('b');
  await expectAll('roll', 2_400);
  const admin = world.kafka.admin();
  await admin.connect();
  await until('the group has come to rest', async () => {
    const { groups } = await admin.describeGroups([world.group]);
    return groups[0]?.state === 'Stable' && groups[0].members.length === 2;
  });
  await admin.disconnect();
  for (const toy of [a2, b2]) {
    const rejoins = toy.log.filter(({ msg }) => /rejoin|re-joining/i.test(msg));
    expect(rejoins.length).toBeLessThan(10);
    expect(errorsOf(toy.log)).toEqual([]);
  }
});

test('case 39: SIGTERM with a batch in flight: what is finished is committed, the rest is left for the next process', async () => {
  const c = await world.spawn('c');
  await world.submit(messages('term', 0, 120));
  await until('the first are out', () => conversations.every((index) => stored.firsts(`term-${index}`).length === 10));
  const letGo = await hold('term-5');
  await world.submit(messages('term', 120, 1_200));
  await until('a batch is in flight', isHeld);
  const posted = c.post('posted', 'while-stopping').then(String, String);
  const stopped = stop(c);
  await until('it takes no more requests', async () => !(await c.ready()));
  await letGo();
  // Who waits for a commit is told of it, who came too late is sent elsewhere; nobody is cut off.
  expect(await posted).toMatch(/^1$|503/);
  await stopped;
  await world.spawn('d');
  await expectAll('term', 1_200);
});
