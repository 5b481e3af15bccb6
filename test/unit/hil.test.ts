import type { RequestInteraction } from '../../schemas/generated/records';
import type { SubmitClarification } from '../../schemas/generated/records';
import type { Answer } from '../../services/hil/messages';
import type { AnyMessage } from '../../services/hil/messages';
import type { Actor } from '../../services/hil/messages';
import type { Interaction } from '../../services/hil/state';
import type { Reply } from '../../services/hil/decide';
import {
  world,
  requested,
  approval,
  alice,
  bob,
  respond,
  runChanged,
  adoptedBy,
  clarify,
  codeOf,
  decided,
} from '../support/hil-world';
import { kinds } from '../../services/hil/store';

describe('requests', () => {
  test('H1 R25 a request is published and answered again by its natural key', () => {
    const { say } = world();
    const first = say(requested(), 10);
    expect(first.facts).toHaveLength(1);
    expect(first.facts[0]).toMatchObject({
      type: 'InteractionChanged',
      key: 'c1',
      value: { state: 'open', publishedAt: 10, requestRevision: 1, revision: 1 },
    });
    const again = say(requested({ attempt: 2 }), 20);
    expect(again.facts[0]).toMatchObject({ eventId: 'int_1/1/again/2/1', value: { publishedAt: 10, revision: 1 } });
  });

  test('H8 the preview is kept as the bytes that came', () => {
    const { say } = world();
    const [row] = say(approval(), 10).rows;
    expect(row).toMatchObject({ table: 'previews', values: { sha256: 'f'.repeat(64) } });
    expect((row?.values['bytes'] as Buffer).toString()).toBe('Connector: k\n\n{"b":1,"a":2.0}');
  });

  test('H10 a revision of an answered request is refused and the answer delivered', () => {
    const { say, state } = world();
    say(requested(), 10);
    say(respond({ text: 'Oslo' }), 20);
    const { facts } = say(requested({ requestRevision: 2, question: 'Which town?' }), 30);
    expect(facts[0]).toMatchObject({ value: { state: 'answered', requestRevision: 1, response: { text: 'Oslo' } } });
    expect(state('int_1')).toMatchObject({ asked: { question: 'Which city?' } });
  });

  test('H1 another run never takes over a ref', () => {
    const { say } = world();
    say(requested(), 10);
    expect(() => say(requested({ runId: 'run_2', requestRevision: 2 }), 20)).toThrow(/another runId/);
  });

  test('a withdrawal that overtook its request closes it on arrival', () => {
    const { say } = world();
    say(
      { type: 'withdraw', record: { interactionRef: 'int_1', tenant: 't', code: 'withdrawn', attempt: 1 } as never },
      5,
    );
    expect(say(requested(), 10).facts[0]).toMatchObject({ value: { state: 'closed', code: 'withdrawn' } });
  });
});

