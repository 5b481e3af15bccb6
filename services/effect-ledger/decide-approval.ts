import type { InteractionChanged } from '../../schemas/generated/records';
import { Malformed } from '../platform/errors';
import { adoption, expiryGraceMs, heard, maxAskAgainMs, withdraw } from './approval';
import { startAction } from './decide-start';
import { actionOf, nextRevision, stand, type Draft } from './draft';
import type { Action, Approval } from './state';

const requesterOf = (action: Action): string => action.compensation?.requestedBy ?? action.account;

/** Why an approve does not count, null when it does: it is bound to the bytes shown, the person allowed and the time (H7). */
const voidReason = (draft: Draft, action: Action, approval: Approval, record: InteractionChanged): string | null => {
  if (record.requestRevision !== approval.requestRevision) return 'old_revision';
  if (record.response?.previewSha256 !== approval.previewSha256) return 'preview_mismatch';
  if (record.requirementsVersion !== action.requirementsVersion) return 'version_mismatch';
  if (approval.selfApproval === 'forbidden' && record.response.respondedBy === requesterOf(action))
    return 'self_approval';
  return approval.expiresAt <= draft.now ? 'approval_expired' : null;
};

const answered = (draft: Draft, action: Action, approval: Approval, record: InteractionChanged): void => {
  const { response } = record;
  const decided = {
    ...approval,
    by: response?.respondedBy ?? null,
    at: record.answeredAt,
  };
  if (response?.decision === 'deny') {
    const denied = { ...action, approval: { ...decided, decision: 'deny' as const } };
    adoption(draft, denied, 'adopted', null, null);
    stand(draft, denied, { status: 'denied' }, 'denied');
    return;
  }
  const approved = { ...action, approval: { ...decided, decision: 'approve' as const } };
  const reason = response?.decision === 'approve' ? voidReason(draft, action, approval, record) : 'no_decision';
  if (reason === null) startAction(draft, stand(draft, approved, { status: 'admitted', notBefore: draft.now }, null));
  else withdraw(draft, approved, reason);
};

/** hil's news about an approval. Only one that is still asked for can change anything; unknown actions are never sent again by it. */
export const onInteraction = (draft: Draft, record: InteractionChanged): void => {
  if (record.actionKey === null) return;
  const known = actionOf(draft, record.actionKey);
  const approval = known?.approval ?? null;
  if (known === undefined || approval === null || approval.interactionRef !== record.interactionRef) return;
  if (record.runId !== known.runId)
    throw new Malformed('wrong_owner', `${record.interactionRef} is about an action of another run`);
  // What was open when it was withdrawn here is not withdrawn there yet.
  const action = known.withdrawal != null && record.state === 'open' ? known : heard(draft, known);
  const { status } = action.standing;
  const asked = status === 'proposed' || status === 'awaiting_approval';
  if (!asked) {
    if (
      record.state === 'answered' &&
      record.adoption?.status === 'pending' &&
      approval.adoptedBy === null &&
      status === 'withdrawn'
    )
      // Told by hil again, it is answered again; each time is a fact of its own.
      adoption(
        draft,
        action,
        'void',
        action.code,
        null,
        `${record.interactionRef}/void/${nextRevision(draft, action.actionKey)}`,
      );
    return;
  }
  switch (record.state) {
    case 'open': {
      const askAt = Math.max(approval.expiresAt + expiryGraceMs, draft.now + maxAskAgainMs);
      if (status === 'proposed' || approval.askAt < askAt)
        stand(draft, { ...action, approval: { ...approval, askAt } }, { status: 'awaiting_approval' }, null);
      return;
    }
    case 'answered':
      return answered(draft, action, approval, record);
    case 'closed': {
      // hil has closed it already; there is nothing left to withdraw there.
      stand(
        draft,
        action,
        { status: 'withdrawn' },
        record.code === 'expired' ? 'approval_expired' : (record.code ?? 'approval_closed'),
      );
      return;
    }
    case 'UNKNOWN':
      return;
  }
};
