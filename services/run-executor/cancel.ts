import { endChildren } from './children';
import { decideFate, type Draft } from './draft';
import { dropWork, finishEnding } from './ending';
import { liveChildren } from './open-work';
import { leavePark } from './park';
import { dropPause } from './pause';
import { raiseFence } from './requests';
import { recordTransition } from './transition';
import type { Cause } from './state';

/**
 * Cancel requested and cancel confirmed are two facts (R15). From here on nothing of the run starts: its work is taken
 * away, its fence closes; confirmed once the fence is acknowledged and what is in flight is settled or listed.
 */
export const requestCancel = (draft: Draft, cause: Cause, messageId: string | null): void => {
  const { run, context } = draft;
  if (run.status === 'cancelling') {
    if (messageId !== null) run.cancel?.messageIds.push(messageId);
    return;
  }
  const from = run.status;
  dropPause(draft, 'cancel');
  leavePark(draft);
  dropWork(draft, 'cancelled', null);
  run.cancel = { requestedAt: context.now, cause, messageIds: messageId === null ? [] : [messageId], settleBy: null };
  run.status = 'cancelling';
  const pending = run.pending;
  run.pending = [];
  for (const update of pending)
    decideFate(draft, update, { status: 'update_not_applied', code: 'run_ended', detail: `cancelled: ${cause}` });
  recordTransition(draft, { state: from }, { control: 'cancel', state: 'cancelling' });
  raiseFence(draft, 'closed', run.requirements.version);
  endChildren(draft, cause);
  settleCancel(draft);
};

export const settleCancel = (draft: Draft): void => {
  const { run, context } = draft;
  if (run.status !== 'cancelling' || run.cancel === null || !run.fence.acknowledged) return;
  // Descendants first: what they leave unsettled is theirs to list, and the clock of this run starts after them.
  if (liveChildren(run).length > 0) return;
  run.cancel.settleBy ??= context.now + run.cancelSettleMs;
  const inFlight = run.actions.some((action) => action.status === 'sending' || action.status === 'unknown');
  if (inFlight && context.now < run.cancel.settleBy) return;
  run.ending = { to: 'cancelled', cause: run.cancel.cause };
  run.status = 'closing';
  // History of refused candidates that is still on its way must not keep a confirmed cancel waiting.
  run.publications = [];
  finishEnding(draft);
};
