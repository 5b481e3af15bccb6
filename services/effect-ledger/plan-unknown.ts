import { retentionShare, type Contract } from './contract';
import { stand, type Draft } from './draft';
import type { Action } from './state';

/** From the intent to the first byte: longer than a busy process takes, short enough that absence can be judged soon. */
export const sendWithinMs = 10_000;
/** Pauses between resends of a connector that has no receipt route. */
const firstResendMs = 500;
const maxResendMs = 30_000;

/** Whether the remote still promises to know a repeated key: less a margin, counted from the first attempt (E5). */
export const dedupHolds = (contract: Contract, action: Action, now: number): boolean => {
  const first = action.attempts.find((attempt) => attempt.outcome !== 'not_sent');
  if (contract.dedupRetentionMs === null) return false;
  return first === undefined || now + sendWithinMs < first.startedAt + contract.dedupRetentionMs * retentionShare;
};

const resendAt = (action: Action, now: number): number =>
  now + Math.min(maxResendMs, firstResendMs * 2 ** Math.min(Math.max(0, action.attempts.length - 1), 16));

export const nextAskAt = (receipt: NonNullable<Contract['receipt']>, now: number, count: number): number =>
  now + Math.min(receipt.maxIntervalMs, receipt.firstAfterMs * 2 ** Math.min(count, 20));

/**
 * What is done about an outcome nobody knows: ask where there is a receipt route, send the same bytes again only where
 * dedup is declared and still holds, else blocked and visible (E4 to E6).
 */
export const planUnknown = (
  draft: Draft,
  action: Action,
  contract: Contract | null,
  { mayResend, code }: { readonly mayResend: boolean; readonly code: string },
): void => {
  const { now } = draft;
  const since = action.unknownSince ?? now;
  const known = { ...action, unknownSince: since };
  const blocked = (why: string): void => void stand(draft, known, { status: 'blocked' }, why);
  if (contract === null) return blocked('connector_gone');
  const { receipt } = contract;
  if (receipt !== null) {
    const giveUpAt = since + receipt.giveUpAfterMs;
    if (giveUpAt <= now) return blocked('not_answered');
    const nextAt = nextAskAt(receipt, now, action.queries.count);
    stand(draft, known, { status: 'unknown', plan: 'ask', nextAt, giveUpAt }, code);
    return;
  }
  const giveUpAt = since + contract.giveUpAfterMs;
  if (giveUpAt <= now || !dedupHolds(contract, action, now)) return blocked('no_way_to_verify');
  // The remote would take it again; what forbids it here is what a person has to know.
  if (!mayResend) return blocked(code);
  stand(draft, known, { status: 'unknown', plan: 'resend', nextAt: resendAt(action, now), giveUpAt }, code);
};
