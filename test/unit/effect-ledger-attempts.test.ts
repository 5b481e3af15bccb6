import { actionDueAt } from '../../services/effect-ledger/decide';
import type { Message } from '../../services/effect-ledger/messages';
import {
  answer,
  attempted,
  interaction,
  propose,
  raiseFence,
  receiptAnswer,
  startModel,
  type Model,
} from '../support/effect-ledger-model';

const keyOf = (connector: string): string => `${connector}:contact:S:v1`;
const status = (model: Model, connector = 'asks') => model.action(keyOf(connector)).standing.status;
const sending = (connector = 'asks'): Model => {
  const model = startModel();
  model.decide(propose({ connector }));
  expect(status(model, connector)).toBe('sending');
  return model;
};
const unknown = (connector = 'asks'): Model => {
  const model = sending(connector);
  model.decide(attempted(model.sends[0]!, 'unknown', 'timeout'));
  return model;
};
/** Ticks until the next query is out, and answers it. */
const ask = (model: Model, outcome: Parameters<typeof receiptAnswer>[1], connector = 'asks'): void => {
  const before = model.action(keyOf(connector)).queries.count;
  while (model.action(keyOf(connector)).queries.count === before) {
    expect(status(model, connector)).toBe('unknown');
    model.tick(keyOf(connector));
  }
  model.decide(receiptAnswer(model.action(keyOf(connector)), outcome));
};

describe('E2: the intent is durable, and a lost sender leaves unknown', () => {
  test('E2 the attempt is recorded with its sendBy and a lease before anything is sent', () => {
    const model = sending();
    const action = model.action(keyOf('asks'));
    expect(action.attempts).toMatchObject([{ number: 1, outcome: null }]);
    expect(model.sends).toHaveLength(1);
    expect(model.sends[0]!.sendBy).toBe(action.attempts[0]!.sendBy);
    expect(actionDueAt(action)).toBeGreaterThan(action.attempts[0]!.sendBy + action.attempts[0]!.timeoutMs);
  });

  test.each(['asks', 'asks-resends', 'resends', 'blind'])(
    'E2 a crash after the intent (%s): unknown or blocked, nothing sent again at once',
    (connector) => {
      const model = sending(connector);
      model.tick(keyOf(connector));
      expect(['unknown', 'blocked']).toContain(status(model, connector));
      expect(model.action(keyOf(connector)).attempts[0]).toMatchObject({ outcome: 'unknown', code: 'sender_lost' });
      expect(model.sends).toHaveLength(1);
    },
  );

  test('E2 a tick before the lease ends changes nothing', () => {
    const model = sending();
    const facts = model.facts.length;
    model.decide({ type: 'tick', kind: 'action', id: keyOf('asks') });
    expect(status(model)).toBe('sending');
    expect(model.facts).toHaveLength(facts);
  });

  test.each([
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['not_sent', 'admitted'],
    ['unknown', 'unknown'],
  ] as const)('E3 a sender that comes back late with %s settles its own attempt: %s', (outcome, expected) => {
    const model = sending();
    model.tick(keyOf('asks'));
    model.decide(attempted(model.sends[0]!, outcome));
    expect(status(model)).toBe(expected);
  });
});

