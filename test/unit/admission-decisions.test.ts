import { httpOf, isSettled, movesForward, statuses } from '../../services/admission/receipts';
import { receiptJson, waitMsOf } from '../../services/admission/http';
import { decided, empty, ids, runChanged, submit, world } from '../support/admission-world';

describe('the receipt moves forward only', () => {
  test.each([
    ['run_queued', 201],
    ['run_started', 201],
    ['follow_up_created', 201],
    ['cancelled_before_start', 200],
    ['update_received', 200],
    ['version_conflict', 409],
    ['response_late', 200],
    ['too_late', 200],
    ['progress_reported', 200],
    ['admitted', 202],
  ])('%s is answered with %d', (status, http) => expect(httpOf({ status })).toBe(http));
  test.each([
    ['unknown_run', 404],
    ['expired', 410],
    ['busy', 422],
    ['not_continuable', 422],
    ['a_code_of_tomorrow', 422],
  ])('refused with %s is answered with %d', (code, http) => expect(httpOf({ status: 'refused', code })).toBe(http));

  test('no status goes back, and a final one stays', () => {
    for (const from of statuses)
      for (const to of statuses) if (movesForward(from, to)) expect(isSettled(to) || !isSettled(from)).toBe(true);
    expect(movesForward('run_started', 'run_queued')).toBe(false);
    expect(movesForward('update_applied', 'update_received')).toBe(false);
    expect(movesForward('update_received', 'follow_up_created')).toBe(true);
  });

  test('R4 received, then applied: two receipts with what was decided', () => {
    const { send, pass } = world();
    send(submit({ relation: 'AMEND', targetRunId: 'r1', expectedVersion: 1 }));
    pass(1_500);
    const effectiveRequirements = { texts: [{ version: 2, text: 'x' }], structured: '{"a":1}' };
    const received = send(decided('m1', 1, 'update_received', { requirementsVersion: 2, effectiveRequirements }));
    expect(received.receipt).toMatchObject({ revision: 2, requirementsVersion: 2, effectiveRequirements });
    expect(received.performs).toMatchObject([{ type: 'settled', http: 200, seconds: 1.5 }]);
    const applied = send(decided('m1', 2, 'update_applied', { targetRunId: 'r1' }));
    expect(applied.receipt).toMatchObject({ revision: 3, status: 'update_applied', requirementsVersion: 2 });
    expect(applied.performs).toHaveLength(0);
  });

  test('R3 a follow-up after update_received keeps the first HTTP status', () => {
    const { send } = world();
    const aim = { relation: 'AMEND', targetRunId: 'r1', expectedVersion: 1 } as const;
    send(submit(aim));
    send(decided('m1', 1, 'update_received'));
    send(decided('m1', 2, 'follow_up_created', { runId: ids('m1').runId }));
    expect(send(submit(aim))).toMatchObject({ reply: { http: 200, receipt: { status: 'follow_up_created' } } });
  });

  test('X1 repeats, old revisions, strangers and lost order change nothing', () => {
    const { send, changes } = world();
    send(submit());
    send(decided('m1', 2, 'run_started', { runId: ids('m1').runId }));
    const before = changes();
    for (const late of [
      decided('m1', 2, 'run_started'),
      decided('m1', 1, 'run_queued'),
      decided('m1', 3, 'run_queued'),
      decided('m1', 3, 'admitted'),
      decided('stranger', 1, 'run_started'),
    ])
      expect(send(late).facts).toHaveLength(0);
    expect(changes()).toBe(before);
  });

  test('A6 a refusal by the owner leaves no run', () => {
    const { send } = world();
    send(submit({ relation: 'CONTINUE', continuationOfRunId: 'r1' }));
    const { receipt } = send(decided('m1', 1, 'refused', { code: 'not_continuable', detail: 'failed' }));
    expect(receipt).toMatchObject({
      status: 'refused',
      code: 'not_continuable',
      runId: null,
      taskId: null,
      revision: 2,
    });
    expect(receipt.messageId).toBe(ids('m1').messageId);
  });
});

