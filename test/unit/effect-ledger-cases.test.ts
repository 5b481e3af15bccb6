import { openClock } from '../../services/effect-ledger/clock';
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

const keyOf = (connector: string, number = 1): string => `${connector}:contact:S:v${number}`;
const status = (model: Model, key: string): string => model.action(key).standing.status;
const unknown = (connector: string): Model => {
  const model = startModel();
  model.decide(propose({ connector }));
  model.decide(attempted(model.sends[0]!, 'unknown', 'timeout'));
  return model;
};
const untilAsked = (model: Model, key: string): void => {
  const { count } = model.action(key).queries;
  while (model.action(key).queries.count === count && status(model, key) === 'unknown') model.tick(key);
};

describe('E4: the table of what is done about an outcome, row by row', () => {
  test('E4 unknown, receipt route, found: settled', () => {
    for (const outcome of ['succeeded', 'failed'] as const) {
      const model = unknown('asks');
      untilAsked(model, keyOf('asks'));
      model.decide(receiptAnswer(model.action(keyOf('asks')), outcome));
      expect(status(model, keyOf('asks'))).toBe(outcome);
    }
  });

  test('E4 unknown, receipt route, absent after the stated delay: failed', () => {
    const model = unknown('asks');
    while (status(model, keyOf('asks')) === 'unknown') {
      untilAsked(model, keyOf('asks'));
      model.decide(receiptAnswer(model.action(keyOf('asks')), 'absent'));
    }
    expect(model.action(keyOf('asks'))).toMatchObject({ standing: { status: 'failed' }, code: 'absent' });
    expect(model.sends).toHaveLength(1);
  });

  test('E4 E5 unknown, receipt route, absent that never means failed, dedup valid: the same bytes under the same key again', () => {
    const model = unknown('asks-resends');
    untilAsked(model, keyOf('asks-resends'));
    model.decide(receiptAnswer(model.action(keyOf('asks-resends')), 'absent'));
    expect(status(model, keyOf('asks-resends'))).toBe('sending');
    const [first, second] = model.sends;
    expect([second!.actionKey, second!.sha256, second!.url]).toEqual([first!.actionKey, first!.sha256, first!.url]);
  });

  test('E4 unknown, receipt route, asked till the end: blocked', () => {
    const model = unknown('asks');
    while (status(model, keyOf('asks')) === 'unknown') model.tick(keyOf('asks'));
    expect(model.action(keyOf('asks'))).toMatchObject({ standing: { status: 'blocked' }, code: 'not_answered' });
  });

  test('E4 E5 unknown, no receipt route, dedup valid: resent; no longer valid: blocked', () => {
    const model = unknown('resends');
    while (status(model, keyOf('resends')) === 'unknown') {
      model.tick(keyOf('resends'));
      const send = model.sends.at(-1)!;
      if (status(model, keyOf('resends')) === 'sending') model.decide(attempted(send, 'unknown', 'timeout'));
    }
    expect(model.sends.length).toBeGreaterThan(1);
    expect(model.action(keyOf('resends'))).toMatchObject({ standing: { status: 'blocked' }, code: 'no_way_to_verify' });
  });

  test('E5 E7 dedup valid, and the fence closed: not sent again, and it is said that the fence is why', () => {
    const model = unknown('resends');
    model.decide(raiseFence(1, 1, 'closed'));
    while (status(model, keyOf('resends')) === 'unknown') model.tick(keyOf('resends'));
    expect(model.sends).toHaveLength(1);
    expect(model.action(keyOf('resends'))).toMatchObject({ standing: { status: 'blocked' }, code: 'fenced' });
  });

  test('E4 E6 unknown, no receipt route, no dedup: blocked at once', () => {
    expect(status(unknown('blind'), keyOf('blind'))).toBe('blocked');
  });

  test('E3 not sent: again with back-off until the connector gives up, then failed', () => {
    const model = startModel();
    model.decide(propose({ connector: 'blind' }));
    while (status(model, keyOf('blind')) !== 'failed') {
      model.decide(attempted(model.sends.at(-1)!, 'not_sent', 'econnrefused'));
      if (status(model, keyOf('blind')) === 'admitted') model.tick(keyOf('blind'));
    }
    expect(model.action(keyOf('blind')).code).toBe('not_sent');
  });
});