describe('answers', () => {
  test('H2 published, seen, answered and adopted are four facts with four times', () => {
    const { say, state } = world();
    say(requested(), 10);
    say({ type: 'seen', ref: 'int_1', actor: alice }, 20);
    say({ type: 'seen', ref: 'int_1', actor: alice }, 25);
    const stored = say(respond({ text: 'Oslo' }), 30);
    expect(stored.reply).toMatchObject({ type: 'item', created: true, item: { adoption: { status: 'pending' } } });
    say(adoptedBy(), 80);
    expect(state('int_1')).toMatchObject({
      publishedAt: 10,
      seenAt: 20,
      answeredAt: 30,
      adoptedAt: 70,
      adoption: { status: 'adopted', turn: 2 },
    });
    expect(say(adoptedBy(), 90).facts).toEqual([]);
  });

  test('H3 the same response again is the first one, another meaning a conflict, another response too late', () => {
    const { say } = world();
    say(requested(), 10);
    const first = say(respond({ text: 'Oslo' }), 20);
    const again = say(respond({ text: 'Oslo' }), 30);
    expect(again.reply).toEqual({ ...first.reply, created: false });
    expect(again.facts).toEqual([]);
    expect(codeOf(say(respond({ text: 'Rome' }), 40).reply)).toBe('response_conflict');
    expect(codeOf(say(respond({ text: 'Rome', clientResponseId: 'r2' }), 50).reply)).toBe('already_answered');
  });

  test.each<[string, (say: ReturnType<typeof world>['say']) => Reply | undefined, string]>([
    [
      'H4 another account: as if it did not exist',
      (say) => say(respond({ text: 'x' }, bob), 20).reply,
      'unknown_interaction',
    ],
    [
      'H4 another tenant: as if it did not exist',
      (say) => say(respond({ text: 'x' }, { ...alice, tenant: 'u' }), 20).reply,
      'unknown_interaction',
    ],
    ['H4 expired', (say) => say(respond({ text: 'x' }), 1_000).reply, 'expired'],
    ['H4 old revision', (say) => say(respond({ text: 'x', requestRevision: 2 }), 20).reply, 'old_revision'],
    [
      'H1 a decision is no answer to a question',
      (say) => say(respond({ decision: 'approve' }), 20).reply,
      'contract_violated',
    ],
    ['H1 two answers in one', (say) => say(respond({ text: 'x', value: '1' }), 20).reply, 'contract_violated'],
  ])('%s', (_name, act, code) => {
    const { say } = world();
    say(requested({ expiresAt: 1_000 }), 10);
    expect(codeOf(act(say))).toBe(code);
  });

  test('H4 a refused answer is kept for the audit and adopted by nobody', () => {
    const { say, state } = world();
    say(requested({ expiresAt: 1_000 }), 10);
    const { rows, facts } = say(respond({ text: 'x' }), 1_000);
    expect(rows[0]).toMatchObject({ table: 'refused_responses', values: { code: 'expired', account: 'alice' } });
    expect(facts[0]).toMatchObject({ value: { state: 'closed', code: 'expired', response: null } });
    expect(state('int_1')?.status).toBe('closed');
  });

  test('H10 expiry comes by the clock alone', () => {
    const { say } = world();
    say(requested({ expiresAt: 1_000 }), 10);
    expect(say({ type: 'tick', kind: 'interaction', id: 'int_1' }, 999).facts).toEqual([]);
    expect(say({ type: 'tick', kind: 'interaction', id: 'int_1' }, 1_000).facts[0]).toMatchObject({
      value: { state: 'closed', code: 'expired' },
    });
  });

  test('H7 an approval needs the hash of what was shown; chat words are none', () => {
    const { say } = world();
    say(approval(), 10);
    expect(codeOf(say(respond({ decision: 'approve' }), 20).reply)).toBe('preview_mismatch');
    expect(codeOf(say(respond({ decision: 'approve', previewSha256: 'e'.repeat(64) }), 20).reply)).toBe(
      'preview_mismatch',
    );
    expect(codeOf(say(respond({ text: 'yes' }), 20).reply)).toBe('contract_violated');
    expect(decided(say(clarify(), 20).facts)).toMatchObject([{ status: 'refused', code: 'not_answerable_by_text' }]);
    expect(say(respond({ decision: 'approve', previewSha256: 'f'.repeat(64) }), 30).reply).toMatchObject({
      created: true,
    });
  });

  test('H7 self-approval by policy: the requester may deny, not approve', () => {
    const { say } = world();
    say(approval({ selfApproval: 'forbidden', recipientKind: 'role', recipient: 'approver' }), 10);
    const self: Actor = { ...alice, roles: ['approver'] };
    const yes = { decision: 'approve' as const, previewSha256: 'f'.repeat(64) };
    expect(codeOf(say(respond(yes, self), 20).reply)).toBe('forbidden');
    expect(say(respond(yes, bob), 30).reply).toMatchObject({ created: true });
  });

  test('H1 a role request is claimed by one person', () => {
    const { say } = world();
    say(requested({ recipientKind: 'role', recipient: 'approver' }), 10);
    const carol: Actor = { ...bob, account: 'carol' };
    expect(say({ type: 'claim', ref: 'int_1', actor: bob }, 20).reply).toMatchObject({ item: { claimedBy: 'bob' } });
    expect(codeOf(say({ type: 'claim', ref: 'int_1', actor: carol }, 30).reply)).toBe('already_claimed');
    expect(codeOf(say(respond({ text: 'x' }, carol), 30).reply)).toBe('already_claimed');
    expect(say(respond({ text: 'x' }, bob), 40).reply).toMatchObject({ created: true });
  });

  test('an operator reads all of the tenant and answers nothing for others', () => {
    const { say } = world();
    say(requested(), 10);
    expect(codeOf(say(respond({ text: 'x' }, { ...bob, roles: ['operator'] }), 20).reply)).toBe('forbidden');
  });
});

