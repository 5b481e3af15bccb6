import { executor, report, saidAbout } from '../support/executor';

const action = { proposalId: 'p', connector: 'contact-api', operation: 'share', subject: 's', params: {} } as const;

describe('case 60: nothing waits for ever (A13)', () => {
  test('case 60 an interrupt meets a run that is completing: it completes, and the new one starts after it', () => {
    const x = executor();
    x.start('m1');
    x.answer({ report });
    x.start('m2', { interruptRunId: x.ids('m1').runId });
    expect([x.run('m1').status, x.run('m2').status]).toEqual(['publishing', 'queued']);
    const sent = x.published();
    expect([x.run('m1').status, x.run('m2').status]).toEqual(['completed', 'running']);
    expect(saidAbout(sent, x.ids('m2').messageId)).toEqual(['run_started']);
  });

  test('case 60 a third message interrupts the one that waits: that one is cancelled, the third starts after the first', () => {
    const x = executor();
    x.start('m1');
    x.answer({ actions: [action] });
    x.start('m2', { interruptRunId: x.ids('m1').runId });
    x.start('m3', { interruptRunId: x.ids('m2').runId });
    expect(x.run('m2')).toMatchObject({ status: 'cancelled', cause: 'interrupted_by_message', turns: 0 });
    expect([x.run('m1').status, x.run('m3').status]).toEqual(['cancelling', 'queued']);
    x.fenceAcknowledged();
    expect([x.run('m1').status, x.run('m3').status]).toEqual(['cancelled', 'running']);
  });

  test('case 60 an interrupt of a run that has ended meanwhile, or never was, waits for nothing', () => {
    const x = executor();
    x.start('m1');
    x.control('k');
    x.start('m2', { interruptRunId: x.ids('m1').runId });
    expect(x.run('m2').status).toBe('running');
    x.start('m3', { interruptRunId: 'run_nothing', mode: 'parallel' });
    expect(x.run('m3').status).toBe('running');
  });

  test('case 60 a parked run holds nobody under enqueue; once it goes on, both do', () => {
    const x = executor();
    x.start('m1');
    x.answer({ ask: [{ questionId: 'q', kind: 'question', mode: 'blocking', question: '?' }] });
    x.interaction('q', { mode: 'blocking' });
    expect(x.run('m1').status).toBe('parked');
    x.start('m2');
    expect(x.run('m2').status).toBe('running');
    x.answerQuestion('q', 'yes');
    expect(['running', 'waiting', 'queued']).toContain(x.run('m1').status);
    x.answer({ report }, 'm2');
    x.published(true, 'm2');
    expect([x.run('m1').status, x.run('m2').status]).toEqual(['running', 'completed']);
  });

  test('case 4: an update of a run that was cancelled is refused with what is possible, and answers nothing', () => {
    const x = executor();
    x.start('m1');
    x.answer({ ask: [{ questionId: 'q', kind: 'question', question: '?' }] });
    x.interaction('q', {});
    x.control('k');
    const sent = x.amend('u1', { content: 'yes' });
    expect(saidAbout(sent, x.ids('u1').messageId)).toEqual(['refused']);
    expect(x.run('m1').questions[0]?.answer).toBeNull();
  });
});
