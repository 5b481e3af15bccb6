import { Pool } from 'pg';
import { deleteSent, markBlocked } from '../../services/platform/outbox-table';
import { openWorld, type World } from '../support/platform-world';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

let world: World;
let stored: Tail;
beforeAll(async () => {
  world = await openWorld('lease');
  stored = await world.tail(world.stored);
});
afterAll(() => world.close());
afterEach(() => Promise.all(world.instances.map((instance) => instance.end())));

const owners = async (): Promise<Record<string, number>> => {
  const rows = await world.sql<{ owner: string; n: number }>(
    "SELECT split_part(owner, ':', 1) AS owner, count(*)::int AS n FROM relay_buckets WHERE until > clock_timestamp() GROUP BY 1",
  );
  return Object.fromEntries(rows.map(({ owner, n }) => [owner, n]));
};

test('case 31: a relay stopped past its lease and resumed reorders nothing', async () => {
  // It stops for good between send and mark, as a process does whose machine is paused there.
  const paused = await world.spawn('paused', { FAIRLEAD_FAILPOINTS: 'relay.sent=hold:3' });
  const other = await world.spawn('other');
  await until('each has its share', async () => {
    const { paused: one, other: two } = await owners();
    return one === 32 && two === 32;
  });
  const conversations = Array.from({ length: 12 }, (_, index) => `c${index}`);
  let revision = 0;
  const round = async (): Promise<void> => {
    revision += 1;
    await Promise.all(conversations.map((one) => (revision % 2 === 0 ? other : paused).post(one, `m${revision}`)));
  };
  for (let rounds = 0; rounds < 6; rounds += 1) await round();
  await until('a send is held back from being marked', async () => {
    const rows = await world.sql<{ n: number }>('SELECT count(*)::int AS n FROM outbox');
    return (rows[0]?.n ?? 0) > 0;
  });
  paused.kill('SIGSTOP');
  await until('the other has taken over', async () => (await owners())['other'] === 64);
  for (let rounds = 0; rounds < 5; rounds += 1) {
    revision += 1;
    await Promise.all(conversations.map((one) => other.post(one, `m${revision}`)));
  }
  await until('all are out', () => conversations.every((one) => stored.firsts(one).length === revision));
  const [epoch] = await world.sql<{ sum: number }>('SELECT sum(epoch)::int AS sum FROM relay_buckets');
  paused.kill('SIGCONT');
  await until('the resumed one is back', async () => (await owners())['paused'] === 32);
  expect(
    (await world.sql<{ sum: number }>('SELECT sum(epoch)::int AS sum FROM relay_buckets'))[0]?.sum,
  ).toBeGreaterThan(epoch?.sum ?? 0);
  for (let rounds = 0; rounds < 5; rounds += 1) {
    revision += 1;
    await Promise.all(conversations.map((one) => other.post(one, `m${revision}`)));
  }
  paused.kill('SIGKILL');
  await until('the other has everything', async () => (await owners())['other'] === 64);
  await until('all are out', () => conversations.every((one) => stored.firsts(one).length === revision));
  for (const one of conversations)
    expect(stored.firsts(one)).toEqual(
      Array.from({ length: revision }, (_, index) => `${one}/${index + 1}/0/MessageStored`),
    );
  await until('nothing is left to send', async () => (await world.sql('SELECT 1 FROM outbox LIMIT 1')).length === 0);
});

test('case 31: what a relay writes back under an epoch that is over is refused', async () => {
  await world.spawn('owner');
  await until('it owns all', async () => (await owners())['owner'] === 64);
  const [bucket] = await world.sql<{ owner: string; epoch: number }>(
    'SELECT owner, epoch FROM relay_buckets WHERE bucket = 0',
  );
  const { owner = '', epoch = 0 } = bucket ?? {};
  // A topic that is not there: the owner leaves the row alone.
  const [row] = await world.sql<{ id: string }>(
    `INSERT INTO outbox (bucket, topic, key, headers, event_id, writer) VALUES (0, 'absent', 'k', '{}', 'e', $1) RETURNING id`,
    [owner],
  );
  const id = row?.id ?? '';
  const left = (): Promise<unknown[]> => world.sql('SELECT blocked_at FROM outbox');
  const pool = new Pool({ connectionString: world.databaseUrl, max: 1 });
  const record = {
    id,
    bucket: 0,
    topic: 'absent',
    partition: null,
    key: Buffer.from('k'),
    value: null,
    headers: {},
    eventId: 'e',
  };
  for (const [writer, at] of [
    [owner, epoch - 1],
    ['paused:before', epoch],
  ] as const) {
    await deleteSent(pool, [{ id, bucket: 0, epoch: at }], writer);
    expect(await markBlocked(pool, record, { writer, epoch: at }, 'refused')).toBe(false);
    expect(await left()).toEqual([{ blocked_at: null }]);
  }
  await deleteSent(pool, [{ id, bucket: 0, epoch }], owner);
  expect(await left()).toEqual([]);
  await pool.end();
});
