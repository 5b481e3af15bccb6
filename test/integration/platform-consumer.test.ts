import { openWorld, type World } from '../support/platform-world';
import { until } from '../support/until';

let world: World;
beforeAll(async () => {
  const t = Date.now();
  world = await openWorld('consumer');
  console.log('world', Date.now() - t);
}, 30_000);
afterAll(async () => {
  const t = Date.now();
  await world.close();
  console.log('close', Date.now() - t);
});

test('smoke', async () => {
  let t = Date.now();
  const toy = await world.start('a');
  console.log('start', Date.now() - t);
  t = Date.now();
  const tail = await world.tail(world.stored);
  console.log('tail', Date.now() - t);
  t = Date.now();
  await world.submit([['c1', 'm1'], ['c1', 'm2']]);
  await until('two', () => tail.records.length === 2);
  console.log('flow', Date.now() - t, tail.records[0]);
  expect(await toy.post('c1', 'm3')).toBe(3);
  t = Date.now();
  const p = await world.spawn('b');
  console.log('spawn', Date.now() - t);
  expect(await p.post('c1', 'm4')).toBe(4);
});
