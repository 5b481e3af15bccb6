import { Client } from 'pg';
import { errorsOf, type ToyProcess } from '../support/platform-instances';
import type { ToyState } from '../support/platform-toy';
import { openWorld, type World } from '../support/platform-world';
import { targetOf, tcpProxy, through, type TcpProxy } from '../support/tcp-proxy';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(180_000);

// What goes silent without a word: connections that stay open and are never answered again, where only one's own patience
// helps, and a process that stands still and comes back. These tests wait side by side, each in a world of its own.
interface Scene {
  readonly world: World;
  readonly proxy: TcpProxy;
  readonly toy: ToyProcess;
  readonly stored: Tail;
}

const inScene =
  (
    name: string,
    via: (world: World) => { readonly target: string; readonly env: (proxy: TcpProxy) => Record<string, string> },
    play: (scene: Scene) => Promise<void>,
  ): (() => Promise<void>) =>
  async () => {
    const world = await openWorld(`half-open-${name}`);
    const { target, env } = via(world);
    const proxy = await tcpProxy(targetOf(target));
    try {
      const toy = await world.spawn('a', env(proxy));
      const stored = await world.tail(world.stored);
      await play({ world, proxy, toy, stored });
      expect(errorsOf(toy.log)).toEqual([]);
      expect(await world.sql('SELECT 1 FROM dead_letters')).toEqual([]);
    } finally {
      await world.close();
      await proxy.close();
    }
  };

