import { waitingFor } from '../../services/run-executor/waiting-for';
import { executor, factsOf, report, saidAbout } from '../support/executor';

const action = { proposalId: 'p', connector: 'contact-api', operation: 'share', subject: 's', params: {} } as const;
const question = { questionId: 'q', kind: 'question', question: 'Which?' } as const;
const pause = { control: 'pause' } as const;
const resume = { control: 'resume' } as const;

describe('pause and resume (R16)', () => {
  test('R16 a pause takes hold at the boundary, the turn in flight commits, nothing is asked until the resume', () => {
    const x = executor();
    x.start();
    expect(saidAbout(x.control('k', pause), x.ids('k').messageId)).toEqual(['control_requested']);
    x.fenceAcknowledged();
    expect(x.run().status).toBe('pausing');
    const boundary = x.answer({ again: true });
    expect(saidAbout(boundary, x.ids('k').messageId)).toEqual(['control_confirmed']);
    expect(boundary.performs).toEqual([]);
    expect(x.run()).toMatchObject({ status: 'paused', turns: 1, lease: null });
    expect(waitingFor(x.run())).toMatchObject([{ kind: 'answer', ref: 'resume' }]);
    x.observe('o');
    expect(x.run().status).toBe('paused');
    expect(saidAbout(x.control('r', resume), x.ids('r').messageId)).toEqual(['control_requested', 'control_confirmed']);
    const resumed = x.fenceAcknowledged();
    expect(x.input(resumed).changes.map((one) => one.kind)).toEqual(['resumed', 'observed']);
    expect(x.run()).toMatchObject({ status: 'running', budget: { turnsLeft: 48 } });
  });

  test('R9 each step of pause and resume leaves one transition, and none of them changes later', () => {
    const x = executor();
    x.start();
    x.control('k', pause);
    x.fenceAcknowledged();
    x.answer({ again: true });
    const before = structuredClone(x.run().transitions);
    expect(before).toMatchObject([
      { from: { state: 'running' }, to: { control: 'pause', state: 'pausing' } },
      { from: { state: 'pausing' }, to: { control: 'pause', state: 'paused' } },
    ]);
    x.control('r', resume);
    x.fenceAcknowledged();
    const { transitions } = x.run();
    expect(transitions.slice(0, 2)).toEqual(before);
    expect(transitions.slice(2)).toMatchObject([{ from: { state: 'paused' }, to: { control: 'resume' } }]);
  });

  test('R16 E7 the fence goes on hold at once, closes nothing, and is lifted with the resume even with nothing open', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'awaiting_approval' });
    x.answer({});
    expect(factsOf(x.control('k', pause), 'RaiseFence')).toMatchObject([{ mode: 'hold', reason: 'pause' }]);
    expect(x.run().status).toBe('pausing');
    x.fenceAcknowledged();
    expect(x.run().status).toBe('paused');
    // Amended while it is paused: the hold stays.
    expect(factsOf(x.amend('a'), 'RaiseFence')).toMatchObject([{ mode: 'hold', minVersion: 2 }]);
    x.fenceAcknowledged({ withdrawn: ['contact-api:share:s:v1'] });
    expect(factsOf(x.control('r', resume), 'RaiseFence')).toMatchObject([{ mode: 'open', minVersion: 2 }]);
    expect(x.run().status).toBe('waiting');
    x.fenceAcknowledged();
    expect(x.run()).toMatchObject({ status: 'running', appliedVersion: 2 });
  });

  test('R16 what the turn in flight proposes under a pause meets a fence on hold', () => {
    const x = executor();
    x.start();
    expect(factsOf(x.control('k', pause), 'RaiseFence')).toMatchObject([{ mode: 'hold' }]);
  });

  test('R18 the clocks of work stand still, the hard deadline does not', () => {
    const x = executor();
    x.start();
    x.outcome({ kind: 'retry', reason: 'unreachable' });
    x.control('k', pause);
    x.fenceAcknowledged();
    expect(x.run().status).toBe('paused');
    x.world.now += 7_300_000;
    expect(x.tick().performs).toEqual([]);
    x.control('r', resume);
    x.fenceAcknowledged();
    expect(x.tick().performs).toMatchObject([{ type: 'ask', turn: 1, attempt: 2 }]);
    x.outcome({ kind: 'retry', reason: 'unreachable' });
    expect(x.run().status).toBe('running');
    x.control('k2', pause);
    x.fenceAcknowledged();
    x.world.now += 86_400_000;
    x.tick();
    expect(x.run()).toMatchObject({ status: 'partial', cause: 'deadline' });
  });

  test('R16 a resume before the pause took hold overtakes it', () => {
    const x = executor();
    x.start();
    x.control('k', pause);
    const sent = x.control('r', resume);
    expect(saidAbout(sent, x.ids('k').messageId)).toEqual(['control_superseded']);
    x.fenceAcknowledged();
    x.answer({ report });
    expect(x.run().status).toBe('publishing');
  });

  test('R15 R16 a cancel overtakes a pause; a report that passes the gate does too', () => {
    const x = executor();
    x.start();
    x.control('k', pause);
    expect(saidAbout(x.control('c'), x.ids('k').messageId)).toEqual(['control_superseded']);
    const y = executor();
    y.start();
    y.control('k', pause);
    expect(saidAbout(y.answer({ report }), y.ids('k').messageId)).toEqual(['control_superseded']);
  });

  test('R16 a queued run is paused before it starts, holds nobody, and is queued again', () => {
    const x = executor();
    x.start('m1');
    x.start('m2');
    x.control('k', pause, 'm2');
    x.start('m3');
    expect(x.run('m2').status).toBe('paused');
    x.answer({ report });
    x.published();
    expect([x.run('m2').status, x.run('m3').status]).toEqual(['paused', 'running']);
    x.control('r', resume, 'm2');
    expect(x.run('m2')).toMatchObject({ status: 'queued', changes: [] });
  });

  test('R14 R16 an owner lost while pausing: the turn is asked again, then the pause takes hold', () => {
    const x = executor({ agent: { recovery: 'settle' } });
    x.start();
    x.control('k', pause);
    x.fenceAcknowledged();
    x.world.now += 7_000;
    expect(x.tick().performs).toMatchObject([{ type: 'ask', attempt: 2 }]);
    x.answer({});
    expect(x.run().status).toBe('paused');
  });
});

