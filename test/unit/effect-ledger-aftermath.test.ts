import type { CompensationAnswer } from '../../services/effect-ledger/decide-compensate';
import { actionDueAt } from '../../services/effect-ledger/decide';
import type { Message } from '../../services/effect-ledger/messages';
import {
  answer,
  attempted,
  configurationText,
  interaction,
  propose,
  raiseFence,
  receiptAnswer,
  startModel,
  type Model,
} from '../support/effect-ledger-model';

const first = 'asks:contact:S:v1';
const second = 'asks:share:undo-S:v1';

const done = (tenant = ''): Model => {
  const model = startModel(configurationText(tenant));
  model.decide(propose());
  model.decide(attempted(model.sends[0]!, 'succeeded'));
  return model;
};
const unknown = (connector = 'asks'): Model => {
  const model = startModel();
  model.decide(propose({ connector }));
  model.decide(attempted(model.sends[0]!, 'unknown', 'timeout'));
  return model;
};
const compensate = (more: Partial<Extract<Message, { type: 'compensate' }>> = {}): Message => ({
  type: 'compensate',
  actionKey: first,
  tenant: 'local',
  account: 'olga',
  operation: 'share',
  subject: 'undo-S',
  params: '{"b":1}',
  ...more,
});
const callback = (
  state: 'succeeded' | 'failed' | 'pending',
  more: Partial<Extract<Message, { type: 'callback' }>> = {},
): Message => ({
  type: 'callback',
  connector: 'asks',
  tenant: 'local',
  eventId: `e-${state}`,
  actionKey: first,
  state,
  receipt: '{"n":1}',
  ...more,
});
const said = (model: Model): CompensationAnswer => model.replies.at(-1) as CompensationAnswer;

