import { wallMs } from '../platform/clocks';
import type { Policy } from './policy';
import type { Submit } from './submission';

const windowMs = 1_000;
const retryAfterSec = 1;
/** Names counted in one second by this process alone; beyond it everything is let through uncounted. */
const maxNames = 100_000;

export interface RateLimits {
  /** The submission, marked when its tenant or account has sent too many in this second. */
  readonly limited: (submit: Submit) => Submit | Promise<Submit>;
}

/** Counts one more of a name that is forgotten after `ttlMs`; null = the shared counter is away. */
type Count = (name: string, ttlMs: number) => Promise<number | null>;

/** While Redis is away each process lets the whole rate through by itself: more than agreed, but not without end. */
const localCounter = (clock: () => number) => {
  let second = 0;
  const counts = new Map<string, number>();
  return (name: string): number => {
    const now = Math.floor(clock() / windowMs);
    if (now !== second) counts.clear();
    second = now;
    if (!counts.has(name) && counts.size >= maxNames) return 0;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count;
  };
};

/** Rates by fixed seconds, over all instances where Redis is there. No clock of a producer has a say in it. */
export const rateLimits = (rates: Policy['rates'], count: Count, clock: () => number = wallMs): RateLimits => {
  const local = localCounter(clock);
  const over = async (name: string, rate: number): Promise<boolean> => {
    const key = `rate.${name}.${Math.floor(clock() / windowMs)}`;
    return ((await count(key, 2 * windowMs)) ?? local(name)) > rate;
  };
  const mark = async (submit: Submit, { tenant, account }: ReturnType<Policy['rates']>): Promise<Submit> => {
    // The account first: what one account sends too much of is not taken from the others' share.
    const limited =
      (account !== null && (await over(JSON.stringify([submit.tenant, submit.account]), account))) ||
      (tenant !== null && (await over(JSON.stringify([submit.tenant]), tenant)));
    return limited ? { ...submit, retryAfterSec } : submit;
  };
  return {
    limited: (submit) => {
      const found = rates(submit.tenant);
      return found.tenant === null && found.account === null ? submit : mark(submit, found);
    },
  };
};
