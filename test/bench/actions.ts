import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ActionStateChanged } from '../../schemas/generated/records';
import { topics } from '../../schemas/topics';
import { openCodec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { openBroker } from '../../services/platform/kafka';
import { openLog } from '../../services/platform/log';
import { steadyProducer } from '../../services/platform/steady-producer';
import { untilCount, withDatabase } from './database';
import { openLoop, percentile, rounded } from './load';
import { startStub, type Stub } from './stub';

const commands = 'fairlead.effect.commands.v1';
const events = 'fairlead.effect.events.v1';
const perSend = 500;
const lookEveryMs = 20;
const known = new Set(topics.find(({ name }) => events.endsWith(name))?.records ?? []);

interface Ledger {
  /** Proposes one action; its key is known before. */
  readonly propose: (connector: string, subjects: readonly string[]) => Promise<void>;
  readonly keyOf: (connector: string, subject: string) => string;
  /** When each action's success was on the topic, ms of `performance.now()`. */
  readonly succeededAt: ReadonlyMap<string, number>;
  readonly close: () => Promise<void>;
}

/** Speaks to the ledger as the executor does, without runs: what is measured is the ledger alone. */
const openLedger = async (): Promise<Ledger> => {
  const log = openLog('bench', 'bench', 'silent');
  const broker = openBroker(kafkaSettings(process.env), 'bench', log);
  const codec = await openCodec(
    process.env['SCHEMA_REGISTRY_URL'] ?? '',
    [{ topic: commands, type: 'ProposeEffect' }],
    log,
  );
  const producer = steadyProducer(broker, log, () => false);
  const succeededAt = new Map<string, number>();
  let join: () => void = () => undefined;
  const joined = new Promise<void>((resolve) => (join = resolve));
  const consumer = broker.consume({
    group: `bench-${randomUUID()}`,
    topics: [events],
    gatherMs: 0,
    onAssigned: async () => {
      const ends = await broker.offsets(events);
      join();
      return new Map([...ends].map(([partition, { end }]) => [`${events}:${partition}`, end]));
    },
    onError: () => undefined,
    onRecords: async (records) => {
      for (const record of records) {
        const { name, value } = await codec.decode(record.value, known);
        if (name !== 'ActionStateChanged') continue;
        const { actionKey, state } = value as ActionStateChanged;
        if (state === 'succeeded') succeededAt.set(actionKey, performance.now());
      }
    },
  });
  await joined;
  const valueOf = (connector: string, subject: string): Buffer =>
    codec.encode(commands, 'ProposeEffect', {
      eventId: randomUUID(),
      occurredAt: Date.now(),
      tenant: 'local',
      app: 'local',
      account: 'bench',
      conversationId: `actions-${subject}`,
      taskId: `task_${subject}`,
      runId: `run_${subject}`,
      revision: 1,
      rootRunId: `run_${subject}`,
      turn: 1,
      requirementsVersion: 1,
      proposalId: `run_${subject}/1/p`,
      connector,
      operation: 'do',
      subject,
      params: '{"n":1}',
      body: null,
      note: null,
      approval: false,
      repeat: false,
      grantFrom: null,
      grantUntil: null,
      attempt: 1,
    });
  return {
    succeededAt,
    keyOf: (connector, subject) => `${connector}:do:${subject}:v1`,
    propose: (connector, subjects) =>
      producer.send(
        subjects.map((subject) => ({
          topic: commands,
          partition: null,
          key: Buffer.from(`actions-${subject}`),
          value: valueOf(connector, subject),
          headers: {},
        })),
      ),
    close: async () => {
      await consumer.close();
      await producer.close();
      await broker.close();
    },
  };
};

const withLedger = async <T>(work: (ledger: Ledger, stub: Stub) => Promise<T>): Promise<T> => {
  const stub = await startStub(Number(new URL(process.env['DEMO_REMOTE_URL'] ?? '').port));
  const ledger = await openLedger();
  try {
    return await work(ledger, stub);
  } finally {
    await ledger.close();
    stub.server.close();
    stub.server.closeAllConnections();
  }
};

const subjectsOf = (stamp: string, many: number): string[] => Array.from({ length: many }, (_, n) => `${stamp}-${n}`);

const inSends = async (ledger: Ledger, connector: string, subjects: readonly string[]): Promise<void> => {
  for (let from = 0; from < subjects.length; from += perSend)
    await ledger.propose(connector, subjects.slice(from, from + perSend));
};

/**
 * How many actions a second are recorded, sent to a remote that answers at once, and settled; and at a quiet rate, how
 * long one takes from its proposal on the topic to its success on the topic, and how much of that until the remote has it.
 */
export const actions = (many: number, perSec: number): Promise<object> =>
  withLedger(async (ledger, stub) => {
    const round = async (stamp: string, n: number): Promise<number> => {
      const subjects = subjectsOf(stamp, n);
      const started = performance.now();
      await inSends(ledger, 'stub', subjects);
      const settled = async (): Promise<number> =>
        subjects.filter((subject) => ledger.succeededAt.has(ledger.keyOf('stub', subject))).length;
      await untilCount('settled actions', n, settled, 120_000);
      return (performance.now() - started) / 1_000;
    };
    const stamp = `a${Date.now().toString(36)}`;
    await round(`${stamp}w`, Math.min(many, 2_000));
    const seconds = await round(stamp, many);
    const sent: number[] = [];
    const whole = await openLoop(perSec, perSec * 10, async (n) => {
      const subject = `${stamp}q-${n}`;
      const key = ledger.keyOf('stub', subject);
      const started = performance.now();
      await ledger.propose('stub', [subject]);
      while (!ledger.succeededAt.has(key)) await pause(1);
      sent.push((stub.actedAt().get(key) ?? 0) - started);
    });
    const at = (times: readonly number[], share: number): number =>
      rounded(
        percentile(
          [...times].sort((a, b) => a - b),
          share,
        ),
      );
    return {
      actions: many,
      actionsPerSec: rounded(many / seconds, 1),
      quietPerSec: perSec,
      toRemoteP50Ms: at(sent, 0.5),
      settledP50Ms: at(whole, 0.5),
      settledP99Ms: at(whole, 0.99),
      effectsPerKey: stub.perKey(),
    };
  });

/** Each effect happened but its answer was lost; then the remote gives receipts again, at most 200 a second. */
export const unknowns = (many: number): Promise<object> =>
  withLedger((ledger, stub) =>
    withDatabase('effect-ledger', async (client) => {
      const stamp = `u${Date.now().toString(36)}`;
      const count = async (where: string): Promise<number> =>
        (
          await client.query<{ n: number }>(
            `SELECT count(*)::int AS n FROM actions WHERE subject LIKE $1 AND state = ${where}`,
            [`${stamp}-%`],
          )
        ).rows[0]?.n ?? 0;
      stub.breakDown(true);
      await inSends(ledger, 'slow-stub', subjectsOf(stamp, many));
      await untilCount('unknown actions', many, () => count(`'unknown'`), many * 40 + 60_000);
      stub.breakDown(false);
      const started = performance.now();
      while ((await count(`'succeeded'`)) < many) await pause(lookEveryMs);
      return {
        unknown: many,
        settledSec: rounded((performance.now() - started) / 1_000),
        mostAskedPerSec: stub.mostAskedPerSec(),
        effectsPerKey: stub.perKey(),
      };
    }),
  );
