import { setTimeout as pause } from 'node:timers/promises';
import { audit } from '../../services/cli/audit';
import { kafkaSettings } from '../../services/platform/environment';
import { kafkaClient } from '../../services/platform/kafka-client';
import { openLog } from '../../services/platform/log';
import { openTraffic } from '../bench/soak-traffic';
import { balancer, type Balancer } from '../support/balancer';
import { root } from '../support/documents';
import { environmentBeside, type EnvironmentBeside } from '../support/environment-beside';
import { impatientConfiguration } from '../support/impatient';
import { until } from '../support/until';

jest.setTimeout(300_000);

const services = ['admission', 'run-executor', 'hil', 'effect-ledger', 'effect-ledger-receipt-query', 'publication'];
const instances = services.flatMap((service) => [1, 2].map((n) => ({ service, instance: `${service}-${n}` })));
const people = 3;
/** What is queued behind each other has to come to its end soon. */
const betweenMs = 300;
/** Each start and each stop of an instance is a rebalance of its groups, and the other member rejoins once or twice. */
const rejoinsAtMost = 12;

let world: EnvironmentBeside | null = null;
const balancers = new Map<string, Balancer>();
let talking = false;
afterAll(async () => {
  talking = false;
  await Promise.all([...balancers.values()].map((each) => each.close()));
  await world?.close();
}, 60_000);

/** Warnings of the client; the log says in which group. */
const rejoinsOf = (beside: EnvironmentBeside, instance: string): number =>
  beside.log(instance).filter(({ msg }) => /rejoin|re-joining/i.test(msg)).length;

test('X3 case 35, 39: two instances of every service are replaced in turn while all relations are spoken: each stops in time and without an error, every run ends, the counts agree, and the groups come to rest', async () => {
  const beside = (world = await environmentBeside('rolling'));
  Object.assign(process.env, beside.env);
  const FAIRLEAD_CONFIG = impatientConfiguration(
    beside.env['FAIRLEAD_HOME'] ?? '',
    beside.env['DEMO_REMOTE_URL'] ?? '',
  );
  const ports = new Map<string, number>();
  const start = async (service: string, instance: string): Promise<void> => {
    const port = await beside.start(root, service, instance, { FAIRLEAD_CONFIG });
    ports.set(instance, port);
    balancers.get(service)?.add(port);
  };
  const replace = async (service: string, instance: string): Promise<void> => {
    balancers.get(service)?.remove(ports.get(instance) ?? 0);
    await beside.stop(instance);
    await start(service, instance);
  };

  beside.command(root, ['migrate']);
  beside.command(root, ['topics', 'apply']);
  for (const service of services) {
    const url = beside.env[`${service.replaceAll('-', '_').toUpperCase()}_URL`];
    if (url !== undefined) balancers.set(service, await balancer(Number(new URL(url).port)));
  }
  await Promise.all([
    ...['gateway', 'demo-remote'].map((name) => beside.start(root, name, name, { FAIRLEAD_CONFIG })),
    ...instances.map(({ service, instance }) => start(service, instance)),
  ]);

  const traffic = openTraffic(Math.random, people);
  talking = true;
  const crowd = Promise.all(
    Array.from({ length: people }, async (_, person) => {
      while (talking) {
        await traffic.act(person);
        await pause(betweenMs);
      }
    }),
  );
  crowd.catch(() => undefined);
  const more = (): Promise<unknown> => {
    const before = traffic.sent();
    return until('traffic flows', () => traffic.sent() > before + people);
  };
  await more();
  for (const { service, instance } of instances) {
    // After a failure nothing is started any more, as nobody would end it.
    if (!talking) throw new Error('the test is over');
    await replace(service, instance);
    await more();
  }
  talking = false;
  await crowd;

  const admin = kafkaClient(kafkaSettings(process.env), 'rolling', openLog('test', 'test', 'silent')).admin();
  await admin.connect();
  try {
    const { groups } = await admin.listGroups();
    const ids = groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(process.env['TOPIC_PREFIX'] ?? '-'));
    await until('every group is at rest, with both instances in it', async () => {
      const described = (await admin.describeGroups(ids)).groups;
      return (
        described.length >= services.length &&
        described.every(({ state, members }) => state === 'Stable' && members.length === 2)
      );
    });
  } finally {
    await admin.disconnect();
  }
  const rejoins = Object.fromEntries(instances.map(({ instance }) => [instance, rejoinsOf(beside, instance)]));
  expect(Object.entries(rejoins).filter(([, count]) => count > rejoinsAtMost)).toEqual([]);

  const late = await traffic.settle(60_000);
  expect(late.filter(({ ok }) => !ok)).toEqual([]);
  await until('the counts agree', async () => {
    expect((await audit()).filter(({ ok }) => !ok)).toEqual([]);
    return true;
  });
  expect(await traffic.effects()).toMatchObject({ ok: true });
  for (const { instance } of instances) {
    const errors = beside.log(instance).filter(({ level }) => level >= 50);
    expect([instance, errors, rejoinsOf(beside, instance)]).toEqual([instance, [], rejoins[instance]]);
  }
});