describe('R25 the owner is asked again until it answers', () => {
  test('10 s, 20 s, 40 s, at most 5 min; the same words under the next event id', () => {
    const { send, pass, tick } = world();
    send(submit());
    const waits: number[] = [];
    let waited = 0;
    while (waits.length < 7) {
      pass(1_000);
      waited += 1;
      const again = tick('m1');
      const [command] = again.of('StartRun');
      if (command === undefined) continue;
      waits.push(waited);
      waited = 0;
      expect(command).toMatchObject({
        eventId: `${ids('m1').messageId}/ask/${waits.length + 1}`,
        attempt: waits.length + 1,
        content: empty.content,
        ...ids('m1'),
      });
      expect(again.of('ReceiptIssued')).toHaveLength(0);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300]);
  });

  test('after 10 requests an incident, and it is still asked', () => {
    const { send, pass, tick } = world();
    send(submit());
    const incidents = Array.from({ length: 12 }, () => {
      pass(300_000);
      return tick('m1').incidents.length;
    });
    expect(incidents).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
  });

  test('A2 asking again is no change of status: the next receipt is the next revision', () => {
    const { send, pass, tick } = world();
    send(submit());
    for (let asked = 0; asked < 3; asked += 1) {
      pass(300_000);
      tick('m1');
    }
    expect(send(decided('m1', 1, 'run_queued')).receipt.revision).toBe(2);
    expect(send(decided('m1', 2, 'run_started')).receipt.revision).toBe(3);
    expect(send(submit()).receipt).toMatchObject({ revision: 3, duplicate: true });
  });

  test('an answer ends it', () => {
    const { send, pass, tick } = world();
    send(submit());
    send(decided('m1', 1, 'run_queued'));
    pass(600_000);
    expect(tick('m1').facts).toHaveLength(0);
  });
});

test('totality: every message in every state of its message returns', () => {
  const relations = ['UNSPECIFIED', 'CONTROL', 'AMEND'] as const;
  for (const relation of relations)
    for (const status of ['nothing', ...statuses]) {
      const { send, pass, tick } = world();
      const aim = relation === 'UNSPECIFIED' ? {} : { targetRunId: 'r1' };
      const more = relation === 'CONTROL' ? { control: 'PROGRESS' as const } : {};
      const version = relation === 'AMEND' ? { expectedVersion: 1 } : {};
      const message = submit({ relation, ...aim, ...more, ...version });
      send(message);
      if (status !== 'nothing') send(decided('m1', 1, status));
      pass(20_000);
      for (const next of statuses) send(decided('m1', 2, next));
      send(message);
      send(runChanged('r1', 1));
      send(runChanged(ids('m1').runId, 1, { state: 'failed' }));
      tick('m1');
    }
});

test('every field of a receipt is in its JSON, relation in lower case, times as text', () => {
  const { send } = world();
  send(runChanged('r1', 1, { waitingFor: '[{"kind":"answer"}]' }));
  const json = receiptJson(send(submit({ relation: 'CONTROL', control: 'PROGRESS', targetRunId: 'r1' })).receipt);
  expect(Object.keys(json)).toHaveLength(29);
  expect(Object.values(json)).not.toContain(undefined);
  expect(json).toMatchObject({ relation: 'control', progress: { waitingFor: [{ kind: 'answer' }] }, candidates: [] });
  expect(json['occurredAt']).toBe(new Date(1_000_000).toISOString());
});

test.each([
  [undefined, 2_000],
  ['wait=0', 0],
  ['respond-async, wait=7', 7_000],
  ['wait=31', 30_000],
  ['wait=soon', 2_000],
])('Prefer: %s waits %d ms', (prefer, ms) => expect(waitMsOf(prefer)).toBe(ms));
