import { executor, factsOf, report, saidAbout } from '../support/executor';
import type { Run } from '../../services/run-executor/state';

const action = { proposalId: 'p', connector: 'contact-api', operation: 'share', subject: 's', params: {} } as const;

/** Brings a run into each state; the table below says what each command meets there. */
const into: Record<string, (x: ReturnType<typeof executor>) => void> = {
  queued: (x) => {
    x.start('m0');
    x.start();
  },
  running: (x) => void x.start(),
  waiting: (x) => {
    x.start();
    x.answer({ ask: [{ questionId: 'q', kind: 'question', question: '?' }] });
  },
  parked: (x) => {
    x.start();
    x.answer({ ask: [{ questionId: 'q', kind: 'question', question: '?', mode: 'blocking' }] });
  },
  pausing: (x) => {
    x.start();
    x.control('k0', { control: 'pause' });
    x.fenceAcknowledged();
  },
  paused: (x) => {
    x.start();
    x.answer({ ask: [{ questionId: 'q', kind: 'question', question: '?' }] });
    x.control('k0', { control: 'pause' });
  },
  publishing: (x) => {
    x.start();
    x.answer({ report });
  },
  cancelling: (x) => {
    x.start();
    x.answer({ actions: [action] });
    x.control('k0');
  },
  closing: (x) => {
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'unknown' });
    x.answer({ report });
    x.published();
  },
  completed: (x) => {
    x.start();
    x.answer({ report });
    x.published();
  },
  partial: (x) => {
    x.start();
    x.world.now += 86_400_001;
    x.tick();
  },
  failed: (x) => {
    x.start();
    x.outcome({ kind: 'defect', message: 'boom' });
  },
  cancelled: (x) => {
    x.start();
    x.control('k0');
  },
  interrupted: (x) => {
    x.start();
    for (let n = 0; n < 5; n += 1) {
      x.world.now += 7_000;
      x.tick();
    }
  },
};

describe('what each command meets in each state (R3, R15, R16, R17)', () => {
  test.each([
    [
      'queued',
      'update_received',
      'update_received',
      'control_confirmed',
      'control_confirmed paused',
      'control_confirmed queued',
    ],
    [
      'running',
      'update_received',
      'update_received',
      'control_confirmed',
      'control_requested pausing',
      'control_confirmed running',
    ],
    [
      'waiting',
      'update_applied',
      'update_applied',
      'control_confirmed',
      'control_confirmed paused',
      'control_confirmed waiting',
    ],
    [
      'parked',
      'update_applied',
      'update_received',
      'control_confirmed',
      'control_confirmed paused',
      'control_confirmed parked',
    ],
    [
      'pausing',
      'update_received',
      'update_received',
      'control_confirmed',
      'control_requested pausing',
      'control_confirmed running',
    ],
    [
      'paused',
      'update_received',
      'update_received',
      'control_confirmed',
      'control_confirmed paused',
      'control_confirmed running',
    ],
    [
      'cancelling',
      'refused run_not_accepting',
      'refused run_not_accepting',
      'control_requested',
      'control_superseded cancelling',
      'control_superseded cancelling',
    ],
    ['publishing', 'follow_up_created', 'refused run_ended', 'too_late', 'too_late publishing', 'too_late publishing'],
    ['closing', 'follow_up_created', 'refused run_ended', 'too_late', 'too_late closing', 'too_late closing'],
    ['completed', 'follow_up_created', 'refused run_ended', 'too_late', 'too_late completed', 'too_late completed'],
    ['partial', 'follow_up_created', 'refused run_ended', 'too_late', 'too_late partial', 'too_late partial'],
    ['failed', 'refused run_ended', 'refused run_ended', 'too_late', 'too_late failed', 'too_late failed'],
    ['cancelled', 'refused run_ended', 'refused run_ended', 'too_late', 'too_late cancelled', 'too_late cancelled'],
    [
      'interrupted',
      'refused run_ended',
      'refused run_ended',
      'too_late',
      'too_late interrupted',
      'too_late interrupted',
    ],
  ])(
    '%s: amend %s, observe %s, cancel %s, pause %s, resume %s',
    (state, amended, observed, cancelled, paused, resumed) => {
      const last = (sent: ReturnType<ReturnType<typeof executor>['amend']>, messageId: string): string => {
        const decided = factsOf(sent, 'MessageDecided').filter((one) => one['messageId'] === messageId);
        const own = decided.filter((one) => one['targetRunId'] !== null || one['status'] === 'follow_up_created');
        const final = own.at(-1) ?? decided.at(-1);
        return [final?.['status'], final?.['status'] === 'refused' ? final['code'] : ''].join(' ').trim();
      };
      const each = (
        command: (x: ReturnType<typeof executor>) => ReturnType<ReturnType<typeof executor>['amend']>,
        id: string,
      ): string => {
        const x = executor();
        into[state]?.(x);
        expect(x.run().status).toBe(state);
        return last(command(x), x.ids(id).messageId);
      };
      expect(each((x) => x.amend('u1'), 'u1')).toBe(amended);
      expect(each((x) => x.observe('u2'), 'u2')).toBe(observed);
      expect(each((x) => x.control('u3'), 'u3')).toBe(cancelled);
      for (const [control, told] of [
        ['pause', paused],
        ['resume', resumed],
      ] as const) {
        const x = executor();
        into[state]?.(x);
        const sent = x.control('u4', { control });
        expect(`${last(sent, x.ids('u4').messageId)} ${x.run().status}`).toBe(told);
      }
    },
  );

  test.each(Object.keys(into))('R11 every message is decided in state %s without a throw', (state) => {
    const commands: ((x: ReturnType<typeof executor>) => unknown)[] = [
      (x) => x.amend('t1'),
      (x) => x.observe('t2'),
      (x) => x.control('t3', { control: 'pause' }),
      (x) => x.answer({ again: true }),
      (x) => x.toolDone('nothing'),
      (x) => x.action('p', 'succeeded', 99),
      (x) => x.fenceAcknowledged(),
      (x) => x.interaction('q', { state: 'closed', revision: 9, code: 'expired' }),
      (x) => x.published(),
      (x) => x.tick(),
    ];
    for (const command of commands) {
      const x = executor();
      into[state]?.(x);
      command(x);
      expect(x.run().runId).toBe(x.ids('m1').runId);
    }
  });
});

