import { waitingFor } from '../../services/run-executor/waiting-for';
import { executor, factsOf, report, saidAbout } from '../support/executor';

const action = (proposalId: string) => ({
  proposalId,
  connector: 'contact-api',
  operation: 'contact',
  subject: 'S',
  params: { a: 1 },
});
const call = { callId: 'a', tool: 'price-series', input: {} };

describe('runs that wait come to an end', () => {
  test('A14 R25 a queued run that starts later tells its message so', () => {
    const x = executor();
    x.start('m1');
    expect(saidAbout(x.start('m2'), x.ids('m2').messageId)).toEqual(['run_queued']);
    x.answer({ report });
    expect(saidAbout(x.published(), x.ids('m2').messageId)).toEqual(['run_started']);
  });

  test('A13 an interrupt ends the old run, tells so, and frees its place at once where nothing is unsettled', () => {
    const x = executor();
    x.start('m1');
    const sent = x.start('m2', { interruptRunId: x.ids('m1').runId });
    expect(factsOf(sent, 'RunStateChanged').map((fact) => [fact['messageId'], fact['state']])).toEqual(
      expect.arrayContaining([[x.ids('m1').messageId, 'cancelled']]),
    );
    expect([x.run('m1').status, x.run('m2').status]).toEqual(['cancelled', 'running']);
  });

  test('A14 a run that depends on one of another conversation takes its place in its own', () => {
    const x = executor();
    x.start('m1');
    x.start('m2', { dependsOnRunId: x.ids('m1').runId, conversationId: 'c2' });
    x.answer({ report });
    x.published();
    expect(x.run('m2').status).toBe('running');
    x.start('m3');
    expect(x.run('m3').status).toBe('running');
  });

  test('E1 R13 two proposals of a run that stand for one action both hear of it', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action('p1'), action('p2')] });
    x.proposalAccepted('p1', { state: 'sending' });
    x.action('p1', 'sending', 3);
    x.proposalAccepted('p2', { status: 'existing', state: 'sending' });
    x.action('p1', 'proposed', 1);
    expect(x.run().actions.map((one) => one.status)).toEqual(['sending', 'sending']);
    x.action('p1', 'succeeded', 4);
    expect(x.run().actions.map((one) => one.status)).toEqual(['succeeded', 'succeeded']);
  });

  test('E1 a refused proposal that names the action in its way is not moved with it', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action('p1'), action('p2')] });
    x.proposalAccepted('p2', { status: 'refused', code: 'earlier_action_unsettled', state: null });
    x.proposalAccepted('p1', { state: 'sending' });
    x.action('p1', 'succeeded', 4);
    expect(x.run().actions.map((one) => one.status)).toEqual(['succeeded', 'refused']);
  });

  test('R15 a cancel that waits for an unknown action says so', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action('p1')] });
    x.proposalAccepted('p1', { state: 'sending' });
    x.action('p1', 'unknown', 2);
    x.control('k1');
    x.fenceAcknowledged();
    expect(waitingFor(x.run())).toMatchObject([{ kind: 'action', ref: 'contact-api:contact:S:v1' }]);
  });

  test('R23 an end that waits for a report on its way says so', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [{ questionId: 'q', kind: 'question', question: '?', holdsReport: true }] });
    x.interaction('q', {});
    x.observe('o1');
    x.answer({ report });
    x.world.now = x.run().budget.hardDeadline;
    x.tick();
    expect(x.run().status).toBe('closing');
    expect(waitingFor(x.run())).toMatchObject([{ kind: 'publication', ref: '1.1' }]);
  });

  test('R19 R7 tools of a lost owner find no room at first and run as soon as there is some', () => {
    const x = executor();
    x.start();
    x.answer({ toolCalls: [call] });
    x.world.now += 7_000;
    expect(x.tick('m1', { capacity: 0 }).performs).toEqual([]);
    expect(x.run().readyAt).toBe(x.world.now + 100);
    x.world.now += 100;
    expect(x.tick().performs).toMatchObject([{ type: 'tool', callId: 'a' }]);
    expect(x.run().readyAt).toBeNull();
  });

  test('R19 a queued run without room stops looking when its place is taken', () => {
    const x = executor();
    x.full = true;
    x.start('m1');
    x.full = false;
    x.start('m2', { mode: 'parallel' });
    x.world.now += 100;
    x.tick();
    expect(x.run()).toMatchObject({ status: 'queued', readyAt: null });
    x.answer({ report }, 'm2');
    x.published(true, 'm2');
    expect(x.run().status).toBe('running');
  });

  test('R15 a cancelled run does not look for room any more', () => {
    const x = executor();
    x.start();
    x.world.now += 7_000;
    x.tick('m1', { capacity: 0 });
    expect(x.run().readyAt).not.toBeNull();
    x.control('k1');
    expect(x.run()).toMatchObject({ status: 'cancelled', readyAt: null });
  });

  test.each(['cancelling', 'pausing'] as const)(
    'R14 a %s run on which nobody works is released without a look for room that never ends',
    (status) => {
      const x = executor();
      x.start();
      x.answer({ actions: [action('p')] });
      x.proposalAccepted('p', { state: 'sending' });
      if (status === 'pausing') x.outcome({ kind: 'retry', reason: 'unreachable' });
      x.control('k', { control: status === 'pausing' ? 'pause' : 'cancel' });
      expect(x.run().status).toBe(status);
      x.full = true;
      const { runId } = x.run();
      x.world.send({ type: 'steer', runId, conversation: 'c', verb: 'release-lease', reason: 'stuck' });
      expect(x.run()).toMatchObject({ status, readyAt: null });
      x.full = false;
      expect(x.tick().performs).toEqual([]);
    },
  );

  test('R25 an ended run answers a repeated amendment whose text lies outside its document', () => {
    const x = executor();
    const content = 'x'.repeat(5_000);
    x.start();
    x.amend('a1', { content });
    x.answer({});
    x.answer({ report });
    x.published();
    expect(x.run().status).toBe('completed');
    expect(saidAbout(x.amend('a1', { content, attempt: 2 }))).toEqual(['update_applied']);
  });
});
