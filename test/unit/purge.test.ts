import type { ContentPurged } from '../../schemas/generated/records';
import { withoutContent as actionWithout } from '../../services/effect-ledger/without-content';
import { withoutContent as interactionWithout } from '../../services/hil/without-content';
import type { Interaction } from '../../services/hil/state';
import { conversationIdOf } from '../../services/run-executor/messages';
import { runView } from '../../services/run-executor/view';
import type { TimelineKind } from '../../services/publication/state';
import { withoutContent as itemWithout } from '../../services/publication/without-content';
import { decided, ids, submit, world as admission } from '../support/admission-world';
import { propose, startModel } from '../support/effect-ledger-model';
import { executor, factsOf } from '../support/executor';
import { adoptedBy, codeOf, requested, respond, runChanged, world as hil } from '../support/hil-world';

// Whatever says this word is content; nothing may say it after a purge.
const words = 'SECRET';
const says = (value: unknown): boolean => JSON.stringify(value).includes(words);

const toolCall = { callId: 'c', tool: 'price-series', input: { of: words } } as const;
const question = { questionId: 'q', kind: 'question', question: words, default: words } as const;
const chosen = { questionId: 'r', kind: 'question', question: words, choices: [{ id: 'a', label: words }] } as const;
const worked = (x: ReturnType<typeof executor>): void => {
  x.start('m1', { content: `compare ${words}`, title: words, requirements: `{"of":"${words}"}` });
  x.answer({ toolCalls: [toolCall], ask: [question, { ...chosen, choices: [...chosen.choices] }], state: words });
  x.toolDone('c', { price: words });
  x.answerQuestion('q', words);
  x.answer({ again: true, summary: words, openQuestions: [words], understood: words });
  x.amend('m2', { content: `only ${words}` });
  x.answer({ again: true });
  x.answer({ report: { body: words.repeat(2_000), contentType: 'text/plain' } });
  x.published();
  // What others were asked is answered: until then a run may have to say it again.
  x.interaction('q', { state: 'answered', revision: 3 });
  x.interaction('r', { state: 'closed', code: 'run_ended', revision: 3 });
  const { runId, taskId } = x.run();
  const who = { tenant: 'local', app: 'local', account: 'alice', conversationId: 'c1' };
  x.world.settle({
    type: 'superseded',
    record: { ...who, eventId: 'e', occurredAt: 0, revision: 1, runId, taskId, version: 2 },
  });
};

