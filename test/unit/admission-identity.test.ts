import type { MessageSubmitted } from '../../schemas/generated/records';
import { conflictOf, fingerprintOf } from '../../services/admission/fingerprint';
import { fieldsOfBody } from '../../services/admission/fields';
import { decided, empty, ids, submit, world } from '../support/admission-world';

const print = (fields: object) => fingerprintOf({ ...empty, ...fields }, 'same content');

describe('A2 the fingerprint', () => {
  test.each([
    ['supplement is the default', { amendKind: null }, { amendKind: 'SUPPLEMENT' }],
    ['queue is the default', { mode: null }, { mode: 'QUEUE' }],
    ['priority 5 is the default', { priority: null }, { priority: 5 }],
    ['not scheduled is the default', { scheduled: false }, { scheduled: null }],
    ['the order of keys in requirements', { requirements: '{"a":1,"b":[2]}' }, { requirements: ' {"b":[2.0],"a":1}' }],
    ['requirements as text or object', { requirements: '{"a":1}' }, { requirements: { a: 1 } }],
    ['event id, producer clock, account', { eventId: 'x', occurredAt: 9, account: 'bob' }, {}],
  ])('%s makes no difference', (_name, a, b) => expect(print(a)).toEqual(print(b)));

  test('a POST and a record that say the same are the same', () => {
    const record = { ...empty, relation: 'NEW_TASK', mode: 'PARALLEL', requirements: '{"a":1}', priority: 5 } as const;
    const { fields } = fieldsOfBody('c1', {
      clientMessageId: 'm1',
      relation: 'new_task',
      mode: 'parallel',
      requirements: { a: 1 },
    });
    expect(fingerprintOf(fields, 'h')).toEqual(fingerprintOf(record, 'h'));
  });

  const parts: Record<string, readonly (keyof MessageSubmitted)[]> = {
    content_conflict: ['requirements'],
    conversation_conflict: ['conversationId'],
    relation_conflict: ['relation', 'control', 'mode', 'amendKind'],
    target_conflict: [
      'targetRunId',
      'targetClientMessageId',
      'expectedVersion',
      'continuationOfRunId',
      'parentRunId',
      'interactionRef',
      'requestRevision',
      'dependsOnRunId',
      'entityType',
      'entityId',
      'eventKind',
      'eventAt',
      'correlationId',
      'agent',
      'title',
      'priority',
      'scheduled',
    ],
  };
  for (const [code, names] of Object.entries(parts))
    test.each(names)(`A3 another %s is a ${code}`, (name) =>
      expect(conflictOf(print({}), print({ [name]: name === 'requirements' ? '{"x":1}' : 'other' }))).toBe(code),
    );

  test('values that could never be stored equal nothing that was', () => {
    const { unknownField, fields } = fieldsOfBody('c1', { ...empty, relation: 'new_task', title: { deep: [] }, x: 1 });
    expect(conflictOf(print({ relation: 'NEW_TASK' }), fingerprintOf(fields, 'same content'))).toBe('target_conflict');
    expect(unknownField).not.toBeNull();
    expect(conflictOf(print({}), fingerprintOf(empty, null))).toBe('content_conflict');
    expect(conflictOf(print({}), fingerprintOf(empty, 'same content', 'x'))).toBe('target_conflict');
  });
});

