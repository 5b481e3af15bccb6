import type { MessageSubmitted } from '../../schemas/generated/records';
import { prepare } from '../../services/admission/submission';
import type { Published } from '../../services/hil/state';
import { idsOf } from '../../services/platform/identity';
import { isRun, type RunRow } from '../../services/run-executor/state';
import { submission } from './services';
import type { Random } from './random';
import type { World } from './world';

const channel = { tenant: 'local', app: 'local' } as const;
/** An HTTP client that got no answer asks again. */
const clientPatienceMs = 8_000;
const workloadMs = 45_000;
/** Somebody sends again what was said days ago. */
const muchLaterMs = 2 * 86_400_000;

/** One thing to be said: its name is its id, and all its chances are its own. */
interface Item {
  readonly name: string;
  readonly random: Random;
}

/** What people say in one or two conversations, over both channels and more than once. */
export const openWorkload = (world: World) => {
  const sent: MessageSubmitted[] = [];
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
      key: world.random.pick([said.conversationId, 'any key']),
      type: 'MessageSubmitted',
      eventId: said.eventId,
      value: said,
    });

  const submit = (said: MessageSubmitted): void => (world.random.chance(0.5) ? overHttp(said) : overKafka(said));

  const say = ({ random, name }: Item, more: Partial<MessageSubmitted>): MessageSubmitted => {
    const said = submission({
      eventId: `upstream-${name}`,
      conversationId: random.chance(0.85) ? 'c1' : 'c2',
      clientMessageId: name,
      content: random.chance(0.08) ? `«${name}»`.padEnd(5_000, '.') : `«${name}»`,
      account: random.chance(0.85) ? 'alice' : 'bob',
      ...more,
    });
    sent.push(said);
    world.note(
      `says ${said.clientMessageId} ${said.relation} ${said.control ?? ''} v${said.expectedVersion ?? ''} ${idOf(said).runId}`,
    );
    submit(said);
    let repeats = 0;
    const again = (said2: MessageSubmitted): void => {
      repeats += 1;
      if (!world.wanted(`${name} repeated ${repeats}`)) return;
      world.agenda.add({
        at: world.now + random.whole(1, random.chance(0.9) ? 60_000 : muchLaterMs),
        what: `says ${said.clientMessageId} again`,
        run: () => submit(said2),
      });
    };
    while (random.chance(0.35)) again(said);
    if (random.chance(0.08)) again({ ...said, content: `«not ${name}»` });
    return said;
  };

  /** A run of the workload: by its id, or by the message that starts it. */
  const target = (
    random: Random,
  ): { readonly said: MessageSubmitted; readonly where: Partial<MessageSubmitted> } | undefined => {
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

  const versionOf = (random: Random, runId: string): number => {
    const row = world.services['run-executor'].store.state<RunRow>('run', runId);
    const version = isRun(row) ? row.requirements.version : 1;
    return Math.max(1, random.chance(0.8) ? version : version + random.pick([-1, 1]));
  };

  const start = (item: Item, relation: 'NEW_TASK' | 'FOLLOW_UP' | 'UNSPECIFIED'): void => {
    const { random } = item;
    const earlier = target(random);
    const busy = ['settling', 'parallel', 'asking', 'amending', 'rejecting'];
    say(item, {
      relation,
      ...(random.chance(0.6) ? {} : { agent: random.pick(relation === 'UNSPECIFIED' ? busy : busy.slice(0, 2)) }),
      ...(random.chance(0.3) ? { requirements: '{"depth":2}' } : {}),
      ...(random.chance(0.2) ? { priority: random.whole(0, 9) } : {}),
      ...(random.chance(0.1) ? { scheduled: true } : {}),
      ...(relation === 'NEW_TASK' && random.chance(0.2) ? { entityType: 'device', entityId: '07' } : {}),
      ...(relation === 'NEW_TASK' && random.chance(0.3) ? { mode: 'PARALLEL' as const } : {}),
      ...(relation === 'NEW_TASK' && earlier !== undefined && random.chance(0.25)
        ? { dependsOnRunId: idOf(earlier.said).runId }
        : {}),
      ...(relation === 'FOLLOW_UP' && earlier !== undefined ? { parentRunId: idOf(earlier.said).runId } : {}),
      ...(relation === 'UNSPECIFIED' && earlier !== undefined && random.chance(0.5)
        ? { expectedVersion: versionOf(random, idOf(earlier.said).runId) }
        : {}),
    });
  };

  const onto = (item: Item, relation: 'AMEND' | 'OBSERVE' | 'CONTROL'): void => {
    const { random } = item;
    const aim = target(random);
    if (aim === undefined) return start(item, 'NEW_TASK');
    const { runId } = idOf(aim.said);
    if (relation === 'AMEND')
      say(item, {
        ...aim.where,
        relation,
        expectedVersion: versionOf(random, runId),
        ...(random.chance(0.3) ? { amendKind: 'REPLACE' as const } : {}),
        ...(random.chance(0.3) ? { requirements: '{"depth":null,"wide":true}' } : {}),
      });
    else if (relation === 'OBSERVE') say(item, { ...aim.where, relation });
    else
      say(item, {
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
  const goOn = (item: Item): void => {
    const aim = target(item.random);
    if (aim === undefined) return start(item, 'NEW_TASK');
    say(item, {
      relation: 'CONTINUE',
      continuationOfRunId: idOf(aim.said).runId,
      conversationId: aim.said.conversationId,
      account: aim.where.account ?? null,
    });
  };

  const happens = (item: Item): void => {
    const { random } = item;
    say(item, {
      relation: 'ENTITY_EVENT',
      content: random.pick(['', `«${item.name}» pressure is high`]),
      account: 'alice',
      entityType: random.pick(['device', 'device', 'sensor', 'stranger']),
      entityId: random.pick(['07', '08']),
      eventKind: random.pick(['pressure', 'temperature']),
      eventAt: random.whole(1, 3),
      correlationId: random.pick([null, 'k1', 'k2']),
    });
  };

  /** A cancel of a message that comes a little later, or never. */
  const cancelAhead = (item: Item): void => {
    const { random } = item;
    const name = `${item.name}-ahead`;
    const where = { conversationId: 'c1', account: 'alice' };
    say(item, { relation: 'CONTROL', content: '', control: 'CANCEL', targetClientMessageId: name, ...where });
    if (random.chance(0.7))
      world.agenda.add({
        at: world.now + random.whole(1, 20_000),
        what: `says ${name}`,
        run: () => void say({ ...item, name }, { relation: 'NEW_TASK', ...where }),
      });
  };

  /** Words that answer a question nobody has asked, or not this person. */
  const answersNothing = (item: Item): void =>
    void say(item, { relation: 'CLARIFICATION', interactionRef: `nobody-asked-${item.name}`, requestRevision: 1 });

  const kinds: readonly (readonly [number, (item: Item) => void])[] = [
    [4, (item) => start(item, 'NEW_TASK')],
    [2, (item) => start(item, 'UNSPECIFIED')],
    [1, (item) => start(item, 'FOLLOW_UP')],
    [6, (item) => onto(item, 'AMEND')],
    [2, (item) => onto(item, 'OBSERVE')],
    [3, (item) => onto(item, 'CONTROL')],
    [1, cancelAhead],
    [2, goOn],
    [4, happens],
    [1, answersNothing],
    [1, (item) => void say(item, { relation: 'NEW_TASK', agent: 'nobody' })],
  ];

  const plan = (name: string, at: number, run: (item: Item) => void): void => {
    if (!world.wanted(name)) return;
    world.agenda.add({ at, what: `next message ${name}`, run: () => run({ name, random: world.random.of(name) }) });
  };
  let chats = 0;

  return {
    sent,
    idOf,
    /** A person answers a question in the chat, or somebody else does with the same words. */
    byChat: (state: Published, random: Random): void => {
      const { asked } = state;
      say(
        { name: `chat-${(chats += 1)}`, random },
        {
          relation: 'CLARIFICATION',
          account: random.chance(0.9) ? asked.recipient : 'bob',
          conversationId: asked.conversationId,
          interactionRef: asked.interactionRef,
          requestRevision: random.chance(0.9) ? asked.requestRevision : 3,
          content: random.pick(['a', 'This', 'the first']),
        },
      );
    },
    plan: (): void => {
      const random = world.random.of('plan');
      const first = random.chance(0.8) ? 'NEW_TASK' : 'UNSPECIFIED';
      plan('m1', world.now, (item) => start(item, first));
      const most = random.whole(3, 7);
      for (let number = 2; number <= most; number += 1)
        plan(`m${number}`, world.now + random.whole(0, workloadMs), random.weighed(kinds));
    },
  };
};