describe('E9: a compensation is an action of its own', () => {
  test('E9 own key, link both ways, approval, and nothing sent before it', () => {
    const model = done();
    model.decide(compensate());
    expect(said(model)).toEqual({ kind: 'opened', actionKey: second });
    expect(model.action(second)).toMatchObject({
      standing: { status: 'proposed' },
      compensation: { of: first, requestedBy: 'olga' },
      approval: { recipientKind: 'account', recipient: 'olga' },
      attempts: [],
    });
    expect(model.action(first)).toMatchObject({ standing: { status: 'succeeded' }, compensatedBy: [second] });
    expect(model.sends).toHaveLength(1);
    expect(model.said('RequestInteraction').at(-1)).toMatchObject({ compensates: first, requestedBy: 'olga' });
    expect(String(model.said('RequestInteraction').at(-1)!['preview'])).toContain(`Compensates: ${first}`);
  });

  test('E9 approved, it starts under a fence of its own, although its run has ended', () => {
    const model = done();
    model.decide(raiseFence(1, 1, 'closed'));
    model.decide(compensate());
    model.decide(interaction(model.action(second)));
    expect(model.action(second).standing.status).toBe('awaiting_approval');
    model.decide(answer(model.action(second), 'approve', 'olga'));
    expect(model.action(second)).toMatchObject({ standing: { status: 'sending' }, attempts: [{ number: 1 }] });
    expect(model.sends.at(-1)!.actionKey).toBe(second);
    model.decide(attempted(model.sends.at(-1)!, 'succeeded'));
    expect(model.action(second).standing.status).toBe('succeeded');
    expect(model.action(first).standing.status).toBe('succeeded');
  });

  test('E9 a fence of the run that is raised meanwhile leaves it alone', () => {
    const model = done();
    model.decide(compensate());
    model.decide(raiseFence(1, 9, 'closed'));
    expect(model.action(second).standing.status).toBe('proposed');
  });

  test('E9 where self-approval is forbidden another person than the one who asked approves', () => {
    const model = done(', approvers: "role:approver", selfApproval: forbidden');
    model.decide(compensate());
    model.decide(interaction(model.action(second)));
    model.decide(answer(model.action(second), 'approve', 'olga'));
    expect(model.action(second)).toMatchObject({ standing: { status: 'withdrawn' }, code: 'self_approval' });
    model.decide(compensate());
    const again = 'asks:share:undo-S:v2';
    model.decide(interaction(model.action(again)));
    model.decide(answer(model.action(again), 'approve', 'of-run'));
    expect(model.action(again).standing.status).toBe('sending');
  });

  test('E9 the same request again is the same action, also after it succeeded; another one is told what is in the way', () => {
    const model = done();
    model.decide(compensate());
    model.decide(compensate());
    expect(said(model)).toEqual({ kind: 'existing', actionKey: second });
    model.decide(interaction(model.action(second)), answer(model.action(second), 'approve', 'olga'));
    model.decide(compensate({ params: '{"b":2}' }));
    expect(said(model)).toMatchObject({ kind: 'refused', code: 'earlier_action_unsettled' });
    model.decide(attempted(model.sends.at(-1)!, 'succeeded'));
    model.decide(compensate());
    expect(said(model)).toEqual({ kind: 'existing', actionKey: second });
    model.decide(compensate({ params: '{"b":2}' }));
    expect(said(model)).toMatchObject({ kind: 'refused', code: 'already_done' });
  });

  test.each([
    ['sending', () => undefined],
    ['unknown', (model: Model) => model.decide(attempted(model.sends[0]!, 'unknown', 'timeout'))],
    ['failed', (model: Model) => model.decide(attempted(model.sends[0]!, 'failed', 'http_422'))],
  ] as const)('E9 case 23: an action that is %s is not compensated', (status, lead) => {
    const model = startModel();
    model.decide(propose());
    lead(model);
    expect(model.action(first).standing.status).toBe(status);
    model.decide(compensate());
    expect(said(model)).toMatchObject({ kind: 'refused', code: 'action_not_compensable' });
  });

  test.each([
    ['of another tenant', { tenant: 'other' }, { kind: 'unknown_action' }],
    ['of an unknown key', { actionKey: 'asks:contact:T:v1' }, { kind: 'unknown_action' }],
    ['with an unknown operation', { operation: 'x' }, { code: 'field_invalid', field: 'operation' }],
    ['with a subject that is none', { subject: 'a b' }, { code: 'field_invalid', field: 'subject' }],
    ['with too large params', { params: JSON.stringify('x'.repeat(70_000)) }, { code: 'content_too_large' }],
    ['of the very effect', { operation: 'contact', subject: 'S' }, { code: 'already_done' }],
  ] as const)('E9 a compensation %s is refused', (_what, more, expected) => {
    const model = done();
    model.decide(compensate(more));
    expect(said(model)).toMatchObject(expected);
  });

  test('E1 a run that proposes what an operator has asked for waits for its end', () => {
    const model = done();
    model.decide(compensate());
    model.decide(propose({ operation: 'share', subject: 'undo-S', params: '{"b":1}' }));
    expect(model.said('ProposalDecided').at(-1)).toMatchObject({ status: 'refused', code: 'earlier_action_unsettled' });
  });
});