describe('cancel (R15)', () => {
  test('R15 requested and confirmed are two facts; nothing that was open starts afterwards', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'awaiting_approval' });
    const requested = x.control('k');
    expect(saidAbout(requested, x.ids('k').messageId)).toEqual(['control_requested']);
    expect(factsOf(requested, 'RaiseFence')).toMatchObject([{ mode: 'closed' }]);
    expect(requested.performs).toContainEqual({ type: 'abort', runId: x.ids('m1').runId });
    const confirmed = x.fenceAcknowledged({ withdrawn: ['contact-api:share:s:v1'] });
    expect(saidAbout(confirmed, x.ids('k').messageId)).toEqual(['control_confirmed']);
    expect(x.run()).toMatchObject({ status: 'cancelled', cause: 'user' });
  });

  test('R15 an action in flight is waited for, then listed as unresolved', () => {
    const x = executor({ agent: { cancelSettleMs: 5_000 } });
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'sending' });
    x.control('k');
    x.fenceAcknowledged({ inFlight: ['contact-api:share:s:v1'] });
    expect(x.run().status).toBe('cancelling');
    x.world.now += 5_001;
    const sent = x.tick();
    expect(saidAbout(sent, x.ids('k').messageId)).toEqual(['control_confirmed']);
    expect(x.run()).toMatchObject({ status: 'cancelled', unsettledActions: ['contact-api:share:s:v1'] });
  });

  test('R11 case 10 the answer of a turn that was cancelled is refused, however late', () => {
    const x = executor();
    x.start();
    const before = x.run() as Run;
    x.control('k');
    x.world.settle({
      type: 'answered',
      runId: before.runId,
      conversation: 'conv',
      turn: 1,
      epoch: before.epoch,
      outcome: { kind: 'output', raw: {} },
    });
    expect(x.run()).toMatchObject({ status: 'cancelled', turns: 0 });
  });

  test('A16 a cancel before its message is kept; the message ends cancelled_before_start, the agent is never called', () => {
    const x = executor();
    expect(x.control('k', { namedByMessage: true }).facts).toEqual([]);
    const sent = x.start();
    expect(saidAbout(sent, x.ids('m1').messageId)).toEqual(['cancelled_before_start']);
    expect(saidAbout(sent, x.ids('k').messageId)).toEqual(['control_confirmed']);
    expect(sent.performs).toEqual([]);
  });

  test('A16 only a cancel waits for its message, and not for one that has been refused', () => {
    const x = executor();
    for (const verb of ['pause', 'resume'] as const)
      expect(factsOf(x.control(verb, { namedByMessage: true, control: verb }), 'MessageDecided')).toMatchObject([
        { status: 'refused', code: 'unknown_run' },
      ]);
    x.control('k', { namedByMessage: true });
    const sent = x.start('m1', { agent: 'nobody' });
    expect(factsOf(sent, 'MessageDecided')).toMatchObject([
      { messageId: x.ids('m1').messageId, code: 'unknown_agent' },
      { messageId: x.ids('k').messageId, code: 'unknown_run' },
    ]);
    expect(factsOf(x.control('k2', { namedByMessage: true }), 'MessageDecided')).toMatchObject([
      { status: 'refused', code: 'unknown_run' },
    ]);
  });

  test('A16 a cancel whose message never comes ends as unknown_run after ten minutes', () => {
    const x = executor();
    x.control('k', { namedByMessage: true });
    x.world.now += 600_000;
    expect(factsOf(x.tick(), 'MessageDecided')).toMatchObject([{ status: 'refused', code: 'unknown_run' }]);
    expect(saidAbout(x.start(), x.ids('m1').messageId)).toEqual(['run_started']);
  });

  test('A16 A6 a cancel that was refused changes nothing of the message that comes later, however late it is read again', () => {
    const x = executor();
    x.control('k', { namedByMessage: true });
    x.world.now += 600_000;
    x.tick();
    x.start();
    const again = factsOf(x.control('k', { namedByMessage: true, attempt: 3 }), 'MessageDecided');
    expect(again).toMatchObject([{ messageId: x.ids('k').messageId, revision: 1, code: 'unknown_run' }]);
    expect(x.run().status).toBe('running');
  });

  test('A16 A6 a cancel that was refused is not confirmed with one that still waits, nor refused once more', () => {
    const x = executor();
    x.control('k1', { namedByMessage: true });
    x.world.now += 600_000;
    x.tick();
    x.control('k2', { namedByMessage: true });
    expect(saidAbout(x.control('k1', { namedByMessage: true }), x.ids('k1').messageId)).toEqual(['refused']);
    const sent = x.start();
    expect(saidAbout(sent, x.ids('k1').messageId)).toEqual([]);
    expect(saidAbout(sent, x.ids('k2').messageId)).toEqual(['control_confirmed']);
    expect(saidAbout(x.control('k1', { namedByMessage: true }), x.ids('k1').messageId)).toEqual(['refused']);
  });
});

