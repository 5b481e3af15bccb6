import { sha256Hex } from '../../services/platform/canonical';
import { continuableCauses, continuableStates } from '../../services/run-executor/continuation';
import type { Run } from '../../services/run-executor/state';
import type { Material } from '../../schemas/turn-protocol/input';
import { executor, factsOf, report, saidAbout } from '../support/executor';

type X = ReturnType<typeof executor>;
type Sent = ReturnType<X['start']>;

const action = { proposalId: 'p', connector: 'contact-api', operation: 'share', subject: 's', params: {} } as const;
const toolCall = { callId: 'c', tool: 'price-series', input: {} } as const;

const lost = (x: X): void => {
  for (let n = 0; n < 5; n += 1) {
    x.world.now += 7_000;
    x.tick();
  }
};
/** One committed turn with a result, then five lost owners. */
const interrupted = (x: X): void => {
  x.start('m1', { content: 'compare the funds' });
  x.answer({ toolCalls: [toolCall], summary: 'half way', openQuestions: ['which year?'] });
  x.toolDone('c', { price: 7 });
  lost(x);
};
const completed = (x: X): void => {
  x.start('m1', { content: 'compare the funds' });
  x.answer({ report });
  x.published();
};
const partial = (x: X): void => {
  x.start();
  x.answer({ again: true });
  x.world.now += 86_400_001;
  x.tick();
};

const refusal = (sent: Sent): readonly [unknown, unknown, unknown] => {
  const [said] = factsOf(sent, 'MessageDecided');
  return [said?.['code'], said?.['field'], said?.['detail']];
};
const facts = (x: X, change: object = {}) => {
  const run = x.run();
  return {
    state: run.status,
    cause: run.cause,
    stateRevision: run.toldRevision ?? 0,
    requirementsVersion: run.requirements.version,
    reportSha256: run.report?.sha256 ?? null,
    ...change,
  };
};
const runsOf = (x: X): string[] =>
  x.world.ids('run').filter((id) => 'taskId' in (x.world.state<Run>('run', id) as Run));
const ofKind = (materials: readonly Material[], kind: Material['kind']): Material[] =>
  materials.filter((one) => one.kind === kind);

