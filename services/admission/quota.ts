import type { AggregateKey, Decision, View } from '../platform/decision';
import type { Policy } from './policy';
import type { RateLimits } from './rate-limits';
import type { Submit } from './submission';

const dayMs = 86_400_000;

/** What a tenant with a quota has had admitted on one UTC day by the database's clock. */
export interface Usage {
  /** `2026-11-30` */
  readonly day: string;
  readonly messages: number;
}

/** Why a submission has to wait, and for how long. */
export interface Limited {
  readonly detail: string;
  readonly retryAfterSec: number;
}

export const usageKey = (tenant: string): AggregateKey => ({ kind: 'usage', id: tenant });

/** Marks each submission with the quota that holds when it comes, so that what it locks and how it is decided agree. */
export const withQuota = (messagesPerDay: Policy['messagesPerDay'], limits: RateLimits): RateLimits => ({
  limited: (submit) => {
    const perDay = messagesPerDay(submit.tenant);
    return limits.limited(perDay === null ? submit : { ...submit, messagesPerDay: perDay });
  },
});

/** A control starts no work and may stop some: it is not counted, and no quota keeps people from it until midnight. */
const quotaOf = ({ messagesPerDay, verdict }: Submit): number | null =>
  verdict.ok && verdict.submission.relation !== 'CONTROL' ? messagesPerDay : null;

/** One row per tenant, locked last: the batches of all instances that carry its messages take turns at it. */
export const quotaKeys = (message: Submit): readonly AggregateKey[] =>
  quotaOf(message) === null ? [] : [usageKey(message.tenant)];

/**
 * A clock that was put back a little begins no day anew: what comes then counts for the day that had begun. One that had
 * been far ahead must not keep a tenant out until then, so a day further away than the next one counts for nothing.
 */
export const usageAt = (known: Usage | undefined, now: number): Usage => {
  const aheadMs = known === undefined ? dayMs + 1 : Date.parse(known.day) - now;
  return known !== undefined && aheadMs > -dayMs && aheadMs <= dayMs
    ? known
    : { day: new Date(now).toISOString().slice(0, 10), messages: 0 };
};

export const endOf = ({ day }: Usage): number => Date.parse(day) + dayMs;

const usageOf = (view: View, tenant: string, now: number): Usage => usageAt(view.get<Usage>('usage', tenant), now);

/** Asked of messages that are not stored yet; what is stored already is answered whatever the limits are (A2). */
export const limitReached = (view: View, message: Submit, now: number): Limited | null => {
  const { retryAfterSec } = message;
  if (retryAfterSec !== null) return { retryAfterSec, detail: `too many messages; again in ${retryAfterSec} s` };
  const quota = quotaOf(message);
  if (quota === null) return null;
  const usage = usageOf(view, message.tenant, now);
  if (usage.messages < quota) return null;
  const ends = endOf(usage);
  return {
    retryAfterSec: Math.max(1, Math.ceil((ends - now) / 1_000)),
    detail: `the tenant's messagesPerDay, ${quota}, is used up; again from ${new Date(ends).toISOString()}`,
  };
};

/** One more of its tenant's day, in the transaction that stores the message. */
export const counted = (view: View, message: Submit, now: number): NonNullable<Decision['put']> => {
  if (quotaOf(message) === null) return [];
  const usage = usageOf(view, message.tenant, now);
  return [{ key: usageKey(message.tenant), state: { ...usage, messages: usage.messages + 1 } satisfies Usage }];
};
