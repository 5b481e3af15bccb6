import { actionOf, putAction, type Draft } from './draft';
import type { CancelAnswered } from './messages';
import { sendWithinMs } from './plan-unknown';
import { fenceIdOf, type Action, type Cancel } from './state';

/** Tries to reach the remote's cancel; what is not cancelled by then is found out like any other outcome. */
const maxCancelTries = 8;
const firstAgainMs = 1_000;
const maxAgainMs = 30_000;
/** With no room in this process, or none at the connector, another look soon. */
const noRoomMs = 250;
/** What the sender of a cancel has, besides the connector's time-out, before another one asks. */
const leaseMarginMs = 5_000;

const inFlight = ({ standing }: Action): boolean => standing.status === 'sending' || standing.status === 'unknown';

/** The run was cancelled while this was on its way: where the remote has a cancel of its own, it is asked for once. */
export const requestCancel = (draft: Draft, action: Action): void => {
  const contract = draft.world.contract(action.tenant, action.connector);
  if (contract?.cancel == null || !inFlight(action) || action.cancel != null) return;
  putAction(draft, {
    ...action,
    cancel: {
      requestedAt: draft.now,
      tries: 0,
      nextAt: draft.now,
      answeredAt: null,
      httpStatus: null,
      confirmedAt: null,
    },
  });
  cancelTick(draft, action.actionKey);
};

const put = (draft: Draft, action: Action, cancel: Cancel): void => void putAction(draft, { ...action, cancel });

export const cancelTick = (draft: Draft, actionKey: string): void => {
  const action = actionOf(draft, actionKey);
  const cancel = action?.cancel;
  if (action === undefined || cancel == null || cancel.nextAt === null || cancel.nextAt > draft.now) return;
  const contract = draft.world.contract(action.tenant, action.connector);
  if (contract?.cancel == null || !inFlight(action) || cancel.tries >= maxCancelTries)
    return put(draft, action, { ...cancel, nextAt: null });
  if (draft.context.capacity - draft.sends.length <= 0 || draft.world.paused(contract.name))
    return put(draft, action, { ...cancel, nextAt: draft.now + noRoomMs });
  const number = cancel.tries + 1;
  const sendBy = draft.now + sendWithinMs;
  const lost = sendBy + contract.submit.timeoutMs + leaseMarginMs;
  put(draft, action, { ...cancel, tries: number, nextAt: lost });
  const { tenant, connector, operation, subject } = action;
  draft.sends.push({
    kind: 'cancel',
    actionKey,
    runId: fenceIdOf(action),
    tenant,
    connector,
    operation,
    subject,
    number,
    sendBy,
  });
};

/** An accepted cancel is a promise; whether the thing happened is still asked by key (E9). */
export const onCancelAnswered = (draft: Draft, message: CancelAnswered): void => {
  const action = actionOf(draft, message.actionKey);
  if (action?.cancel == null || action.cancel.answeredAt !== null) return;
  const { cancel } = action;
  if (message.outcome === 'lost') {
    const waitMs = Math.min(maxAgainMs, firstAgainMs * 2 ** Math.min(cancel.tries, 16));
    return put(draft, action, { ...cancel, nextAt: draft.now + waitMs });
  }
  const { httpStatus } = message;
  const answered = { ...cancel, nextAt: null, answeredAt: draft.now, httpStatus };
  // Soon, because the remote knows more now than when it was asked last.
  putAction(draft, { ...action, cancel: answered, wantedAt: draft.now });
};

/** A receipt that says "not done" after the remote took the cancel is what confirms it. */
export const confirmed = (action: Action, now: number): Action =>
  action.cancel?.answeredAt == null || action.cancel.confirmedAt !== null
    ? action
    : { ...action, cancel: { ...action.cancel, confirmedAt: now } };
