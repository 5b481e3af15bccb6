import { sha256Hex } from '../platform/canonical';
import { interactionRefOf } from '../platform/identity';
import { approvalValidMs, askApproval } from './approval';
import { fillUrl, type Contract } from './contract';
import { putAction, type Draft } from './draft';
import { previewOf } from './seal';
import {
  effectIdOf,
  numberedKey,
  previewRef,
  requestRef,
  type Action,
  type Approval,
  type Compensation,
  type Effect,
  type Owner,
} from './state';

export interface Opening extends Owner {
  readonly connector: string;
  readonly operation: string;
  readonly subject: string;
  readonly rootRunId: string;
  readonly turn: number;
  readonly grantUntil: number | null;
  readonly sealed: { readonly bytes: Buffer; readonly sha256: string };
  readonly note: string | null;
  /** The effect has succeeded before. */
  readonly repeat: boolean;
  readonly needsApproval: boolean;
  readonly replayedFrom: number | null;
  readonly compensation: Compensation | null;
}

const approvalOf = (draft: Draft, opening: Opening, actionKey: string, preview: Buffer): Approval => {
  const { role, selfApproval } = draft.world.policy(opening.tenant);
  const validUntil = draft.now + approvalValidMs;
  return {
    interactionRef: interactionRefOf(actionKey),
    requestRevision: 1,
    previewSha256: sha256Hex(preview),
    recipientKind: role === null ? 'account' : 'role',
    recipient: role ?? opening.compensation?.requestedBy ?? opening.account,
    selfApproval,
    expiresAt: opening.grantUntil === null ? validUntil : Math.min(validUntil, opening.grantUntil),
    asks: 0,
    askAt: draft.now,
    decision: null,
    by: null,
    at: null,
    adoptedBy: null,
  };
};

/** Makes the effect's next action: sealed, previewed where a person decides, and recorded; it starts elsewhere. */
export const openAction = (draft: Draft, contract: Contract, effect: Effect, opening: Opening): Action => {
  const { sealed, note, repeat, needsApproval, replayedFrom, compensation, ...of } = opening;
  const { connector, operation, subject, requirementsVersion } = of;
  const effectId = effectIdOf(of);
  const actionKey = numberedKey(effectId, effect.actions.length + 1);
  const target = {
    method: contract.submit.method,
    url: fillUrl(contract.submit.url, { operation, subject, actionKey }),
  };
  const compensates = compensation?.of ?? null;
  const preview = previewOf(
    { ...target, actionKey, connector, operation, subject, requirementsVersion, note, repeat, compensates },
    sealed.bytes,
    sealed.sha256,
  );
  draft.rows.push({ table: 'blobs', values: { ref: requestRef(actionKey), bytes: sealed.bytes } });
  if (needsApproval) draft.rows.push({ table: 'blobs', values: { ref: previewRef(actionKey), bytes: preview } });
  draft.sealed.set(actionKey, sealed.bytes);
  draft.effect = {
    id: effectId,
    state: { ...effect, actions: [...effect.actions, { actionKey, openedAt: draft.now }] },
  };
  const action: Action = {
    ...of,
    actionKey,
    request: { sha256: sealed.sha256, bytes: sealed.bytes.length, ...target },
    approval: needsApproval ? approvalOf(draft, opening, actionKey, preview) : null,
    attempts: [],
    replayedFrom,
    evidence: [],
    queries: { count: 0, asked: [] },
    followers: [],
    openedAt: draft.now,
    unknownSince: null,
    code: null,
    standing: needsApproval ? { status: 'proposed' } : { status: 'admitted', notBefore: draft.now },
    compensation,
  };
  putAction(draft, action);
  if (needsApproval) askApproval(draft, action, preview);
  return action;
};
