import type { InteractionChanged, MessageSubmitted } from '../../schemas/generated/records';
import { maxActive, maxEnded } from '../../services/admission/conversation';
import type { Conversation } from '../../services/admission/state';
import { conversationId } from '../../services/admission/submission';
import { decided, ids, runChanged, submit, world, type Told } from '../support/admission-world';

type World = ReturnType<typeof world>;

const question = (interactionRef: string, runId: string, state: InteractionChanged['state'], revision = 1) =>
  ({
    type: 'question',
    record: {
      tenant: 'local',
      app: 'local',
      account: 'alice',
      conversationId: 'c1',
      interactionRef,
      requestRevision: 3,
      runId,
      revision,
      state,
    } as InteractionChanged,
  }) as const;

/** `r1` is running unless a test says otherwise. */
const busy = (...runs: readonly string[]): World => {
  const made = world();
  for (const run of runs) made.send(runChanged(run, 1));
  return made;
};

const command = (told: Told) =>
  told.facts.find((fact) => fact.topic === 'run.commands.v1' || fact.topic === 'hil.responses.v1');

describe('A8 each relation is a path of its own', () => {
  test.each<[string, Partial<MessageSubmitted>, string, object]>([
    ['A14 new_task', { relation: 'NEW_TASK' }, 'StartRun', { mode: 'queue', relation: 'new_task', priority: 5 }],
    [
      'A14 new_task in parallel, on a dependency',
      {
        relation: 'NEW_TASK',
        mode: 'PARALLEL',
        dependsOnRunId: 'r9',
        entityType: 'device',
        entityId: '07',
        priority: 9,
      },
      'StartRun',
      { mode: 'parallel', dependsOnRunId: 'r9', entityType: 'device', entityId: '07', priority: 9 },
    ],
    [
      'A9 follow_up',
      { relation: 'FOLLOW_UP', parentRunId: 'r1' },
      'StartRun',
      { parentRunId: 'r1', taskId: ids('m1').taskId },
    ],
    [
      'A9 follow_up infers no parent',
      { relation: 'FOLLOW_UP' },
      'StartRun',
      { parentRunId: null, interruptRunId: null },
    ],
    [
      'A10 clarification',
      { relation: 'CLARIFICATION', interactionRef: 'i1', requestRevision: 2 },
      'SubmitClarification',
      { interactionRef: 'i1', requestRevision: 2, content: 'Compare the two funds.' },
    ],
    [
      'A11 continue',
      { relation: 'CONTINUE', continuationOfRunId: 'r1' },
      'StartRun',
      {
        continuationOfRunId: 'r1',
        taskId: 'task-of-r1',
        parentFacts: { state: 'running', cause: null, stateRevision: 1, requirementsVersion: 1, reportSha256: null },
      },
    ],
    [
      'A11 continue of a run not seen yet',
      { relation: 'CONTINUE', continuationOfRunId: 'r8' },
      'StartRun',
      { parentFacts: null },
    ],
    [
      'R1 amend',
      { relation: 'AMEND', targetRunId: 'r1', expectedVersion: 4, amendKind: 'REPLACE', requirements: '{"a":null}' },
      'AmendRun',
      {
        targetRunId: 'r1',
        targetMessageId: null,
        expectedVersion: 4,
        amendKind: 'replace',
        requirements: '{"a":null}',
      },
    ],
    [
      'observe',
      { relation: 'OBSERVE', targetRunId: 'r1' },
      'ObserveRun',
      { targetRunId: 'r1', kind: 'observation', confirmed: true },
    ],
    [
      'control',
      { relation: 'CONTROL', targetRunId: 'r1', control: 'PAUSE', content: '' },
      'ControlRun',
      { control: 'pause', namedByMessage: false },
    ],
    [
      'control resume',
      { relation: 'CONTROL', targetRunId: 'r1', control: 'RESUME' },
      'ControlRun',
      { control: 'resume' },
    ],
    [
      'A16 a cancel may come before its message',
      { relation: 'CONTROL', targetClientMessageId: 'later', control: 'CANCEL', content: '' },
      'ControlRun',
      { control: 'cancel', namedByMessage: true, targetRunId: ids('later').runId },
    ],
  ])('%s', (_name, fields, type, value) => {
    const told = busy('r1').send(submit(fields));
    expect(command(told)).toMatchObject({ type, value: { ...value, messageId: ids('m1').messageId, attempt: 1 } });
    expect(told.receipt).toMatchObject({ status: 'admitted', relation: fields.relation });
    expect(told.of('MessageStored')[0]).toMatchObject({ relation: fields.relation?.toLowerCase(), revision: 1 });
  });

  test('A15 an entity event is stored first, and the owner of the runs is asked where it belongs', () => {
    const { send } = world();
    const event = {
      relation: 'ENTITY_EVENT',
      entityType: 'device',
      entityId: '07',
      eventKind: 'alarm',
      eventAt: 1,
    } as const;
    const told = send(submit({ ...event, content: '', correlationId: 'k' }));
    expect(told).toMatchObject({ receipt: { status: 'admitted', relation: 'ENTITY_EVENT' }, reply: { http: 202 } });
    expect(command(told)).toMatchObject({
      type: 'ObserveRun',
      value: {
        kind: 'entity_event',
        content: '',
        targetRunId: '',
        runId: ids('m1').runId,
        entityType: 'device',
        entityId: '07',
        eventKind: 'alarm',
        eventAt: 1,
        correlationId: 'k',
      },
    });
  });

  test.each<[string, Partial<MessageSubmitted>]>([
    ['amend', { relation: 'AMEND', targetRunId: 'r8', expectedVersion: 3 }],
    ['observe', { relation: 'OBSERVE', targetRunId: 'r8' }],
    ['control', { relation: 'CONTROL', targetRunId: 'r8', control: 'CANCEL' }],
    ['follow_up', { relation: 'FOLLOW_UP', parentRunId: 'r8' }],
    ['continue', { relation: 'CONTINUE', continuationOfRunId: 'r8' }],
    ['clarification', { relation: 'CLARIFICATION', interactionRef: 'i8', requestRevision: 1 }],
    ['new_task', { relation: 'NEW_TASK', dependsOnRunId: 'r8' }],
  ])('only owners refuse: %s of what this projection has never seen goes to its owner', (_name, fields) => {
    const told = world().send(submit(fields));
    expect(told.receipt).toMatchObject({ status: 'admitted', revision: 1 });
    expect(command(told)).toBeDefined();
  });

  test('an agent that is for other tenants does not exist', () => {
    const { send } = world();
    expect(send(submit({ agent: 'elsewhere' })).receipt).toMatchObject({ code: 'unknown_agent', revision: 0 });
  });

  test('an agent nobody configured', () =>
    expect(world().send(submit({ agent: 'nobody' })).receipt).toMatchObject({ code: 'unknown_agent', field: 'agent' }));
});

