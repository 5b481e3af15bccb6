import { Client } from 'pg';
import { openLog } from '../../services/platform/log';
import { openPool } from '../../services/platform/postgres';
import { startUpkeep } from '../../services/platform/upkeep';
import type { ToyState } from '../support/platform-toy';
import { openWorld, type World } from '../support/platform-world';
import { until } from '../support/until';

jest.setTimeout(120_000);

const silent = openLog('test', 'test', 'silent');
const tables = ['toys', 'inbox', 'positions'];
const messages = (from: number, to: number): [string, string][] =>
  Array.from({ length: to - from }, (_, index) => [`c${(from + index) % 5}`, `m${from + index}`]);

const states = async (world: World): Promise<Record<string, readonly string[]>> => {
  const rows = await world.sql<{ id: string; doc: string }>('SELECT id, doc FROM toys ORDER BY id');
  return Object.fromEntries(rows.map(({ id, doc }) => [id, (JSON.parse(doc) as ToyState).seen]));
};

const handled = async (world: World): Promise<number> =>
  Object.values(await states(world)).reduce((sum, seen) => sum + seen.length, 0);

const atTheEnd = async (world: World): Promise<boolean> => {
  const admin = world.kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(world.ingress);
  await admin.disconnect();
  const rows = await world.sql<{ partition: number; next_offset: string }>(
    'SELECT partition, next_offset FROM positions',
  );
  return ends
    .filter(({ high }) => high !== '0')
    .every(({ partition, high }) => rows.find((row) => row.partition === partition)?.next_offset === high);
};

describe('redelivery and restores', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld('replay');
  });
  afterAll(() => world.close());
  afterEach(() => Promise.all(world.instances.map((instance) => instance.end())));

  test('X1: everything delivered again, long after the inbox was pruned: same state, no new events', async () => {
    const toy = await world.start('a');
    const stored = await world.tail(world.stored);
    await world.submit(messages(0, 60));
    await until('all are out', () => stored.firsts().length === 60);
    const before = await states(world);
    const firsts = stored.firsts();
    await toy.end();
    await world.sql('UPDATE positions SET next_offset = 0');
    await world.sql("DELETE FROM inbox WHERE event_id LIKE '%1' OR event_id LIKE '%2'");
    const sent = stored.records.length;
    await world.start('a2');
    await until('all are read again', () => atTheEnd(world));
    await world.submit([['c0', 'after']]);
    await until('what comes after is out', () => stored.firsts().length === 61);
    expect(await states(world)).toEqual({ ...before, c0: [...(before['c0'] ?? []), 'after'] });
    expect(stored.firsts().slice(0, 60)).toEqual(firsts);
    expect(stored.records).toHaveLength(sent + 1);
  });

  test('X3: a database restored to a little earlier than the broker reads again what it has forgotten', async () => {
    const toy = await world.start('b');
    const stored = await world.tail(world.stored);
    for (const table of tables) await world.sql(`CREATE TABLE saved_${table} AS TABLE ${table}`);
    await world.submit(messages(60, 120));
    await until('all are out', () => stored.firsts().length === 121);
    const before = await states(world);
    await toy.end();
    for (const table of tables) await world.sql(`TRUNCATE ${table}`);
    for (const table of tables) await world.sql(`INSERT INTO ${table} TABLE saved_${table}`);
    expect(await handled(world)).toBe(61);
    await world.start('b2');
    await until('what was forgotten is read again', async () => (await handled(world)) === 121);
    expect(await states(world)).toEqual(before);
    await until('nothing waits to be sent', async () => (await world.sql('SELECT 1 FROM outbox LIMIT 1')).length === 0);
    // Told again under the same ids: whoever has read them drops them.
    expect(stored.firsts()).toHaveLength(121);
  });

  test('X3: a database that knows nothing at all reads from the beginning, whatever the group has committed', async () => {
    const before = await states(world);
    const toy = await world.start('c');
    await until('all is read', () => atTheEnd(world));
    await toy.end();
    for (const table of tables) await world.sql(`TRUNCATE ${table}`);
    await world.start('c2');
    await until('all is handled again', async () => (await handled(world)) === 121);
    expect(await states(world)).toEqual(before);
  });

  test('X1: records that do not concern the service are not read again and again', async () => {
    const toy = await world.start('d');
    await world.submit(Array.from({ length: 20 }, (_, index) => ['skipped', `s${index}`, 'not for us']));
    await until('the group is past them', () => atTheEnd(world));
    await toy.end();
    expect(await handled(world)).toBe(121);
  });

  test('case 33 X1: rows of long ago go in the background while records flow; what is young stays, and what was sent is gone', async () => {
    const young = (): Promise<{ n: number }[]> =>
      world.sql("SELECT count(*)::int AS n FROM inbox WHERE handled_at > clock_timestamp() - interval '1 day'");
    const long = 200_000;
    await world.sql(
      `INSERT INTO inbox (consumer, topic, event_id, handled_at)
       SELECT 'toy', 'long-ago', 'e' || n, clock_timestamp() - interval '46 days' FROM generate_series(1, ${long}) n`,
    );
    await world.start('old');
    const [before] = await young();
    const known = await handled(world);
    const pool = openPool(world.databaseUrl, 'upkeep', silent, 1);
    const stop = startUpkeep(pool, silent, 20);
    try {
      await world.submit(messages(200, 260));
      await until('all are handled', async () => (await handled(world)) === known + 60);
      await until('the old are gone', async () => {
        const [row] = await world.sql<{ n: number }>("SELECT count(*)::int AS n FROM inbox WHERE topic = 'long-ago'");
        return row?.n === 0;
      });
    } finally {
      stop();
      await pool.end();
    }
    expect((await young())[0]?.n).toBe((before?.n ?? 0) + 60);
    await until('nothing that was sent is kept', async () => (await world.sql('SELECT 1 FROM outbox')).length === 0);
  });
});

test('case 34: two services in one database server share nothing', async () => {
  const worlds = await Promise.all([openWorld('one'), openWorld('two')]);
  try {
    const [one, two] = worlds as [World, World];
    await Promise.all(worlds.map((world) => world.start('same-name')));
    const tails = await Promise.all(worlds.map((world) => world.tail(world.stored)));
    await one.submit([['shared', 'only-one']]);
    await two.submit([['shared', 'only-two']]);
    await until('each has sent its own', () => tails.every((tail) => tail.records.length === 1));
    expect(await states(one)).toEqual({ shared: ['only-one'] });
    expect(await states(two)).toEqual({ shared: ['only-two'] });
    for (const world of worlds) expect(await world.sql('SELECT event_id FROM inbox')).toHaveLength(1);
    const foreign = new URL(two.databaseUrl);
    foreign.pathname = new URL(one.databaseUrl).pathname;
    const client = new Client({ connectionString: foreign.href });
    await expect(client.connect()).rejects.toThrow(/permission denied for database/);
  } finally {
    await Promise.all(worlds.map((world) => world.close()));
  }
});
