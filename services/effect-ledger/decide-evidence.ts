import { confirmed } from './decide-cancel';
import { actionOf, putAction, stand, type Draft } from './draft';
import type { Attempted } from './messages';
import { planUnknown } from './plan-unknown';
import type { Action, Attempt, Evidence } from './state';

/** Pauses before an attempt that was not sent is made again. */
const firstRetryMs = 500;
const maxRetryMs = 30_000;
/** Attestations and contradictions are few; what would come on top says nothing new. */
const maxEvidence = 40;

type Fact = Omit<Evidence, 'at'>;

const withEvidence = (draft: Draft, action: Action, fact: Fact): Action => ({
  ...action,
  evidence: action.evidence.length >= maxEvidence ? action.evidence : [...action.evidence, { ...fact, at: draft.now }],
});

const isKnown = (action: Action, fact: Fact): boolean =>
  action.evidence.some((one) => one.by === fact.by && one.outcome === fact.outcome && one.account === fact.account);

/**
 * Evidence about the action as a whole: a success of one of its attempts, or what the remote's authority or an operator
 * says by key. Evidence that contradicts what is recorded makes it disputed; nothing is overwritten (E8).
 */
export const settle = (draft: Draft, action: Action, fact: Fact): void => {
  const { status } = action.standing;
  switch (status) {
    case 'unknown':
    case 'blocked': {
      const told = withEvidence(draft, action, fact);
      const ended = fact.outcome === 'failed' ? confirmed(told, draft.now) : told;
      const isCancelled = ended.cancel?.confirmedAt != null && fact.outcome === 'failed';
      return void stand(draft, ended, { status: fact.outcome }, isCancelled ? 'cancelled' : fact.code);
    }
    case 'sending':
      if (fact.outcome === 'succeeded')
        stand(draft, withEvidence(draft, action, fact), { status: 'succeeded' }, fact.code);
      // A refusal by key does not end the attempt that is still under way; it counts when that one stays unknown.
      else if (!isKnown(action, fact)) putAction(draft, withEvidence(draft, action, fact));
      return;
    case 'admitted':
    case 'withdrawn':
    case 'denied':
      // Nothing is known to have gone out, and yet it happened: only a restored database can lead here.
      if (fact.outcome === 'succeeded')
        stand(draft, withEvidence(draft, action, fact), { status: 'disputed' }, 'contradicting_evidence');
      return;
    case 'succeeded':
    case 'failed':
      if (status !== fact.outcome)
        stand(draft, withEvidence(draft, action, fact), { status: 'disputed' }, 'contradicting_evidence');
      return;
    case 'disputed':
      if (!isKnown(action, fact)) putAction(draft, withEvidence(draft, action, fact));
      return;
    case 'proposed':
    case 'awaiting_approval':
      return;
  }
};

const closeAttempt = (action: Action, number: number, end: Partial<Attempt>): Action => ({
  ...action,
  attempts: action.attempts.map((attempt) => (attempt.number === number ? { ...attempt, ...end } : attempt)),
});

const all = (action: Action, outcomes: readonly Attempt['outcome'][]): boolean =>
  action.attempts.every((attempt) => outcomes.includes(attempt.outcome));

/** Not one byte went out: again with back-off until the connector's patience is over (E3). */
const again = (draft: Draft, action: Action, code: string | null): void => {
  const contract = draft.world.contract(action.tenant, action.connector);
  const since = action.attempts[0]?.startedAt ?? draft.now;
  if (contract === null || draft.now >= since + contract.giveUpAfterMs) {
    stand(draft, action, { status: 'failed' }, 'not_sent');
    return;
  }
  const waitMs = Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(action.attempts.length - 1, 16));
  stand(draft, action, { status: 'admitted', notBefore: draft.now + waitMs }, code);
};

/** Where the attempts leave the action: failed only when each of them is confirmed without effect (E3). */
const conclude = (draft: Draft, action: Action, last: Attempted): void => {
  if (all(action, ['not_sent'])) return again(draft, action, last.code);
  if (all(action, ['not_sent', 'failed'])) {
    const { code, httpStatus: status, body } = last;
    const fact: Fact = { by: 'response', outcome: 'failed', code, status, body, account: null };
    stand(draft, withEvidence(draft, action, fact), { status: 'failed' }, code);
    return;
  }
  // A newer attempt is still under way, or the asking is: this one's result is noted and changes nothing.
  const underWay = action.attempts.some((attempt) => attempt.outcome === null);
  if (action.standing.status !== 'sending' || underWay) return void putAction(draft, action);
  leaveUnknown(draft, action, last.code ?? 'unknown');
};

