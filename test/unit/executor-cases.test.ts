import { executor, factsOf, report, saidAbout } from '../support/executor';

const contact = {
  proposalId: 'contact',
  connector: 'contact-api',
  operation: 'contact',
  subject: 'P7.C12.2026-11',
  params: { to: 'dana' },
} as const;
const evaluate = { callId: 'evaluation', tool: 'price-series', input: { candidate: 'C12' } } as const;

describe('cases that broke others', () => {
  test.each([
    ['its last turn goes by', 'partial', ['update_not_applied'], ['follow_up_created']],
    ['the agent fails', 'failed', ['update_not_applied'], ['update_not_applied']],
    ['its owners are lost', 'interrupted', ['update_not_applied'], ['update_not_applied']],
    ['it is cancelled', 'cancelled', ['update_not_applied'], ['update_not_applied']],
  ] as const)(
    'case 6 R6: an update received before %s is told what became of it',
    (_name, state, observed, amended) => {
      const x = executor({ agent: { budget: { turns: 1 } } });
      x.start();
      x.observe('o');
      x.amend('a');
      const ends = {
        partial: () => x.answer({ again: true }),
        failed: () => x.outcome({ kind: 'defect', message: 'boom' }),
        cancelled: () => x.control('c'),
        interrupted: () => {
          for (let n = 0; n < 4; n += 1) {
            x.world.now += 7_000;
            x.tick();
          }
          x.world.now += 7_000;
          return x.tick();
        },
      };
      const sent = ends[state]();
      x.published();
      expect(x.run()).toMatchObject({ status: state, pending: [] });
      expect(saidAbout(sent, x.ids('o').messageId)).toEqual(observed);
      expect(saidAbout(sent, x.ids('a').messageId).slice(0, 1)).toEqual(amended);
      if (state === 'partial') expect(x.run(x.ids('a').runId)).toMatchObject({ parentRunId: x.run().runId });
    },
  );

  test('case 7 R11: a turn longer than its lease stays its living owner’s: one commit, one action', () => {
    const x = executor();
    x.start();
    const { epoch, runId } = x.run();
    for (let n = 0; n < 20; n += 1) {
      x.world.now += 2_000;
      x.world.send({ type: 'renew', runId, conversation: '', turn: 1, epoch });
      // Another instance looks whenever anything may be due.
      expect(x.tick('m1', { instance: 'two' }).performs).toEqual([]);
    }
    expect(x.run()).toMatchObject({ epoch, turn: { number: 1, attempt: 1, lost: 0 } });
    const sent = x.answer({ actions: [contact] });
    expect(factsOf(sent, 'TurnCommitted')).toHaveLength(1);
    expect(factsOf(sent, 'ProposeEffect')).toHaveLength(1);
  });

  /** What any instance does that looks for what is due. */
  const lookAround = (x: ReturnType<typeof executor>, runId: string, instance: string) =>
    x.kinds
      .filter((kind) => (x.world.dueAt(kind, runId) ?? Infinity) <= x.world.now)
      .flatMap((kind) => x.world.send({ type: 'tick', kind: kind.name, id: runId }, { instance }).performs);

  test('case 7 R11: of all its signs of life the run is written for one, and its silence after them is found', () => {
    const x = executor();
    x.start();
    const { epoch, runId } = x.run();
    const revision = x.world.revision('run', runId);
    for (let n = 0; n < 20; n += 1) {
      x.world.now += 2_000;
      x.world.send({ type: 'renew', runId, conversation: '', turn: 1, epoch });
      expect(lookAround(x, runId, 'two')).toEqual([]);
    }
    expect(x.world.revision('run', runId)).toBe(revision + 1);
    x.world.now += 5_000;
    expect(lookAround(x, runId, 'two')).toEqual([]);
    x.world.now += 1_000;
    expect(lookAround(x, runId, 'two')).toMatchObject([{ type: 'ask', turn: 1, attempt: 2 }]);
    expect(x.run()).toMatchObject({ lease: { owner: 'two' }, turn: { lost: 1 } });
    // The one that was silent speaks up again: the claim of its successor stands, and so does what it lives by.
    x.world.send({ type: 'renew', runId, conversation: '', turn: 1, epoch });
    x.world.now += 6_000;
    expect(lookAround(x, runId, 'three')).toMatchObject([{ type: 'ask', attempt: 3 }]);
    // After its end nobody looks at it for the sake of an old renewal.
    x.answer({ report });
    x.published();
    x.world.now += 60_000;
    lookAround(x, runId, 'three');
    expect(x.kinds.map((kind) => x.world.dueAt(kind, runId)).filter((due) => due !== null)).toEqual([]);
  });

  test('case 7 R11: an owner that stood still past its lease comes back: renewal and commit are refused', () => {
    const x = executor();
    x.start();
    const { epoch, runId } = x.run();
    x.world.now += 7_000;
    x.tick('m1', { instance: 'two' });
    x.world.send({ type: 'renew', runId, conversation: '', turn: 1, epoch });
    expect(x.run().lease?.owner).toBe('two');
    expect(x.answer({ actions: [contact] }, 'm1', epoch).facts).toEqual([]);
    expect(factsOf(x.answer({ actions: [contact] }), 'ProposeEffect')).toHaveLength(1);
    expect(x.answer({ actions: [contact] }, 'm1', epoch).facts).toEqual([]);
    expect(x.run().actions).toHaveLength(1);
  });

  test('case 49 R12: after a crash the turn asked again has the newest sealed input, whatever arrived in between', () => {
    const x = executor();
    x.start();
    x.answer({
      ask: [{ questionId: 'q', kind: 'question', question: 'which city?' }],
      actions: [contact],
      spawn: [{ childId: 'k', agent: 'market-report', text: 'look' }],
    });
    x.proposalAccepted('contact', { state: 'sending' });
    const absorbed = x.answerQuestion('q', 'Lyon');
    expect(x.input(absorbed).answers).toMatchObject([{ questionId: 'q', text: 'Lyon' }]);
    const sealed = x.run().turn;
    expect(sealed).toMatchObject({ number: 2, answers: [x.run().questions[0]?.interactionRef] });
    // The owner is gone; receipts of an action and of a child come before anybody has noticed.
    const child = x.run().children[0]?.runId ?? '';
    x.action('contact', 'succeeded', 5);
    x.answer({ report }, child);
    x.published(true, child);
    x.world.now += 7_000;
    const [asked] = x.tick('m1', { instance: 'two' }).performs;
    expect(asked).toMatchObject({ type: 'ask', turn: 2, inputSha256: sealed?.inputSha256, inputBytes: null });
    // They are the next turn's news, each once.
    expect(x.input(x.answer({ state: 1 })).changes.map(({ kind }) => kind)).toEqual([
      'action_succeeded',
      'child_ended',
    ]);
    expect(x.run().questions[0]?.adoption).toBe('adopted');
  });

  test('case 51 R7: city changed, contact timed out, found by its receipt: evaluation to recheck, no second contact', () => {
    const x = executor();
    x.start();
    x.answer({ toolCalls: [evaluate] });
    x.toolDone('evaluation', { score: 8 });
    x.answer({ actions: [contact] });
    x.proposalAccepted('contact', { state: 'sending' });
    x.action('contact', 'unknown', 3);
    // The page is closed all the while; the user writes from elsewhere, in mid-turn.
    x.amend('city', { content: 'Lyon instead of Paris' });
    x.answer({ state: 1 });
    const next = x.input(x.fenceAcknowledged({ unknown: ['contact-api:contact:P7.C12.2026-11:v1'] }));
    expect(next.transition).toMatchObject({
      unknown: ['contact-api:contact:P7.C12.2026-11:v1'],
      effectsDone: [],
      resultsToRecheck: ['evaluation'],
    });
    expect(next.toolResults).toMatchObject([{ callId: 'evaluation', requirementsVersion: 1, needsRecheck: true }]);
    // Built on the old evaluation the report does not pass, nor does anything say the contact again.
    const refused = x.answer({ report: { ...report, sources: [{ callId: 'evaluation' }] } });
    expect(x.input(refused).changes).toMatchObject([{ kind: 'report_refused', code: 'stale_source' }]);
    x.action('contact', 'succeeded', 4);
    const told = x.answer({ toolCalls: [{ ...evaluate, callId: 'again' }], results: { drop: ['evaluation'] } });
    expect(factsOf(told, 'ProposeEffect')).toEqual([]);
    const last = x.toolDone('again', { score: 5 });
    expect(x.input(last).changes).toMatchObject([{ kind: 'action_succeeded' }]);
    expect(x.input(last).toolResults.map(({ callId }) => callId)).toEqual(['again']);
    const done = x.answer({ report: { ...report, sources: [{ callId: 'again' }] } });
    expect(factsOf(done, 'PublishReport')).toMatchObject([{ version: 2, status: 'final' }]);
  });
});