describe('E9: the remote’s own cancel', () => {
  const key = 'cancels:contact:S:v1';
  const cancelFence = (number = 1): Message => {
    const message = raiseFence(number, 1, 'closed');
    return message.type === 'raise_fence' ? { ...message, record: { ...message.record, reason: 'cancel' } } : message;
  };
  const cancelled = (): Model => {
    const model = unknown('cancels');
    model.decide(cancelFence());
    return model;
  };

  test('E9 is asked for when the run is cancelled with the action in flight, once', () => {
    const model = cancelled();
    expect(model.cancels).toHaveLength(1);
    model.decide(cancelFence(2));
    expect(model.cancels).toHaveLength(1);
    expect(model.action(key)).toMatchObject({
      standing: { status: 'unknown' },
      cancel: { tries: 1, answeredAt: null, confirmedAt: null },
    });
  });

  test('E9 is not asked for when the run just ends, nor of a connector that has none', () => {
    const ended = unknown('cancels');
    ended.decide(raiseFence(1, 1, 'closed'));
    const without = unknown('asks');
    without.decide(cancelFence());
    expect([ended.cancels, without.cancels]).toEqual([[], []]);
  });

  test('E9 requested and confirmed apart: accepted changes nothing, a receipt that says "not done" confirms', () => {
    const model = cancelled();
    model.decide({ type: 'cancel_answered', actionKey: key, outcome: 'accepted', httpStatus: 202 });
    expect(model.action(key)).toMatchObject({ standing: { status: 'unknown' }, cancel: { confirmedAt: null } });
    model.tick(key);
    expect(model.said('AskReceipt').length).toBeGreaterThan(0);
    model.decide(receiptAnswer(model.action(key), 'failed'));
    expect(model.action(key)).toMatchObject({ standing: { status: 'failed' }, code: 'cancelled' });
    expect(model.action(key).cancel!.confirmedAt).not.toBeNull();
  });

  test('E9 a receipt that says "done" settles it as done, and the cancel stays unconfirmed', () => {
    const model = cancelled();
    model.decide({ type: 'cancel_answered', actionKey: key, outcome: 'accepted', httpStatus: 202 });
    model.tick(key);
    model.decide(receiptAnswer(model.action(key), 'succeeded'));
    expect(model.action(key)).toMatchObject({ standing: { status: 'succeeded' }, cancel: { confirmedAt: null } });
  });

  test('E9 one that got lost is asked for again, a bounded number of times', () => {
    const model = cancelled();
    for (let round = 0; round < 200 && model.action(key).cancel!.nextAt !== null; round += 1) {
      model.decide({ type: 'cancel_answered', actionKey: key, outcome: 'lost', httpStatus: null });
      model.now = Math.max(model.now, model.action(key).cancel!.nextAt ?? 0);
      model.decide({ type: 'tick', kind: 'action', id: key });
    }
    expect(model.cancels.length).toBe(8);
  });
});

describe('E10: callbacks', () => {
  test.each([
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['pending', 'unknown'],
  ] as const)('E10 %s leaves an unknown action %s', (state, expected) => {
    const model = unknown();
    model.decide(callback(state));
    expect(model.replies.at(-1)).toBe('taken');
    expect(model.action(first).standing.status).toBe(expected);
    if (state !== 'pending')
      expect(model.action(first).evidence.at(-1)).toMatchObject({ by: 'callback', body: '{"n":1}' });
  });

  test('E10 the same event again changes nothing; another connector, tenant or key is not known', () => {
    const model = unknown();
    model.decide(callback('succeeded'));
    const before = model.facts.length;
    model.decide(callback('succeeded'));
    expect(model.replies.at(-1)).toBe('repeated');
    expect(model.facts).toHaveLength(before);
    for (const more of [{ connector: 'blind' }, { tenant: 'other' }, { actionKey: 'asks:contact:T:v1' }]) {
      model.decide(callback('failed', { eventId: 'x', ...more }));
      expect(model.replies.at(-1)).toBe('unknown_action');
    }
  });

  test('E8 case 24: a late success after a confirmed failure is disputed, and nothing is overwritten', () => {
    const model = startModel();
    model.decide(propose());
    model.decide(attempted(model.sends[0]!, 'failed', 'http_422'));
    model.decide(callback('succeeded'));
    expect(model.action(first)).toMatchObject({
      standing: { status: 'disputed' },
      code: 'contradicting_evidence',
      evidence: [
        { by: 'response', outcome: 'failed' },
        { by: 'callback', outcome: 'succeeded' },
      ],
    });
    expect(model.incidents).toEqual(['action_disputed']);
  });

  test('E3 a refusal that comes while the attempt is under way counts once that attempt stays unknown', () => {
    const model = startModel();
    model.decide(propose({ connector: 'blind' }));
    const key = 'blind:contact:S:v1';
    model.decide(callback('failed', { connector: 'blind', actionKey: key }));
    expect(model.action(key).standing.status).toBe('sending');
    model.decide(attempted(model.sends[0]!, 'unknown', 'timeout'));
    expect(model.action(key)).toMatchObject({ standing: { status: 'failed' }, code: 'callback_failed' });
  });
});