describe('a run', () => {
  const purge = (x: ReturnType<typeof executor>, reason: 'age' | 'request' = 'age') =>
    x.world.settle({ type: 'purge', runId: x.run().runId, reason });

  test('A6 X1: an ended run loses all that was said; identity, states, versions, hashes and fates stay', () => {
    const x = executor();
    worked(x);
    const before = x.run();
    expect([before.status, before.requests, says(before)]).toEqual(['completed', [], true]);
    const sent = purge(x);
    const after = x.run();
    expect(says(after)).toBe(false);
    expect(after).toMatchObject({
      status: 'completed',
      purgedAt: x.world.now,
      report: before.report,
      appliedVersion: before.appliedVersion,
      requirements: { version: before.requirements.version },
    });
    expect(after.requirements.history.map(({ text }) => text.sha256)).toEqual(
      before.requirements.history.map(({ text }) => text.sha256),
    );
    expect(after.fates.map(({ messageId, status }) => [messageId, status])).toEqual(
      before.fates.map(({ messageId, status }) => [messageId, status]),
    );
    expect(factsOf(sent, 'ContentPurged')).toMatchObject([{ runId: after.runId, messageId: null, reason: 'age' }]);
    expect(sent.rows.map(({ table }) => table)).toEqual(['purges']);
    const view = runView(after, 1, (kept) => kept.inline);
    expect(view.versions.map(({ text }) => text)).toEqual([null, null]);
  });

  test.each<[string, (x: ReturnType<typeof executor>) => void]>([
    ['queued', (x) => void (x.start('m0'), x.start())],
    ['running', (x) => void x.start()],
    [
      'publishing',
      (x) => {
        x.start();
        x.answer({ report: { body: words, contentType: 'text/plain' } });
      },
    ],
  ])('a live run is never purged: %s', (status, reach) => {
    const x = executor();
    reach(x);
    expect(x.run().status).toBe(status);
    const before = x.run();
    expect(purge(x).facts).toEqual([]);
    expect(x.run()).toEqual(before);
  });

  test('X1: purged twice is purged once', () => {
    const x = executor();
    worked(x);
    purge(x);
    const after = x.run();
    expect([purge(x, 'request').facts, x.run()]).toEqual([[], after]);
  });

  test('R25 X1: an old command that comes again brings nothing back', () => {
    const x = executor();
    worked(x);
    purge(x);
    const after = x.run();
    const again = [
      x.start('m1', { content: `compare ${words}`, title: words, attempt: 2 }),
      x.amend('m2', { content: `only ${words}`, attempt: 2 }),
    ];
    expect(again.map((sent) => sent.facts.map(({ type }) => type))).toEqual([['MessageDecided'], ['MessageDecided']]);
    expect([says(again.map(({ facts }) => facts)), says(x.run())]).toEqual([false, false]);
    expect(x.run().requirements).toEqual(after.requirements);
  });

  test('A11: what was purged cannot be continued', () => {
    const x = executor();
    worked(x);
    purge(x);
    expect(factsOf(x.continue('m3'), 'MessageDecided')).toMatchObject([{ code: 'original_unverifiable' }]);
  });

  test('R3: an amendment of a purged run becomes a follow-up that is told what is missing', () => {
    const x = executor();
    worked(x);
    purge(x);
    x.amend('m4', { content: 'and the old ones' });
    const next = x.run(x.ids('m4').runId);
    expect([next.requirements.texts.length, says(next)]).toEqual([1, false]);
  });

  test('a conversation: unknown, with a run at work, and with ended runs only', () => {
    const x = executor();
    const ask = (conversationId: string) =>
      x.world.settle({
        type: 'purge_conversation',
        app: 'local',
        conversation: conversationIdOf({ tenant: 'local', account: 'alice', conversationId }),
      });
    expect(ask('c1').reply).toBe('unknown');
    x.start();
    expect(ask('c1').reply).toBe('open');
    x.answer({ report: { body: words, contentType: 'text/plain' } });
    x.published();
    const sent = ask('c1');
    expect(sent.reply).toEqual({ purgedAt: x.world.now });
    expect(factsOf(sent, 'ContentPurged')).toMatchObject([
      { conversationId: 'c1', runId: null, messageId: null, reason: 'request', before: x.world.now },
    ]);
    expect(sent.rows.map(({ table }) => table)).toEqual(['purges']);
  });
});

describe('a message', () => {
  test('A2 A3 A6: it loses its words and is recognised all the same', () => {
    const { send, state: stored } = admission();
    const state = (id: string): unknown => stored('message', id);
    send(submit({ clientMessageId: 'm1', content: words }));
    const { messageId } = ids('m1');
    expect(send({ type: 'purge', messageId, reason: 'age' }).facts).toEqual([]);
    send(
      decided('m1', 1, 'update_received', {
        effectiveRequirements: { texts: [{ version: 1, text: words }], structured: '{}' },
      }),
    );
    expect(says(state(messageId))).toBe(true);
    expect(send({ type: 'purge', messageId, reason: 'age' }).of('ContentPurged')).toMatchObject([
      { messageId, runId: null },
    ]);
    expect(says(state(messageId))).toBe(false);
    expect(send({ type: 'purge', messageId, reason: 'age' }).facts).toEqual([]);
    const repeat = send(submit({ clientMessageId: 'm1', content: words }));
    expect(repeat.receipt).toMatchObject({ duplicate: true, status: 'update_received', effectiveRequirements: null });
    expect(repeat.of('MessageStored')).toEqual([]);
    expect(send(submit({ clientMessageId: 'm1', content: 'other' })).receipt).toMatchObject({
      code: 'content_conflict',
    });
    send(decided('m1', 2, 'update_applied'));
    expect(state(messageId)).toMatchObject({ purgedAt: expect.any(Number) as number });
  });
});