describe('the conversation as a queue (A13, A14, R19)', () => {
  test('A14 a queued run waits for the earlier one and starts at its end', () => {
    const x = executor();
    x.start('m1');
    expect(saidAbout(x.start('m2'), x.ids('m2').messageId)).toEqual(['run_queued']);
    x.answer({ report });
    x.published();
    expect(x.run('m2')).toMatchObject({ status: 'running' });
  });

  test('A13 a parallel run waits for nobody', () => {
    const x = executor();
    x.start('m1');
    expect(saidAbout(x.start('m2', { mode: 'parallel' }), x.ids('m2').messageId)).toEqual(['run_started']);
  });

  test('A13 R19 a parallel run that waits for a slot holds those queued behind it, until it ends', () => {
    const x = executor({ tenant: { limits: { activeRuns: 1 } } });
    x.start('m1', { conversationId: 'c2' });
    x.start('m2', { mode: 'parallel' });
    x.world.now += 1;
    x.start('m3');
    expect(x.run('m3')).toMatchObject({ status: 'queued', behind: x.ids('m2').runId });
    x.answer({ report });
    x.published();
    expect([x.run('m2').status, x.run('m3').status]).toEqual(['running', 'queued']);
    x.answer({ report }, 'm2');
    x.published(true, 'm2');
    expect(x.run('m3').status).toBe('running');
  });

  test('A13 the cancel of a parallel run that waits lets the next one start', () => {
    const x = executor({ agent: { resource: 'gpu' } });
    x.start('m1', { conversationId: 'c2' });
    x.start('m2', { mode: 'parallel' });
    x.world.now += 1;
    x.start('m3');
    x.control('k', {}, 'm2');
    expect(x.run('m3')).toMatchObject({ status: 'queued', behind: null });
    x.answer({ report });
    x.published();
    expect([x.run('m2').status, x.run('m3').status]).toEqual(['cancelled', 'running']);
  });

  test.each(['queue', 'parallel'] as const)(
    'A14 R19 case 60 a run of higher priority (%s) does not go ahead of the queued one whose report it needs',
    (mode) => {
      const x = executor();
      x.start('m1');
      x.start('m2', { priority: 1 });
      x.start('m3', { priority: 9, mode, dependsOnRunId: x.ids('m2').runId });
      x.control('k', {}, 'm1');
      expect([x.run('m2').status, x.run('m3').status]).toEqual(['running', 'queued']);
      x.answer({ report }, 'm2');
      x.published(true, 'm2');
      expect(x.run('m3').status).toBe('running');
    },
  );

  test('R19 the order is fixed by enqueue time less priority, then by id', () => {
    const x = executor();
    x.start('m1');
    x.start('m2', { priority: 1 });
    x.world.now += 1_000;
    x.start('m3', { priority: 9 });
    x.control('k', {}, 'm1');
    expect([x.run('m2').status, x.run('m3').status]).toEqual(['queued', 'running']);
  });

  test('A14 dependsOnRunId: the report is recorded, and an end without one fails the dependant', () => {
    const x = executor();
    x.start('m1');
    x.start('m2', { dependsOnRunId: x.ids('m1').runId, mode: 'parallel' });
    expect(x.run('m2').status).toBe('queued');
    x.answer({ report });
    x.published();
    expect(x.run('m2')).toMatchObject({
      status: 'running',
      dependency: { version: 1, sha256: x.run().report?.sha256 },
    });
    x.start('m3', { mode: 'parallel' });
    x.start('m4', { dependsOnRunId: x.ids('m3').runId, mode: 'parallel' });
    x.outcome({ kind: 'defect', message: 'boom' }, 'm3');
    expect(x.run('m4')).toMatchObject({ status: 'failed', cause: 'dependency_failed' });
    expect(factsOf(x.start('m5', { dependsOnRunId: 'run_nope' }), 'MessageDecided')).toMatchObject([
      { status: 'refused', code: 'unknown_run', field: 'dependsOnRunId' },
    ]);
  });

  test('A13 case 60 interrupt holds the new run until the old one is terminal, whatever its end', () => {
    const x = executor();
    x.start('m1');
    x.answer({ actions: [action] });
    x.start('m2', { interruptRunId: x.ids('m1').runId, mode: 'parallel' });
    expect([x.run('m1').status, x.run('m2').status]).toEqual(['cancelling', 'queued']);
    x.fenceAcknowledged();
    expect(x.run('m1')).toMatchObject({ status: 'cancelled', cause: 'interrupted_by_message' });
    expect(x.run('m2').status).toBe('running');
  });

  test('R19 a process without room leaves the run for whoever has some', () => {
    const x = executor();
    x.start('m1');
    x.answer({ ask: [{ questionId: 'q', kind: 'question', question: '?' }] });
    x.interaction('q', {});
    const state = x.run();
    expect(state.status).toBe('waiting');
    x.full = true;
    x.observe('o1');
    expect(x.run()).toMatchObject({ turn: null, readyAt: x.world.now + 100 });
    x.world.now += 100;
    x.full = false;
    expect(x.tick().performs).toHaveLength(1);
  });
});

test('A9 a parent of another account is answered like one that does not exist', () => {
  const x = executor();
  expect(factsOf(x.start('m1', { relation: 'follow_up', parentRunId: 'run_none' }), 'MessageDecided')).toMatchObject([
    { status: 'refused', code: 'unknown_run', field: 'parentRunId' },
  ]);
  x.start('m2');
  const foreign = { relation: 'follow_up', account: 'bob', parentRunId: x.ids('m2').runId } as const;
  expect(factsOf(x.start('m3', foreign), 'MessageDecided')).toMatchObject([{ code: 'unknown_run' }]);
  expect(factsOf(x.start('m4', { ...foreign, account: 'alice' }), 'MessageDecided')[0]?.['status']).not.toBe('refused');
});
