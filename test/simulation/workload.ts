import type { MessageSubmitted } from '../../schemas/generated/records';
import { prepare } from '../../services/admission/submission';
import type { Published } from '../../services/hil/state';
import { idsOf } from '../../services/platform/identity';
import { isRun, type RunRow } from '../../services/run-executor/state';
import { submission } from './services';
import type { World } from './world';

const channel = { tenant: 'local', app: 'local' } as const;
/** An HTTP client that got no answer asks again. */
const clientPatienceMs = 8_000;
const workloadMs = 45_000;

/** What people say in one or two conversations, over both channels and more than once. */
export const openWorkload = (world: World) => {
  const { random } = world;
  const sent: MessageSubmitted[] = [];
  let count = 0;
  let deliveries = 0;

  const idOf = (said: MessageSubmitted) =>
    idsOf({ ...channel, account: said.account ?? '', clientMessageId: said.clientMessageId });

  const overHttp = (said: MessageSubmitted): void => {
    let answered = false;
    const origin = { ...channel, account: said.account, trouble: null, requestEventId: null };
    world.call(
      'admission',
      prepare({ ...origin, deliveryId: `http/${(deliveries += 1)}` }, said),
      `POST ${said.clientMessageId}`,
      () => {
        answered = true;
      },
    );
    const again = (): void => (answered ? undefined : overHttp(said));
    world.agenda.add({ at: world.now + clientPatienceMs, what: `client of ${said.clientMessageId} looks`, run: again });
  };

  const overKafka = (said: MessageSubmitted): void =>
    world.broker.append({
      topic: 'ingress.messages.v1',
      key: random.pick([said.conversationId, 'any key']),
      type: 'MessageSubmitted',
      eventId: said.eventId,
      value: said,
    });

  const submit = (said: MessageSubmitted): void => (random.chance(0.5) ? overHttp(said) : overKafka(said));

  const say = (more: Partial<MessageSubmitted>): MessageSubmitted => {
    count += 1;
    const said = submission({
      eventId: `upstream-${count}`,
      conversationId: random.chance(0.85) ? 'c1' : 'c2',
      clientMessageId: `m${count}`,
      content: random.chance(0.08) ? `message ${count}`.padEnd(5_000, '.') : `message ${count}`,
      account: random.chance(0.85) ? 'alice' : 'bob',
      ...more,
    });
    sent.push(said);
    world.note(
      `says ${said.clientMessageId} ${said.relation} ${said.control ?? ''} v${said.expectedVersion ?? ''} ${idOf(said).runId}`,
    );
    submit(said);
    const again = (said2: MessageSubmitted): void =>
      world.agenda.add({
        at: world.now + random.whole(1, 60_000),
        what: `says ${said.clientMessageId} again`,
        run: () => submit(said2),
      });
    while (random.chance(0.35)) again(said);
    if (random.chance(0.08)) again({ ...said, content: 'something else' });
    return said;
  };

  /** A run of the workload: by its id, or by the message that starts it. */
  const target = (): { readonly said: MessageSubmitted; readonly where: Partial<MessageSubmitted> } | undefined => {
    const starts = sent.filter(({ relation }) =>
      ['NEW_TASK', 'FOLLOW_UP', 'UNSPECIFIED', 'CONTINUE', 'ENTITY_EVENT'].includes(relation),
    );
    if (starts.length === 0) return undefined;
    const said = random.pick(starts);
    const where = random.chance(0.6)
      ? { targetRunId: idOf(said).runId }
      : { targetClientMessageId: said.clientMessageId };
    // Seldom somebody else aims at it, to whom it does not exist.
    const account = random.chance(0.95) ? said.account : 'bob';
    return { said, where: { ...where, conversationId: said.conversationId, account } };
  };

  const versionOf = (runId: string): number => {
    const row = world.services['run-executor'].store.state<RunRow>('run', runId);
    const version = isRun(row) ? row.requirements.version : 1;
    return Math.max(1, random.chance(0.8) ? version : version + random.pick([-1, 1]));
  };

  const start = (relation: 'NEW_TASK' | 'FOLLOW_UP' | 'UNSPECIFIED'): void => {
    const earlier = target();
    say({
      relation,
      ...(random.chance(0.6) ? {} : { agent: random.pick(['settling', 'parallel']) }),
      ...(random.chance(0.3) ? { requirements: '{"depth":2}' } : {}),
      ...(relation === 'NEW_TASK' && random.chance(0.2) ? { entityType: 'device', entityId: '07' } : {}),
      ...(relation === 'NEW_TASK' && random.chance(0.3) ? { mode: 'PARALLEL' as const } : {}),
      ...(relation === 'NEW_TASK' && earlier !== undefined && random.chance(0.25)
        ? { dependsOnRunId: idOf(earlier.said).runId }
        : {}),
      ...(relation === 'FOLLOW_UP' && earlier !== undefined ? { parentRunId: idOf(earlier.said).runId } : {}),
    });
  };

  const onto = (relation: 'AMEND' | 'OBSERVE' | 'CONTROL'): void => {
    const aim = target();
    if (aim === undefined) return start('NEW_TASK');
    const { runId } = idOf(aim.said);
    if (relation === 'AMEND')
      say({
        ...aim.where,
        relation,
        expectedVersion: versionOf(runId),
        ...(random.chance(0.3) ? { amendKind: 'REPLACE' as const } : {}),
        ...(random.chance(0.3) ? { requirements: '{"depth":null,"wide":true}' } : {}),
      });
    else if (relation === 'OBSERVE') say({ ...aim.where, relation });
    else
      say({
        ...aim.where,
        relation,
        content: '',
        control: random.weighed([
          [3, 'CANCEL' as const],
          [1, 'PROGRESS' as const],
          [1, 'PAUSE' as const],
          [1, 'RESUME' as const],
        ]),
      });
  };

  /** Goes on from a run that ended, or has not, with what the client saw of it. */
  const goOn = (): void => {
    const aim = target();
    if (aim === undefined) return start('NEW_TASK');
    say({
      relation: 'CONTINUE',
      continuationOfRunId: idOf(aim.said).runId,
      conversationId: aim.said.conversationId,
      account: aim.where.account ?? null,
    });
  };

  const happens = (): void => {
    const entityType = random.pick(['device', 'device', 'sensor', 'stranger']);
    say({
      relation: 'ENTITY_EVENT',
      content: random.pick(['', 'pressure is high']),
      account: 'alice',
      entityType,
      entityId: random.pick(['07', '08']),
      eventKind: random.pick(['pressure', 'temperature']),
      eventAt: random.whole(1, 3),
      correlationId: random.pick([null, 'k1', 'k2']),
    });
  };

  /** A cancel of a message that comes a little later, or never. */
  const cancelAhead = (): void => {
    const name = `ahead-${(count += 1)}`;
    const where = { conversationId: 'c1', account: 'alice' };
    say({ relation: 'CONTROL', content: '', control: 'CANCEL', targetClientMessageId: name, ...where });
    if (random.chance(0.7))
      world.agenda.add({
        at: world.now + random.whole(1, 20_000),
        what: `says ${name}`,
        run: () => void say({ relation: 'NEW_TASK', clientMessageId: name, ...where }),
      });
  };

  const kinds: readonly (readonly [number, () => void])[] = [
    [4, () => start('NEW_TASK')],
    [1, () => start('UNSPECIFIED')],
    [1, () => start('FOLLOW_UP')],
    [6, () => onto('AMEND')],
    [2, () => onto('OBSERVE')],
    [3, () => onto('CONTROL')],
    [1, cancelAhead],
    [2, goOn],
    [4, happens],
    [1, () => void say({ relation: 'NEW_TASK', agent: 'nobody' })],
  ];

  return {
    sent,
    idOf,
    /** A person answers a question in the chat. */
    byChat: (state: Published): void => {
      const { asked } = state;
      say({
        relation: 'CLARIFICATION',
        account: asked.recipient,
        conversationId: asked.conversationId,
        interactionRef: asked.interactionRef,
        requestRevision: random.chance(0.9) ? asked.requestRevision : 3,
        content: random.pick(['a', 'This', 'the first']),
      });
    },
    plan: (): void => {
      world.agenda.add({
        at: world.now,
        what: 'first message',
        run: () => start(random.chance(0.8) ? 'NEW_TASK' : 'UNSPECIFIED'),
      });
      for (let left = random.whole(2, 5); left > 0; left -= 1)
        world.agenda.add({
          at: world.now + random.whole(0, workloadMs),
          what: 'next message',
          run: random.weighed(kinds),
        });
    },
  };
};