describe('which runs can be continued (A11)', () => {
  test.each<[string, (x: X) => void, string | null]>([
    ['completed', completed, null],
    ['partial by deadline', partial, null],
    ['interrupted', interrupted, null],
    ['queued', (x) => void (x.start('m0'), x.start()), 'queued'],
    ['running', (x) => void x.start(), 'running'],
    [
      'publishing',
      (x) => {
        x.start();
        x.answer({ report });
      },
      'publishing',
    ],
    [
      'failed',
      (x) => {
        x.start();
        x.answer({ again: true });
        x.answer({ fail: { code: 'x', message: 'y' } });
      },
      'failed',
    ],
    [
      'cancelled',
      (x) => {
        x.start();
        x.answer({ again: true });
        x.control('k');
      },
      'cancelled',
    ],
    ['interrupted before a turn was committed', (x) => void (x.start(), lost(x)), 'owner_lost: no turn was committed'],
    [
      'completed with a report that does not verify',
      (x) => {
        completed(x);
        x.alter((run) => run.published?.splice(0));
      },
      'completed: its published report cannot be verified',
    ],
  ])('A11 %s', (_name, bring, detail) => {
    const x = executor();
    bring(x);
    const before = runsOf(x).length;
    const sent = x.continue('n1');
    if (detail === null) expect(saidAbout(sent, x.ids('n1').messageId)).toEqual(['run_started']);
    else {
      expect(refusal(sent)).toEqual(['not_continuable', 'continuationOfRunId', detail]);
      expect(runsOf(x)).toHaveLength(before);
      expect(factsOf(sent, 'RunStateChanged')).toEqual([]);
    }
  });

  test('A11 every state and every cause has its place in the table', () => {
    const yes = (table: Readonly<Record<string, boolean>>) => Object.keys(table).filter((name) => table[name]);
    expect(yes(continuableStates).sort()).toEqual(['completed', 'interrupted', 'partial']);
    expect(yes(continuableCauses).sort()).toEqual([
      'agent_timeout',
      'agent_unreachable',
      'budget_cost',
      'budget_turns',
      'deadline',
      'owner_lost',
      'unsettled_actions',
    ]);
  });

  test.each<[string, object]>([
    ['another conversation', { conversationId: 'c2' }],
    ['another account', { account: 'bob' }],
    ['another tenant', { tenant: 'other' }],
    ['no such run', { continuationOfRunId: 'run_nothing' }],
  ])('A11 %s is answered like a run that does not exist', (_name, change) => {
    const x = executor();
    interrupted(x);
    expect(refusal(x.continue('n1', change))).toEqual([
      'unknown_run',
      'continuationOfRunId',
      'no such run in this conversation',
    ]);
  });

  test.each<[string, (run: Run) => void]>([
    ['the original', (run) => ((run.requirements.history[0] as { text: { inline: string } }).text.inline = 'other')],
    [
      'an accepted amendment',
      (run) => ((run.requirements.history[1] as { text: { inline: string } }).text.inline = ''),
    ],
  ])('A11 original_unverifiable where %s was altered', (_name, change) => {
    const x = executor();
    x.start();
    x.amend('u1');
    x.answer({ again: true });
    lost(x);
    x.alter(change);
    expect(refusal(x.continue('n1'))[0]).toBe('original_unverifiable');
    expect(runsOf(x)).toHaveLength(1);
  });

  test.each<[string, object, string]>([
    ['the same facts', {}, 'run_started'],
    ['older and different is lag', { stateRevision: 1, state: 'running', cause: null }, 'run_started'],
    ['another state at the same revision', { state: 'completed' }, 'parent_contradiction'],
    ['another cause', { cause: 'agent_timeout' }, 'parent_contradiction'],
    ['another version', { requirementsVersion: 2 }, 'parent_contradiction'],
    ['another report', { reportSha256: 'f'.repeat(64) }, 'parent_contradiction'],
    ['a newer revision than the executor has told', { stateRevision: 99, state: 'failed' }, 'parent_contradiction'],
  ])('A11 case 47: facts of admission with %s', (_name, change, expected) => {
    const x = executor();
    interrupted(x);
    const sent = x.continue('n1', { parentFacts: facts(x, change) });
    const [said] = factsOf(sent, 'MessageDecided');
    expect(said?.['code'] ?? said?.['status']).toBe(expected);
    expect(runsOf(x)).toHaveLength(expected === 'run_started' ? 2 : 1);
  });

  test('A11 news after the end are no contradiction: what was told last is what counts', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'unknown' });
    x.answer({ report });
    x.published();
    x.fenceAcknowledged();
    expect(x.run().status).toBe('partial');
    const told = facts(x);
    x.action('p', 'succeeded', 9);
    expect(x.world.revision('run', x.run().runId)).toBeGreaterThan(told.stateRevision);
    expect(saidAbout(x.continue('n1', { parentFacts: told }))).toEqual(['run_started']);
    expect(refusal(x.continue('n2', { parentFacts: { ...told, cause: 'deadline' } }))[0]).toBe('parent_contradiction');
  });

  test('R25 a refusal stays what it was when it is asked for again, though the parent has ended since', () => {
    const x = executor();
    x.start();
    x.continue('n1');
    x.answer({ report });
    x.published();
    const again = x.continue('n1', { attempt: 2 });
    expect(refusal(again)[0]).toBe('not_continuable');
    expect(runsOf(x)).toHaveLength(1);
  });
});