describe('E3: what a status settles', () => {
  test.each([
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['unknown', 'unknown'],
    ['not_sent', 'admitted'],
  ] as const)('E3 %s leaves the action %s', (outcome, expected) => {
    const model = sending();
    model.decide(attempted(model.sends[0]!, outcome, 'code'));
    expect(status(model)).toBe(expected);
  });

  test('E3 the same result twice is one result', () => {
    const model = sending();
    const result = attempted(model.sends[0]!, 'failed', 'http_422');
    model.decide(result);
    const facts = model.facts.length;
    model.decide(result);
    expect(model.facts).toHaveLength(facts);
  });

  test('E3 not sent: again with growing pauses, then failed when the connector gives up', () => {
    const model = sending('blind');
    const starts: number[] = [];
    for (let tries = 0; tries < 40 && status(model, 'blind') !== 'failed'; tries += 1) {
      starts.push(model.now);
      model.decide(attempted(model.sends.at(-1)!, 'not_sent', 'econnrefused'));
      if (status(model, 'blind') === 'admitted') model.tick(keyOf('blind'));
    }
    expect(model.action(keyOf('blind'))).toMatchObject({ standing: { status: 'failed' }, code: 'not_sent' });
    const pauses = starts.slice(1).map((at, index) => at - starts[index]!);
    expect(pauses.every((pause, index) => index === 0 || pause >= pauses[index - 1]! - 2)).toBe(true);
    expect(model.now - starts[0]!).toBeGreaterThanOrEqual(60_000);
    expect(new Set(model.sends.map((send) => send.actionKey)).size).toBe(1);
  });

  test('E3 one unknown attempt keeps the action unknown, whatever the next one says', () => {
    const model = unknown('resends');
    model.tick(keyOf('resends'));
    expect(model.sends).toHaveLength(2);
    model.decide(attempted(model.sends[1]!, 'failed', 'http_422'));
    expect(status(model, 'resends')).toBe('unknown');
  });
});

describe('E4: asking', () => {
  test('E4 asked by key with growing pauses up to the bound, then blocked with an incident', () => {
    const model = unknown();
    const at: number[] = [];
    while (status(model) === 'unknown' && at.length < 2_000) {
      model.tick(keyOf('asks'));
      at.push(model.now);
    }
    const pauses = at.slice(1).map((one, index) => one - at[index]!);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(15_001);
    expect(model.action(keyOf('asks'))).toMatchObject({ standing: { status: 'blocked' }, code: 'not_answered' });
    expect(model.incidents).toEqual(['action_blocked']);
    const asked = model.said('AskReceipt');
    expect(asked.map((one) => one['query'])).toEqual(asked.map((_, index) => index + 1));
    expect(model.sends).toHaveLength(1);
  });

  test.each([
    ['succeeded', 'succeeded'],
    ['failed', 'failed'],
    ['pending', 'unknown'],
    ['unreachable', 'unknown'],
    ['UNKNOWN', 'unknown'],
  ] as const)('E4 the answer %s: %s', (outcome, expected) => {
    const model = unknown();
    ask(model, outcome);
    expect(status(model)).toBe(expected);
    if (expected === 'succeeded')
      expect(model.said('ActionStateChanged').at(-1)).toMatchObject({ receipt: { by: 'query' }, unsettled: false });
  });

  test('E4 absent is no proof before the stated delay, counted from sendBy and the time-out; after it, it is', () => {
    const model = unknown();
    const { sendBy, timeoutMs } = model.action(keyOf('asks')).attempts[0]!;
    const proofFrom = sendBy + timeoutMs + 60_000;
    const askedAt = (): number => model.action(keyOf('asks')).queries.asked.at(-1)?.at ?? 0;
    while (status(model) === 'unknown') {
      expect(askedAt()).toBeLessThanOrEqual(proofFrom);
      ask(model, 'absent');
    }
    expect(askedAt()).toBeGreaterThan(proofFrom);
    expect(model.action(keyOf('asks'))).toMatchObject({ standing: { status: 'failed' }, code: 'absent' });
    expect(model.sends).toHaveLength(1);
  });

  test('E4 an absence counts from when the ledger asked, not from when the answer arrives', () => {
    const model = unknown();
    while (model.action(keyOf('asks')).queries.count === 0) model.tick(keyOf('asks'));
    const late = receiptAnswer(model.action(keyOf('asks')), 'absent', 1);
    model.now += 600_000;
    model.decide(late);
    expect(status(model)).toBe('unknown');
  });

  test('E4 blocked is not the end: an operator asks again, and the receipt settles it', () => {
    const model = unknown();
    model.now += 3_600_001;
    model.tick(keyOf('asks'));
    expect(status(model)).toBe('blocked');
    model.decide({ type: 'ask_again', actionKey: keyOf('asks'), tenant: 'local' });
    expect(model.replies.at(-1)).toBe('asked');
    model.decide(receiptAnswer(model.action(keyOf('asks')), 'succeeded'));
    expect(status(model)).toBe('succeeded');
  });
});

