import { runView } from '../../services/run-executor/view';
import { executor, factsOf, report } from '../support/executor';

const action = { proposalId: 'p', connector: 'contact-api', operation: 'share', subject: 's', params: {} } as const;
const toolCall = { callId: 'a', tool: 'price-series', input: {} } as const;
const given = (x: ReturnType<typeof executor>, target = 'm1') =>
  runView(x.run(target), 1, () => '').grants.given.map(({ grant, from, until }) => ({ grant, from, until }));

const permission = (grant: string) => ({ questionId: 'q', kind: 'permission', question: '?', grant }) as const;
const decided = (x: ReturnType<typeof executor>, decision: 'approve' | 'deny') =>
  x.interaction('q', {
    kind: 'permission',
    state: 'answered',
    revision: 2,
    response: {
      ...{ responseId: 'r', clientResponseId: 'cr', text: null, choice: null, value: null },
      ...{ decision, respondedBy: 'alice', late: false, previewSha256: null },
    },
  });

describe('what a run may use (R24)', () => {
  test('R24 each grant says where it comes from, how far it reaches and when it ends', () => {
    const x = executor();
    x.start();
    const until = new Date(x.run().budget.hardDeadline).toISOString();
    expect(given(x)).toEqual([
      { grant: 'tool:price-series', from: 'agent:market-report', until },
      { grant: 'connector:contact-api', from: 'agent:market-report', until },
    ]);
    const { runId } = x.run();
    expect(runView(x.run(), 1, () => '').grants.given[0]?.scope).toEqual({ tenant: 'local', runId });
  });

  test('R24 a permitted grant names the interaction it was permitted by; a proposal carries origin and end to the ledger', () => {
    const x = executor({ agent: { connectors: [] } });
    x.start();
    x.answer({ ask: [permission('connector:contact-api')] });
    const woken = decided(x, 'approve');
    expect(x.input(woken).changes).toMatchObject([{ kind: 'grant_added', grant: 'connector:contact-api' }]);
    const from = `permission:${x.run().questions[0]?.interactionRef}`;
    expect(given(x)).toContainEqual(expect.objectContaining({ grant: 'connector:contact-api', from }));
    const sent = x.answer({ actions: [action] });
    expect(factsOf(sent, 'ProposeEffect')).toMatchObject([
      { grantFrom: from, grantUntil: x.run().budget.hardDeadline },
    ]);
  });

  test('R24 H7 the ceiling is looked at again when the answer comes: lowered meanwhile, nothing is granted', () => {
    const x = executor({ agent: { tools: [] } });
    x.start();
    x.answer({ ask: [permission('tool:price-series')] });
    x.configure({ tenants: { local: { defaultAgent: 'market-report', ceilings: { tools: [] } } } });
    const woken = decided(x, 'approve');
    expect(factsOf(woken, 'AnswerAdopted')).toMatchObject([{ status: 'void' }]);
    expect(x.input(woken).changes).toMatchObject([{ kind: 'grant_refused', code: 'not_granted' }]);
    expect(given(x).map(({ grant }) => grant)).not.toContain('tool:price-series');
    const sent = x.answer({ toolCalls: [toolCall] });
    expect(sent.performs.filter(({ type }) => type === 'tool')).toEqual([]);
  });

  test('R24 a denied permission grants nothing', () => {
    const x = executor({ agent: { tools: [] } });
    x.start();
    x.answer({ ask: [permission('tool:price-series')] });
    expect(x.input(decided(x, 'deny')).changes).toMatchObject([{ kind: 'grant_refused', code: 'denied' }]);
    expect(x.run().grants.tools).toEqual([]);
  });

  test('R24 a grant whose end has come is none any more', () => {
    const x = executor({ agent: { tools: [] } });
    x.start();
    x.answer({ ask: [permission('tool:price-series')] });
    decided(x, 'approve');
    x.alter((run) => {
      run.given = (run.given ?? []).map((one) => ({ ...one, until: x.world.now }));
    });
    const sent = x.answer({ toolCalls: [toolCall] });
    expect(sent.performs.filter(({ type }) => type === 'tool')).toEqual([]);
    expect(x.input(sent).toolResults[0]?.error).toMatchObject({ code: 'not_granted' });
  });

  test('R24 R14 grants survive a lost owner, a pause and a resume', () => {
    const x = executor({ agent: { tools: [] } });
    x.start();
    x.answer({ ask: [permission('tool:price-series')] });
    decided(x, 'approve');
    const before = given(x);
    x.world.now += 7_000;
    x.tick('m1', { instance: 'two' });
    x.control('p', { control: 'pause' });
    x.control('r', { control: 'resume' });
    expect(given(x)).toEqual(before);
    expect(given(x)).toHaveLength(2);
  });

  test('R24 A12 a continued run has its grants of the run it continues, with its own end', () => {
    const x = executor();
    x.start();
    x.answer({ report });
    x.published();
    x.world.now += 1_000;
    x.continue('n1');
    const until = new Date(x.run('n1').budget.hardDeadline).toISOString();
    expect(given(x, 'n1')).toContainEqual({ grant: 'tool:price-series', from: `run:${x.run().runId}`, until });
    expect(x.run('n1').budget.hardDeadline).toBeGreaterThan(x.run().budget.hardDeadline);
  });

  test('R24 R21 a child has its grants of its parent, without the consents', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [permission('consent:address')] });
    decided(x, 'approve');
    x.answer({ spawn: [{ childId: 'k', agent: 'market-report', text: 'look' }] });
    const child = x.run().children[0]?.runId ?? '';
    expect(given(x).map(({ grant }) => grant)).toContain('consent:address');
    expect(given(x, child).map(({ grant }) => grant)).not.toContain('consent:address');
    expect(given(x, child).every(({ from }) => from === `run:${x.run().runId}`)).toBe(true);
  });
});

describe('questions over a change of version (R10)', () => {
  const ask = { questionId: 'q', kind: 'question', question: 'Which?' } as const;

  test('R10 a question keeps the version it was asked under; its later answer arrives with it, marked for a recheck', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [ask], again: true });
    x.amend('a');
    x.answer({});
    x.answer({});
    const woken = x.answerQuestion('q', 'the blue one');
    expect(x.run().requirements.version).toBe(2);
    expect(x.input(woken).answers).toMatchObject([
      { questionId: 'q', text: 'the blue one', requirementsVersion: 1, needsRecheck: true },
    ]);
  });

  test('R10 an answer of the current version needs none', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [ask] });
    expect(x.input(x.answerQuestion('q', 'blue')).answers).toMatchObject([
      { requirementsVersion: 1, needsRecheck: false },
    ]);
  });

  test('R10 what is asked anew after the amendment is of the new version', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [ask], again: true });
    x.amend('a');
    x.answer({});
    x.answer({ ask: [{ ...ask, questionId: 'q2', revises: 'q' }] });
    const woken = x.answerQuestion('q2', 'blue');
    expect(x.input(woken).answers).toMatchObject([{ requirementsVersion: 2, needsRecheck: false }]);
  });

  test('R10 R22 a question that holds the report keeps the gate closed, over an amendment too', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [{ ...ask, holdsReport: true }], again: true });
    x.amend('a');
    x.answer({});
    x.answer({ report });
    expect(x.run().changes).toMatchObject([{ kind: 'report_refused', code: 'question_open', detail: 'q' }]);
    expect(x.run().status).not.toBe('publishing');
    x.published();
    x.answerQuestion('q', 'blue');
    x.answer({ report });
    expect(x.run().status).toBe('publishing');
  });
});