describe('contracts', () => {
  const choices = [
    { id: 'm6', label: 'Six months' },
    { id: 'm12', label: 'A year' },
  ];
  test.each<[string, Partial<RequestInteraction>, Partial<Answer>, Record<string, unknown> | null]>([
    ['a choice by id', { choices }, { choice: 'm6' }, { choice: 'm6' }],
    ['an unknown choice', { choices }, { choice: 'm7' }, null],
    ['words equal to a label pick it', { choices }, { text: 'A year' }, { choice: 'm12', text: 'A year' }],
    ['other words pick nothing', { choices }, { text: 'about a year' }, null],
    ['a value that fits', { schema: '{"type":"integer","maximum":5}' }, { value: '4' }, { value: 4 }],
    ['a value that does not', { schema: '{"type":"integer","maximum":5}' }, { value: '6' }, null],
    ['2020-12 keywords', { schema: '{"prefixItems":[{"const":1}],"items":false}' }, { value: '[1,2]' }, null],
    ['a broken schema leaves the value free', { schema: '{"type":7}' }, { value: '6' }, { value: 6 }],
    ['a schema elsewhere is not fetched', { schema: '{"$ref":"http://127.0.0.1:1/x"}' }, { value: '6' }, { value: 6 }],
    [
      'a huge schema leaves the value free',
      { schema: `{"const":"${'x'.repeat(20_000)}"}` },
      { value: '6' },
      { value: 6 },
    ],
    ['a pattern that never ends', { schema: '{"pattern":"^(a+)+$"}' }, { value: `"${'a'.repeat(60)}!"` }, null],
  ])('H1 %s', (_name, ask, given, stored) => {
    const { say } = world();
    say(requested(ask), 10);
    const { reply } = say(respond(given), 20);
    if (stored === null) expect(codeOf(reply)).toBe('contract_violated');
    else expect(reply).toMatchObject({ type: 'item', item: { response: stored } });
  });
});

