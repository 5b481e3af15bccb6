import { pendingMigrations, lookAtDatabase } from './doctor-database';
import {
  judgeApis,
  judgeClocks,
  judgeConnections,
  judgeCopies,
  judgeDurability,
  judgeWork,
  type ClockReading,
  type Judgement,
  type WorkOf,
} from './doctor-judge';
import { lookAtKafka, type KafkaLook } from './doctor-kafka';
import { operatorRoles } from './all-services';
import { serviceNames } from '../platform/migrate';
import { connect } from './remote';

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** What is wrong, or a word about how it is. */
  readonly found: string;
  readonly advice: string;
}

const probeMs = 20_000;

const fine = (note = ''): Judgement => ({ wrong: null, note });
const orFine = (wrong: string | null): Judgement => ({ wrong, note: '' });

const check = async (what: string, advice: string, probe: () => Promise<Judgement>): Promise<Finding> => {
  try {
    const { wrong, note } = await Promise.race([
      probe(),
      new Promise<Judgement>((resolve) => {
        setTimeout(() => resolve(orFine(`no answer in ${probeMs / 1_000} s`)), probeMs).unref();
      }),
    ]);
    return { what, ok: wrong === null, found: wrong ?? note, advice };
  } catch (error) {
    return { what, ok: false, found: error instanceof Error ? error.message : String(error), advice };
  }
};

const serviceUrl = (service: string): string | undefined =>
  process.env[`${service.replaceAll('-', '_').toUpperCase()}_URL`];

const ready = async (service: string): Promise<Judgement> => {
  const url = serviceUrl(service);
  if (url === undefined) return orFine('its address is not known here');
  const response = await fetch(`${url}/readyz`);
  if (response.ok) return fine();
  return orFine(((await response.json()) as { reason?: string }).reason ?? `answers ${response.status}`);
};

/** By the answer's Date, which has whole seconds. */
const clockOf = async (service: string): Promise<ClockReading | null> => {
  const url = serviceUrl(service);
  if (url === undefined) return null;
  const askedAt = Date.now();
  const date = (await fetch(`${url}/livez`)).headers.get('date');
  const answeredAt = Date.now();
  if (date === null) return null;
  const middle = (askedAt + answeredAt) / 2;
  return { name: service, aheadMs: Date.parse(date) + 500 - middle, unsureMs: 500 + (answeredAt - askedAt) / 2 };
};

const remote = (): ReturnType<typeof connect> => connect(operatorRoles);

const workOf = async (service: string): Promise<WorkOf> => {
  const [status, lag] = await Promise.all([
    remote().get<{ instances: unknown[]; outbox: WorkOf['outbox'] }>(`/v1/ops/${service}/status`),
    remote().get<{ items: WorkOf['lag'] }>(`/v1/ops/${service}/lag`),
  ]);
  return { service, instances: status.instances.length, outbox: status.outbox, lag: lag.items };
};

const quiet = async (path: string, name: string): Promise<Judgement> => {
  const counts = await Promise.all(
    serviceNames.map(async (service) => ({
      service,
      n: (await remote().get<{ items: { closedAt?: string | null }[] }>(`/v1/ops/${service}${path}`)).items.filter(
        (item) => (item.closedAt ?? null) === null,
      ).length,
    })),
  );
  const some = counts.filter(({ n }) => n > 0);
  return orFine(some.length === 0 ? null : some.map(({ service, n }) => `${n} ${name} at ${service}`).join(', '));
};

const shownDrift = 3;
const drifted = ({ setUp }: KafkaLook, ofSchemas: boolean): Judgement => {
  if ('unread' in setUp) return orFine(setUp.unread);
  const mine = setUp.drift.filter(({ what }) => /^(schema|compatibility) of /.test(what) === ofSchemas);
  const rest = mine.length - shownDrift;
  const said = mine
    .slice(0, shownDrift)
    .map(({ what, expected, actual }) => `${what}: expected ${expected}, found ${actual}`);
  return orFine(mine.length === 0 ? null : [...said, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; '));
};

/** Everything at once; each finding says what to do about it. */
export const examine = async (): Promise<Finding[]> => {
  const database = Promise.resolve().then(lookAtDatabase);
  const kafka = Promise.resolve().then(lookAtKafka);
  const work = Promise.all(serviceNames.map(workOf));
  // Each is awaited by several checks below, each of which says what failed.
  for (const look of [database, kafka, work]) look.catch(() => undefined);
  const clocks = async (): Promise<Judgement> => {
    const ofServices = await Promise.all(serviceNames.map((service) => clockOf(service).catch(() => null)));
    const ofDatabase = await database.then(
      ({ clock }) => [clock],
      () => [],
    );
    const ahead = await kafka.then(
      (look) => look.fromTheFuture,
      () => [],
    );
    return judgeClocks([...ofDatabase, ...ofServices.filter((one) => one !== null)], ahead);
  };
  return Promise.all([
    check('PostgreSQL keeps what it acknowledges', 'turn it on in postgresql.conf', async () =>
      judgeDurability((await database).settings),
    ),
    check('PostgreSQL has connections to spare', 'raise max_connections, or run fewer instances', async () => {
      const instances = await work.then(
        (all) => all.reduce((sum, one) => sum + one.instances, 0),
        () => serviceNames.length,
      );
      return judgeConnections((await database).settings, instances);
    }),
    check('the databases have the tables of this release', 'run: npx fairlead migrate', async () =>
      orFine(await pendingMigrations()),
    ),
    check(
      'the brokers speak what Fairlead speaks',
      'look at KAFKA_BROKERS and the brokers; Kafka 2.3 to 4.x is understood',
      async () => judgeApis((await kafka).apis),
    ),
    check(
      'topics are as the map says',
      'missing ones: npx fairlead topics apply; settings: kafka-configs.sh --alter, since a running system may depend on them; all: npx fairlead topics diff',
      async () => drifted(await kafka, false),
    ),
    check(
      'messages have copies enough',
      'raise the copies with kafka-reassign-partitions.sh and min.insync.replicas with kafka-configs.sh',
      async () => {
        const { setUp, brokers } = await kafka;
        return 'unread' in setUp ? orFine(setUp.unread) : judgeCopies(setUp.copies, brokers);
      },
    ),
    check(
      'schemas are as this release writes them',
      'run: npx fairlead topics apply; a refusal names the field that is not compatible',
      async () => drifted(await kafka, true),
    ),
    check(
      'clocks agree',
      'let chrony or systemd-timesyncd set the clock of that machine, or of the producer of those records',
      clocks,
    ),
    ...serviceNames.map((service) =>
      check(`${service} is ready`, `see its log; start it with: npx fairlead service ${service}`, () => ready(service)),
    ),
    check(
      'work gets on',
      'see npx fairlead lag and the log of that service; restart the instance if it hangs (docs/runbook.md)',
      async () => judgeWork(await work),
    ),
    check('no dead letters wait', 'run: npx fairlead dlt list', () => quiet('/dead-letters', 'dead letters')),
    check('no outbox key is blocked', 'run: npx fairlead outbox blocked', () =>
      quiet('/outbox/blocked', 'blocked keys'),
    ),
    check(
      'no incident is open',
      'run: npx fairlead incidents; each names what can be done (stuck runs, blocked actions, expired leases)',
      () => quiet('/incidents', 'incidents'),
    ),
  ]);
};