const ids = (conversation: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${conversation}/${index + 1}/0/MessageStored`);

/** By topic and over HTTP; an answer that does not come is asked for again, as clients do. */
const say = async ({ world, toy }: Scene, name: string): Promise<void> => {
  await world.submit([['read', `read-${name}`]]);
  await until(`${name} is answered`, () => toy.post('posted', `posted-${name}`).catch(() => null), 90_000);
};

const out = (scene: Scene, count: number, withinMs: number): Promise<unknown> =>
  until(
    `${count} of each are out`,
    () => ['read', 'posted'].every((one) => scene.stored.firsts(one).length === count),
    withinMs,
  );

const expectInOrder = ({ stored }: Scene, count: number): void => {
  for (const one of ['read', 'posted']) expect(stored.firsts(one)).toEqual(ids(one, count));
};

/** What went silent is not answered again, and every new connection is. */
const goSilent = async (scene: Scene, recoveredWithinMs: number): Promise<void> => {
  await say(scene, 'before');
  await out(scene, 1, 20_000);
  scene.proxy.set('stall');
  await scene.world.submit([['read', 'read-meanwhile']]);
  const posted = until('it is answered', () => scene.toy.post('posted', 'posted-meanwhile').catch(() => null), 90_000);
  await until('it is not ready', async () => !(await scene.toy.ready()));
  expect((await scene.toy.request('GET', '/livez')).status).toBe(200);
  scene.proxy.strand();
  scene.proxy.set('pass');
  const startedAt = Date.now();
  await posted;
  await out(scene, 2, recoveredWithinMs);
  await until('it is ready', () => scene.toy.ready(), recoveredWithinMs);
  expect(Date.now() - startedAt).toBeLessThan(recoveredWithinMs);
  await say(scene, 'after');
  await out(scene, 3, 20_000);
  expectInOrder(scene, 3);
};

test.concurrent(
  'X3: connections to PostgreSQL that are never answered again are given up, and nothing is lost or doubled',
  inScene(
    'database',
    (world) => ({
      target: world.databaseUrl,
      env: (proxy) => ({ DATABASE_URL: through(world.databaseUrl, proxy) }),
    }),
    // A statement is waited for 40 s.
    (scene) => goSilent(scene, 60_000),
  ),
);

test.concurrent(
  'X3: connections to Kafka that are never answered again are given up, and nothing is lost or doubled',
  inScene(
    'broker',
    (world) => ({
      target: world.env['KAFKA_BROKERS'] ?? '',
      env: (proxy) => ({ TOY_KAFKA_VIA: `${targetOf(world.env['KAFKA_BROKERS'] ?? '').port}:${proxy.port}` }),
    }),
    // A request is waited for 15 s.
    (scene) => goSilent(scene, 45_000),
  ),
);

test.concurrent(
  '43: connections to Redis that are never answered again are replaced by others, also the one that only listens',
  inScene(
    'redis',
    (world) => ({
      target: world.env['REDIS_URL'] ?? '',
      env: (proxy) => ({ REDIS_URL: through(world.env['REDIS_URL'] ?? '', proxy) }),
    }),
    async (scene) => {
      await until('it speaks and listens', () => scene.proxy.live() === 2);
      await say(scene, 'before');
      scene.proxy.strand();
      await say(scene, 'meanwhile');
      await out(scene, 2, 5_000);
      expect(await scene.toy.ready()).toBe(true);
      await until('it speaks and listens again', () => scene.proxy.live() === 2, 30_000);
      expectInOrder(scene, 2);
    },
  ),
);

/** A member that says nothing for longer is put out of its group. */
const sessionMs = 6_000;
/** PostgreSQL ends a transaction whose owner stands still after 15 s. */
const abandonedWithinMs = 30_000;
/** How many partitions are its own. */
const reads = async (toy: ToyProcess): Promise<number> => {
  const { body } = await toy.request('GET', '/metrics');
  return (body as string).split('\n').filter((line) => line.startsWith('kafka_consumergroup_lag{')).length;
};
const conversations = Array.from({ length: 12 }, (_, index) => `c${index}`);

test.concurrent(
  '35, X1, X3: a consumer stopped past its session with a batch in flight, and woken when another has read all of it: nothing twice, nothing out of order',
  async () => {
    const world = await openWorld('consumer');
    const holder = new Client({ connectionString: world.databaseUrl });
    try {
      const [paused, stored] = await Promise.all([world.spawn('paused'), world.tail(world.stored)]);
      let sent = 0;
      const submit = async (rounds: number): Promise<void> => {
        for (let round = 0; round < rounds; round += 1) {
          sent += 1;
          await world.submit(conversations.map((one) => [one, `${one}-${sent}`]));
        }
      };
      const allOut = (withinMs = 60_000): Promise<unknown> =>
        until('all are out', () => conversations.every((one) => stored.firsts(one).length === sent), withinMs);
      await submit(10);
      await allOut();
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query("SELECT 1 FROM toys WHERE id = 'c3' FOR UPDATE");
      await submit(10);
      await until('a batch is in flight', async () => {
        const waiting =
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        return (await world.sql(waiting)).length > 0;
      });
      paused.kill('SIGSTOP');
      const stoppedAt = Date.now();
      const other = await world.spawn('other');
      await holder.query('ROLLBACK');
      await submit(10);
      await allOut(abandonedWithinMs);
      await until('its session is over', () => Date.now() - stoppedAt > sessionMs);
      // It wakes with a batch it believes to be its own, records it has fetched, and a place in the group it has lost.
      paused.kill('SIGCONT');
      await submit(10);
      await allOut();
      await until('both are members again', async () => (await reads(paused)) > 0 && (await reads(other)) > 0);
      await submit(10);
      await allOut();
      for (const one of conversations)
        expect(stored.firsts(one)).toEqual(
          Array.from({ length: sent }, (_, index) => `${one}/${index + 1}/0/MessageStored`),
        );
      const rows = await world.sql<{ id: string; doc: string }>('SELECT id, doc FROM toys');
      for (const { id, doc } of rows)
        expect((JSON.parse(doc) as ToyState).seen).toEqual(
          Array.from({ length: sent }, (_, index) => `${id}-${index + 1}`),
        );
      expect(await world.sql('SELECT 1 FROM dead_letters')).toEqual([]);
      expect([...errorsOf(paused.log), ...errorsOf(other.log)]).toEqual([]);
    } finally {
      await holder.end();
      await world.close();
    }
  },
);