describe('a continued run (A12)', () => {
  test('case 47: a new run of the same task, with its own budget, that executes nothing of its parent again', () => {
    const x = executor();
    interrupted(x);
    const sent = x.continue('n1');
    const [parent, run] = [x.run(), x.run('n1')];
    expect(run.taskId).toBe(parent.taskId);
    expect(run.budget.turnsLeft).toBe(49);
    expect([run.turns, run.calls, run.actions]).toEqual([0, [], []]);
    expect(sent.performs.map((one) => one.type)).toEqual(['ask']);
    const { materials } = x.input(sent);
    expect(ofKind(materials, 'original_request')).toEqual([
      expect.objectContaining({
        text: 'compare the funds',
        sha256: sha256Hex('compare the funds'),
        available: true,
        trust: 'verified',
        fromRunId: parent.runId,
        requirementsVersion: 1,
      }),
    ]);
    expect(ofKind(materials, 'saved_result')).toEqual([
      expect.objectContaining({ text: '{"price":7}', sha256: sha256Hex('{"price":7}'), historical: true }),
    ]);
    expect(ofKind(materials, 'summary').map(({ text, trust }) => [text, trust])).toEqual([['half way', 'lead']]);
    expect(ofKind(materials, 'open_question').map(({ text, trust }) => [text, trust])).toEqual([
      ['which year?', 'lead'],
    ]);
    expect(run.continuation).toMatchObject({
      ofRunId: parent.runId,
      originalSha256: sha256Hex('compare the funds'),
      parentCause: 'owner_lost',
    });
  });

  test('A12 the report comes along with its hash; one whose bytes are gone is told as a gap', () => {
    const x = executor();
    completed(x);
    expect(ofKind(x.input(x.continue('n1')).materials, 'published_answer')).toEqual([
      expect.objectContaining({ text: report.body, sha256: sha256Hex(report.body), trust: 'published' }),
    ]);
    const y = executor();
    y.start();
    y.answer({ publish: report, again: true });
    y.published();
    y.answer({ toolCalls: [toolCall] });
    y.toolDone('c', { price: 7 });
    lost(y);
    y.alter((run) => {
      (run.published?.[0] as { body: { inline: string } }).body.inline = 'altered';
      (run.calls[0] as { output: { inline: string } }).output.inline = '{}';
    });
    const { materials } = y.input(y.continue('n1'));
    for (const kind of ['published_answer', 'saved_result'] as const)
      expect(ofKind(materials, kind)).toEqual([
        expect.objectContaining({ text: null, available: false, unavailableReason: expect.any(String) as string }),
      ]);
  });

  test('A12 amendments come along, and what is still in force is told from what was replaced', () => {
    const x = executor();
    x.start();
    x.amend('u1', { content: 'only bonds', amendKind: 'replace', requirements: '{"max":5}' });
    x.answer({ again: true });
    lost(x);
    const { materials, requirements } = x.input(x.continue('n1', { requirements: '{"min":1}' }));
    expect(
      materials
        .filter(({ kind }) => kind === 'original_request' || kind === 'amendment')
        .map(({ kind, text, historical }) => [kind, text, historical]),
    ).toEqual([
      ['original_request', 'do it', true],
      ['amendment', 'only bonds', false],
    ]);
    expect(requirements.structured).toEqual({ max: 5, min: 1 });
    expect(requirements.texts.map(({ text }) => text)).toEqual(['go on']);
  });

  test('A12 a chain carries its first request and each continuing message', () => {
    const x = executor();
    interrupted(x);
    x.continue('n1', { content: 'go on' });
    x.answer({ again: true }, 'n1');
    for (let n = 0; n < 5; n += 1) {
      x.world.now += 7_000;
      x.tick('n1');
    }
    const sent = x.continue('n2', { content: 'once more' }, 'n1');
    expect(ofKind(x.input(sent).materials, 'original_request').map(({ text }) => text)).toEqual([
      'compare the funds',
      'go on',
    ]);
    expect(x.run('n2').continuation?.originalSha256).toBe(sha256Hex('compare the funds'));
    expect(x.run('n2').taskId).toBe(x.run('m1').taskId);
    x.alter((run) => ((run.materials as { inline: string }).inline = '[]'), 'n1');
    expect(refusal(x.continue('n3', {}, 'n1'))[0]).toBe('original_unverifiable');
  });

  test('A12 an interrupted parent hands on no effect grants, and its unknown actions are listed', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action], again: true });
    x.proposalAccepted('p', { state: 'unknown' });
    lost(x);
    x.fenceAcknowledged();
    expect(x.run().status).toBe('interrupted');
    const sent = x.continue('n1');
    const run = x.run('n1');
    expect(run.grants.connectors).toEqual([]);
    expect(run.grants.tools).toEqual(['price-series']);
    expect(run.continuation?.grantsCut).toContain('connector:contact-api');
    expect(x.input(sent).transition).toMatchObject({
      from: { runId: x.run().runId, state: 'interrupted', cause: 'owner_lost' },
      unknown: ['contact-api:share:s:v1'],
    });
  });

  test('A12 grants are cut to the ceiling of today, and a restriction of the parent is never widened', () => {
    const x = executor({ agent: { tools: [] } });
    completed(x);
    x.configure({ agents: { 'market-report': { builtin: 'market-report' } } });
    x.continue('n1');
    expect(x.run('n1').grants).toMatchObject({ tools: [], connectors: ['contact-api'] });
    const y = executor();
    completed(y);
    y.configure({ tenants: { local: { defaultAgent: 'market-report', ceilings: { connectors: [] } } } });
    y.continue('n1');
    expect(y.run('n1').grants.connectors).toEqual([]);
    expect(y.run('n1').continuation?.grantsCut).toEqual(['connector:contact-api']);
  });

  test.each([
    ['still inside the ceiling', {}, ['price-series']],
    ['outside the ceiling of today', { ceilings: { tools: [] } }, []],
  ])('A12 what a person allowed the parent beyond its agent comes along only %s', (_name, tenant, tools) => {
    const x = executor({ agent: { tools: [] } });
    x.start();
    x.answer({ ask: [{ questionId: 'q', kind: 'permission', question: '?', grant: 'tool:price-series' }] });
    const response = {
      ...{ responseId: 'r', clientResponseId: 'cr', text: null, choice: null, value: null },
      ...{ decision: 'approve', respondedBy: 'alice', late: false, previewSha256: null },
    };
    x.interaction('q', { kind: 'permission', state: 'answered', revision: 2, response });
    expect(x.run().grants.tools).toEqual(['price-series']);
    x.answer({ report });
    x.published();
    x.configure({ tenants: { local: { defaultAgent: 'market-report', ...tenant } } });
    x.continue('n1');
    expect(x.run('n1').grants.tools).toEqual(tools);
  });

  test('A12 consents stay with the run they were given to', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [{ questionId: 'q', kind: 'permission', question: '?', grant: 'consent:address' }] });
    const response = {
      responseId: 'r',
      clientResponseId: 'cr',
      text: null,
      choice: null,
      value: null,
      decision: 'approve',
      respondedBy: 'alice',
      late: false,
      previewSha256: null,
    };
    x.interaction('q', { kind: 'permission', state: 'answered', revision: 2, response });
    expect(x.run().grants.consents).toEqual(['address']);
    x.answer({ report });
    x.published();
    x.continue('n1');
    expect(x.run('n1').grants.consents).toEqual([]);
    expect(x.run('n1').continuation?.grantsCut).toEqual(['consent:address']);
  });

  test('A12 H6 a late answer of the parent comes along, marked late, where the message asks for it', () => {
    const x = executor();
    x.start();
    x.answer({ ask: [{ questionId: 'q', kind: 'question', question: 'which year?' }] });
    x.world.now += 86_400_001;
    x.tick();
    expect(x.run().status).toBe('partial');
    const interactionRef = x.run().questions[0]?.interactionRef ?? '';
    const gap = x.input(x.continue('n0', { interactionRef, requestRevision: 1 })).materials;
    expect(ofKind(gap, 'late_answer')).toEqual([expect.objectContaining({ available: false, text: null })]);
    x.control('k', {}, 'n0');
    x.answerQuestion('q', '2024', 9);
    expect(x.run().questions[0]).toMatchObject({ answer: null, late: { text: '2024' } });
    const { materials } = x.input(x.continue('n1', { interactionRef, requestRevision: 1 }));
    expect(ofKind(materials, 'late_answer').map(({ ref, text }) => [ref, text])).toEqual([[interactionRef, '2024']]);
    expect(ofKind(x.input(x.continue('n2', { mode: 'parallel' })).materials, 'late_answer')).toEqual([]);
    expect(refusal(x.continue('n3', { interactionRef: 'int_x', requestRevision: 1 })).slice(0, 2)).toEqual([
      'unknown_interaction',
      'interactionRef',
    ]);
    expect(refusal(x.continue('n4', { interactionRef, requestRevision: 2 })).slice(0, 2)).toEqual([
      'old_revision',
      'requestRevision',
    ]);
  });

  test('A12 the parent keeps its agent unless the message names another, which is cut to its own grants too', () => {
    const x = executor();
    completed(x);
    const agents = {
      'market-report': { builtin: 'market-report' as const },
      other: { builtin: 'chat' as const, tools: [] },
    };
    x.configure({ agents, tenants: { local: { defaultAgent: 'other' } } });
    x.continue('n1');
    expect(x.run('n1').agent).toBe('market-report');
    x.continue('n2', { agent: 'other', mode: 'parallel' });
    expect(x.run('n2')).toMatchObject({ agent: 'other', grants: { tools: [] } });
  });

  test('A12 material is bounded: a long text is cut at a character and says from how many bytes', () => {
    const x = executor();
    x.start();
    x.answer({ toolCalls: [toolCall] });
    x.toolDone('c', 'ü'.repeat(50_000));
    lost(x);
    const [result] = ofKind(x.input(x.continue('n1')).materials, 'saved_result');
    expect(result?.truncatedFromBytes).toBe(100_002);
    expect(result?.text).toBe(`"${'ü'.repeat(32_767)}`);
    expect(result?.sha256).toBe(sha256Hex(`"${'ü'.repeat(50_000)}"`));
  });

  test('A12 requests stay whole when all else has to go', () => {
    const x = executor();
    x.start('m1', { content: 'a'.repeat(200_000) });
    x.amend('u1', { content: 'b'.repeat(200_000) });
    x.answer({ again: true });
    for (let n = 0; n < 4; n += 1) {
      x.answer({ toolCalls: [{ ...toolCall, callId: `c${n}` }] });
      x.toolDone(`c${n}`, 'x'.repeat(60_000));
    }
    lost(x);
    const { materials } = x.input(x.continue('n1'));
    expect(materials.slice(0, 2).map(({ text }) => text?.length)).toEqual([200_000, 200_000]);
    const results = ofKind(materials, 'saved_result');
    expect(results).toHaveLength(4);
    expect(results.filter((one) => !one.available).map((one) => one.unavailableReason)).toEqual([
      'does not fit the bounds of materials',
    ]);
  });
});