describe('E5: a resend', () => {
  test('E5 no receipt route, dedup holds: the same bytes under the same key, up to the retention less its margin', () => {
    const model = unknown('resends');
    const first = model.action(keyOf('resends')).attempts[0]!.startedAt;
    while (status(model, 'resends') === 'unknown') {
      model.tick(keyOf('resends'));
      if (status(model, 'resends') === 'sending') model.decide(attempted(model.sends.at(-1)!, 'unknown', 'timeout'));
    }
    expect(status(model, 'resends')).toBe('blocked');
    expect(model.sends.length).toBeGreaterThan(2);
    expect(new Set(model.sends.map((send) => `${send.actionKey} ${send.sha256} ${send.url}`)).size).toBe(1);
    expect(Math.max(...model.sends.map((send) => send.sendBy)) - first).toBeLessThan(90_000);
  });

  test('E5 absent and never meaning failed, dedup holds: resend; later: only asking, then blocked', () => {
    const model = unknown('asks-resends');
    ask(model, 'absent', 'asks-resends');
    expect(model.sends).toHaveLength(2);
    model.decide(attempted(model.sends[1]!, 'unknown', 'timeout'));
    model.now += 100_000;
    ask(model, 'absent', 'asks-resends');
    expect(model.sends).toHaveLength(2);
    model.now += 3_600_000;
    model.tick(keyOf('asks-resends'));
    expect(status(model, 'asks-resends')).toBe('blocked');
  });

  test('E5 no receipt route and no dedup: blocked at once, whatever header was sent', () => {
    expect(status(unknown('blind'), 'blind')).toBe('blocked');
  });
});

describe('E6, E8: words and contradictions', () => {
  const attest = (outcome: 'succeeded' | 'failed', tenant = 'local'): Message => ({
    type: 'attest',
    actionKey: keyOf('blind'),
    tenant,
    account: 'olga',
    outcome,
    evidence: 'called them',
  });

  test('E6 an operator attests; the same again is the same; it is recorded as attestation', () => {
    const model = unknown('blind');
    model.decide(attest('succeeded'));
    model.decide(attest('succeeded'));
    model.decide(attest('failed'));
    model.decide(attest('failed', 'else'));
    expect(model.replies.slice(-4)).toEqual(['recorded', 'repeated', 'not_attestable', 'unknown_action']);
    expect(model.said('ActionStateChanged').at(-1)).toMatchObject({
      state: 'succeeded',
      code: 'attested',
      receipt: { by: 'attestation' },
    });
  });

  test.each([
    ['failed', 'succeeded'],
    ['succeeded', 'failed'],
  ] as const)('E8 %s by response, then %s by receipt: disputed, nothing overwritten', (before, after) => {
    const model = sending();
    model.decide(attempted(model.sends[0]!, before));
    model.decide(receiptAnswer(model.action(keyOf('asks')), after));
    const action = model.action(keyOf('asks'));
    expect(action.standing.status).toBe('disputed');
    expect(action.evidence.map((one) => [one.by, one.outcome])).toEqual([
      ['response', before],
      ['query', after],
    ]);
    expect(model.incidents).toEqual(['action_disputed']);
  });

  test('E8 settled as failed by absence, then the sender wakes with a success: disputed', () => {
    const model = sending();
    model.tick(keyOf('asks'));
    model.now += 200_000;
    ask(model, 'absent');
    expect(status(model)).toBe('failed');
    model.decide(attempted(model.sends[0]!, 'succeeded'));
    expect(status(model)).toBe('disputed');
  });
});

