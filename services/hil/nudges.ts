import type { RequestInteraction } from '../../schemas/generated/records';

export interface Recipient {
  readonly kind: 'account' | 'role';
  readonly name: string;
}

/** What is done about a request that nobody answers. It is part of the state, so a restart forgets none of it (H10). */
export interface Nudges {
  readonly everyMs: number | null;
  readonly remindAt: number | null;
  readonly reminders: number;
  readonly remindedAt: number | null;
  readonly escalateTo: Recipient | null;
  readonly escalateAt: number | null;
  readonly escalatedAt: number | null;
}

/** Reminders of one revision; who has not answered by then is not helped by another. */
const maxReminders = 10;
/** A request names one pause: after it a reminder, after it again somebody else. */
const pausesUntilEscalation = 2;
/** Where it names none, somebody else is asked after this long. */
const escalateAfterMs = 3_600_000;

/** `role:NAME`, `account:NAME`, or the user the run is for. */
const recipientOf = (text: string, account: string): Recipient | null => {
  const [, kind, name = ''] = /^(role|account):(.+)$/.exec(text) ?? [];
  if (kind === 'role' || kind === 'account') return { kind, name };
  return text === 'user' ? { kind: 'account', name: account } : null;
};

export const nudgesOf = (record: RequestInteraction, now: number): Nudges => {
  const everyMs = record.remindAfterSec === null ? null : record.remindAfterSec * 1_000;
  const escalateTo = record.escalateTo === null ? null : recipientOf(record.escalateTo, record.account);
  const isOther =
    escalateTo !== null && !(escalateTo.kind === record.recipientKind && escalateTo.name === record.recipient);
  return {
    everyMs,
    remindAt: everyMs === null ? null : now + everyMs,
    reminders: 0,
    remindedAt: null,
    escalateTo: isOther ? escalateTo : null,
    escalateAt: isOther ? now + (everyMs === null ? escalateAfterMs : everyMs * pausesUntilEscalation) : null,
    escalatedAt: null,
  };
};

export const nudgeAt = ({ remindAt, escalateAt }: Nudges): number | null =>
  remindAt === null || escalateAt === null ? (remindAt ?? escalateAt) : Math.min(remindAt, escalateAt);

/** What is due by now; null when nothing is. */
export const nudge = (nudges: Nudges, now: number): Nudges | null => {
  const { everyMs, remindAt, escalateAt } = nudges;
  const remind = remindAt !== null && remindAt <= now;
  const escalate = escalateAt !== null && escalateAt <= now;
  if (!remind && !escalate) return null;
  const reminders = nudges.reminders + (remind ? 1 : 0);
  return {
    ...nudges,
    reminders,
    remindedAt: remind ? now : nudges.remindedAt,
    remindAt: remind ? (everyMs === null || reminders >= maxReminders ? null : now + everyMs) : remindAt,
    escalatedAt: escalate ? now : nudges.escalatedAt,
    escalateAt: escalate ? null : escalateAt,
  };
};

/** Who else may answer by now. */
export const escalatedTo = (nudges: Nudges | undefined): Recipient | null =>
  nudges === undefined || nudges.escalatedAt === null ? null : nudges.escalateTo;

export const named = ({ kind, name }: Recipient): string => (kind === 'role' ? `role:${name}` : name);
