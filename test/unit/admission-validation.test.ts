import { fieldsOfBody } from '../../services/admission/fields';
import { check, rules, type Issue } from '../../services/admission/validate';
import { empty } from '../support/admission-world';

const issueOf = (fields: object): Pick<Issue, 'code' | 'field'> | 'ok' => {
  const checked = check({ ...empty, ...fields });
  return checked.ok ? 'ok' : { code: checked.issue.code, field: checked.issue.field };
};

const complete = {
  targetRunId: 'run-1',
  expectedVersion: 1,
  amendKind: 'REPLACE',
  continuationOfRunId: 'run-1',
  parentRunId: 'run-1',
  interactionRef: 'int-1',
  requestRevision: 1,
  control: 'PAUSE',
  mode: 'PARALLEL',
  dependsOnRunId: 'run-1',
  entityType: 'device',
  entityId: '07',
  eventKind: 'alarm',
  eventAt: 1,
  correlationId: 'x',
  agent: 'plain',
  title: 'T',
  priority: 9,
  scheduled: true,
  requirements: '{"a":1}',
} as const;

const pick = (names: readonly string[]): object =>
  Object.fromEntries(Object.entries(complete).filter(([name]) => names.includes(name)));

describe('A8, A17 the field table', () => {
  for (const [relation, { target, required, optional }] of Object.entries(rules)) {
    const allowed = [...required, ...optional, ...(target ? ['targetRunId'] : [])];
    test(`${relation}: everything it allows together`, () =>
      expect(issueOf({ relation, ...pick(allowed) })).toBe('ok'));
    test.each(Object.keys(complete).filter((name) => !allowed.includes(name)))(`${relation}: not %s`, (name) =>
      expect(issueOf({ relation, ...pick([...allowed, name]) })).toEqual({ code: 'field_not_allowed', field: name }),
    );
    for (const name of [...required, ...(target ? ['targetRunId'] : [])])
      test(`${relation}: needs ${name}`, () =>
        expect(issueOf({ relation, ...pick(allowed.filter((one) => one !== name)) })).toEqual({
          code: 'field_missing',
          field: name,
        }));
  }

  test.each([
    ['two targets', { relation: 'OBSERVE', targetRunId: 'r', targetClientMessageId: 'm' }, 'targetClientMessageId'],
    ['an unknown relation', { relation: 'UNKNOWN' }, 'relation'],
    ['unknown control', { relation: 'CONTROL', targetRunId: 'r', control: 'UNKNOWN' }, 'control'],
    ['unknown mode', { relation: 'NEW_TASK', mode: 'UNKNOWN' }, 'mode'],
    [
      'unknown amendKind',
      { relation: 'AMEND', targetRunId: 'r', expectedVersion: 1, amendKind: 'UNKNOWN' },
      'amendKind',
    ],
    ['entityType alone', { relation: 'NEW_TASK', entityType: 'device' }, 'entityId'],
    ['entityId alone', { relation: 'NEW_TASK', entityId: '7' }, 'entityType'],
    ['requestRevision alone', { relation: 'CONTINUE', continuationOfRunId: 'r', requestRevision: 1 }, 'interactionRef'],
    ['version 0', { relation: 'AMEND', targetRunId: 'r', expectedVersion: 0 }, 'expectedVersion'],
    ['priority 10', { priority: 10 }, 'priority'],
    ['priority as text', { priority: '5' }, 'priority'],
    ['a fraction', { priority: 1.5 }, 'priority'],
    ['a long title', { title: 'x'.repeat(201) }, 'title'],
    ['NUL in a title', { title: 'a\0b' }, 'title'],
    ['NUL in content', { content: 'a\0b' }, 'content'],
    ['a lone surrogate in content', { content: 'a\ud800b' }, 'content'],
    ['content that is no text', { content: 7 }, 'content'],
    ['no content', { content: '' }, 'content'],
    ['content too large', { content: 'é'.repeat(131_073) }, 'content'],
    ['a control character in an id', { clientMessageId: 'a\nb' }, 'clientMessageId'],
    ['an id of dots', { clientMessageId: '..' }, 'clientMessageId'],
    ['an id too long', { conversationId: 'x'.repeat(129) }, 'conversationId'],
    ['an empty id', { clientMessageId: '' }, 'clientMessageId'],
    ['a control character in an agent', { agent: 'a\u0007' }, 'agent'],
    ['requirements that are no JSON', { requirements: '{' }, 'requirements'],
    ['requirements that are a list', { requirements: '[]' }, 'requirements'],
    ['requirements too deep', { requirements: `${'{"a":'.repeat(33)}1${'}'.repeat(33)}` }, 'requirements'],
    ['hostile depth', { requirements: `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}` }, 'requirements'],
    ['NUL in requirements', { requirements: '{"a":"\\u0000"}' }, 'requirements'],
    ['a lone surrogate in requirements', { requirements: '{"\\udc00":1}' }, 'requirements'],
    ['a number without end', { requirements: '{"a":1e999}' }, 'requirements'],
    ['requirements too large', { requirements: `{"a":"${'x'.repeat(65_536)}"}` }, 'requirements'],
  ])('A17 %s is refused by field', (_name, fields, field) => expect(issueOf(fields)).toMatchObject({ field }));

  test('A17 sizes have a code of their own', () => {
    expect(issueOf({ content: 'x'.repeat(262_145) })).toMatchObject({ code: 'content_too_large' });
    expect(issueOf({ content: 'x'.repeat(262_144) })).toBe('ok');
  });

  test.each([
    ['\u0001\u0007 \r\n\t', {}],
    ['', { relation: 'CONTROL', targetRunId: 'r', control: 'CANCEL' }],
    ['  ', {}],
  ])('content %p is kept as it is', (content, fields) => {
    const checked = check({ ...empty, ...fields, content });
    expect(checked.ok && checked.value.content).toBe(content);
  });

  test('200 characters beyond the basic plane are a title', () =>
    expect(issueOf({ title: '😀'.repeat(200) })).toBe('ok'));
  test('32 levels of requirements', () =>
    expect(issueOf({ requirements: `${'{"a":'.repeat(32)}1${'}'.repeat(32)}` })).toBe('ok'));
});

describe('the body of a POST', () => {
  const read = (body: object) => fieldsOfBody('c1', { clientMessageId: 'm1', content: 'x', ...body });

  test('lower-case enum values, times as text, null as absent', () => {
    const { fields, unknownField } = read({ relation: 'new_task', mode: null, eventAt: '2026-01-02T03:04:05Z' });
    expect(fields).toMatchObject({ relation: 'NEW_TASK', mode: null, eventAt: Date.UTC(2026, 0, 2, 3, 4, 5) });
    expect(unknownField).toBeNull();
  });

  test.each([
    ['relation', 'NEW_TASK'],
    ['relation', 7],
    ['mode', 'Queue'],
    ['eventAt', 1],
    ['eventAt', 'yesterday'],
  ])('%s %p is not accepted', (name, value) => {
    const fields = { relation: 'new_task', [name]: value };
    const checked = check({ ...read(fields).fields });
    expect(checked).toMatchObject({ ok: false, issue: { field: name } });
  });

  test.each([['account'], ['eventId'], ['conversationId'], ['__proto__x'], ['toString']])(
    '%s does not belong',
    (name) => expect(read({ [name]: 'x' }).unknownField).toBe(name),
  );
});
