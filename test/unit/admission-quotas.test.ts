import { endOf, usageAt, withQuota, type Usage } from '../../services/admission/quota';
import { parseConfiguration } from '../../services/platform/configuration';
import { policyOf } from '../../services/admission/policy';
import type { Submit } from '../../services/admission/submission';
import { ids, submit, world } from '../support/admission-world';

const dayMs = 86_400_000;
const midnight = Date.parse('2026-11-30T00:00:00Z');

type World = ReturnType<typeof world>;
const under = (messagesPerDay: number, message: Submit): Submit => ({ ...message, messagesPerDay });
const used = ({ state }: World, tenant = 'local'): Usage | undefined => state<Usage>('usage', tenant);
/** A world at this time of the day with so many messages of the day used by others. */
const at = (ms: number, messages = 0, quota = 2): World => {
  const made = world();
  made.pass(midnight + ms - made.pass(0));
  for (let n = 0; n < messages; n += 1)
    made.send(under(quota, submit({ clientMessageId: `before-${n}`, conversationId: `c-${n}` })));
  return made;
};

describe('the day a message counts for', () => {
  const day = '2026-11-30';
  test.each<[string, Usage | undefined, number, Usage]>([
    ['nothing yet', undefined, midnight, { day, messages: 0 }],
    ['the same day, its first moment', { day, messages: 7 }, midnight, { day, messages: 7 }],
    ['the same day, its last', { day, messages: 7 }, midnight + dayMs - 1, { day, messages: 7 }],
    ['the day before', { day: '2026-11-29', messages: 7 }, midnight, { day, messages: 0 }],
    ['long ago', { day: '2025-01-01', messages: 7 }, midnight, { day, messages: 0 }],
    [
      'put back over midnight',
      { day: '2026-12-01', messages: 7 },
      midnight + dayMs - 1,
      { day: '2026-12-01', messages: 7 },
    ],
    ['had been far ahead', { day: '2027-01-01', messages: 7 }, midnight, { day, messages: 0 }],
  ])('case 44: %s', (_, known, now, expected) => expect(usageAt(known, now)).toEqual(expected));

  test('it ends with the next one', () => expect(endOf({ day, messages: 0 })).toBe(midnight + dayMs));
});

describe('messagesPerDay', () => {
  const amend = { relation: 'AMEND', targetRunId: 'r1', expectedVersion: 1 } as const;
  const cancel = { relation: 'CONTROL', control: 'CANCEL', targetRunId: 'r1' } as const;
  test.each<[string, number, Submit, string | null, number]>([
    ['no quota', 2, submit(), null, 2],
    ['one left', 1, under(2, submit()), null, 2],
    ['none left', 2, under(2, submit()), 'rate_limited', 2],
    ['an amendment counts', 1, under(2, submit(amend)), null, 2],
    ['and is refused like any', 2, under(2, submit(amend)), 'rate_limited', 2],
    ['a cancel does not count', 1, under(2, submit(cancel)), null, 1],
    ['and is never refused', 2, under(2, submit(cancel)), null, 2],
    ['another tenant has its own day', 2, under(2, submit({}, { tenant: 'other' })), null, 2],
    ['what is refused anyway does not count', 1, under(2, submit({ agent: 'nobody' })), 'unknown_agent', 1],
    ['nor what is no message at all', 2, under(2, submit({ content: '' })), 'field_missing', 2],
    ['nor what comes too fast', 1, { ...under(2, submit()), retryAfterSec: 1 }, 'rate_limited', 1],
    ['a quota that was lowered holds at once', 2, under(1, submit()), 'rate_limited', 2],
    ['a quota that was raised too', 2, under(3, submit()), null, 3],
  ])('%s', (_, before, message, code, after) => {
    const made = at(0, before);
    expect(made.send(message).receipt.code).toBe(code);
    expect(used(made)?.messages).toBe(after);
  });

  test('A6 the refusal names the limit and when it ends, stores nothing, and the id may come again then', () => {
    const made = at(dayMs - 90_500, 2);
    const changes = made.changes();
    expect(made.send(under(2, submit()))).toMatchObject({
      receipt: {
        ...{ status: 'refused', code: 'rate_limited', revision: 0, messageId: null },
        detail: "the tenant's messagesPerDay, 2, is used up; again from 2026-12-01T00:00:00.000Z",
      },
      reply: { http: 429, retryAfterSec: 91 },
    });
    expect(made.changes()).toBe(changes);
    made.pass(90_500);
    expect(made.send(under(2, submit())).receipt).toMatchObject({ messageId: ids('m1').messageId });
    expect(used(made)).toEqual({ day: '2026-12-01', messages: 1 });
  });

  test('A2 what is stored is answered and not counted, however often it comes, with the quota used up or not', () => {
    const made = at(0, 0);
    made.send(under(2, submit()));
    for (let n = 0; n < 3; n += 1)
      expect(made.send(under(2, submit())).receipt).toMatchObject({ duplicate: true, messageId: ids('m1').messageId });
    expect(used(made)?.messages).toBe(1);
    made.send(under(2, submit({ clientMessageId: 'm2', conversationId: 'c2' })));
    expect(made.send(under(2, submit())).receipt).toMatchObject({ status: 'admitted', duplicate: true });
    expect(made.send(under(2, submit({ content: 'other' }))).receipt).toMatchObject({ code: 'content_conflict' });
    expect(used(made)?.messages).toBe(2);
  });
});

describe('the setting', () => {
  const file = (limits: string): string => `
tenants: { local: { defaultAgent: a, limits: ${limits} } }
agents: { a: { builtin: chat } }`;

  test.each([
    ['0', 'must be >= 1'],
    ['-1', 'must be >= 1'],
    ['1.5', 'must be integer'],
    ['many', 'must be integer'],
    ['null', 'must be integer'],
  ])('%s is no quota, and the error names the path', (value, why) =>
    expect(() => parseConfiguration(file(`{ messagesPerDay: ${value} }`))).toThrow(
      `tenants.local.limits.messagesPerDay ${why}`,
    ),
  );

  test('each message is marked with what holds when it comes', async () => {
    let current = parseConfiguration(file('{}'));
    const policy = policyOf(() => current, []);
    const limits = withQuota(policy.messagesPerDay, { limited: (message) => message });
    const marked = async (tenant = 'local') => (await limits.limited(submit({}, { tenant }))).messagesPerDay;
    expect([await marked(), policy.quotas()]).toEqual([null, []]);
    current = parseConfiguration(file('{ messagesPerDay: 5 }'));
    expect([await marked(), await marked('elsewhere'), policy.quotas()]).toEqual([5, null, [['local', 5]]]);
  });
});
