import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Client, Pool } from 'pg';
import { contractOf, type Contract } from '../../services/effect-ledger/contract';
import { openPace, type Pace } from '../../services/effect-ledger/pace';
import {
  pauseConnector,
  pausedConnectors,
  resumeConnector,
  settledMs,
  sharedLease,
} from '../../services/effect-ledger/pace-lease';
import { parseConfiguration } from '../../services/platform/configuration';
import { ensureDatabase, migrate, roleOf } from '../../services/platform/migrate';
import { configurationText } from '../support/effect-ledger-model';
import { until } from '../support/until';

jest.setTimeout(60_000);

const name = `test-pace-${randomBytes(3).toString('hex')}`;
const admin = (): string => process.env['DATABASE_ADMIN_URL'] ?? '';
const migrations = (of: string) => ({ name: of, path: join(__dirname, '..', '..', 'services', of, 'migrations') });
const pools: Pool[] = [];
let url = '';

beforeAll(async () => {
  url = await ensureDatabase(admin(), name);
  await migrate(url, [migrations('platform'), migrations('effect-ledger')]);
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  const client = new Client({ connectionString: admin() });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${roleOf(name)} WITH (FORCE)`);
  await client.query(`DROP ROLE IF EXISTS ${roleOf(name)}`);
  await client.end();
});

const pool = (): Pool => {
  const made = new Pool({ connectionString: url, max: 2 });
  pools.push(made);
  return made;
};

const base = contractOf(parseConfiguration(configurationText()), 'local', 'asks')!;
const contractNamed = (connector: string, perSec: number, concurrency: number): Contract => ({
  ...base,
  name: connector,
  perSec,
  concurrency,
});

/** Requests of all processes together: when each began, and how many there were at a time. */
const openRemote = () => {
  const at: number[] = [];
  let running = 0;
  let most = 0;
  return {
    at,
    most: () => most,
    request: async (ms: number): Promise<void> => {
      at.push(performance.now());
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, ms));
      running -= 1;
    },
  };
};

/** The most that began within any second, wherever it begins. */
const busiest = (at: readonly number[]): number => {
  const sorted = [...at].sort((a, b) => a - b);
  return Math.max(0, ...sorted.map((from, index) => sorted.slice(index).filter((one) => one < from + 1_000).length));
};

const flood = async (
  pace: Pace,
  contract: Contract,
  remote: ReturnType<typeof openRemote>,
  count: number,
  ms: number,
): Promise<number> => {
  const done = await Promise.all(
    Array.from({ length: count }, () => pace.within(contract, 20_000, () => remote.request(ms).then(() => true))),
  );
  return done.filter((one) => one === true).length;
};

test('E4 one rate over all processes: no second has more than perSec, and most of it is used', async () => {
  const contract = contractNamed('rate', 100, 50);
  const remote = openRemote();
  const paces = ['a', 'b', 'role'].map((holder) => openPace(sharedLease(pool(), holder, holder === 'role')));
  const started = performance.now();
  const done = await Promise.all(paces.map((pace) => flood(pace, contract, remote, 120, 5)));
  const seconds = (performance.now() - started) / 1_000;
  expect(done).toEqual([120, 120, 120]);
  expect(busiest(remote.at)).toBeLessThanOrEqual(100);
  expect(360 / seconds).toBeGreaterThan(75);
});

test('E4 one bound of requests at a time over all processes, and each gets its share', async () => {
  const contract = contractNamed('slots', 5_000, 4);
  const remote = openRemote();
  const first = openPace(sharedLease(pool(), 'a', false));
  const finished: string[] = [];
  const work = [flood(first, contract, remote, 240, 25).then(() => finished.push('a'))];
  await until('the first has all there are', () => remote.most() === 4);
  const second = openPace(sharedLease(pool(), 'b', false));
  work.push(flood(second, contract, remote, 20, 25).then(() => finished.push('b')));
  await Promise.all(work);
  expect(remote.most()).toBeLessThanOrEqual(4);
  expect(finished).toEqual(['b', 'a']);
});

test('E4 fewer slots than processes: they take turns, and none starves', async () => {
  const contract = contractNamed('one-slot', 5_000, 1);
  const remote = openRemote();
  const paces = ['a', 'b', 'c'].map((holder) => openPace(sharedLease(pool(), holder, false)));
  const done = await Promise.all(paces.map((pace) => flood(pace, contract, remote, 20, 10)));
  expect(done).toEqual([20, 20, 20]);
  expect(remote.most()).toBe(1);
});

test('a paused connector hands nothing out to senders, once what was handed out is void; questions go on', async () => {
  const contract = contractNamed('paused', 1_000, 10);
  const remote = openRemote();
  const database = pool();
  const sender = openPace(sharedLease(pool(), 'a', false));
  const role = openPace(sharedLease(pool(), 'role', true));
  expect(await flood(sender, contract, remote, 5, 1)).toBe(5);
  await pauseConnector(database, 'paused', 'olga', 'quiet');
  expect(await pausedConnectors(database)).toEqual(new Set(['paused']));
  const isVoid = async (): Promise<boolean> => (await sender.within(contract, 200, () => remote.request(1))) === null;
  await until('what was handed out is used up or void', isVoid, settledMs + 5_000);
  expect(await isVoid()).toBe(true);
  expect(await flood(role, contract, remote, 3, 1)).toBe(3);
  await resumeConnector(database, 'paused');
  expect(await flood(sender, contract, remote, 5, 1)).toBe(5);
});
