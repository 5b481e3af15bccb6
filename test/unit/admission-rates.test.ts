import { rateLimits } from '../../services/admission/rate-limits';
import { ids, submit, world } from '../support/admission-world';
import type { Submit } from '../../services/admission/submission';

const from = (account: string, tenant = 'local'): Submit => submit({}, { tenant, account });
const rates = (tenant: number | null, account: number | null) => () => ({ tenant, account });

/** Redis as one instance after another sees it. */
const shared = () => {
  const counts = new Map<string, number>();
  return {
    counts,
    count: (name: string): Promise<number> => {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return Promise.resolve(counts.get(name) ?? 0);
    },
  };
};
const taken = async (limits: ReturnType<typeof rateLimits>, submits: readonly Submit[]): Promise<boolean[]> => {
  const all: boolean[] = [];
  for (const one of submits) all.push((await limits.limited(one)).retryAfterSec === null);
  return all;
};

describe('rates of messages', () => {
  test('nothing configured: nothing is counted', async () => {
    const redis = shared();
    const limits = rateLimits(rates(null, null), redis.count);
    expect(await taken(limits, [from('a'), from('a')])).toEqual([true, true]);
    expect(redis.counts.size).toBe(0);
  });

  test('one second takes so many of a tenant, over all instances; the next one begins anew', async () => {
    const redis = shared();
    let now = 1_000;
    const [one, two] = [0, 1].map(() => rateLimits(rates(2, null), redis.count, () => now));
    if (one === undefined || two === undefined) throw new Error();
    expect(await taken(one, [from('a'), from('b')])).toEqual([true, true]);
    expect(await taken(two, [from('c')])).toEqual([false]);
    expect(await taken(two, [from('c', 'other')])).toEqual([true]);
    now += 1_000;
    expect(await taken(two, [from('c')])).toEqual([true]);
  });

  test('what one account sends too much of is not taken from the share of the others', async () => {
    const limits = rateLimits(rates(3, 1), shared().count, () => 1_000);
    expect(
      await taken(
        limits,
        ['a', 'a', 'a', 'a', 'b', 'c', 'd'].map((account) => from(account)),
      ),
    ).toEqual([true, false, false, false, true, true, false]);
  });

  test('case 43: with Redis away each process counts for itself', async () => {
    const limits = rateLimits(
      rates(1, null),
      () => Promise.resolve(null),
      () => 1_000,
    );
    expect(await taken(limits, [from('a'), from('b'), from('a', 'other')])).toEqual([true, false, true]);
  });
});

describe('a message over the rate', () => {
  const limited = (submission: Submit): Submit => ({ ...submission, retryAfterSec: 1 });

  test('A6 is refused before admission with its own receipt, and may come again under the same id', () => {
    const { send, changes } = world();
    expect(send(limited(submit()))).toMatchObject({
      receipt: { status: 'refused', code: 'rate_limited', revision: 0, messageId: null, runId: null },
      reply: { http: 429 },
    });
    expect(changes()).toBe(0);
    expect(send(submit()).receipt).toMatchObject({ status: 'admitted', messageId: ids('m1').messageId });
  });

  test('A2 a message that is known already gets its receipt all the same', () => {
    const { send } = world();
    send(submit());
    expect(send(limited(submit())).receipt).toMatchObject({ status: 'admitted', duplicate: true });
    expect(send(limited(submit({ content: 'other' }))).receipt).toMatchObject({ code: 'content_conflict' });
  });
});