/** What the remote said by key while its only attempt was under way; nothing else could have been meant (E3). */
const refusedMeanwhile = (action: Action): Evidence | undefined => {
  const sent = action.attempts.filter((attempt) => attempt.outcome !== 'not_sent' && attempt.outcome !== 'failed');
  const since = sent[0]?.startedAt ?? Number.POSITIVE_INFINITY;
  return sent.length === 1
    ? action.evidence.find((one) => one.outcome === 'failed' && one.by !== 'response' && one.at >= since)
    : undefined;
};

const leaveUnknown = (draft: Draft, action: Action, code: string): void => {
  const refusal = refusedMeanwhile(action);
  if (refusal !== undefined) return void stand(draft, action, { status: 'failed' }, refusal.code);
  const contract = draft.world.contract(action.tenant, action.connector);
  planUnknown(draft, action, contract, { mayResend: true, code });
};

/** The result of one attempt, from the process that made it, however late: it settles that attempt and no other (E3). */
export const onAttempted = (draft: Draft, message: Attempted): void => {
  const action = actionOf(draft, message.actionKey);
  const attempt = action?.attempts.find((one) => one.number === message.number);
  if (action === undefined || attempt === undefined) return;
  const isNews = attempt.outcome === null || (attempt.outcome === 'unknown' && message.outcome !== 'unknown');
  if (!isNews) return;
  const { outcome, code, httpStatus, body, headers = null } = message;
  const closed = closeAttempt(action, message.number, { outcome, code, httpStatus, body, headers, endedAt: draft.now });
  const { status } = action.standing;
  if (outcome === 'succeeded') {
    settle(draft, putAction(draft, closed), { by: 'response', outcome, code, status: httpStatus, body, account: null });
    return;
  }
  switch (status) {
    case 'sending':
    case 'unknown':
    case 'blocked':
      return conclude(draft, closed, message);
    case 'succeeded':
      // No attempt can have done what a receipt says was done.
      if (outcome === 'failed' && all(closed, ['not_sent', 'failed']))
        return settle(draft, closed, { by: 'response', outcome, code, status: httpStatus, body, account: null });
      return void putAction(draft, closed);
    default:
      return void putAction(draft, closed);
  }
};

/** The sender is gone with its lease: what it did is not known, and nothing is sent again blindly (E2). */
export const sendingTick = (draft: Draft, action: Action): void => {
  const { standing } = action;
  const open = action.attempts.at(-1);
  if (standing.status !== 'sending' || standing.lease.until > draft.now || open === undefined) return;
  const closed = closeAttempt(action, open.number, { outcome: 'unknown', code: 'sender_lost', endedAt: draft.now });
  leaveUnknown(draft, closed, 'sender_lost');
};

export type Attestation = 'unknown_action' | 'not_attestable' | 'recorded' | 'repeated';

/** An operator's word, recorded as that and not as a receipt (E6). The same word again is the same attestation. */
export const onAttest = (
  draft: Draft,
  message: {
    readonly actionKey: string;
    readonly tenant: string;
    readonly account: string;
    readonly outcome: 'succeeded' | 'failed';
    readonly evidence: string;
  },
): Attestation => {
  const action = actionOf(draft, message.actionKey);
  if (action === undefined || action.tenant !== message.tenant) return 'unknown_action';
  const { outcome, evidence: body, account } = message;
  const fact: Fact = { by: 'attestation', outcome, code: 'attested', status: null, body, account };
  const newest = action.evidence.at(-1);
  if (newest?.by === 'attestation' && newest.outcome === outcome && newest.body === body && newest.account === account)
    return 'repeated';
  if (!['unknown', 'blocked', 'disputed'].includes(action.standing.status)) return 'not_attestable';
  stand(draft, withEvidence(draft, action, fact), { status: outcome }, 'attested');
  return 'recorded';
};