test('case 16: approved, then proposed with other parameters: the first approval is void, a new one is asked, nothing is sent', () => {
  const model = startModel();
  model.capacity = 0;
  model.decide(propose({ approval: true }));
  model.decide(interaction(model.action(keyOf('asks'))));
  model.decide(propose({ approval: true, params: '{"a":2}' }));
  model.decide(answer(model.action(keyOf('asks')), 'approve'));
  expect(model.action(keyOf('asks'))).toMatchObject({ standing: { status: 'withdrawn' }, code: 'replaced' });
  expect(model.said('AnswerAdopted').at(-1)).toMatchObject({ status: 'void', reason: 'replaced' });
  expect(status(model, keyOf('asks', 2))).toBe('proposed');
  expect(model.said('RequestInteraction')).toHaveLength(2);
  expect(model.sends).toEqual([]);
});

test('case 21: the remote’s key has expired, less the margin, counted from the first attempt: no resend', () => {
  const model = unknown('asks-resends');
  const key = keyOf('asks-resends');
  const { startedAt } = model.action(key).attempts[0]!;
  while (model.now < startedAt + 90_000) {
    untilAsked(model, key);
    if (model.now < startedAt + 80_000) continue;
    model.decide(receiptAnswer(model.action(key), 'absent'));
  }
  expect(model.sends).toHaveLength(1);
  expect(status(model, key)).toBe('unknown');
  model.decide(receiptAnswer(model.action(key), 'succeeded'));
  expect(status(model, key)).toBe('succeeded');
});

test('case 52: unusual key order, number format and escapes: previewed, hashed and sent as the same bytes', () => {
  const body = '{ "b" : 1.0e2,"a":"\\u00e9\\/" }';
  const model = startModel();
  model.decide(propose({ params: null, body, approval: true }));
  const request = model.said('RequestInteraction').at(-1)!;
  expect(String(request['preview']).endsWith(`\n\n${body}`)).toBe(true);
  model.decide(interaction(model.action(keyOf('asks'))), answer(model.action(keyOf('asks')), 'approve'));
  expect(model.sends[0]!.sha256).toBe(request['requestSha256']);
});

test('case 55: a fence raised while no action exists yet, a proposal of an older version after it: never an attempt', () => {
  const model = startModel();
  model.decide(raiseFence(1, 2));
  expect(model.said('FenceAcknowledged').at(-1)).toMatchObject({ number: 1, inFlight: [] });
  model.decide(propose({ requirementsVersion: 1 }));
  expect(model.said('ProposalDecided').at(-1)).toMatchObject({ status: 'refused', code: 'fenced' });
  // In one batch, in either order: the acknowledgement lists what started before it, and nothing starts after.
  const other = startModel();
  other.decide(
    propose({ requirementsVersion: 1 }),
    raiseFence(1, 2),
    propose({ requirementsVersion: 1, subject: 'T' }),
  );
  expect(other.said('FenceAcknowledged').at(-1)).toMatchObject({ inFlight: [keyOf('asks')] });
  expect(other.sends.map((send) => send.actionKey)).toEqual([keyOf('asks')]);
});

test('case 56: the sender stands still beyond the absence delay, a new action is sent, the sender wakes: it does not send', async () => {
  const model = startModel();
  model.decide(propose());
  const asleep = model.sends[0]!;
  model.tick(keyOf('asks'));
  while (status(model, keyOf('asks')) === 'unknown') {
    untilAsked(model, keyOf('asks'));
    model.decide(receiptAnswer(model.action(keyOf('asks')), 'absent'));
  }
  expect(status(model, keyOf('asks'))).toBe('failed');
  model.decide(propose({ params: '{"a":2}' }));
  expect(status(model, keyOf('asks', 2))).toBe('sending');
  // What the sender looks at with the connection up: the database's clock, which is past its sendBy.
  const clock = openClock();
  await clock.now(() => Promise.resolve(model.now));
  expect((clock.peek() ?? 0) < asleep.sendBy).toBe(false);
  model.decide(attempted(asleep, 'not_sent', 'send_by_passed'));
  expect(model.action(keyOf('asks'))).toMatchObject({ standing: { status: 'failed' }, code: 'absent' });
});

test('case 57: an approval two days after the run ended: withdrawn, nothing sent', () => {
  const model = startModel();
  model.decide(propose({ approval: true }));
  model.decide(interaction(model.action(keyOf('asks'))));
  model.decide(raiseFence(1, 1, 'closed'));
  model.now += 2 * 86_400_000;
  model.decide(answer(model.action(keyOf('asks')), 'approve'));
  expect(status(model, keyOf('asks'))).toBe('withdrawn');
  expect(model.said('AnswerAdopted').at(-1)).toMatchObject({ status: 'void' });
  expect(model.sends).toEqual([]);
});