describe('the end of a run', () => {
  test('H6 a question takes a late answer, told so, waking nothing; an approval is closed', () => {
    const { say } = world();
    say(requested(), 10);
    say(approval({ interactionRef: 'int_2' }), 10);
    const closing = say(runChanged('completed'), 20);
    expect(closing.facts.map((fact) => (fact.value as unknown as { code: string }).code)).toEqual([
      'run_ended',
      'run_ended',
    ]);
    const late = say(respond({ text: 'Oslo', requestRevision: 9 }), 30).reply;
    expect(late).toMatchObject({
      created: false,
      item: { late: true, adoption: { status: 'void', reason: 'run_ended' } },
    });
    const other = respond({ decision: 'approve', previewSha256: 'f'.repeat(64) });
    expect(codeOf(say({ ...other, ref: 'int_2' } as AnyMessage, 30).reply)).toBe('interaction_closed');
    expect(say(runChanged('completed'), 40).facts).toEqual([]);
  });

  test('H6 a chat answer after the end is response_late', () => {
    const { say } = world();
    say(requested(), 10);
    say(runChanged('failed'), 20);
    expect(decided(say(clarify(), 30).facts)).toMatchObject([{ status: 'response_late' }]);
  });

  test('H2 what nobody adopted is void, and an adoption that was told late still counts', () => {
    const { say, state } = world();
    say(requested(), 10);
    say(clarify(), 15);
    const ended = say(runChanged('completed'), 20);
    expect(decided(ended.facts)).toMatchObject([{ status: 'response_void' }]);
    expect(decided(say(adoptedBy(), 30).facts)).toMatchObject([{ status: 'response_adopted' }]);
    expect(state('int_1')).toMatchObject({ adoption: { status: 'adopted' } });
  });

  test('X1 E9 a request that arrives after its run ended is closed, unless it is about a compensation', () => {
    const { say } = world();
    say(runChanged('completed'), 5);
    expect(say(requested(), 10).facts[0]).toMatchObject({ value: { state: 'closed', code: 'run_ended' } });
    expect(say(approval({ interactionRef: 'int_2' }), 10).facts[0]).toMatchObject({ value: { state: 'closed' } });
    const compensation = { interactionRef: 'int_3', compensates: 'c:o:s:v1' };
    expect(say(approval(compensation), 10).facts[0]).toMatchObject({ value: { state: 'open' } });
  });
});

describe('chat answers', () => {
  test('A10 decided once by messageId, told again when asked again, adopted with the interaction', () => {
    const { say } = world();
    say(requested(), 10);
    expect(decided(say(clarify(), 20).facts)).toMatchObject([{ status: 'response_received', revision: 1 }]);
    const again = say(clarify({ attempt: 2 }), 30).facts;
    expect(again).toHaveLength(1);
    expect(again[0]).toMatchObject({ eventId: 'msg_1/answer/2/1', value: { revision: 1 } });
    expect(decided(say(adoptedBy(), 80).facts)).toMatchObject([{ status: 'response_adopted', revision: 2 }]);
  });

  test('A10 one that comes before its question waits and is then decided', () => {
    const { say } = world();
    expect(say(clarify(), 10).facts).toEqual([]);
    const { facts } = say(requested(), 20);
    expect(facts.map((fact) => fact.type)).toEqual(['InteractionChanged', 'MessageDecided']);
    expect(facts[0]).toMatchObject({ value: { state: 'answered' } });
    expect(decided(facts)).toMatchObject([{ status: 'response_received' }]);
  });

  test('A10 an unknown question and one of another account look the same: 60 s, then unknown_interaction', () => {
    const { say } = world();
    say(requested({ interactionRef: 'int_2', recipient: 'bob' }), 5);
    say(clarify(), 10);
    say(clarify({ interactionRef: 'int_2', messageId: 'msg_2', clientMessageId: 'm2' }), 10);
    for (const id of ['msg_1', 'msg_2']) {
      expect(say({ type: 'tick', kind: 'clarification', id }, 60_009).facts).toEqual([]);
      expect(decided(say({ type: 'tick', kind: 'clarification', id }, 60_010).facts)).toMatchObject([
        { status: 'refused', code: 'unknown_interaction' },
      ]);
    }
  });

  test('H3 clientMessageId is the clientResponseId, over all channels', () => {
    const { say } = world();
    say(requested(), 10);
    say(respond({ text: 'Oslo', clientResponseId: 'm1' }), 20);
    expect(decided(say(clarify(), 30).facts)).toMatchObject([{ status: 'response_received' }]);
  });
});

