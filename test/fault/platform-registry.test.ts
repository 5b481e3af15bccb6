import type { ToyProcess } from '../support/platform-instances';
import { openWorld, type World } from '../support/platform-world';
import { targetOf, tcpProxy, through, type TcpProxy } from '../support/tcp-proxy';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

let world: World;
let proxy: TcpProxy;
let stored: Tail;
let env: Record<string, string>;
beforeAll(async () => {
  world = await openWorld('registry');
  const url = world.env['SCHEMA_REGISTRY_URL'] ?? '';
  proxy = await tcpProxy(targetOf(url));
  env = { SCHEMA_REGISTRY_URL: through(url, proxy) };
  stored = await world.tail(world.stored);
});
afterAll(async () => {
  await world.close();
  await proxy.close();
});
afterEach(() => Promise.all(world.instances.map((instance) => instance.end())));

const deadLetters = (): Promise<unknown[]> => world.sql('SELECT 1 FROM dead_letters');
const hasLogged = (toy: ToyProcess, text: RegExp): boolean => toy.log.some(({ msg }) => text.test(msg));

test.each(['refuse', 'stall'] as const)(
  'case 41: a registry that is away at the start (%s) is waited for',
  async (mode) => {
    proxy.set(mode);
    const toy = await world.spawn(`start-${mode}`, { ...env, NOT_READY: 'yes' });
    await world.submit([[mode, `${mode}-1`]]);
    await until('it says what it waits for', () => hasLogged(toy, /waiting for the schema registry/));
    expect((await toy.request('GET', '/livez')).status).toBe(200);
    expect(await toy.request('GET', '/readyz')).toMatchObject({
      status: 503,
      body: { reason: 'waiting for the schema registry' },
    });
    // Connections that hang hang on; only new ones are served.
    proxy.set('pass');
    await until('it works', () => stored.firsts(mode).length === 1);
    expect(await deadLetters()).toEqual([]);
  },
);

test('case 41 X2: a registry that hangs while a record needs it: no dead letter, and the group keeps its member', async () => {
  const toy = await world.spawn('later', env);
  proxy.set('stall');
  const startedAt = Date.now();
  await world.submit([['hanging', 'h1']]);
  await until('it says that a record waits', () => hasLogged(toy, /a record waits/));
  // Longer than the session of a group: whoever does not answer its coordinator is put out by then.
  await until('the session has passed', () => Date.now() - startedAt > 12_000);
  // Connections that hang hang on; only new ones are served.
  proxy.set('pass');
  await until('the record is handled', () => stored.firsts('hanging').length === 1);
  expect(hasLogged(toy, /not aware of this member|re-joining/)).toBe(false);
  expect(await deadLetters()).toEqual([]);
});