describe('E7: the fence, the grant and the approval at the moment of the attempt', () => {
  test('E7 fence before attempt: withdrawn, never started, and so told', () => {
    const model = startModel();
    model.paceMs = 10;
    model.decide(propose());
    model.paceMs = 0;
    model.decide(raiseFence(1, 2), { type: 'start', actionKey: keyOf('asks'), runId: 'run' });
    expect(model.sends).toEqual([]);
    expect(model.said('FenceAcknowledged').at(-1)).toMatchObject({
      number: 1,
      withdrawn: [keyOf('asks')],
      inFlight: [],
    });
  });

  test('E7 attempt before fence: in the list of what is in flight', () => {
    const model = startModel();
    model.decide(propose(), raiseFence(1, 2));
    expect(model.sends).toHaveLength(1);
    expect(model.said('FenceAcknowledged').at(-1)).toMatchObject({ withdrawn: [], inFlight: [keyOf('asks')] });
  });

  test('E7 an attempt that was not sent does not start again behind the fence', () => {
    const model = sending();
    model.decide(raiseFence(1, 2));
    model.decide(attempted(model.sends[0]!, 'not_sent', 'econnrefused'));
    model.tick(keyOf('asks'));
    expect(model.sends).toHaveLength(1);
    expect(model.action(keyOf('asks'))).toMatchObject({ standing: { status: 'withdrawn' }, code: 'fenced' });
  });

  test('E7 no resend behind the fence: an unknown action without a receipt route becomes blocked', () => {
    const model = unknown('resends');
    model.decide(raiseFence(1, 1, 'closed'));
    expect(model.said('FenceAcknowledged').at(-1)).toMatchObject({ unknown: [keyOf('resends')] });
    model.tick(keyOf('resends'));
    expect(model.sends).toHaveLength(1);
    expect(status(model, 'resends')).toBe('blocked');
  });

  test('E7 a fence of a lower or the same number changes nothing and is acknowledged again', () => {
    const model = startModel();
    model.decide(propose({ approval: true }), raiseFence(5, 2), raiseFence(4, 1, 'closed'), raiseFence(5, 9, 'closed'));
    expect(model.fence('run')).toMatchObject({ number: 5, minVersion: 2, mode: 'open' });
    const acknowledged = model.said('FenceAcknowledged');
    expect(acknowledged).toHaveLength(3);
    for (const one of acknowledged)
      expect(one).toMatchObject({ number: 5, minVersion: 2, mode: 'open', withdrawn: [keyOf('asks')] });
    expect(new Set(model.facts.map((fact) => fact.eventId)).size).toBe(model.facts.length);
  });

  test('R16 on hold an approval starts nothing; the release does; closed never opens again', () => {
    const model = startModel();
    model.decide(propose({ approval: true }), raiseFence(1, 1, 'hold'));
    model.decide(answer(model.action(keyOf('asks')), 'approve'));
    expect(status(model)).toBe('admitted');
    expect(actionDueAt(model.action(keyOf('asks')))).toBeNull();
    model.decide(raiseFence(2, 1, 'open'));
    expect(status(model)).toBe('sending');
    model.decide(raiseFence(3, 1, 'closed'), raiseFence(4, 1, 'open'));
    expect(model.fence('run').mode).toBe('closed');
  });

  test('E7 R24 the grant that came with the proposal has ended: withdrawn', () => {
    const model = startModel();
    model.paceMs = 10;
    model.decide(propose({ grantUntil: model.now + 100 }));
    model.paceMs = 0;
    model.now += 200;
    model.tick(keyOf('asks'));
    expect(model.action(keyOf('asks'))).toMatchObject({ standing: { status: 'withdrawn' }, code: 'grant_ended' });
  });

  test('E7 only the named fence decides: another run is not touched by it', () => {
    const model = startModel();
    model.decide(propose({ approval: true, runId: 'other' }), raiseFence(1, 9, 'closed'));
    expect(status(model)).toBe('proposed');
  });

  test('a full process and a slow connector leave the action admitted, with a time', () => {
    const model = startModel();
    model.capacity = 0;
    model.decide(propose());
    expect(status(model)).toBe('admitted');
    model.capacity = 1;
    model.paceMs = 40;
    model.tick(keyOf('asks'));
    expect(status(model)).toBe('admitted');
    model.paceMs = 0;
    model.tick(keyOf('asks'));
    expect(status(model)).toBe('sending');
  });
});

