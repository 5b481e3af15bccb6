import { errorsOf, type Toy } from '../support/platform-instances';
import type { ToyState } from '../support/platform-toy';
import { openWorld, type World } from '../support/platform-world';
import { targetOf, tcpProxy, through, type TcpProxy } from '../support/tcp-proxy';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

let world: World;
let proxy: TcpProxy;
let toy: Toy;
let stored: Tail;
beforeAll(async () => {
  world = await openWorld('database');
  proxy = await tcpProxy(targetOf(world.databaseUrl));
  [toy, stored] = await Promise.all([
    world.start('a', { DATABASE_URL: through(world.databaseUrl, proxy) }),
    world.tail(world.stored),
  ]);
});
afterAll(async () => {
  await world.close();
  await proxy.close();
});

const ids = (conversation: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${conversation}/${index + 1}/0/MessageStored`);

/** As a client does that got no answer: the same message again. */
const persist = (conversation: string, id: string): Promise<number | 'known'> =>
  until(`${id} is answered`, () => toy.post(conversation, id).catch(() => null));

test('case 42: connections ended over and over while records flow: the process lives, nothing is lost or doubled', async () => {
  const kill = `SELECT count(pg_terminate_backend(pid))::int AS n FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name LIKE 'toy %'`;
  const handled = async (): Promise<number> =>
    (await world.sql<{ n: number }>('SELECT coalesce(sum(size), 0)::int AS n FROM toys'))[0]?.n ?? 0;
  let kills = 0;
  for (let message = 0; message < 40; message += 1) {
    const before = await handled();
    await world.submit(Array.from({ length: 10 }, (_, index) => [`read-${index}`, `read-${message}-${index}`]));
    if (message % 4 === 0) await persist('posted', `posted-${message}`);
    // In the middle of the work: something got through, the rest is on its way.
    await until('it gets on', async () => (await handled()) > before);
    kills += (await world.sql<{ n: number }>(kill))[0]?.n ?? 0;
  }
  expect(kills).toBeGreaterThan(40);
  await until('all are out', () => stored.firsts().length === 410);
  for (let index = 0; index < 10; index += 1) expect(stored.firsts(`read-${index}`)).toEqual(ids(`read-${index}`, 40));
  expect(stored.firsts('posted')).toEqual(ids('posted', 10));
  const rows = await world.sql<{ doc: string }>('SELECT doc FROM toys');
  expect(new Set(rows.flatMap(({ doc }) => (JSON.parse(doc) as ToyState).seen)).size).toBe(410);
  expect(errorsOf(toy.log)).toEqual([]);
  expect(await world.sql('SELECT 1 FROM dead_letters')).toEqual([]);
});

test('A5: a COMMIT whose answer is lost is settled by reading back, and its records keep their place', async () => {
  for (let message = 1; message <= 20; message += 2) {
    const cut = proxy.cutOnReply('COMMIT');
    expect(await toy.post('settled', `s${message}`)).toBe(message);
    await cut;
    expect(await toy.post('settled', `s${message + 1}`)).toBe(message + 1);
  }
  await until('all are out', () => stored.firsts('settled').length === 20);
  expect(stored.firsts('settled')).toEqual(ids('settled', 20));
});

test('A5: a connection lost before the COMMIT is tried again, once', async () => {
  for (let message = 1; message <= 10; message += 1) {
    // The name of a column of the first round trip.
    const cut = proxy.cutOnReply('xid');
    expect(await toy.post('retried', `r${message}`)).toBe(message);
    await cut;
  }
  await until('all are out', () => stored.firsts('retried').length === 10);
  expect(stored.firsts('retried')).toEqual(ids('retried', 10));
});

test('X2: a database that takes connections and says nothing: nobody is told wrong, no dead letter', async () => {
  await toy.post('silent', 's1');
  proxy.set('stall');
  proxy.cut();
  await world.submit([['silent', 's2']]);
  await until('it is not ready', async () => !(await toy.ready()));
  await until('it waits', () => toy.log.some(({ err }) => /timeout expired/.test(err?.message ?? '')));
  proxy.set('pass');
  proxy.cut();
  await until('what waited is out', () => stored.firsts('silent').length === 2);
  await until('it is ready', () => toy.ready());
  expect(await world.sql('SELECT 1 FROM dead_letters')).toEqual([]);
  expect(errorsOf(toy.log)).toEqual([]);
});
