import { emit } from '../platform/decision';
import { incidentRow } from '../platform/incidents';
import { actionOf, nextRevision, ownerOf, putAction, stand, type Draft } from './draft';
import { actionKeyOf, previewRef, type Action, type Approval } from './state';

/** A person has this long, unless the grant ends earlier. */
export const approvalValidMs = 86_400_000;
const firstAskAgainMs = 10_000;
export const maxAskAgainMs = 300_000;
/** Requests without an answer after which somebody should look; the asking goes on. */
const incidentAfterAsks = 10;
/** hil says when an approval expired; this long after it should have, the ledger asks again. */
export const expiryGraceMs = 60_000;

const askAgainAt = (now: number, asks: number): number =>
  now + Math.min(maxAskAgainMs, firstAskAgainMs * 2 ** Math.min(asks - 1, 20));

/** Sends the approval request; natural key (interactionRef, requestRevision), so a repeat only gets the answer again. */
const request = (draft: Draft, action: Action, approval: Approval, preview: Buffer): void => {
  const { interactionRef, requestRevision, asks } = approval;
  draft.emits.push(
    emit(
      actionKeyOf(action.actionKey),
      'hil.requests.v1',
      'RequestInteraction',
      action.conversationId,
      {
        ...ownerOf(action),
        revision: nextRevision(draft, action.actionKey),
        rootRunId: action.rootRunId,
        messageId: null,
        owner: 'effect-ledger',
        interactionRef,
        requestRevision,
        kind: 'approval',
        mode: 'non_blocking',
        requirementsVersion: action.requirementsVersion,
        turn: action.turn,
        questionId: null,
        recipientKind: approval.recipientKind,
        recipient: approval.recipient,
        question: `${action.connector}: ${action.operation} for ${action.subject}?`,
        choices: [],
        schema: null,
        defaultAnswer: null,
        grant: null,
        expiresAt: approval.expiresAt,
        remindAfterSec: null,
        escalateTo: null,
        holdsReport: false,
        actionKey: action.actionKey,
        requestSha256: action.request.sha256,
        preview,
        previewSha256: approval.previewSha256,
        selfApproval: approval.selfApproval,
        requestedBy: action.compensation?.requestedBy ?? null,
        compensates: action.compensation?.of ?? null,
        attempt: asks,
      },
      `${interactionRef}/${requestRevision}/ask/${asks}`,
    ),
  );
};

const unansweredId = ({ interactionRef }: Approval): string => `unanswered/${interactionRef}`;

/** hil has answered a request or a withdrawal: whoever was called to look need not any more. */
export const heard = (draft: Draft, action: Action): Action => {
  if (action.approval === null) return action;
  const asks = Math.max(action.approval.asks, action.withdrawal?.asks ?? 0);
  if (asks >= incidentAfterAsks) draft.closes.push(unansweredId(action.approval));
  return action.withdrawal == null ? action : putAction(draft, { ...action, withdrawal: null });
};

/** Asks for the approval, and again while it is not known to have been published (R25). */
export const askApproval = (draft: Draft, action: Action, preview: Buffer): Action => {
  if (action.approval === null) return action;
  const asks = action.approval.asks + 1;
  const approval = { ...action.approval, asks, askAt: askAgainAt(draft.now, asks) };
  request(draft, action, approval, preview);
  if (asks === incidentAfterAsks)
    draft.rows.push(
      incidentRow({
        id: unansweredId(approval),
        kind: 'unanswered_request',
        ref: action.actionKey,
        reason: `the approval of ${action.actionKey} was requested ${asks} times and hil has not answered`,
        actions: ['look at the dead letters and the lag of hil'],
      }),
    );
  return putAction(draft, { ...action, approval });
};

export const approvalTick = (draft: Draft, action: Action): void => {
  const { approval } = action;
  if (approval === null || approval.askAt > draft.now) return;
  const preview = draft.view.blob(previewRef(action.actionKey));
  if (preview === undefined) throw new Error(`the preview of ${action.actionKey} is not there`);
  askApproval(draft, action, preview);
};

/** What a person decided takes effect, or it is said why it does not (H2). */
export const adoption = (
  draft: Draft,
  action: Action,
  status: 'adopted' | 'void',
  reason: string | null,
  attempt: number | null,
  id = `${action.approval?.interactionRef}/${action.approval?.requestRevision}/${status}`,
): void => {
  const { approval } = action;
  if (approval === null) return;
  draft.emits.push(
    emit(
      actionKeyOf(action.actionKey),
      'effect.events.v1',
      'AnswerAdopted',
      action.conversationId,
      {
        ...ownerOf(action),
        revision: nextRevision(draft, action.actionKey),
        interactionRef: approval.interactionRef,
        requestRevision: approval.requestRevision,
        status,
        reason,
        turn: null,
        inputSha256: null,
        attempt,
        actionKey: action.actionKey,
      },
      id,
    ),
  );
};

/** The first attempt under an approval is what adopts it. */
export const adopt = (draft: Draft, action: Action, attempt: number): Action => {
  if (action.approval === null || action.approval.adoptedBy !== null) return action;
  adoption(draft, action, 'adopted', null, attempt);
  return { ...action, approval: { ...action.approval, adoptedBy: attempt } };
};

/** Takes the approval request back, and again while hil has not said that it is closed or was answered (R25). */
const askWithdrawal = (draft: Draft, action: Action, code: string): Action => {
  const { approval } = action;
  if (approval === null) return action;
  const asks = (action.withdrawal?.asks ?? 0) + 1;
  draft.emits.push(
    emit(
      actionKeyOf(action.actionKey),
      'hil.requests.v1',
      'WithdrawInteraction',
      action.conversationId,
      {
        ...ownerOf(action),
        revision: nextRevision(draft, action.actionKey),
        interactionRef: approval.interactionRef,
        code,
        reason: 'the action it was asked for is withdrawn',
        attempt: asks,
      },
      `${approval.interactionRef}/withdraw/${asks}`,
    ),
  );
  if (asks === incidentAfterAsks)
    draft.rows.push(
      incidentRow({
        id: unansweredId(approval),
        kind: 'unanswered_request',
        ref: action.actionKey,
        reason: `the approval of ${action.actionKey} was withdrawn ${asks} times and hil has not answered`,
        actions: ['look at the dead letters and the lag of hil'],
      }),
    );
  return putAction(draft, { ...action, withdrawal: { code, asks, askAt: askAgainAt(draft.now, asks) } });
};

export const withdrawalTick = (draft: Draft, actionKey: string): void => {
  const action = actionOf(draft, actionKey);
  if (action?.withdrawal == null || action.withdrawal.askAt > draft.now) return;
  askWithdrawal(draft, action, action.withdrawal.code);
};

/** Ends an action nothing of which went out; its approval is withdrawn, or void if it was given already. */
export const withdraw = (draft: Draft, action: Action, code: string): void => {
  const { approval } = action;
  let left = action;
  if (approval?.decision === 'approve' && approval.adoptedBy === null) adoption(draft, action, 'void', code, null);
  else if (approval !== null && approval.decision === null) left = askWithdrawal(draft, action, code);
  stand(draft, left, { status: 'withdrawn' }, code);
};