describe('H7: approvals', () => {
  const asked = (): Model => {
    const model = startModel();
    model.decide(propose({ approval: true }));
    model.decide(interaction(model.action(keyOf('asks'))));
    expect(status(model)).toBe('awaiting_approval');
    return model;
  };

  test('H2 approve: the attempt adopts the answer, once', () => {
    const model = asked();
    const approve = answer(model.action(keyOf('asks')), 'approve');
    model.decide(approve, approve);
    model.decide(attempted(model.sends[0]!, 'not_sent', 'econnrefused'));
    model.tick(keyOf('asks'));
    expect(model.sends).toHaveLength(2);
    expect(model.said('AnswerAdopted')).toMatchObject([{ status: 'adopted', attempt: 1, actionKey: keyOf('asks') }]);
  });

  test.each([
    [
      'other bytes shown',
      (model: Model) => answer(model.action(keyOf('asks')), 'approve', 'of-run', 'x'),
      'preview_mismatch',
    ],
    [
      'no bytes shown',
      (model: Model) => answer(model.action(keyOf('asks')), 'approve', 'of-run', null),
      'preview_mismatch',
    ],
    [
      'closed by hil',
      (model: Model) => interaction(model.action(keyOf('asks')), { state: 'closed', code: 'expired' }),
      'approval_expired',
    ],
  ] as const)('H7 %s: nothing is sent', (_, message, code) => {
    const model = asked();
    model.decide(message(model));
    expect(model.action(keyOf('asks'))).toMatchObject({ standing: { status: 'withdrawn' }, code });
    expect(model.sends).toEqual([]);
  });

  test('H7 deny: denied, and the answer is adopted', () => {
    const model = asked();
    model.decide(answer(model.action(keyOf('asks')), 'deny'));
    expect(status(model)).toBe('denied');
    expect(model.said('AnswerAdopted')).toMatchObject([{ status: 'adopted', attempt: null }]);
  });

  test('H7 an approval after its expiry, or after the fence: void, nothing sent', () => {
    const late = asked();
    late.now += 86_400_001;
    late.decide(answer(late.action(keyOf('asks')), 'approve'));
    expect(late.said('AnswerAdopted')).toMatchObject([{ status: 'void', reason: 'approval_expired' }]);
    const fenced = asked();
    fenced.decide(raiseFence(1, 1, 'closed'));
    expect(fenced.said('WithdrawInteraction')).toHaveLength(1);
    fenced.decide(answer(fenced.action(keyOf('asks')), 'approve'));
    expect(fenced.said('AnswerAdopted')).toMatchObject([{ status: 'void', reason: 'fenced' }]);
    expect([...late.sends, ...fenced.sends]).toEqual([]);
  });

  test('H7 approving an unknown action sends nothing again', () => {
    const model = asked();
    const approve = answer(model.action(keyOf('asks')), 'approve');
    model.decide(approve);
    model.decide(attempted(model.sends[0]!, 'unknown', 'timeout'));
    model.decide(approve);
    expect(model.sends).toHaveLength(1);
    expect(status(model)).toBe('unknown');
  });

  test('R25 the approval is asked again until hil has it, then only after its expiry', () => {
    const model = startModel();
    model.decide(propose({ approval: true }));
    for (let tick = 0; tick < 10; tick += 1) model.tick(keyOf('asks'));
    const requests = model.facts.filter((fact) => fact.type === 'RequestInteraction');
    expect(requests).toHaveLength(11);
    expect(new Set(requests.map((fact) => fact.eventId)).size).toBe(11);
    expect(model.incidents).toEqual(['unanswered_request']);
    model.decide(interaction(model.action(keyOf('asks'))));
    const action = model.action(keyOf('asks'));
    expect(actionDueAt(action)).toBeGreaterThan(action.approval!.expiresAt);
  });
});

describe('X3: a command replayed after a restore of the database', () => {
  const replayed = (connector: string): Model => {
    const model = startModel();
    model.decide(propose({ connector }, true));
    return model;
  };

  test('X3 nothing is sent: the action starts as unknown and its receipt is asked for', () => {
    const model = replayed('asks');
    expect(model.sends).toEqual([]);
    expect(status(model)).toBe('unknown');
    expect(model.action(keyOf('asks')).attempts).toMatchObject([{ outcome: 'unknown', code: 'restored' }]);
    ask(model, 'succeeded');
    expect(status(model)).toBe('succeeded');
    expect(model.sends).toEqual([]);
  });

  test('X3 without a way to verify it is blocked, not sent', () => {
    const model = replayed('blind');
    expect(status(model, 'blind')).toBe('blocked');
    expect(model.sends).toEqual([]);
  });
});