describe('targets named by a message', () => {
  const aim = { relation: 'OBSERVE', clientMessageId: 'm2', targetClientMessageId: 'm1' } as const;

  test('the run it started', () => {
    const { send } = world();
    send(submit());
    expect(command(send(submit(aim)))?.value).toMatchObject({ targetRunId: ids('m1').runId });
  });

  test('the run it was aimed at, if it was an update', () => {
    const { send } = busy('r1');
    send(submit({ relation: 'AMEND', targetRunId: 'r1', expectedVersion: 1 }));
    expect(command(send(submit(aim)))?.value).toMatchObject({ targetRunId: 'r1' });
  });

  test('R3 the follow-up it became', () => {
    const { send } = busy('r1');
    send(submit({ relation: 'AMEND', targetRunId: 'r1', expectedVersion: 1 }));
    send(decided('m1', 1, 'follow_up_created', { runId: 'r2', targetRunId: 'r1' }));
    expect(command(send(submit(aim)))?.value).toMatchObject({ targetRunId: 'r2' });
  });
});

describe('A13 unspecified', () => {
  test('no active run: a new run, no parent', () =>
    expect(command(world().send(submit({ agent: 'reject' })))?.value).toMatchObject({
      mode: 'queue',
      parentRunId: null,
      relation: 'new_task',
    }));

  test('what admission itself has just started is active', () => {
    const { send } = world();
    send(submit());
    const { receipt } = send(submit({ clientMessageId: 'm2' }));
    expect(receipt).toMatchObject({ status: 'refused', code: 'needs_target', revision: 0, relation: 'UNSPECIFIED' });
    expect(receipt.candidates).toMatchObject([
      { ...{ runId: ids('m1').runId }, state: 'queued', requirementsVersion: 1 },
    ]);
  });

  test('ask: candidates with their open question', () => {
    const { send } = busy('r1', 'r2');
    send(question('i1', 'r1', 'open'));
    send(question('i2', 'r2', 'open'));
    send(question('i2', 'r2', 'answered', 2));
    send(question('i2', 'r2', 'open'));
    expect(send(submit()).receipt.candidates).toMatchObject([
      { runId: 'r1', interactionRef: 'i1', requestRevision: 3 },
      { runId: 'r2', interactionRef: null },
    ]);
  });

  test.each<[string, string[], Partial<MessageSubmitted>, object]>([
    ['enqueue', ['r1'], {}, { type: 'StartRun', value: { mode: 'queue', interruptRunId: null } }],
    ['parallel', ['r1'], {}, { type: 'StartRun', value: { mode: 'parallel' } }],
    ['amend', ['r1'], { expectedVersion: 2 }, { type: 'AmendRun', value: { targetRunId: 'r1', expectedVersion: 2 } }],
    ['interrupt', ['r1'], {}, { type: 'StartRun', value: { interruptRunId: 'r1' } }],
  ])('%s', (agent, runs, fields, expected) =>
    expect(command(busy(...runs).send(submit({ agent, ...fields })))).toMatchObject(expected),
  );

  test.each<[string, string[], Partial<MessageSubmitted>, string]>([
    ['ask', ['r1'], {}, 'needs_target'],
    ['reject', ['r1'], {}, 'busy'],
    ['amend', ['r1'], {}, 'needs_target'],
    ['amend', ['r1', 'r2'], { expectedVersion: 2 }, 'needs_target'],
    ['interrupt', ['r1', 'r2'], {}, 'needs_target'],
  ])('%s with %j and %j: %s', (agent, runs, fields, code) => {
    const made = busy(...runs);
    const before = made.changes();
    expect(made.send(submit({ agent, ...fields })).receipt).toMatchObject({ status: 'refused', code, revision: 0 });
    expect(made.changes()).toBe(before);
  });

  describe('case 60 interrupt: a run that is on its way out is not what the new message is about', () => {
    const interrupts = (made: ReturnType<typeof world>, clientMessageId: string): unknown => {
      const { value } = command(made.send(submit({ agent: 'interrupt', clientMessageId }))) ?? {};
      return value === undefined ? null : (value as { interruptRunId?: string }).interruptRunId;
    };

    test('a third message interrupts the one that waits, before the executor has said anything', () => {
      const made = busy('r1');
      expect(interrupts(made, 'm2')).toBe('r1');
      expect(interrupts(made, 'm3')).toBe(ids('m2').runId);
      expect(interrupts(made, 'm4')).toBe(ids('m3').runId);
    });

    test('and after the executor has told of both', () => {
      const made = busy('r1');
      interrupts(made, 'm2');
      made.send(runChanged('r1', 2, { state: 'cancelling' }));
      made.send(runChanged(ids('m2').runId, 1, { state: 'queued' }));
      expect(interrupts(made, 'm3')).toBe(ids('m2').runId);
    });

    test('also where the old run completes all the same', () => {
      const made = busy('r1');
      interrupts(made, 'm2');
      made.send(runChanged('r1', 2, { state: 'publishing' }));
      made.send(runChanged(ids('m2').runId, 1, { state: 'queued' }));
      expect(interrupts(made, 'm3')).toBe(ids('m2').runId);
      made.send(runChanged(ids('m2').runId, 2, { state: 'cancelled' }));
      expect(interrupts(made, 'm4')).toBe(ids('m3').runId);
    });

    test('a run that a user cancels is waited for', () => {
      const made = busy('r1');
      made.send(runChanged('r1', 2, { state: 'cancelling' }));
      expect(interrupts(made, 'm2')).toBe('r1');
    });

    test('of two that stay, neither is chosen', () => {
      const made = busy('r1', 'r2', 'r3');
      made.send(runChanged('r1', 2, { state: 'cancelling' }));
      expect(made.send(submit({ agent: 'interrupt' })).receipt).toMatchObject({ code: 'needs_target', revision: 0 });
    });
  });

  test('A13 an ended run and a child are not active', () => {
    const { send } = busy('r1');
    send(runChanged('r1', 2, { state: 'completed' }));
    send(runChanged('child', 1, { rootRunId: 'r1' }));
    expect(send(submit()).receipt.status).toBe('admitted');
  });

  test('X1 older news of a run changes nothing', () => {
    const { send, changes } = busy('r1');
    send(runChanged('r1', 5, { state: 'completed' }));
    const before = changes();
    send(runChanged('r1', 4, { state: 'running' }));
    send(runChanged('r1', 5, { state: 'running' }));
    expect(changes()).toBe(before);
  });

  test('a run that was refused or cancelled before its start is active no more', () => {
    const { send } = world();
    send(submit());
    send(decided('m1', 1, 'cancelled_before_start'));
    expect(send(submit({ clientMessageId: 'm2' })).receipt.status).toBe('admitted');
  });

  test('bounded: many active runs, many ended ones, and old news of a forgotten one', () => {
    const { send, state } = world();
    for (let n = 0; n < 230; n += 1) send(runChanged(`a${n}`, 1));
    for (let n = 0; n < 60; n += 1) send(runChanged(`e${n}`, 2, { state: 'completed', turns: n }));
    send(runChanged('e0', 1, { state: 'running' }));
    const told = send(submit({ relation: 'CONTROL', control: 'PROGRESS', targetRunId: 'e0' }));
    expect(told.receipt.progress).toMatchObject({ state: 'completed', turns: 0 });
    const conversation = state<Conversation>('conversation', conversationId('local', 'alice', 'c1'));
    expect([conversation?.active.length, conversation?.ended.length]).toEqual([maxActive, maxEnded]);
  });
});

