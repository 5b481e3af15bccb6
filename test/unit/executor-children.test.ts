import { waitingFor } from '../../services/run-executor/waiting-for';
import type { Tree } from '../../services/run-executor/tree-state';
import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { executor, factsOf, report, saidAbout } from '../support/executor';

const action = { proposalId: 'p', connector: 'contact-api', operation: 'share', subject: 's', params: {} } as const;
const spawn = { childId: 'k', agent: 'market-report', text: 'look at AAPL' } as const;

const family = (
  more: Partial<TurnOutput['spawn'] extends (infer S)[] | undefined ? S : never> = {},
  agent: object = {},
) => {
  const x = executor({ agent });
  x.start();
  const sent = x.answer({ spawn: [{ ...spawn, ...more }] });
  const child = x.run().children[0]?.runId ?? '';
  return { x, sent, child, tree: () => x.world.state<Tree>('tree', x.run().runId) };
};

describe('children (R21)', () => {
  test('R21 a child runs beside its waiting parent, with revision, share of the budget and no more grants than it', () => {
    const { x, child, sent, tree } = family();
    expect(x.run()).toMatchObject({ status: 'waiting', budget: { turnsLeft: 25 } });
    expect(waitingFor(x.run())).toMatchObject([{ kind: 'child', ref: child }]);
    expect(x.run(child)).toMatchObject({
      status: 'running',
      taskId: x.run().taskId,
      rootRunId: x.run().runId,
      parentRunId: x.run().runId,
      spawned: { childId: 'k', depth: 1, version: 1 },
      budget: { turnsLeft: 23 },
    });
    // Its start is nobody's message.
    expect(factsOf(sent, 'MessageDecided')).toEqual([]);
    expect(tree()?.live).toEqual([child]);
  });

  test('R21 R18 its end, its report and what it did not use come back to the parent', () => {
    const { x, child, tree } = family({ budget: { turns: 4 } });
    x.answer({ report }, child);
    const sent = x.published(true, child);
    expect(x.run(child).status).toBe('completed');
    expect(x.input(sent).changes).toMatchObject([
      {
        kind: 'child_ended',
        childId: 'k',
        state: 'completed',
        report: { version: 1, body: 'the report' },
        requirementsVersion: 1,
        needsRecheck: false,
      },
    ]);
    expect(x.run().budget.turnsLeft).toBe(50 - 1 - 4 + 3 - 1);
    expect(tree()?.live).toEqual([]);
  });

  test('R21 case 46 a child answers after its parent was amended: late result kept and marked', () => {
    const { x, child } = family();
    x.amend('a');
    x.answer({});
    x.answer({ report }, child);
    const sent = x.published(true, child);
    expect(x.input(sent).changes).toMatchObject([{ kind: 'child_ended', requirementsVersion: 1, needsRecheck: true }]);
  });

  test('R21 revisions go down: a running child hears what its parent is asked for now, and its result carries it', () => {
    const { x, child } = family();
    x.amend('a', { content: 'only the new products' });
    x.answer({});
    expect(x.run(child).requirements.version).toBe(1);
    const told = x.answer({ state: 1 }, child);
    expect(x.input(told).changes).toMatchObject([
      { kind: 'observed', text: 'only the new products', ofParent: { version: 2, amendKind: 'supplement' } },
    ]);
    expect(x.run().children).toMatchObject([{ version: 1, state: null }]);
    x.answer({ report }, child);
    const sent = x.published(true, child);
    expect(x.input(sent).changes).toMatchObject([{ kind: 'child_ended', requirementsVersion: 2, needsRecheck: false }]);
  });

  test('R21 grandchildren hear of it too, and an ended child is not woken', () => {
    const { x, child } = family();
    x.answer({ spawn: [{ ...spawn, childId: 'g' }] }, child);
    const grandchild = x.run(child).children[0]?.runId ?? '';
    x.outcome({ kind: 'defect', message: 'boom' }, grandchild);
    x.answer({ spawn: [{ ...spawn, childId: 'g2' }] }, child);
    const second = x.run(child).children[1]?.runId ?? '';
    x.amend('a');
    expect(JSON.stringify(x.run(second).changes)).toContain('only the new products');
    expect(JSON.stringify(x.run(grandchild).changes)).not.toContain('only the new products');
    expect(x.run(grandchild).status).toBe('failed');
  });

  test('R20 a result that names another run than the child is refused wrong_owner, and so told', () => {
    const { x, child } = family();
    const result = {
      ...({ type: 'child_ended', runId: x.run().runId, childId: 'k', state: 'completed', detail: null } as const),
      ...{ report: null, unused: { turns: 40, cost: null } },
    };
    const sent = x.world.settle({ ...result, childRunId: 'run_other' });
    expect(x.run().children).toMatchObject([{ runId: child, state: null }]);
    expect(x.run().budget.turnsLeft).toBe(24);
    expect(x.input(sent).changes).toMatchObject([
      { kind: 'withheld', what: 'child_result', ids: ['k'], code: 'wrong_owner' },
    ]);
  });

  test('R20 ending one child touches neither its sister nor its parent', () => {
    const x = executor();
    x.start();
    x.answer({ spawn: [spawn, { ...spawn, childId: 'k2' }] });
    const [one = '', two = ''] = x.run().children.map((child) => child.runId);
    x.outcome({ kind: 'defect', message: 'boom' }, one);
    expect([x.run(one).status, x.run(two).status]).toEqual(['failed', 'running']);
    expect(x.run().status).toBe('running');
  });

  test('R22 the gate waits for a child', () => {
    const { x, child } = family();
    x.observe('o');
    x.answer({ report });
    expect(x.run().changes).toMatchObject([{ kind: 'report_refused', code: 'child_open', detail: 'k' }]);
    expect(x.run().status).not.toBe('publishing');
    x.published();
    x.outcome({ kind: 'defect', message: 'boom' }, child);
    expect(x.run().changes.map((one) => one.kind)).toContain('child_ended');
  });

  test('R15 case 12 a cancel fences and ends the descendants first', () => {
    const { x, child } = family();
    x.answer({ actions: [action] }, child);
    const sent = x.control('c');
    expect(saidAbout(sent, x.ids('c').messageId)).toEqual(['control_requested']);
    expect(factsOf(sent, 'RaiseFence')).toMatchObject([{ runId: child, mode: 'closed' }]);
    expect([x.run().status, x.run(child).status]).toEqual(['cancelling', 'cancelling']);
    expect(waitingFor(x.run())).toMatchObject([{ kind: 'child', ref: child }]);
    const done = x.fenceAcknowledged({ withdrawn: ['contact-api:share:s:v1'] }, child);
    expect(saidAbout(done, x.ids('c').messageId)).toEqual(['control_confirmed']);
    expect([x.run().status, x.run(child).status]).toEqual(['cancelled', 'cancelled']);
    expect(x.run().children).toMatchObject([{ state: 'cancelled' }]);
  });

  test('R23 any other end ends them too', () => {
    const { x, child } = family();
    x.world.now += 86_400_000;
    x.world.settle({ type: 'tick', kind: 'run', id: x.run().runId });
    expect([x.run().status, x.run(child).status]).toEqual(['partial', 'cancelled']);
  });

  test('R21 depth and number are bounded, and the agent is told which', () => {
    const { x, child } = family({}, { children: { depth: 1, live: 1 } });
    x.answer({ spawn: [spawn] }, child);
    expect(x.run(child).changes).toMatchObject([{ kind: 'withheld', what: 'children', code: 'children_depth' }]);
    x.observe('o');
    x.answer({ spawn: [{ ...spawn, childId: 'k2' }] });
    expect(x.run().children.map((one) => one.childId)).toEqual(['k']);
    expect(JSON.stringify(x.run().changes)).toContain('children_live');
    const y = executor();
    y.start();
    const told = y.answer({ spawn: [{ ...spawn, agent: 'nobody' }] });
    expect(y.input(told).changes).toMatchObject([
      { kind: 'withheld', what: 'children', ids: ['k'], code: 'unknown_agent' },
    ]);
  });

  test('R8 children of an outdated turn are withheld', () => {
    const x = executor();
    x.start();
    x.amend('a');
    const sent = x.answer({ spawn: [spawn] });
    expect(x.input(sent).changes).toMatchObject([
      { kind: 'withheld', what: 'children', ids: ['k'] },
      { kind: 'amended' },
    ]);
    expect(x.run().children).toEqual([]);
  });

  test('R16 a pause holds the children too', () => {
    const { x, child } = family();
    x.control('p', { control: 'pause' });
    x.fenceAcknowledged({}, child);
    x.answer({ again: true }, child);
    expect([x.run().status, x.run(child).status]).toEqual(['paused', 'paused']);
    x.control('r', { control: 'resume' });
    expect(x.run(child).pause).toBeNull();
  });
});