describe('an interaction', () => {
  const ended = (answer: boolean) => {
    const { say, state } = hil();
    say(requested({ question: words, choices: [{ id: 'a', label: words }], defaultAnswer: `"${words}"` }), 10);
    if (answer) say(respond({ text: words }), 20);
    if (answer) say(adoptedBy(), 25);
    say(runChanged('completed'), 30);
    return state('int_1') as Interaction;
  };
  test.each([true, false])('H2: it keeps its facts and loses its words (answered: %s)', (answered) => {
    const before = ended(answered);
    const after = interactionWithout(before, 99);
    expect([says(before), says(after), after]).toEqual([
      true,
      false,
      expect.objectContaining({ status: before.status, purgedAt: 99 }),
    ]);
    expect(interactionWithout(after as Interaction, 100)).toBeNull();
  });
  test('an open one is never purged', () => {
    const { say, state } = hil();
    say(requested({ question: words }), 10);
    expect(interactionWithout(state('int_1') as Interaction, 99)).toBeNull();
  });
  test('H6: nobody answers what cannot be read any more', () => {
    const x = hil();
    x.say(requested({ question: words }), 10);
    x.say(runChanged('completed'), 20);
    x.put('int_1', interactionWithout(x.state('int_1') as Interaction, 30) as Interaction);
    expect(codeOf(x.say(respond({ text: 'late' }), 40).reply)).toBe('content_purged');
  });
});

describe('an action', () => {
  const key = 'asks:contact:S:v1';
  const attempted = (outcome: 'succeeded' | 'unknown') => {
    const m = startModel();
    m.decide(propose());
    m.decide({
      type: 'attempted',
      actionKey: key,
      runId: 'run',
      number: 1,
      outcome,
      code: null,
      httpStatus: outcome === 'unknown' ? null : 200,
      body: words,
    });
    return m.action(key);
  };
  test('E1: a settled one keeps key, hash and outcomes, and loses what the remote said', () => {
    const before = attempted('succeeded');
    const after = actionWithout(before, 99);
    expect([says(before), says(after)]).toEqual([true, false]);
    expect(after).toMatchObject({ actionKey: key, request: before.request, standing: { status: 'succeeded' } });
    expect(after?.attempts.map(({ outcome }) => outcome)).toEqual(['succeeded']);
  });
  test('E4: one whose outcome is unknown is never purged', () => {
    expect(actionWithout(attempted('unknown'), 99)).toBeNull();
  });
});

describe('a timeline', () => {
  const response = { text: words, choice: words, value: words, decision: 'approve' };
  test.each<[TimelineKind, object]>([
    ['message', { messageId: 'm', content: words, title: words }],
    ['receipt', { status: 'x', effectiveRequirements: { texts: [words] }, candidates: [{ title: words }] }],
    ['run', { runId: 'r', title: words }],
    ['turn', { number: 1, understood: words }],
    ['interaction', { question: words, choices: [{ label: words }], response }],
    ['interaction', { question: words, choices: [], response: null }],
    ['action', { actionKey: 'k', evidence: [{ by: 'response', body: words }] }],
    ['report', { sha256: 'f' }],
  ])('P3: its %s is told without words from then on', (kind, item) => {
    const left = itemWithout(kind, item as Record<string, unknown>, 0);
    expect([says(left), left?.['purgedAt']]).toEqual([false, '1970-01-01T00:00:00.000Z']);
    expect(itemWithout(kind, left as Record<string, unknown>, 1)).toBeNull();
  });
});

test('the record of a purge says no words', () => {
  const x = executor();
  worked(x);
  const sent = x.world.settle({ type: 'purge', runId: x.run().runId, reason: 'request' });
  const [record] = factsOf(sent, 'ContentPurged') as unknown as ContentPurged[];
  expect([record?.reason, says(record)]).toEqual(['request', false]);
});