describe('what a reader finds of turns that were not committed', () => {
  const outcomes = (rows: readonly { readonly table: string; readonly values: Record<string, unknown> }[]) =>
    rows.filter(({ table }) => table === 'turns').map(({ values }) => values['outcome']);

  test('R20 a wrong echo is in the journal, with its field', () => {
    const x = executor();
    x.start();
    const { inputSha256 } = x.run().turn ?? {};
    const sent = x.answer({
      for: { conversationId: 'c1', taskId: 'other', runId: 'other', turn: 1, requirementsVersion: 1 },
    });
    const [row] = sent.rows.filter(({ table }) => table === 'turns');
    expect(row?.values).toMatchObject({ number: 1, outcome: 'wrong_owner', input_sha256: inputSha256 });
    expect(String(row?.values['doc'])).toContain('for.taskId');
    expect(factsOf(sent, 'TurnCommitted')).toEqual([]);
    expect(x.run().turns).toBe(0);
  });

  test('R14 R15 so are turns that a malformed answer, a silent agent or a cancel ended', () => {
    const malformed = executor();
    malformed.start();
    expect(outcomes(malformed.answer({ again: 'yes' as never }).rows)).toEqual(['malformed_output']);
    const silent = executor({ agent: { retry: { maxTotalMs: 1 } } });
    silent.start();
    silent.outcome({ kind: 'retry', reason: 'timeout' });
    silent.world.now = silent.run().turn?.retryAt ?? 0;
    silent.tick();
    const sent = silent.outcome({ kind: 'retry', reason: 'timeout' });
    expect(outcomes(sent.rows)).toEqual(['agent_timeout']);
    expect(sent.rows.find(({ table }) => table === 'turns')?.values['attempts']).toBe(2);
    const cancelled = executor();
    cancelled.start();
    expect(outcomes(cancelled.control('c').rows)).toEqual(['cancelled']);
  });
});

