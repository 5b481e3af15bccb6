import type { InteractionChanged, RecordName, RunStateChanged } from '../../schemas/generated/records';
import { unsaid } from '../../schemas/unsaid';
import { withWebhooks } from '../../services/publication/decide';
import type { Deliver, Outside } from '../../services/publication/decide-reports';
import { messageOf, type AnyMessage, type Told } from '../../services/publication/messages';
import { kinds } from '../../services/publication/store';
import { streamIdOf } from '../../services/publication/timeline';
import type { Webhook } from '../../services/publication/webhook';
import { inMemory } from '../support/in-memory';

const stream = streamIdOf('local', 'alice', 'c1');
const owner = {
  tenant: 'local',
  app: 'local',
  account: 'alice',
  conversationId: 'c1',
  taskId: 't1',
  runId: 'r1',
  occurredAt: 5,
};
const interaction = (revision: number, tenant = 'local'): AnyMessage =>
  messageOf(
    'InteractionChanged' as RecordName,
    {
      ...unsaid,
      ...owner,
      tenant,
      eventId: `i${revision}`,
      revision,
      rootRunId: 'r1',
      owner: 'run-executor',
      interactionRef: 'int_1',
      requestRevision: 1,
      kind: 'question',
      mode: 'non_blocking',
      state: 'open',
      code: null,
      requirementsVersion: 1,
      turn: 1,
      questionId: 'q',
      actionKey: null,
      recipientKind: 'account',
      recipient: 'alice',
      claimedBy: null,
      question: '?',
      choices: [],
      expiresAt: null,
      publishedAt: 5,
      seenAt: null,
      answeredAt: null,
      adoptedAt: null,
      adoption: null,
      response: null,
      reminders: 0,
      remindedAt: null,
      escalatedTo: null,
      escalatedAt: null,
    } as unknown as InteractionChanged,
  )!;
const turn = (number: number): AnyMessage =>
  messageOf('TurnCommitted', {
    ...owner,
    eventId: `t${number}`,
    revision: 1,
    turn: number,
    startedAt: 5,
    endedAt: 6,
  } as unknown as RunStateChanged)!;

const world = (hooked: (tenant: string) => boolean = () => true) => {
  const service = inMemory<AnyMessage, Outside>({ name: 'publication', kinds, ...withWebhooks(hooked) });
  const works: Deliver[] = [];
  const send = (message: AnyMessage): void => {
    works.push(...service.send(message).performs.filter((work): work is Deliver => work.kind === 'deliver'));
  };
  const told = (upTo: number, failedSeq: number | null = null, at = service.now): void =>
    send({
      type: 'told',
      stream,
      upTo,
      failed: failedSeq === null ? null : { seq: failedSeq, eventId: `e${failedSeq}`, at, why: 'status 500' },
    } satisfies Told);
  const hook = (): Webhook => service.state<Webhook>('webhook', stream)!;
  return { service, works, send, told, hook };
};

test('a tenant’s webhook is told of interactions, runs and reports, from when it is there on', () => {
  const w = world();
  w.send(turn(1));
  expect(w.works).toEqual([]);
  w.send(interaction(1));
  expect(w.works).toEqual([{ kind: 'deliver', tenant: 'local', stream, after: 1 }]);
});

test('a tenant without one has none, and a change of the configuration in between harms nothing', () => {
  const none = world(() => false);
  none.send(interaction(1));
  expect(none.service.ids('webhook')).toEqual([]);
  let asked = 0;
  const changing = world(() => (asked += 1) % 2 === 1);
  changing.send(interaction(1));
  changing.send(interaction(2));
  expect(changing.works).toHaveLength(1);
});

test('order per conversation: what happens during a delivery waits for it', () => {
  const w = world();
  w.send(interaction(1));
  w.send(interaction(2));
  w.send(interaction(3));
  expect(w.works).toHaveLength(1);
  w.told(1);
  expect(w.works).toHaveLength(2);
  expect(w.works[1]).toMatchObject({ after: 1 });
  w.told(3);
  expect(w.hook()).toMatchObject({ seq: 3, sent: 3, nextAt: null });
  w.told(1);
  expect(w.hook()).toMatchObject({ sent: 3, nextAt: null });
});

test('not taken: again with growing pauses for a day, then given up with an incident, and the next one is told', () => {
  const w = world();
  w.send(interaction(1));
  w.send(interaction(2));
  const happened = w.service.now;
  const pauses: number[] = [];
  while (w.hook().sent === 0) {
    w.told(0, 1, happened);
    const { nextAt, sent } = w.hook();
    if (sent > 0) break;
    pauses.push(nextAt! - w.service.now);
    w.service.now = nextAt!;
    w.send({ type: 'tick', kind: 'webhook', id: stream });
  }
  expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(Math.max(...pauses)).toBe(900_000);
  expect(w.service.now - happened).toBeGreaterThan(86_400_000);
  expect(w.hook()).toMatchObject({ sent: 1, seq: 2, tries: 0 });
});

test('a process that dies with a delivery is followed by another after its lease', () => {
  const w = world();
  w.send(interaction(1));
  w.send({ type: 'tick', kind: 'webhook', id: stream });
  expect(w.works).toHaveLength(1);
  w.service.now = w.hook().nextAt!;
  w.send({ type: 'tick', kind: 'webhook', id: stream });
  expect(w.works).toHaveLength(2);
});