describe('A1 to A6 the identity gate', () => {
  test('A1 one transaction: message, receipt, words, command; ids derive from the identity', () => {
    const { send } = world();
    const told = send(submit());
    expect(told.facts.map((fact) => fact.type)).toEqual([
      'MessageStored',
      'ReceiptIssued',
      'ReceiptIssued',
      'StartRun',
    ]);
    expect(told.receipt).toMatchObject({ ...ids('m1'), revision: 1, status: 'admitted', duplicate: false });
    expect(told.of('StartRun')[0]).toMatchObject({ ...ids('m1'), content: empty.content, attempt: 1, priority: 5 });
    expect(told.reply).toMatchObject({ http: 202, receipt: { requestEventId: 'e-1', relation: 'NEW_TASK' } });
  });

  test('the copy in the app its own topic is the same fact', () => {
    const told = world().send(submit());
    const [common, copy] = told.facts.filter((fact) => fact.type === 'ReceiptIssued');
    expect([common?.topic, copy?.topic]).toEqual(['admission.receipts.v1', 'local.receipts']);
    expect(copy?.eventId).toBe(common?.eventId);
  });

  test('A2 case 1: 50 deliveries, one run, 50 equal receipts, each delivery its own event', () => {
    const { send, changes } = world();
    const all = Array.from({ length: 50 }, (_, index) => send(submit({ eventId: `e-${index}` })));
    expect(all.flatMap((told) => told.of('StartRun'))).toHaveLength(1);
    expect(changes()).toBe(2);
    expect(new Set(all.map((told) => told.receipt.eventId)).size).toBe(50);
    for (const told of all.slice(1))
      expect(told.receipt).toMatchObject({ ...ids('m1'), revision: 1, status: 'admitted', duplicate: true });
    expect(all[7]?.receipt.requestEventId).toBe('e-7');
  });

  test('A2 a duplicate brings the newest receipt and the first HTTP status of the outcome', () => {
    const { send } = world();
    send(submit());
    send(decided('m1', 1, 'run_queued', { runId: ids('m1').runId }));
    send(decided('m1', 2, 'run_started', { runId: ids('m1').runId }));
    const { receipt, reply } = send(submit());
    expect(receipt).toMatchObject({ status: 'run_started', revision: 3, duplicate: true });
    expect(reply?.http).toBe(201);
  });

  test('A2 the relation resolved at first stays, whatever the policy says later', () => {
    const { send } = world();
    send(submit({ agent: 'reject' }));
    expect(send(submit({ agent: 'reject' })).receipt).toMatchObject({ duplicate: true, relation: 'NEW_TASK' });
    expect(send(submit({ agent: 'reject', clientMessageId: 'm2' })).receipt).toMatchObject({ code: 'busy' });
  });

  test.each([
    ['content_conflict', { content: 'other', conversationId: 'c2', relation: 'NEW_TASK', title: 'T' }],
    ['conversation_conflict', { conversationId: 'c2', relation: 'NEW_TASK', title: 'T' }],
    ['relation_conflict', { relation: 'NEW_TASK', title: 'T' }],
    ['target_conflict', { title: 'T' }],
  ] as const)('A3 %s is found in order and stores nothing', (code, fields) => {
    const { send, state } = world();
    send(submit());
    const before = state('message', ids('m1').messageId);
    const { receipt, reply, of } = send(submit(fields));
    expect(receipt).toMatchObject({ status: 'conflict', code, revision: 0, messageId: null, runId: null });
    expect(reply?.http).toBe(409);
    expect(of('StartRun')).toHaveLength(0);
    expect(state('message', ids('m1').messageId)).toBe(before);
  });

  test.each([
    ['relation_conflict', { relation: 'UNKNOWN' }],
    ['content_conflict', { content: '\0' }],
    ['conversation_conflict', { conversationId: 'not/allowed' }],
    ['target_conflict', { targetRunId: 'run-1' }],
    ['content_conflict', { requirements: '{' }],
  ] as const)('A3 %s comes before anything else that is wrong', (code, fields) => {
    const { send } = world();
    send(submit());
    expect(send(submit(fields)).receipt).toMatchObject({ status: 'conflict', code });
  });

  test('A4 the same text under two ids is two messages', () => {
    const { send } = world();
    send(submit({ relation: 'NEW_TASK' }));
    expect(send(submit({ relation: 'NEW_TASK', clientMessageId: 'm2' })).receipt).toMatchObject({
      ...ids('m2'),
      duplicate: false,
    });
  });

  test('A1 case 54 one client id of two tenants, apps or accounts is two messages', () => {
    const { send } = world();
    const first = send(submit());
    const others = [{ app: 'other' }, { account: 'bob' }].map((origin) => send(submit({}, origin)));
    for (const told of others) expect(told.receipt.duplicate).toBe(false);
    expect(new Set([first, ...others].map((told) => told.receipt.messageId)).size).toBe(3);
  });

  test('A6 refused before admission: nothing stored, the id may come again corrected', () => {
    const { send, changes } = world();
    const refused = send(submit({ relation: 'AMEND' }));
    expect(refused.receipt).toMatchObject({
      status: 'refused',
      code: 'field_missing',
      field: 'targetRunId',
      revision: 0,
      messageId: null,
      runId: null,
      taskId: null,
      relation: 'AMEND',
    });
    expect(refused.facts.every((fact) => fact.type === 'ReceiptIssued')).toBe(true);
    expect(changes()).toBe(0);
    expect(send(submit()).receipt).toMatchObject({ status: 'admitted', revision: 1 });
  });

  test('A6 refused later by the owner: stored and final for this id', () => {
    const { send } = world();
    const aim = { relation: 'AMEND', targetRunId: 'run-1', expectedVersion: 1 } as const;
    send(submit(aim));
    const told = send(decided('m1', 1, 'version_conflict', { requirementsVersion: 2 }));
    expect(told.receipt).toMatchObject({ status: 'version_conflict', code: 'version_conflict', revision: 2 });
    expect(send(submit(aim))).toMatchObject({
      receipt: { status: 'version_conflict', duplicate: true },
      reply: { http: 409 },
    });
    expect(send(submit({ ...aim, expectedVersion: 2 })).receipt.code).toBe('target_conflict');
  });

  test.each([
    ['no token', { account: null, trouble: { code: 'unauthenticated', field: null, detail: '' } }, 401],
    ['outside the namespace', { account: null, trouble: { code: 'forbidden', field: 'account', detail: '' } }, 403],
    ['no account', { account: null }, 422],
    ['an account with a control character', { account: 'a\n' }, 422],
    ['a tenant that is not configured', { tenant: 'elsewhere' }, 403],
  ] as const)('A7 %s is refused with a receipt', (_name, origin, http) => {
    const { send, changes } = world();
    const { receipt, reply } = send(submit({}, origin));
    expect(receipt).toMatchObject({ status: 'refused', revision: 0, messageId: null });
    expect(reply?.http).toBe(http);
    expect(changes()).toBe(0);
  });

  test('A17 ids that are refused are echoed within bounds', () => {
    const { receipt } = world().send(submit({ conversationId: 'x'.repeat(5_000), eventId: 'y'.repeat(5_000) }));
    expect(receipt).toMatchObject({ code: 'field_invalid', field: 'conversationId' });
    expect(receipt.conversationId.length + (receipt.requestEventId ?? '').length).toBeLessThan(600);
  });
});