describe('H10: reminders and escalation', () => {
  const state = (w: ReturnType<typeof world>): Extract<Interaction, { status: 'open' }> =>
    w.state('int_1') as Extract<Interaction, { status: 'open' }>;
  const due = (w: ReturnType<typeof world>): number | null =>
    kinds.find(({ name }) => name === 'interaction')!.dueAt!(w.state('int_1'));
  const tick: AnyMessage = { type: 'tick', kind: 'interaction', id: 'int_1' };

  test('H10 reminds after the pause, again after each, and stops with the answer', () => {
    const w = world();
    w.say(requested({ remindAfterSec: 60, expiresAt: 10_000_000 }), 1_000);
    expect(due(w)).toBe(61_000);
    expect(w.say(tick, 60_999).facts).toEqual([]);
    expect(w.say(tick, 61_000).facts[0]).toMatchObject({ value: { state: 'open', reminders: 1, remindedAt: 61_000 } });
    expect(due(w)).toBe(121_000);
    w.say(tick, 121_000);
    expect(state(w).nudges).toMatchObject({ reminders: 2 });
    w.say(respond({ text: 'Bern' }), 122_000);
    expect(due(w)).toBeNull();
    expect(w.say(tick, 200_000).facts).toEqual([]);
  });

  test('H10 reminds a bounded number of times, then only the expiry is left', () => {
    const w = world();
    w.say(requested({ remindAfterSec: 1, expiresAt: 1_000_000 }), 0);
    for (let now = due(w)!; now < 1_000_000; now = due(w)!) w.say(tick, now);
    expect(state(w).nudges).toMatchObject({ reminders: 10 });
    expect(w.say(tick, 1_000_000).facts[0]).toMatchObject({ value: { state: 'closed', code: 'expired' } });
  });

  test('H10 escalates to a role after the second pause: one person of it may claim and answer, so may the first recipient', () => {
    const w = world();
    w.say(requested({ remindAfterSec: 60, escalateTo: 'role:approver' }), 0);
    expect(w.say(respond({ text: 'x' }, bob), 1).reply).toMatchObject({ code: 'unknown_interaction' });
    w.say(tick, 60_000);
    w.say(tick, 120_000);
    expect(w.facts().at(-1)).toMatchObject({
      value: { recipient: 'alice', escalatedTo: 'role:approver', escalatedAt: 120_000, reminders: 2 },
    });
    expect(w.say({ type: 'claim', ref: 'int_1', actor: bob }, 121_000).reply).toMatchObject({ type: 'item' });
    expect(w.say(respond({ text: 'x' }), 122_000).reply).toMatchObject({ code: 'already_claimed' });
    expect(w.say(respond({ text: 'y' }, bob), 123_000).reply).toMatchObject({ type: 'item', created: true });
  });

  test('H10 an escalation is answered by the first recipient where nobody claimed it', () => {
    const w = world();
    w.say(requested({ escalateTo: 'account:carol' }), 0);
    w.say(tick, 3_600_000);
    expect(w.facts().at(-1)).toMatchObject({ value: { escalatedTo: 'carol' } });
    expect(w.say(respond({ text: 'x' }), 3_600_001).reply).toMatchObject({ created: true });
  });

  test('H10 a revision starts anew', () => {
    const w = world();
    w.say(requested({ remindAfterSec: 60, escalateTo: 'role:approver' }), 0);
    w.say(tick, 60_000);
    w.say(requested({ remindAfterSec: 60, requestRevision: 2 }), 70_000);
    expect(state(w).nudges).toMatchObject({ reminders: 0, remindAt: 130_000, escalateTo: null });
  });
});