describe('R25: what the ledger asks of hil is asked until it is answered', () => {
  const proposed = (): Model => {
    const model = startModel();
    model.decide(propose({ approval: true }));
    return model;
  };

  test('R25 a withdrawal is told again, with an incident after ten times, which closes with the answer', () => {
    const model = proposed();
    model.decide(raiseFence(1, 2));
    expect(model.action(first)).toMatchObject({ standing: { status: 'withdrawn' }, withdrawal: { asks: 1 } });
    for (let round = 0; round < 10; round += 1) model.tick(first);
    expect(model.said('WithdrawInteraction').map((one) => one['attempt'])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(model.incidents).toEqual(['unanswered_request']);
    // Opened before the withdrawal reached it: no answer to that.
    model.decide(interaction(model.action(first)));
    expect(model.action(first).withdrawal).not.toBeNull();
    model.decide(interaction(model.action(first), { state: 'closed', code: 'fenced' }));
    expect(model.action(first).withdrawal).toBeNull();
    expect(actionDueAt(model.action(first))).toBeNull();
    expect(model.closed).toContain(`unanswered/${model.action(first).approval!.interactionRef}`);
  });

  test('R25 the incident of an unanswered request closes when hil answers', () => {
    const model = proposed();
    for (let round = 0; round < 10; round += 1) model.tick(first);
    expect(model.incidents).toEqual(['unanswered_request']);
    model.decide(interaction(model.action(first)));
    expect(model.closed).toContain(`unanswered/${model.action(first).approval!.interactionRef}`);
  });
});

describe('E6: what is stuck, and what an operator can do', () => {
  test('E4 an operator asks about many: each is asked once, when the pace allows', () => {
    const model = unknown('blind');
    expect(model.action('blind:contact:S:v1').standing.status).toBe('blocked');
    const asking = unknown();
    const before = asking.said('AskReceipt').length;
    asking.paceMs = 50;
    asking.decide({ type: 'ask_soon', actionKey: first, tenant: 'local' });
    expect(asking.said('AskReceipt')).toHaveLength(before);
    asking.paceMs = 0;
    asking.now += 50;
    asking.decide({ type: 'tick', kind: 'action', id: first });
    expect(asking.said('AskReceipt')).toHaveLength(before + 1);
    expect(asking.action(first).wantedAt).toBeNull();
  });

  test('E6 a blocked action that is asked about again is settled by what is found', () => {
    const model = unknown();
    while (model.action(first).standing.status === 'unknown') model.tick(first);
    expect(model.action(first)).toMatchObject({ standing: { status: 'blocked' }, code: 'not_answered' });
    model.decide({ type: 'ask_again', actionKey: first, tenant: 'local' });
    model.decide(receiptAnswer(model.action(first), 'succeeded'));
    expect(model.action(first).standing.status).toBe('succeeded');
    expect(model.closed).toContain(`action-blocked/${first}`);
  });

  test('a paused connector gets nothing new; resumed, it does', () => {
    const model = startModel();
    model.paused = true;
    model.decide(propose());
    expect(model.action(first).standing).toMatchObject({ status: 'admitted' });
    model.tick(first);
    expect(model.sends).toEqual([]);
    model.paused = false;
    model.decide({ type: 'released', actionKey: first, runId: 'run' });
    expect(model.action(first).standing.status).toBe('sending');
  });
});
