import { actionDueAt } from './decide';
import { isOpen, type Action } from './state';

/** Its outcome is not settled, or something about it is still to be asked or sent. */
export const isLive = (action: Action): boolean => isOpen(action) || actionDueAt(action) !== null;

/**
 * A settled action without what was sent and what the remote said: keys, hashes, attempts with their outcomes, times and
 * who approved stay, so an effect still happens once (E1). An attestation is an operator's record and stays whole. Null:
 * nothing to be done, or it is live.
 */
export const withoutContent = (action: Action, purgedAt: number): Action | null =>
  isLive(action) || action.purgedAt !== undefined
    ? null
    : {
        ...action,
        purgedAt,
        attempts: action.attempts.map((one) => ({ ...one, body: null, headers: null })),
        evidence: action.evidence.map((one) => (one.by === 'attestation' ? one : { ...one, body: null })),
      };