describe('cases', () => {
  const second = { interactionRef: 'int_2', questionId: 'q2' };
  const clarify = (messageId: string, ref: string, text: string): AnyMessage => ({
    type: 'clarify',
    record: {
      eventId: messageId,
      occurredAt: 1,
      tenant: 't',
      app: 'a',
      account: 'alice',
      conversationId: 'c1',
      messageId,
      clientMessageId: messageId,
      interactionRef: ref,
      requestRevision: 1,
      content: text,
      attempt: 1,
    } as SubmitClarification,
  });

  test('case 13: two questions at once, answered in reverse: each answer reaches its own', () => {
    const w = world();
    w.say(requested(), 10);
    w.say(requested(second), 10);
    w.say({ ...respond({ text: 'second' }), ref: 'int_2' } as AnyMessage, 20);
    w.say(respond({ text: 'first' }), 30);
    expect(w.state('int_1')).toMatchObject({ status: 'answered', response: { text: 'first' } });
    expect(w.state('int_2')).toMatchObject({ status: 'answered', response: { text: 'second' } });
  });

  test('case 14: the first answer is not used for a second question', () => {
    const w = world();
    w.say(requested(), 10);
    w.say(respond({ text: 'first' }), 20);
    w.say(requested(second), 30);
    w.say(requested(), 40);
    expect(w.state('int_2')).toMatchObject({ status: 'open' });
  });

  test('case 15: an answer before its request is adopted once, when the request comes', () => {
    const w = world();
    w.say(clarify('m9', 'int_1', 'Bern'), 10);
    expect(w.state('int_1')).toMatchObject({ status: 'awaited' });
    w.say(requested(), 10);
    w.say(requested(), 11);
    expect(w.state('int_1')).toMatchObject({ status: 'answered', response: { text: 'Bern' } });
    expect(w.facts().filter((fact) => fact.type === 'MessageDecided')).toHaveLength(1);
  });

  test('case 17: the same answer again, its reply was lost: the first receipt', () => {
    const w = world();
    w.say(requested(), 10);
    const first = w.say(respond({ text: 'Bern' }), 20).reply;
    const again = w.say(respond({ text: 'Bern' }), 30).reply;
    expect(first).toMatchObject({ created: true });
    expect(again).toMatchObject({ created: false });
    expect((again as { item: unknown }).item).toEqual((first as { item: unknown }).item);
  });

  test('case 18: an answer after the expiry is refused as expired, kept for the audit, and does nothing', () => {
    const w = world();
    w.say(requested({ expiresAt: 15 }), 10);
    const late = w.say(respond({ text: 'Bern' }), 20);
    expect(late.reply).toMatchObject({ type: 'no', code: 'expired' });
    expect(late.rows.map((row) => row.table)).toEqual(['refused_responses']);
    expect(w.state('int_1')).toMatchObject({ status: 'closed', code: 'expired' });
  });

  test('case 19: an answered request does not open again by a redelivery', () => {
    const w = world();
    w.say(requested(), 10);
    w.say(respond({ text: 'Bern' }), 20);
    expect(w.say(requested(), 30).facts[0]).toMatchObject({ value: { state: 'answered' } });
    expect(w.state('int_1')).toMatchObject({ status: 'answered' });
  });

  test('case 50: refused, received and not adopted, approved and its effect unknown are three things', () => {
    const w = world();
    w.say(requested(), 10);
    expect(w.say(respond({ choice: 'none' }), 20).reply).toMatchObject({ type: 'no', code: 'contract_violated' });
    expect(w.say(respond({ text: 'Bern' }), 30).reply).toMatchObject({ item: { adoption: { status: 'pending' } } });
    w.say(approval({ interactionRef: 'int_2' }), 40);
    const approved = { ...respond({ decision: 'approve', previewSha256: 'f'.repeat(64) }), ref: 'int_2' } as AnyMessage;
    expect(w.say(approved, 50).reply).toMatchObject({ item: { adoption: { status: 'pending' } } });
    const attempt = adoptedBy({ interactionRef: 'int_2', turn: null, attempt: 1, actionKey: 'k:o:s:v1' });
    w.say(attempt, 60);
    // Adopted by the attempt: what that came to is the action's to say.
    expect(w.state('int_2')).toMatchObject({ adoption: { status: 'adopted' } });
  });
});