describe('blocking questions (H5, R18)', () => {
  const blocking = { ...question, mode: 'blocking' } as const;
  const parked = (more: object = {}) => {
    const x = executor();
    x.start();
    x.answer({ ask: [{ ...blocking, ...more }] });
    x.interaction('q', {});
    return x;
  };

  test('H5 the run parks, holds no lease, its work clocks stand still, and the answer wakes it once under a new lease', () => {
    const x = executor();
    x.start();
    const sent = x.answer({ ask: [blocking] });
    expect(factsOf(sent, 'RequestInteraction')).toMatchObject([{ mode: 'blocking' }]);
    expect(x.run()).toMatchObject({ status: 'parked', lease: null, turn: null });
    expect(waitingFor(x.run())).toMatchObject([{ kind: 'answer', ref: x.run().questions[0]?.interactionRef }]);
    x.world.now += 3_600_000;
    expect(x.tick().performs).toEqual([]);
    const before = x.run().epoch;
    const woken = x.answerQuestion('q', 'the blue one');
    expect(x.input(woken).answers).toMatchObject([{ questionId: 'q', text: 'the blue one' }]);
    expect(x.run()).toMatchObject({ status: 'running', epoch: before + 1, park: null });
    expect(x.answerQuestion('q', 'the blue one').performs).toEqual([]);
  });

  test.each([
    ['scheduled', {}, { scheduled: true }, {}, 'scheduled'],
    ['park: never', { park: 'never' }, {}, {}, 'park_never'],
    ['a tool call', {}, {}, { toolCalls: [{ callId: 'a', tool: 'price-series', input: {} }] }, 'tool_call_unfinished'],
    ['a second question', {}, {}, { ask: [{ ...blocking, questionId: 'q0' }, blocking] }, 'already_parked'],
  ])(
    'H5 not allowed with %s: the question goes on non-blocking, the agent is told why',
    (_, agent, started, output, reason) => {
      const x = executor({ agent });
      x.start('m1', started);
      const sent = x.answer({ ask: [blocking], ...(output as object) });
      expect(factsOf(sent, 'RequestInteraction').at(-1)).toMatchObject({ questionId: 'q', mode: 'non_blocking' });
      if (reason === 'tool_call_unfinished') x.toolDone('a');
      if (reason === 'already_parked') x.answerQuestion('q0', 'yes');
      expect(JSON.stringify(x.run().changes)).toContain(reason);
    },
  );

  test('H5 with an action on its way out it does not park', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'sending' });
    x.observe('o');
    x.answer({ ask: [blocking] });
    expect(x.run()).toMatchObject({ status: 'running', park: null });
  });

  test('H5 an amendment wakes a parked run; its question stays open, non-blocking, and is answered later', () => {
    const x = parked();
    const sent = x.amend('a1');
    expect(x.input(sent).requirements.version).toBe(2);
    expect(x.run()).toMatchObject({ status: 'running', park: null });
    expect(x.run().questions).toMatchObject([{ status: 'open', mode: 'non_blocking' }]);
    x.answer({});
    expect(x.input(x.answerQuestion('q', 'late')).answers).toMatchObject([{ needsRecheck: true }]);
  });

  test('H5 expiry wakes it with the default answer', () => {
    const x = parked({ default: 'b', choices: [{ id: 'b', label: 'B' }], expiresInSec: 60 });
    const woken = x.interaction('q', { state: 'closed', code: 'expired', revision: 2 });
    expect(x.input(woken).changes).toMatchObject([{ kind: 'expired', questionId: 'q' }]);
    expect(x.input(woken).answers).toMatchObject([{ choice: 'b', decision: 'default' }]);
  });

  test('R15 a parked run is cancelled like any other', () => {
    const x = parked();
    expect(saidAbout(x.control('c'), x.ids('c').messageId)).toEqual(['control_requested', 'control_confirmed']);
    expect(x.run()).toMatchObject({ status: 'cancelled', park: null });
    expect(x.answerQuestion('q', 'too late').performs).toEqual([]);
  });

  test('R16 a parked run is paused and parked again; an answer that came meanwhile is used after the resume', () => {
    const x = parked();
    x.control('k', pause);
    x.control('r', resume);
    expect(x.run().status).toBe('parked');
    x.control('k2', pause);
    x.answerQuestion('q', 'yes');
    expect(x.run().status).toBe('paused');
    const sent = x.control('r2', resume);
    expect(x.input(sent).answers).toMatchObject([{ text: 'yes' }]);
  });

  test('A13 a parked run holds nobody of its conversation', () => {
    const x = parked();
    expect(saidAbout(x.start('m2'), x.ids('m2').messageId)).toEqual(['run_started']);
  });

  test('case 9 the executor dies while the run is parked: no time-out, one wake-up', () => {
    const x = parked();
    x.world.now += 700_000;
    expect(x.tick('m1', { instance: 'two' }).performs).toEqual([]);
    expect(x.answerQuestion('q', 'yes').performs).toHaveLength(1);
  });

  test('H10 a revision is asked under the same reference; of an answered request none is made and its answer counts', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [question], again: true });
    const ref = x.run().questions[0]?.interactionRef;
    const sent = x.answer({ ask: [{ ...question, questionId: 'q2', question: 'Which one now?', revises: 'q' }] });
    expect(factsOf(sent, 'RequestInteraction')).toMatchObject([
      { interactionRef: ref, requestRevision: 2, questionId: 'q2', question: 'Which one now?' },
    ]);
    x.answerQuestion('q2', 'this');
    const again = x.answer({ ask: [{ ...question, questionId: 'q3', revises: 'q2' }] });
    expect(factsOf(again, 'RequestInteraction')).toEqual([]);
    expect(x.input(again).answers).toMatchObject([{ questionId: 'q2', text: 'this' }]);
  });

  test('R25 an open question is asked about seldom, so that an answer lost on its way is found; no incident', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [question] });
    x.interaction('q', {});
    x.world.now += 60_000;
    expect(factsOf(x.tick(), 'RequestInteraction')).toEqual([]);
    x.world.now += 300_000;
    expect(factsOf(x.tick(), 'RequestInteraction')).toMatchObject([{ attempt: 2, requestRevision: 1 }]);
    x.answerQuestion('q', 'yes');
    expect(x.run().requests).toEqual([]);
  });
});
