import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Producer } from 'kafkajs';
import { topicName } from '../../schemas/topics';
import { openCodec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { kafkaClient } from '../../services/platform/kafka-client';
import { openLog } from '../../services/platform/log';
import { fresh, system, type System } from '../support/system';
import { until } from '../support/until';

jest.setTimeout(240_000);

const silent = openLog('test', 'test', 'silent');
/** Between the death of a process and the end of what it may still have been doing. */
const settleMs = 120_000;

interface Expected {
  readonly state: string;
  readonly effects: number;
}
const done: Expected = { state: 'succeeded', effects: 1 };
const not: Expected = { state: 'failed', effects: 0 };

/** Of each behaviour of the remote: the contract it is under, and where the action may end. */
const behaviours = ['accept', 'accept_then_timeout', 'accept_then_500', 'reject', 'lose', 'forget:0'] as const;
type Behaviour = (typeof behaviours)[number];

const steps: Readonly<Record<string, Readonly<Record<Behaviour, Expected>>>> = {
  // Nothing has gone out: by key there is nothing, and where that proves nothing a person has to look.
  'attempt.recorded': {
    accept: not,
    accept_then_timeout: not,
    accept_then_500: not,
    reject: not,
    lose: not,
    'forget:0': { state: 'blocked', effects: 0 },
  },
  // All that the remote did is done, and the answers are lost with the process.
  'attempt.answered': {
    accept: done,
    accept_then_timeout: done,
    accept_then_500: done,
    reject: not,
    lose: not,
    'forget:0': { state: 'blocked', effects: 1 },
  },
  // The answers are recorded; whoever comes next has them.
  'attempt.settled': {
    accept: done,
    accept_then_timeout: done,
    accept_then_500: done,
    reject: not,
    lose: not,
    'forget:0': done,
  },
};

const connectorOf = (behaviour: Behaviour): string => (behaviour === 'forget:0' ? 'forgetful' : 'sound');

const connector = (remote: string, absent: string, giveUpAfterMs: number): string => `
    operations: [do]
    submit: { url: '${remote}/{operation}', timeoutMs: 500 }
    outcome: { succeeded: [200, 201], failed: [422] }
    receipt: { url: '${remote}/by-key/{actionKey}', statePath: state, succeeded: [done], failed: [rejected], pending: [processing],
      absent: { status: [404], meansFailedAfterMs: ${absent} }, firstAfterMs: 200, maxIntervalMs: 1000, giveUpAfterMs: ${giveUpAfterMs} }
    allowAddresses: [loopback]
    approval: never`;

const configuration = (remote: string): string => `
tenants: { local: { defaultAgent: a } }
agents: { a: { builtin: chat } }
connectors:
  sound:${connector(remote, '500', 60_000)}
  forgetful:${connector(remote, 'null', 3_000)}
`;

let stack: System;
let producer: Producer | undefined;
let propose: (subject: string, behaviour: Behaviour) => Promise<string>;
const before = { config: process.env['FAIRLEAD_CONFIG'] };

const restart = async (failpoint: string | null): Promise<void> => {
  if (failpoint !== null) process.env['FAIRLEAD_FAILPOINTS'] = `${failpoint}=gather:${behaviours.length}`;
  await stack.start('effect-ledger');
  delete process.env['FAIRLEAD_FAILPOINTS'];
};

const alive = (name: string): boolean => {
  try {
    process.kill(stack.pid(name), 0);
    return true;
  } catch {
    return false;
  }
};

beforeAll(async () => {
  stack = await system();
  const remote = process.env['DEMO_REMOTE_URL'] ?? '';
  const file = join(mkdtempSync(join(tmpdir(), 'fairlead-crash-')), 'config.yaml');
  writeFileSync(file, configuration(remote));
  process.env['FAIRLEAD_CONFIG'] = file;
  stack.kill('effect-ledger');
  stack.kill('effect-ledger-receipt-query');
  await stack.start('effect-ledger', { role: 'receipt-query' });
  const topic = topicName(process.env['TOPIC_PREFIX'] ?? 'fairlead.', 'effect.commands.v1');
  const codec = await openCodec(process.env['SCHEMA_REGISTRY_URL'] ?? '', [{ topic, type: 'ProposeEffect' }], silent);
  const sender = kafkaClient(kafkaSettings(process.env), 'crash-test', silent).producer();
  producer = sender;
  await sender.connect();
  propose = async (subject, behaviour) => {
    const match = { operation: 'do', subject };
    const headers = { 'content-type': 'application/json' };
    // Twice, so that a second request under the key would be seen as what it is.
    await fetch(`${remote}/behaviour`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ match, behaviour, times: 2 }),
    });
    const runId = `run-${subject}`;
    const connector = connectorOf(behaviour);
    const owner = { tenant: 'local', app: 'local', account: 'alice', conversationId: subject, taskId: subject, runId };
    const value = codec.encode(topic, 'ProposeEffect', {
      ...owner,
      eventId: `propose-${subject}`,
      occurredAt: Date.now(),
      revision: 1,
      rootRunId: runId,
      turn: 1,
      requirementsVersion: 1,
      proposalId: 'p',
      connector,
      operation: 'do',
      subject,
      params: '{"a":1}',
      body: null,
      note: null,
      approval: false,
      repeat: false,
      grantFrom: 'agent:a',
      grantUntil: null,
      attempt: 1,
    });
    await sender.send({ topic, messages: [{ key: subject, value, headers: { ce_id: `propose-${subject}` } }] });
    return `${connector}:do:${subject}:v1`;
  };
});

afterAll(async () => {
  await producer?.disconnect();
  if (before.config === undefined) delete process.env['FAIRLEAD_CONFIG'];
  else process.env['FAIRLEAD_CONFIG'] = before.config;
  stack.kill('effect-ledger');
  stack.kill('effect-ledger-receipt-query');
  await Promise.all([stack.start('effect-ledger'), stack.start('effect-ledger', { role: 'receipt-query' })]);
});

const stateOf = async (key: string): Promise<string> =>
  (await stack.operator.get<{ state: string }>(`/v1/actions/${encodeURIComponent(key)}`)).state;

test('E2 E3 E4 X3 case 20, 22: kill -9 at each step of an attempt, for each behaviour of the remote: one effect a key at most, and the end that the evidence allows', async () => {
  const all: { readonly key: string; readonly expected: Expected; readonly what: string }[] = [];
  for (const [step, ends] of Object.entries(steps)) {
    await restart(step);
    for (const behaviour of behaviours) {
      const key = await propose(fresh('crash'), behaviour);
      all.push({ key, expected: ends[behaviour], what: `${step}, ${behaviour}` });
    }
    await until(`the ledger dies at ${step}`, () => !alive('effect-ledger'), settleMs);
  }
  await restart(null);
  const ended = await Promise.all(
    all.map(async ({ key, what }) => {
      const state = await until(
        `${what} is settled`,
        async () => {
          const now = await stateOf(key);
          return ['succeeded', 'failed', 'blocked', 'disputed'].includes(now) && now;
        },
        settleMs,
      );
      return { what, state };
    }),
  );
  const effects = await stack.effects();
  expect(all.map(({ key, what }, index) => ({ what, state: ended[index]?.state, effects: effects[key] ?? 0 }))).toEqual(
    all.map(({ what, expected }) => ({ what, ...expected })),
  );
});