describe('A16 progress', () => {
  const ask = { relation: 'CONTROL', control: 'PROGRESS', content: '' } as const;

  test('is answered from the projection and touches no run', () => {
    const { send } = busy('r1');
    const told = send(submit({ ...ask, targetRunId: 'r1' }));
    expect(command(told)).toBeUndefined();
    expect(told.receipt).toMatchObject({
      status: 'progress_reported',
      targetRunId: 'r1',
      progress: { state: 'running', requirementsVersion: 1, appliedVersion: 1, turns: 1, lastPublished: null },
    });
    expect(told.reply?.http).toBe(200);
  });

  test('waits for news of a run it does not know, then says unknown_run', () => {
    const { send, pass, tick } = world();
    expect(send(submit({ ...ask, targetRunId: 'r1' })).reply?.http).toBe(202);
    expect(tick('m1').facts).toHaveLength(0);
    pass(500);
    expect(tick('m1').facts).toHaveLength(0);
    pass(10_000);
    expect(tick('m1').receipt).toMatchObject({ status: 'refused', code: 'unknown_run', revision: 2 });
    expect(tick('m1').facts).toHaveLength(0);
  });

  test('is answered once the news comes', () => {
    const { send, pass, tick } = world();
    send(submit({ ...ask, targetRunId: 'r1' }));
    send(runChanged('r1', 1));
    pass(500);
    const told = tick('m1');
    expect(told.receipt).toMatchObject({ status: 'progress_reported', progress: { state: 'running' } });
    expect(told.performs).toMatchObject([{ http: 200, seconds: 0.5 }]);
  });

  test('A7 a run of another account does not exist', () => {
    const { send, pass, tick } = world();
    send(runChanged('r1', 1, { account: 'bob' }));
    for (let n = 0; n < 60; n += 1) send(runChanged(`e${n}`, 2, { state: 'completed', account: 'bob' }));
    send(submit({ ...ask, targetRunId: 'e0' }));
    pass(10_500);
    expect(tick('m1').receipt.code).toBe('unknown_run');
  });
});