describe('what a child asks (R21, H9)', () => {
  const ask = { questionId: 'q', kind: 'question', question: 'Which?', to: 'parent' } as const;

  test('R21 its parent answers an ordinary question; nobody else is asked', () => {
    const { x, child } = family();
    const asked = x.answer({ ask: [{ ...ask, mode: 'blocking' }] }, child);
    expect(factsOf(asked, 'RequestInteraction')).toEqual([]);
    expect(x.input(asked).changes).toMatchObject([
      { kind: 'child_asks', childId: 'k', questionId: 'q', question: 'Which?' },
    ]);
    expect(x.run(child).status).toBe('parked');
    const told = x.answer({ answerChildren: [{ childId: 'k', questionId: 'q', text: 'the blue one' }] });
    expect(x.input(told).answers).toMatchObject([{ questionId: 'q', text: 'the blue one' }]);
    expect(x.run(child).status).toBe('running');
  });

  test('H9 escalated, the user is asked by the child and the answer reaches it in the user’s own words', () => {
    const { x, child } = family();
    x.answer({ ask: [ask] }, child);
    const sent = x.answer({ answerChildren: [{ childId: 'k', questionId: 'q', escalate: true }] });
    expect(factsOf(sent, 'RequestInteraction')).toMatchObject([{ runId: child, questionId: 'q', recipient: 'alice' }]);
    const woken = x.answerQuestion('q', 'blau, bitte', 2, child);
    expect(x.input(woken).answers).toMatchObject([{ text: 'blau, bitte' }]);
  });

  test('H9 a permission goes to a person whoever is named', () => {
    const { x, child } = family();
    const sent = x.answer({ ask: [{ ...ask, kind: 'permission', grant: 'tool:price-series' }] }, child);
    expect(factsOf(sent, 'RequestInteraction')).toMatchObject([{ recipientKind: 'account', recipient: 'alice' }]);
  });

  test('R21 an ended child is not woken, and the parent is told', () => {
    const { x, child } = family();
    x.answer({ ask: [ask] }, child);
    x.world.settle({
      type: 'steer',
      runId: child,
      conversation: 'c',
      verb: 'cancel',
      reason: 'r',
    });
    const told = x.answer({ answerChildren: [{ childId: 'k', questionId: 'q', text: 'x' }] });
    expect(JSON.stringify(x.input(told).changes)).toContain('child_ended');
    expect(x.run(child).status).toBe('cancelled');
  });

  test('H5 at most one park of a root at a time', () => {
    const x = executor();
    x.start();
    x.answer({ spawn: [spawn, { ...spawn, childId: 'k2' }] });
    const [one = '', two = ''] = x.run().children.map((child) => child.runId);
    const question = { questionId: 'q', kind: 'question', question: '?', mode: 'blocking' } as const;
    x.answer({ ask: [question] }, one);
    x.answer({ ask: [question] }, two);
    expect([x.run(one).status, x.run(two).status]).toEqual(['parked', 'running']);
    expect(JSON.stringify(x.run(two).changes)).toContain('root_parked');
    x.answerQuestion('q', 'yes', 2, one);
    expect(x.world.state<Tree>('tree', x.run().runId)?.parked).toBeNull();
  });

  test('H5 a question to a parent that does not answer expires with its default', () => {
    const { x, child } = family();
    x.answer({ ask: [{ ...ask, expiresInSec: 60, default: 'the first' }] }, child);
    x.world.now += 60_000;
    const sent = x.tick(child);
    expect(x.input(sent).answers).toMatchObject([{ text: 'the first', decision: 'default' }]);
  });
});
