import { Redis } from 'ioredis';
import { errorsOf, type Toy } from '../support/platform-instances';
import { openWorld, type World } from '../support/platform-world';
import { targetOf, tcpProxy, through, type TcpProxy } from '../support/tcp-proxy';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

let world: World;
let proxy: TcpProxy;
let a: Toy;
let b: Toy;
let stored: Tail;
beforeAll(async () => {
  world = await openWorld('redis');
  const url = world.env['REDIS_URL'] ?? '';
  proxy = await tcpProxy(targetOf(url));
  const env = { REDIS_URL: through(url, proxy) };
  [a, b, stored] = await Promise.all([world.start('a', env), world.start('b', env), world.tail(world.stored)]);
});
afterAll(async () => {
  await world.close();
  await proxy.close();
});

let sent = 0;
/** To both instances: about half of the records belong to buckets of the other one, which has to hear of them. */
const flow = async (): Promise<void> => {
  for (let message = 0; message < 20; message += 1) {
    sent += 1;
    const startedAt = Date.now();
    await (message % 2 === 0 ? a : b).post(`c${sent}`, `m${sent}`);
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  }
  await until('all are out', () => stored.firsts().length === sent, 5_000);
};

test('case 43: Redis hanging, gone and back: nothing is lost, and nobody waits for it', async () => {
  await flow();
  proxy.set('stall');
  await flow();
  proxy.set('refuse');
  await flow();
  expect(await Promise.all([a.ready(), b.ready()])).toEqual([true, true]);
  proxy.set('pass');
  await flow();
  expect([...errorsOf(a.log), ...errorsOf(b.log)]).toEqual([]);
});

test('case 43: after its loss and a flush, instances hear of each other again', async () => {
  const direct = new Redis(world.env['REDIS_URL'] ?? '');
  await direct.flushall();
  const channel = `${world.prefix}outbox.toy`;
  await until('both listen again', async () => {
    const counts = (await direct.pubsub('NUMSUB', channel)) as unknown[];
    return counts[1] === 2;
  });
  direct.disconnect();
  await flow();
});
