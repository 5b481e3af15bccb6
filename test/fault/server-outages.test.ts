import { setTimeout as pause } from 'node:timers/promises';
import { audit } from '../../services/cli/audit';
import { openTraffic, type Traffic } from '../bench/soak-traffic';
import { ownStack, type OwnStack, type ServerName } from '../support/own-stack';
import { takeConnections } from '../support/taken-connections';
import { until } from '../support/until';

jest.setTimeout(300_000);

/** Longer than the session of a consumer group and than a lease: what must run out has run out. */
const awayMs = { kafka: 8_000, postgres: 8_000, registry: 3_000, redis: 3_000 };
const recoveredWithinMs = 60_000;
const endedWithinMs = 90_000;
const people = 3;
/** Enough is always under way; what is queued behind each other has to come to its end soon. */
const betweenMs = 500;
const diskMegabytes = 256;

let stack: OwnStack;
let traffic: Traffic;
let before: ReturnType<OwnStack['pids']>;
beforeAll(async () => {
  stack = await ownStack('outages', diskMegabytes);
  traffic = openTraffic(Math.random, people);
  before = stack.pids();
});
afterAll(() => {
  talking = false;
  return stack.close();
});

const stateful = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication'];

/** Who cannot do its work without this server, and says so; the others go on. */
const notReady: Readonly<Record<ServerName, readonly string[]>> = {
  kafka: [...stateful.filter((name) => name !== 'admission'), 'effect-ledger-receipt-query'],
  postgres: stateful,
  // Schemas are known by now, and hints are found by polling.
  registry: [],
  redis: [],
};

/** Each takes a server away and answers how to bring it back. */
const outages: Readonly<Record<string, (server: ServerName) => Promise<() => unknown>>> = {
  restart: async (server) => {
    await stack.stop(server);
    return () => stack.startServers();
  },
  pause: async (server) => {
    stack.freeze(server);
    return () => stack.thaw(server);
  },
  'all connections taken': () => takeConnections(process.env['DATABASE_ADMIN_URL'] ?? ''),
  'disk full': async () => {
    stack.disk?.fill();
    return () => stack.disk?.free();
  },
};

const readiness = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(stack.services.map(async (name) => [name, await stack.probe(name, '/readyz')] as const)),
  );

/** Also after a failed test somebody has to stop it. */
let talking = false;
const startCrowd = () => {
  talking = true;
  const crowd = Array.from({ length: people }, async (_, person) => {
    while (talking) {
      await traffic.act(person);
      await pause(betweenMs);
    }
  });
  const all = Promise.all(crowd);
  all.catch(() => undefined);
  return {
    flows: () => {
      const before = traffic.sent();
      return until('traffic flows', () => traffic.sent() > before + 2 * people);
    },
    ended: async () => {
      talking = false;
      await all;
    },
  };
};

const lookAround = async (server: ServerName, way: string): Promise<void> => {
  const awaySince = Date.now();
  const away = way === 'disk full' ? ['admission'] : notReady[server];
  const expected: Record<string, unknown> = Object.fromEntries(
    stack.services.map((name) => [name, away.includes(name) ? 503 : 200]),
  );
  // Of a full disk those notice who have something to write; admission has.
  if (way === 'disk full')
    for (const name of notReady.postgres) if (name !== 'admission') expected[name] = expect.any(Number);
  await until(
    'each says whether it can work',
    async () => {
      expect(await readiness()).toEqual(expected);
      return true;
    },
    30_000,
  );
  for (const name of stack.services) expect([name, await stack.probe(name, '/livez')]).toEqual([name, 200]);
  await until('what must run out has run out', () => Date.now() - awaySince > awayMs[server]);
};

const ways: Readonly<Record<ServerName, readonly string[]>> = {
  kafka: ['restart', 'pause'],
  postgres: ['restart', 'pause', 'all connections taken', 'disk full'],
  registry: ['restart', 'pause'],
  redis: ['restart', 'pause'],
};

const outage = async (server: ServerName, way: string): Promise<void> => {
  if (way === 'disk full' && stack.disk === null) return;
  const end = await outages[way]?.(server);
  try {
    await lookAround(server, way);
  } finally {
    await end?.();
  }
  await until(
    `all are ready again after ${server}, ${way}`,
    async () => Object.values(await readiness()).every((status) => status === 200),
    recoveredWithinMs,
  );
};

test.each<[string, ServerName[]]>([
  ['Kafka', ['kafka']],
  ['PostgreSQL', ['postgres']],
  ['registry and Redis', ['registry', 'redis']],
])(
  'X3 case 38, 43: %s away in every way while all relations are spoken: nobody is restarted, probes are honest, every run ends and the counts agree',
  async (_name, servers) => {
    const crowd = startCrowd();
    await crowd.flows();
    for (const server of servers)
      for (const way of ways[server]) {
        await outage(server, way);
        await crowd.flows();
      }
    await crowd.ended();
    const late = await traffic.settle(endedWithinMs);
    expect(late.filter(({ ok }) => !ok)).toEqual([]);
    await until('the counts agree', async () => {
      expect((await audit()).filter(({ ok }) => !ok)).toEqual([]);
      return true;
    });
    expect(await traffic.effects()).toMatchObject({ ok: true });
    expect(stack.pids()).toEqual(before);
    const errors = stack.services.flatMap((name) => stack.log(name).filter(({ level }) => level >= 50));
    expect(errors).toEqual([]);
  },
);
