import { readFileSync } from 'node:fs';
import type { ToyProcess } from '../support/platform-instances';
import { openWorld, type World } from '../support/platform-world';
import { targetOf, tcpProxy, type TcpProxy } from '../support/tcp-proxy';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

let world: World;
let proxy: TcpProxy;
let toy: ToyProcess;
let stored: Tail;
beforeAll(async () => {
  world = await openWorld('broker');
  const target = targetOf(world.env['KAFKA_BROKERS'] ?? '');
  proxy = await tcpProxy(target);
  toy = await world.spawn('a', { TOY_KAFKA_VIA: `${target.port}:${proxy.port}` });
  stored = await world.tail(world.stored);
});
afterAll(async () => {
  await world.close();
  await proxy.close();
});

const ids = (conversation: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${conversation}/${index + 1}/0/MessageStored`);

const ticksPerSec = 100;
const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSec;
};

test('case 58: a produce whose reply is lost, then another batch: no record is missing, order is kept', async () => {
  await toy.post('lost', 'm1');
  await until('the first is out', () => stored.firsts('lost').length === 1);
  for (let round = 0; round < 3; round += 1) {
    proxy.set('mute');
    await toy.post('lost', `r${round}-swallowed`);
    const swallowed = 2 + round * 4;
    await until('the broker has it, the service does not know', () => stored.firsts('lost').length === swallowed);
    for (const next of ['a', 'b', 'c']) await toy.post('lost', `r${round}-${next}`);
    proxy.set('pass');
    proxy.cut();
    await until('the next ones are out', () => stored.firsts('lost').length === swallowed + 3);
  }
  expect(stored.firsts('lost')).toEqual(ids('lost', 13));
});

test('case 38: all brokers down: an honest readyz, little CPU, and full recovery without a restart', async () => {
  await world.submit([['down', 'before']]);
  await until('the one before is out', () => stored.firsts('down').length === 1);
  proxy.set('refuse');
  await until('it says that it is not ready', async () => !(await toy.ready()));
  expect((await toy.request('GET', '/livez')).status).toBe(200);
  expect(await toy.post('down', 'meanwhile')).toBe(2);
  await world.submit([['down', 'waiting']]);
  const observedSeconds = 6;
  const [startedAt, cpuBefore] = [Date.now(), cpuSeconds(toy.pid)];
  await until('it was watched for some seconds', () => Date.now() - startedAt > observedSeconds * 1_000);
  expect((cpuSeconds(toy.pid) - cpuBefore) / observedSeconds).toBeLessThan(0.15);
  expect(await toy.ready()).toBe(false);
  proxy.set('pass');
  await until('it is ready again', () => toy.ready());
  await until('what waited is out', () => stored.firsts('down').length === 3);
  expect(stored.firsts('down')).toEqual(ids('down', 3));
  await world.submit([['down', 'after']]);
  await until('it reads on', () => stored.firsts('down').length === 4);
  expect(await world.sql('SELECT 1 FROM dead_letters')).toEqual([]);
});
