import { checkOutput } from '../../services/run-executor/turn-protocol/check-output';
import { bytesOfBody } from '../../schemas/turn-protocol/limits';

const sealedFor = { conversationId: 'c1', taskId: 't1', runId: 'r1', turn: 3, requirementsVersion: 2 };
const ofTurn = (fields: Record<string, unknown>) => ({ for: { ...sealedFor }, ...fields });
const check = (fields: Record<string, unknown>) => checkOutput(ofTurn(fields), sealedFor);
const fieldOf = (fields: Record<string, unknown>) => {
  const checked = check(fields);
  return checked.ok ? 'ok' : checked.field;
};

const call = { callId: 'a', tool: 'x', input: {} };
const action = { connector: 'k', operation: 'o', subject: 's', params: { a: 1 } };
const ask = { questionId: 'q', kind: 'question', question: 'Which?' };
const spawn = { childId: 'c', agent: 'a', text: 'do' };
const report = { body: '# R', contentType: 'text/markdown' };

describe('the turn protocol: what an output may be', () => {
  test('only the echo is required', () => expect(fieldOf({})).toBe('ok'));

  test('X4 what an answer will be held to has to be a JSON Schema; an unknown field is said to be one', () => {
    const answerable = (schema: unknown) => fieldOf({ ask: [{ ...ask, schema }] });
    expect(answerable({ type: 'object', properties: { n: { type: 'integer', minimum: 0 } } })).toBe('ok');
    expect(answerable({ type: 'zork' })).toBe('ask[0].schema');
    expect(answerable({ minimum: 'many' })).toBe('ask[0].schema');
    expect(check({ nope: 1 })).toMatchObject({ ok: false, field: 'nope', message: 'nope is not a field here' });
  });

  test('everything at once, as interfaces name it', () => {
    const full = {
      state: { deep: [null, 1] },
      understood: 'u',
      toolCalls: [call],
      actions: [{ ...action, proposalId: 'p', note: 'n', approval: true, repeat: false }],
      ask: [
        {
          ...ask,
          mode: 'blocking',
          to: 'role:approver',
          choices: [
            { id: 'a', label: 'A' },
            { id: 'b', label: 'B' },
          ],
          default: 'a',
          expiresInSec: 60,
          remindAfterSec: 10,
          escalateTo: 'account:bob@example.com',
          holdsReport: true,
          revises: 'q0',
        },
        { questionId: 'p', kind: 'permission', question: 'May I?', grant: 'tool:x' },
        { questionId: 's', kind: 'question', question: 'How many?', schema: { type: 'integer' } },
      ],
      withdraw: ['old'],
      spawn: [{ ...spawn, entity: { type: 'device', id: '07' }, budget: { turns: 3 } }],
      answerChildren: [{ childId: 'c', questionId: 'q', escalate: true }],
      results: { reuse: ['a'], drop: ['b'] },
      publish: report,
      summary: 's',
      openQuestions: ['?'],
      again: true,
      usage: { cost: 0.5 },
    };
    const checked = check(full);
    expect(checked).toEqual({ ok: true, output: ofTurn(full) });
    const sources = [{ callId: 'a' }, { materialRef: 'run:1/report' }, { actionKey: 'k:o:s:v1' }];
    expect(fieldOf({ report: { ...report, sources, document: 'd', basedOn: 'a'.repeat(64) }, ask: [ask] })).toBe('ok');
    expect(fieldOf({ fail: { code: 'no_data', message: 'm' }, state: 1, usage: { cost: 1 }, summary: 's' })).toBe('ok');
  });

  test('null says "not given", but is a value in state, input, params and default', () => {
    const checked = check({ report: null, ask: [{ ...ask, default: null, grant: null }], state: null });
    expect(checked).toEqual({ ok: true, output: ofTurn({ ask: [{ ...ask, default: null }], state: null }) });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['an unknown field', { reprot: report }, 'reprot'],
    ['a mistyped approval', { actions: [{ ...action, approvel: true }] }, 'actions[0].approvel'],
    ['a missing name', { toolCalls: [{ callId: 'a', input: {} }] }, 'toolCalls[0].tool'],
    ['an id outside the alphabet', { toolCalls: [{ ...call, callId: 'a b' }] }, 'toolCalls[0].callId'],
    ['an id of 129 characters', { actions: [{ ...action, subject: 's'.repeat(129) }] }, 'actions[0].subject'],
    ['an empty connector name', { actions: [{ ...action, connector: '' }] }, 'actions[0].connector'],
    ['an id with a line end', { withdraw: ['q\n'] }, 'withdraw[0]'],
    ['neither params nor body', { actions: [{ ...action, params: undefined }] }, 'actions[0].params'],
    ['params and body', { actions: [action, { ...action, body: 'x' }] }, 'actions[1].params'],
    ['another content type', { report: { ...report, contentType: 'text/html' } }, 'report.contentType'],
    ['a list that is none', { ask: ask }, 'ask'],
    ['a kind nobody knows', { ask: [{ ...ask, kind: 'approval' }] }, 'ask[0].kind'],
    ['a permission without grant', { ask: [{ ...ask, kind: 'permission' }] }, 'ask[0].grant'],
    ['a question with grant', { ask: [{ ...ask, grant: 'tool:x' }] }, 'ask[0].grant'],
    ['a recipient nobody knows', { ask: [{ ...ask, to: 'everybody' }] }, 'ask[0].to'],
    ['an expiry of zero', { ask: [{ ...ask, expiresInSec: 0 }] }, 'ask[0].expiresInSec'],
    [
      'a source of two kinds',
      { report: { ...report, sources: [{ callId: 'a', actionKey: 'b' }] } },
      'report.sources[0]',
    ],
    [
      'two answers to a child',
      { answerChildren: [{ childId: 'c', questionId: 'q', text: 't', choice: 'x' }] },
      'answerChildren[0]',
    ],
    ['a negative cost', { usage: { cost: -1 } }, 'usage.cost'],
    ['257 questions', { withdraw: Array.from({ length: 257 }, (_, i) => `q${i}`) }, 'withdraw'],
  ])('X4 %s is refused by its field', (_name, fields, field) => {
    const checked = check(fields);
    expect(checked).toMatchObject({ ok: false, code: 'malformed_output', field });
    expect(checked.ok ? '' : checked.message).toContain(field);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['calls', { toolCalls: [call, call] }, 'toolCalls[1].callId'],
    [
      'proposals',
      {
        actions: [
          { ...action, proposalId: 'p' },
          { ...action, proposalId: 'p' },
        ],
      },
      'actions[1].proposalId',
    ],
    ['questions', { ask: [ask, ask] }, 'ask[1].questionId'],
    ['children', { spawn: [spawn, spawn] }, 'spawn[1].childId'],
    [
      'choices',
      {
        ask: [
          {
            ...ask,
            choices: [
              { id: 'a', label: '1' },
              { id: 'a', label: '2' },
            ],
          },
        ],
      },
      'ask[0].choices[1].id',
    ],
    ['a result reused and dropped', { results: { reuse: ['a'], drop: ['a'] } }, 'results.drop[0]'],
  ])('two %s of one id are refused', (_name, fields, field) => expect(fieldOf(fields)).toBe(field));

  test.each<[string, Record<string, unknown>, string]>([
    ['toolCalls', { report, toolCalls: [call] }, 'toolCalls'],
    ['spawn', { report, spawn: [spawn] }, 'spawn'],
    ['fail', { report, fail: { code: 'c', message: 'm' } }, 'fail'],
    ['again', { report, again: true }, 'again'],
    ['a blocking ask', { report, ask: [ask, { ...ask, questionId: 'b', mode: 'blocking' }] }, 'ask[1].mode'],
  ])('R13 report excludes %s', (_name, fields, field) => expect(fieldOf(fields)).toBe(field));

  test('R13 what is empty or false excludes nothing', () =>
    expect(fieldOf({ report, toolCalls: [], spawn: [], again: false })).toBe('ok'));

  test.each(['actions', 'ask', 'toolCalls', 'withdraw', 'publish', 'results', 'understood', 'openQuestions', 'again'])(
    'R13 fail excludes %s',
    (field) => {
      const given: Record<string, unknown> = {
        actions: [action],
        ask: [ask],
        toolCalls: [call],
        withdraw: ['q'],
        publish: report,
        results: { reuse: ['a'] },
        understood: 'u',
        openQuestions: ['?'],
        again: true,
      };
      expect(fieldOf({ fail: { code: 'c', message: 'm' }, [field]: given[field] })).toBe(field);
    },
  );

  test.each<[string, Record<string, unknown>, string]>([
    ['NUL', { actions: [{ ...action, subject: 'a\u0000' }] }, 'actions[0].subject'],
    ['a lone surrogate', { report: { ...report, body: 'x\ud800y' } }, 'report.body'],
    ['NUL far inside state', { state: { a: [{ 'b c': 'x\u0000' }] } }, 'state.a[0]["b c"]'],
    ['NUL in a member name', { toolCalls: [{ ...call, input: { 'k\u0000': 1 } }] }, 'toolCalls[0].input["k\\u0000"]'],
  ])('A17 %s is refused by field', (_name, fields, field) => expect(fieldOf(fields)).toBe(field));

  test('A17 a pair of surrogates, control characters and any script are kept', () =>
    expect(fieldOf({ report: { ...report, body: '😀\u0007\u202e中文' } })).toBe('ok'));

  test('A17 a value nested deeper than 64 levels is refused, however deep', () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
    expect(fieldOf({ state: nested(63) })).toBe('ok');
    expect(fieldOf({ state: nested(64) })).toMatch(/^state\[0\]/);
    expect(fieldOf({ state: nested(5_000) })).toMatch(/^state\[0\]/);
  });

  test.each<[string, (bytes: number) => Record<string, unknown>, number, string]>([
    ['state', (n) => ({ state: 'x'.repeat(n - 2) }), 256 * 1024, 'state'],
    ['report body', (n) => ({ report: { ...report, body: 'x'.repeat(n) } }), 700 * 1024, 'report.body'],
    ['partial body', (n) => ({ publish: { ...report, body: 'x'.repeat(n) } }), 700 * 1024, 'publish.body'],
    [
      'action body',
      (n) => ({ actions: [{ ...action, params: undefined, body: 'x'.repeat(n) }] }),
      64 * 1024,
      'actions[0].body',
    ],
    ['action params', (n) => ({ actions: [{ ...action, params: 'x'.repeat(n - 2) }] }), 64 * 1024, 'actions[0].params'],
  ])('A17 %s up to its limit, not a byte more', (_name, fields, limitBytes, field) => {
    expect(fieldOf(fields(limitBytes))).toBe('ok');
    expect(fieldOf(fields(limitBytes + 1))).toBe(field);
  });

  test('limits count bytes, not characters', () => {
    expect(bytesOfBody('é😀')).toBe(6);
    expect(fieldOf({ report: { ...report, body: 'é'.repeat(350 * 1024 + 1) } })).toBe('report.body');
  });

  test.each(['conversationId', 'taskId', 'runId', 'turn', 'requirementsVersion'])(
    'R20 another %s is wrong_owner',
    (name) => {
      const raw = { for: { ...sealedFor, [name]: name === 'turn' || name === 'requirementsVersion' ? 99 : 'other' } };
      expect(checkOutput(raw, sealedFor)).toMatchObject({ ok: false, code: 'wrong_owner', field: `for.${name}` });
      const missing = { for: { ...sealedFor, [name]: undefined } };
      expect(checkOutput(missing, sealedFor)).toMatchObject({ ok: false, code: 'wrong_owner', field: `for.${name}` });
    },
  );

  test('R20 a newer echo is read, no echo is malformed', () => {
    expect(checkOutput({ for: { ...sealedFor, later: 1 } }, sealedFor)).toMatchObject({ ok: true });
    expect(checkOutput({ report }, sealedFor)).toMatchObject({ ok: false, code: 'malformed_output', field: 'for' });
  });

  test.each([null, undefined, 1, 'text', [], true])('X4 %p is no output', (raw) =>
    expect(checkOutput(raw, sealedFor)).toMatchObject({ ok: false, code: 'malformed_output', field: 'output' }),
  );

  test('members named like parts of Object.prototype pollute nothing and pass for nothing', () => {
    const echo = JSON.stringify(sealedFor);
    const attack = JSON.parse(`{"for":${echo},"state":{"__proto__":{"polluted":1}}}`) as unknown;
    expect(checkOutput(attack, sealedFor)).toMatchObject({ ok: true });
    expect(JSON.stringify(attack)).toContain('__proto__');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const raw = JSON.parse(`{"for":${echo},"${name}":{"again":true}}`) as unknown;
      expect(checkOutput(raw, sealedFor)).toMatchObject({ ok: false, field: name });
    }
    const inherited = JSON.parse('{"__proto__":{"for":1}}') as unknown;
    expect(checkOutput(inherited, sealedFor)).toMatchObject({ ok: false });
  });
});

describe('what a run goes on with when nobody answers (H5)', () => {
  const choices = [{ id: 'a', label: 'A' }];
  const schema = { type: 'string', enum: ['x', 'y'] };
  test.each([
    ['an id of the choices', { choices, default: 'a' }, null],
    ['no id of the choices', { choices, default: 'A' }, 'ask[0].default'],
    ['another type than a choice', { choices, default: 1 }, 'ask[0].default'],
    ['a value of the schema', { schema, default: 'x' }, null],
    ['no value of the schema', { schema, default: 'z' }, 'ask[0].default'],
    ['anything where nothing is asked for', { default: { any: 1 } }, null],
  ])('H5 X4 a default that is %s', (_name, more, field) => {
    const checked = check({ ask: [{ ...ask, ...more }] });
    expect(checked.ok ? null : checked.field).toBe(field);
  });
});