describe('news of an action that were lost (R25)', () => {
  const sending = () => {
    const x = executor();
    x.start();
    x.answer({ actions: [contact] });
    x.proposalAccepted('contact', { state: 'sending' });
    x.answer({});
    return x;
  };

  test('R25 an action that is under way is asked about again, seldom and without an incident, until it is settled', () => {
    const x = sending();
    x.world.now += 300_000;
    const sent = x.tick();
    expect(factsOf(sent, 'ProposeEffect')).toMatchObject([{ proposalId: 'contact', attempt: 2 }]);
    expect(sent.rows.filter(({ table }) => table === 'incidents')).toEqual([]);
    expect(x.run().status).toBe('waiting');
    const told = x.proposalAccepted('contact', { state: 'succeeded' });
    expect(x.input(told).changes).toMatchObject([{ kind: 'action_succeeded' }]);
    expect(x.run().requests).toEqual([]);
  });

  test('R25 an older answer of the ledger that comes late takes nothing back', () => {
    const x = sending();
    x.action('contact', 'succeeded', 7);
    expect(x.run().requests).toEqual([]);
    x.proposalAccepted('contact', { state: 'unknown' });
    expect(x.run().actions).toMatchObject([{ status: 'succeeded' }]);
  });
});

describe('POST resume', () => {
  test('R14 R17 what the route asks for recovers a lost run and leaves every other as it is', () => {
    const x = executor();
    x.start();
    expect(x.tick('m1', { instance: 'two' }).performs).toEqual([]);
    x.world.now += 7_000;
    expect(x.tick('m1', { instance: 'two' })).toMatchObject({
      reply: { state: 'running' },
      performs: [{ attempt: 2 }],
    });
  });
});
