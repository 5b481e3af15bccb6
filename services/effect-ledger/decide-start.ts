import { Malformed } from '../platform/errors';
import { adopt, withdraw } from './approval';
import { fillUrl, type Contract } from './contract';
import { stand, type Draft } from './draft';
import { dedupHolds, planUnknown, sendWithinMs } from './plan-unknown';
import { fenceIdOf, isUnattempted, type Action, type Attempt, type Fence } from './state';

/** What the sender has after the time-out to bring its result home before it counts as lost. */
const leaseMarginMs = 5_000;
/** With no room in this process, another look soon: there or elsewhere. */
const noRoomMs = 250;
/** An action of a paused connector looks again by itself, should the word of its resumption get lost. */
const pausedMs = 15_000;
/** How soon an action that the fence holds back and that cannot be withdrawn is looked at again. */
const heldMs = 30_000;

/** Why no further attempt may start, whatever time passes; null when none of the checks forbids it (E7). */
const forbidden = (draft: Draft, fence: Fence, action: Action, contract: Contract | null): string | null => {
  if (fence.mode === 'closed' || action.requirementsVersion < fence.minVersion) return 'fenced';
  if (action.grantUntil !== null && action.grantUntil <= draft.now) return 'grant_ended';
  const { approval } = action;
  if (approval !== null && approval.decision !== 'approve') return 'not_approved';
  if (approval !== null && approval.adoptedBy === null && approval.expiresAt <= draft.now) return 'approval_expired';
  if (contract === null || !contract.operations.includes(action.operation)) return 'connector_gone';
  if (fillUrl(contract.submit.url, action) !== action.request.url) return 'target_changed';
  return null;
};

const later = (draft: Draft, action: Action, waitMs: number | null): void => {
  const { standing } = action;
  if (standing.status === 'unknown')
    stand(draft, action, { ...standing, nextAt: draft.now + (waitMs ?? heldMs) }, action.code);
  else
    stand(draft, action, { status: 'admitted', notBefore: waitMs === null ? null : draft.now + waitMs }, action.code);
};

/** The intent: durable with its `sendBy` before anything is sent (E2). */
const record = (draft: Draft, action: Action, contract: Contract): void => {
  const number = action.attempts.length + 1;
  const { timeoutMs } = contract.submit;
  const sendBy = draft.now + sendWithinMs;
  const attempt: Attempt = {
    number,
    outcome: null,
    code: null,
    startedAt: draft.now,
    sendBy,
    timeoutMs,
    endedAt: null,
    httpStatus: null,
    body: null,
  };
  const lease = { owner: draft.context.instance, until: sendBy + timeoutMs + leaseMarginMs };
  const { actionKey, tenant, connector, operation, request } = action;
  stand(
    draft,
    { ...adopt(draft, action, number), attempts: [...action.attempts, attempt] },
    { status: 'sending', lease },
    null,
  );
  draft.sends.push({
    kind: 'send',
    actionKey,
    runId: fenceIdOf(action),
    tenant,
    connector,
    operation,
    method: request.method,
    url: request.url,
    sha256: request.sha256,
    number,
    sendBy,
    timeoutMs,
    bytes: draft.sealed.get(actionKey) ?? null,
  });
};

/**
 * The command of this action was handled before, by a state of the database that is lost: whether it was sent then is
 * not known. So it starts as unknown, as if its attempt had gone out, and only the remote's receipt or a repeat under
 * the same key within the declared retention settles it (X3).
 */
const presume = (draft: Draft, action: Action, contract: Contract, toldAt: number): void => {
  const attempt: Attempt = {
    number: 1,
    outcome: 'unknown',
    code: 'restored',
    startedAt: Math.min(toldAt, draft.now),
    sendBy: draft.now,
    timeoutMs: contract.submit.timeoutMs,
    endedAt: draft.now,
    httpStatus: null,
    body: null,
  };
  planUnknown(draft, { ...adopt(draft, action, 1), attempts: [attempt] }, contract, {
    mayResend: true,
    code: 'restored',
  });
};

/**
 * The only place where an attempt begins. Fence, grant and approval are read under the run's fence row, which the same
 * transaction holds, so that after an acknowledged fence no older action starts (E7).
 */
export const startAction = (draft: Draft, action: Action): void => {
  const fenceId = fenceIdOf(action);
  const fence = draft.fence?.runId === fenceId ? draft.fence : draft.view.get<Fence>('fence', fenceId);
  if (fence === undefined)
    throw new Malformed('no_fence', `${action.actionKey} cannot start: ${fenceId} has no fence row`);
  const contract = draft.world.contract(action.tenant, action.connector);
  const reason = forbidden(draft, fence, action, contract);
  if (reason !== null) {
    if (isUnattempted(action)) withdraw(draft, action, reason);
    else planUnknown(draft, action, contract, { mayResend: false, code: reason });
    return;
  }
  if (contract === null) return;
  if (action.replayedFrom !== null && action.attempts.length === 0)
    return presume(draft, action, contract, action.replayedFrom);
  if (fence.mode === 'hold') return later(draft, action, null);
  if (draft.context.capacity - draft.sends.length <= 0) return later(draft, action, noRoomMs);
  if (draft.world.paused(contract.name)) return later(draft, action, pausedMs);
  const waitMs = draft.world.pace(contract, 'submit', draft.now);
  if (waitMs > 0) return later(draft, action, waitMs);
  record(draft, action, contract);
};

/** The told wish to start: idempotent, because only an action that waits for exactly this is started. */
export const onStart = (draft: Draft, action: Action | undefined): void => {
  if (action === undefined) return;
  const { standing } = action;
  const due =
    (standing.status === 'admitted' && standing.notBefore !== null && standing.notBefore <= draft.now) ||
    (standing.status === 'unknown' && standing.plan === 'resend' && standing.nextAt <= draft.now);
  if (!due) return;
  if (standing.status === 'unknown') {
    const contract = draft.world.contract(action.tenant, action.connector);
    if (contract === null || standing.giveUpAt <= draft.now || !dedupHolds(contract, action, draft.now)) {
      planUnknown(draft, action, contract, { mayResend: false, code: action.code ?? 'unknown' });
      return;
    }
  }
  startAction(draft, action);
};

/** Its connector was resumed: what waited for that need not wait for its next look. */
export const onReleased = (draft: Draft, action: Action | undefined): void => {
  if (action?.standing.status === 'admitted' && action.standing.notBefore !== null) startAction(draft, action);
};