describe('what other new runs get of earlier ones', () => {
  test('A9 a follow-up reads the texts and the report of the run it names, as history', () => {
    const x = executor();
    completed(x);
    const sent = x.start('n1', { relation: 'follow_up', parentRunId: x.run().runId });
    expect(x.run('n1').taskId).not.toBe(x.run().taskId);
    expect(x.input(sent).materials.map(({ kind, text }) => [kind, text])).toEqual([
      ['history_message', 'compare the funds'],
      ['published_answer', report.body],
    ]);
    expect(x.input(sent).transition).toMatchObject({ from: { runId: x.run().runId, state: 'completed' } });
    expect(x.input(x.start('n2', { relation: 'follow_up', mode: 'parallel' })).materials).toEqual([]);
  });

  test('R3 the follow-up made of a late amendment has its text as v1, and the old set and report as material', () => {
    const x = executor();
    x.start('m1', { requirements: '{"max":5}' });
    x.answer({ report });
    const sent = x.amend('u1', { content: 'only bonds' });
    expect(saidAbout(sent, x.ids('u1').messageId)).toEqual(['follow_up_created']);
    expect(x.run('u1').status).toBe('queued');
    const started = x.published();
    const input = x.input(started);
    expect(input.requirements.texts.map(({ text }) => text)).toEqual(['only bonds']);
    expect(input.materials.map(({ kind, text, sha256 }) => [kind, text, sha256])).toEqual([
      ['original_request', 'do it', sha256Hex('do it')],
      ['amendment', '{"max":5}', null],
      ['published_answer', report.body, sha256Hex(report.body)],
    ]);
    expect(input.transition).toMatchObject({ from: { runId: x.run().runId, state: 'completed' } });
  });

  test('A14 a dependent run gets the report it waited for, by its hash', () => {
    const x = executor();
    x.start();
    x.start('n1', { dependsOnRunId: x.run().runId, mode: 'parallel' });
    x.answer({ report });
    expect(x.input(x.published()).materials).toEqual([
      expect.objectContaining({
        kind: 'dependency_report',
        text: report.body,
        sha256: sha256Hex(report.body),
        available: true,
        fromRunId: x.run().runId,
      }),
    ]);
  });

  test('R9 a run that was started to interrupt another is handed what that one left', () => {
    const x = executor();
    x.start();
    x.answer({ actions: [action] });
    x.proposalAccepted('p', { state: 'unknown' });
    x.start('n1', { interruptRunId: x.run().runId });
    expect([x.run().status, x.run('n1').status]).toEqual(['cancelling', 'queued']);
    x.fenceAcknowledged();
    x.world.now += 60_001;
    const sent = x.world.settle({ type: 'tick', kind: 'run', id: x.run().runId });
    expect(x.run().status).toBe('cancelled');
    expect(x.input(sent).transition).toMatchObject({
      from: { runId: x.run().runId, state: 'cancelled', cause: 'interrupted_by_message' },
      unknown: ['contact-api:share:s:v1'],
    });
  });
});
