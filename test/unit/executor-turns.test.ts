import { sha256Hex } from '../../services/platform/canonical';
import { executor, factsOf, report, saidAbout } from '../support/executor';

const action = {
  proposalId: 'p',
  connector: 'contact-api',
  operation: 'share',
  subject: 's',
  params: { to: 'dana' },
} as const;

describe('turns, boundaries and ownership', () => {
  test('A1 R12 a start creates the run and seals input 1 in one decision; its hash is that of the bytes', () => {
    const x = executor();
    const sent = x.start();
    expect(saidAbout(sent)).toEqual(['run_started']);
    const row = sent.rows.find(({ table }) => table === 'inputs');
    expect(row?.values['sha256']).toBe(sha256Hex(row?.values['bytes'] as Buffer));
    expect(x.run().turn).toMatchObject({ number: 1, inputSha256: row?.values['sha256'] });
  });

  test('R11 a turn commits once, and only under its own number and epoch', () => {
    const x = executor();
    x.start();
    const { epoch } = x.run();
    expect(x.answer({ again: true }, 'm1', epoch - 1).facts).toEqual([]);
    expect(x.run().turns).toBe(0);
    x.answer({ again: true });
    expect(x.run().turns).toBe(1);
  });

  test('R11 case 53 observations during a long turn do not make its work void', () => {
    const x = executor();
    x.start();
    for (let n = 0; n < 20; n += 1) x.observe(`o${n}`);
    const sent = x.answer({ state: 1 });
    expect(x.run().turns).toBe(1);
    expect(x.input(sent).changes).toHaveLength(20);
  });

  test('R13 with tool calls the next turn waits for all results', () => {
    const x = executor();
    x.start();
    x.answer({ toolCalls: ['a', 'b'].map((callId) => ({ callId, tool: 'price-series', input: {} })) });
    expect(x.toolDone('a').performs).toEqual([]);
    const sent = x.toolDone('b');
    expect(x.input(sent).toolResults.map(({ callId }) => callId)).toEqual(['a', 'b']);
  });

  test('R24 a tool or connector outside the grants is not_granted and is not executed', () => {
    const x = executor({ agent: { tools: [], connectors: [] } });
    x.start();
    const sent = x.answer({ toolCalls: [{ callId: 'a', tool: 'price-series', input: {} }], actions: [action] });
    expect(sent.performs.filter(({ type }) => type === 'tool')).toEqual([]);
    expect(factsOf(sent, 'ProposeEffect')).toEqual([]);
    expect(x.input(sent).toolResults[0]?.error).toMatchObject({ code: 'not_granted' });
    expect(x.input(sent).changes).toMatchObject([{ kind: 'action_refused', code: 'not_granted' }]);
  });

  test('R13 three turns in a row that change nothing and leave nothing open fail the run', () => {
    const x = executor();
    x.start();
    x.answer({});
    x.answer({});
    expect(x.run().status).toBe('running');
    x.answer({});
    expect(x.run()).toMatchObject({ status: 'failed', cause: 'no_progress' });
  });

  test('R14 R12 a lost owner: the next asks the identical input under a higher epoch, the old answer is refused', () => {
    const x = executor();
    const first = x.start();
    const sealed = x.run().turn?.inputSha256;
    const { epoch } = x.run();
    x.world.now += 7_000;
    const taken = x.tick('m1', { instance: 'two' });
    const [ask] = taken.performs;
    expect(ask).toMatchObject({ type: 'ask', turn: 1, attempt: 2, inputSha256: sealed, inputBytes: null });
    expect(x.run().lease?.owner).toBe('two');
    expect(x.run().epoch).toBeGreaterThan(epoch);
    expect(first.performs).toHaveLength(1);
    x.answer({ again: true }, 'm1', epoch);
    expect(x.run().turns).toBe(0);
    x.answer({ again: true });
    expect(x.run().turns).toBe(1);
  });

  test('R7 after a lost owner only unfinished calls run again', () => {
    const x = executor();
    x.start();
    x.answer({ toolCalls: ['a', 'b'].map((callId) => ({ callId, tool: 'price-series', input: {} })) });
    x.toolDone('a');
    x.world.now += 7_000;
    expect(x.tick('m1', { instance: 'two' }).performs).toMatchObject([{ type: 'tool', callId: 'b' }]);
  });

  test('R14 bounded owners lost for one turn, then interrupted with the cause', () => {
    const x = executor();
    x.start();
    for (let n = 0; n < 5; n += 1) {
      x.world.now += 7_000;
      x.tick();
    }
    expect(x.run()).toMatchObject({ status: 'interrupted', cause: 'owner_lost' });
  });

  test('R14 recovery settle ends interrupted, unless something is stored for the run', () => {
    const settling = executor({ agent: { recovery: 'settle' } });
    settling.start();
    settling.world.now += 7_000;
    settling.tick();
    expect(settling.run()).toMatchObject({ status: 'interrupted', cause: 'owner_lost' });
    const stored = executor({ agent: { recovery: 'settle' } });
    stored.start();
    stored.observe('o1');
    stored.world.now += 7_000;
    stored.tick();
    expect(stored.run().status).toBe('running');
  });

  test('R14 an agent that cannot be reached rests and is asked the same again, then interrupted', () => {
    const x = executor({ agent: { retry: { maxTotalMs: 5_000 } } });
    x.start();
    const sealed = x.run().turn?.inputSha256;
    x.outcome({ kind: 'retry', reason: 'unreachable' });
    expect(x.run()).toMatchObject({ status: 'running', lease: null });
    x.world.now = x.run().turn?.retryAt ?? 0;
    expect(x.tick().performs).toMatchObject([{ type: 'ask', attempt: 2, inputSha256: sealed }]);
    x.world.now += 6_000;
    x.outcome({ kind: 'retry', reason: 'timeout' });
    expect(x.run()).toMatchObject({ status: 'interrupted', cause: 'agent_timeout' });
  });

  test.each([
    ['malformed answer', { kind: 'malformed', field: 'state', message: 'odd' } as const, 'malformed_output', 'state'],
    ['unknown field', { kind: 'output', raw: { nope: 1 } } as const, 'malformed_output', 'for'],
    ['defect', { kind: 'defect', message: 'boom' } as const, 'defect', 'boom'],
  ])('R14 X4 %s fails the run and names the field', (_name, outcome, cause, detail) => {
    const x = executor();
    x.start();
    x.outcome(outcome);
    expect(x.run()).toMatchObject({ status: 'failed', cause });
    expect(x.run().detail).toContain(detail);
  });

  test('R20 a wrong echo is refused wrong_owner', () => {
    const x = executor();
    x.start();
    x.answer({ for: { conversationId: 'c1', taskId: 'other', runId: 'other', turn: 1, requirementsVersion: 1 } });
    expect(x.run().detail).toContain('wrong_owner');
  });

  test('R18 the budget only shrinks, over recovery too; the deadline ends as partial', () => {
    const x = executor({ agent: { budget: { turns: 3, deadlineSec: 60 } } });
    x.start();
    expect(x.run().budget.turnsLeft).toBe(2);
    x.world.now += 7_000;
    x.tick();
    expect(x.run().budget.turnsLeft).toBe(2);
    x.world.now += 60_000;
    x.tick();
    expect(x.run()).toMatchObject({ status: 'partial', cause: 'deadline' });
  });

  test('R18 cost is taken from the budget, and its end is partial', () => {
    const x = executor({ agent: { budget: { cost: 2 } } });
    x.start();
    x.answer({ again: true, usage: { cost: 2.5 } });
    expect(x.run()).toMatchObject({ status: 'partial', cause: 'budget_cost' });
  });

  test('R22 the gate waits for actions on their way, and tells at the first change of what refused it', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'admitted' });
    x.observe('o1');
    x.answer({ report });
    expect(x.run().status).toBe('waiting');
    const sent = x.action('p', 'succeeded', 5);
    expect(x.input(sent).changes.map(({ kind }) => kind)).toEqual(['report_refused', 'action_succeeded']);
    x.answer({ report });
    expect(x.run().status).toBe('publishing');
  });

  test('R22 what a report cites is something the run has: results, actions, materials that were there to be read', () => {
    const x = executor();
    x.start('m1', { content: 'compare the funds' });
    x.answer({ report: { ...report, sources: [] } });
    x.published();
    const [request] = x.input(x.continue('n1')).materials;
    const actionKey = 'contact-api:share:s:v1';
    for (const [source, detail] of [
      [{ callId: 'a' }, 'a'],
      [{ materialRef: 'made up' }, 'made up'],
      [{ actionKey }, actionKey],
    ] as const) {
      const refused = x.answer({ report: { ...report, sources: [source] } }, 'n1');
      expect(x.input(refused).changes).toMatchObject([{ kind: 'report_refused', code: 'unknown_source', detail }]);
    }
    x.answer({ actions: [action] }, 'n1');
    x.proposalAccepted('p', { state: 'succeeded' }, 'n1');
    x.answer({ report: { ...report, sources: [{ materialRef: request?.ref }, { actionKey }] } }, 'n1');
    expect(x.run('n1').status).toBe('publishing');
  });

  test('R22 a material that came without its bytes is no source', () => {
    const x = executor({ agent: { budget: { turns: 2 } } });
    x.start();
    x.answer({ again: true });
    x.answer({ toolCalls: [{ callId: 'a', tool: 'price-series', input: {} }] });
    x.toolDone('a');
    x.alter((run) => {
      (run.calls[0] as unknown as { output: { inline: string } }).output.inline = '{}';
    });
    const gone = x.input(x.continue('n1')).materials.find(({ available }) => !available);
    const refused = x.answer({ report: { ...report, sources: [{ materialRef: gone?.ref }] } }, 'n1');
    const changes = [{ code: 'unknown_source', detail: `${x.ids('m1').runId}/result/a` }];
    expect(x.input(refused).changes).toMatchObject(changes);
  });

  test('R22 R23 unknown actions make report and run partial, and later settlements are appended facts', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'sending' });
    x.action('p', 'unknown', 4);
    const sent = x.answer({ report });
    expect(factsOf(sent, 'PublishReport')).toMatchObject([
      { status: 'partial', unsettledActions: ['contact-api:share:s:v1'] },
    ]);
    x.published();
    expect(x.run().status).toBe('closing');
    x.fenceAcknowledged({ unknown: ['contact-api:share:s:v1'] });
    expect(x.run()).toMatchObject({
      status: 'partial',
      cause: 'unsettled_actions',
      unsettledActions: ['contact-api:share:s:v1'],
    });
    x.action('p', 'succeeded', 9);
    expect(x.run()).toMatchObject({ status: 'partial', lateSettlements: [{ state: 'succeeded' }] });
  });

  test('R23 P4 completed only after publication has acknowledged', () => {
    const x = executor();
    x.start();
    x.answer({ report });
    expect(x.run()).toMatchObject({ status: 'publishing', report: null });
    const sent = x.published();
    expect(x.run()).toMatchObject({ status: 'completed', report: { version: 1, seq: 1 } });
    expect(factsOf(sent, 'RunStateChanged')).toMatchObject([{ state: 'completed' }]);
  });

  test('R12 P6 an accepted partial publication is acknowledged before the next seal', () => {
    const x = executor();
    x.start();
    x.answer({ publish: report, again: true });
    expect(x.run()).toMatchObject({ status: 'waiting', turn: null });
    x.published();
    expect(x.run().turn).toMatchObject({ number: 2 });
  });

  test('E7 R4 an amendment raises the fence, and the next seal waits for its acknowledgement', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'awaiting_approval' });
    x.answer({});
    const sent = x.amend('m2');
    expect(factsOf(sent, 'RaiseFence')).toMatchObject([{ number: 1, minVersion: 2, mode: 'open' }]);
    expect(x.run()).toMatchObject({ status: 'waiting', turn: null });
    const sealed = x.fenceAcknowledged({ withdrawn: ['contact-api:share:s:v1'] });
    expect(x.input(sealed).transition).toMatchObject({ withdrawn: ['contact-api:share:s:v1'] });
  });

  test('case 61 R25: a request that nobody answers is asked again under the next id, and an incident says so', () => {
    const x = executor();
    x.start();
    x.answer({ report });
    const asked: string[] = [];
    const rows: unknown[] = [];
    for (let n = 0; n < 6; n += 1) {
      x.world.now = Math.min(...x.run().requests.map(({ askAt }) => askAt));
      const sent = x.tick();
      asked.push(...sent.facts.filter(({ type }) => type === 'PublishReport').map(({ eventId }) => eventId));
      rows.push(...sent.rows.filter(({ table }) => table === 'incidents'));
    }
    expect(asked).toHaveLength(6);
    expect(new Set(asked).size).toBe(6);
    expect(rows).toHaveLength(1);
    x.published();
    expect(x.run().status).toBe('completed');
  });

  test('H2 an answer is adopted by the committed turn whose sealed input carried it', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [{ questionId: 'q', kind: 'question', question: 'how?' }] });
    x.interaction('q', {});
    const sealed = x.answerQuestion('q', 'annualised');
    expect(x.input(sealed).answers).toMatchObject([{ questionId: 'q', text: 'annualised' }]);
    expect(factsOf(sealed, 'AnswerAdopted')).toEqual([]);
    const hash = x.run().turn?.inputSha256;
    expect(factsOf(x.answer({ report }), 'AnswerAdopted')).toMatchObject([
      { status: 'adopted', turn: 2, inputSha256: hash },
    ]);
  });

  test('H2 an answer no turn took is void with its reason when the run ends', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [{ questionId: 'q', kind: 'question', question: 'how?' }], again: true });
    x.answerQuestion('q', 'late');
    const sent = x.outcome({ kind: 'defect', message: 'boom' });
    expect(factsOf(sent, 'AnswerAdopted')).toMatchObject([{ status: 'void' }]);
  });

  test('H7 a permission outside the ceiling makes no interaction; inside, the executor grants at the answer', () => {
    const x = executor({ agent: { tools: [] } });
    x.start();
    const sent = x.answer({
      ask: [
        { questionId: 'no', kind: 'permission', question: '?', grant: 'tool:unknown' },
        { questionId: 'yes', kind: 'permission', question: '?', grant: 'tool:price-series' },
      ],
    });
    expect(factsOf(sent, 'RequestInteraction')).toMatchObject([{ questionId: 'yes', kind: 'permission' }]);
    x.answer({});
    x.interaction('yes', {
      state: 'answered',
      revision: 3,
      response: {
        responseId: 'r',
        clientResponseId: 'c',
        text: null,
        choice: null,
        value: null,
        decision: 'approve',
        respondedBy: 'alice',
        late: false,
        previewSha256: null,
      },
    });
    expect(x.run().grants.tools).toEqual(['price-series']);
  });
});
