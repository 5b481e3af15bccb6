import type { ProposeEffect } from '../../schemas/generated/records';
import { emit } from '../platform/decision';
import { sha256Hex } from '../platform/canonical';
import { interactionRefOf } from '../platform/identity';
import { approvalValidMs, askApproval, withdraw } from './approval';
import { fillUrl, type Contract } from './contract';
import { startAction } from './decide-start';
import { actionOf, ownerOf, putAction, type Draft } from './draft';
import { spareKeys } from './messages';
import { previewOf, seal } from './seal';
import {
  effectIdOf,
  fenceKey,
  isOpen,
  isReplaceable,
  newFence,
  numberedKey,
  previewRef,
  requestRef,
  type Action,
  type Approval,
  type Effect,
  type Fence,
  type Owner,
  type ProposalAnswer,
} from './state';

/** Proposals that one effect can have; a subject that is used like a queue is a mistake of its agent. */
const maxActionsOfEffect = 200;
/** Other runs that can wait for the outcome of one action. */
const maxFollowers = 16;
const subjectPattern = /^[A-Za-z0-9._-]{1,128}$/;

const refused = (
  code: string,
  detail: string | null,
  actionKey: string | null = null,
): Omit<ProposalAnswer, 'requirementsVersion'> => ({
  status: 'refused',
  actionKey,
  code,
  detail,
});

const answer = (draft: Draft, record: ProposeEffect, fence: Fence, said: ProposalAnswer): void => {
  draft.fence = fence;
  draft.emits.push(
    emit(fenceKey(record.runId), 'effect.events.v1', 'ProposalDecided', record.conversationId, {
      ...ownerOf(record),
      revision: draft.view.revision('fence', record.runId) + 1,
      proposalId: record.proposalId,
      status: said.status,
      actionKey: said.actionKey,
      state: said.actionKey === null ? null : (actionOf(draft, said.actionKey)?.standing.status ?? null),
      code: said.code,
      detail: said.detail,
      requirementsVersion: said.requirementsVersion,
    }),
  );
};

const approvalOf = (draft: Draft, record: ProposeEffect, actionKey: string, preview: Buffer): Approval => {
  const { role, selfApproval } = draft.world.policy(record.tenant);
  const validUntil = draft.now + approvalValidMs;
  return {
    interactionRef: interactionRefOf(actionKey),
    requestRevision: 1,
    previewSha256: sha256Hex(preview),
    recipientKind: role === null ? 'account' : 'role',
    recipient: role ?? record.account,
    selfApproval,
    expiresAt: record.grantUntil === null ? validUntil : Math.min(validUntil, record.grantUntil),
    asks: 0,
    askAt: draft.now,
    decision: null,
    by: null,
    at: null,
    adoptedBy: null,
  };
};

/** Makes the effect's next action: sealed, previewed, and either put before a person or started at once. */
const open = (
  draft: Draft,
  record: ProposeEffect,
  contract: Contract,
  effect: Effect,
  sealed: { bytes: Buffer; sha256: string },
  replayedFrom: number | null,
): Action => {
  const effectId = effectIdOf(record);
  const actionKey = numberedKey(effectId, effect.actions.length + 1);
  const { connector, operation, subject, proposalId, requirementsVersion } = record;
  const target = {
    method: contract.submit.method,
    url: fillUrl(contract.submit.url, { operation, subject, actionKey }),
  };
  const repeat = effect.actions.some((one) => actionOf(draft, one.actionKey)?.standing.status === 'succeeded');
  const needed = repeat || contract.approval === 'always' || (contract.approval === 'on_request' && record.approval);
  const preview = previewOf(
    { ...target, actionKey, connector, operation, subject, requirementsVersion, note: record.note, repeat },
    sealed.bytes,
    sealed.sha256,
  );
  draft.rows.push({ table: 'blobs', values: { ref: requestRef(actionKey), bytes: sealed.bytes } });
  if (needed) draft.rows.push({ table: 'blobs', values: { ref: previewRef(actionKey), bytes: preview } });
  draft.sealed.set(actionKey, sealed.bytes);
  draft.effect = {
    id: effectId,
    state: { ...effect, actions: [...effect.actions, { actionKey, openedAt: draft.now }] },
  };
  const action: Action = {
    ...ownerOf(record),
    proposalId,
    requirementsVersion,
    actionKey,
    connector,
    operation,
    subject,
    rootRunId: record.rootRunId,
    turn: record.turn,
    grantUntil: record.grantUntil,
    request: { sha256: sealed.sha256, bytes: sealed.bytes.length, ...target },
    approval: needed ? approvalOf(draft, record, actionKey, preview) : null,
    attempts: [],
    replayedFrom,
    evidence: [],
    queries: { count: 0, asked: [] },
    followers: [],
    openedAt: draft.now,
    unknownSince: null,
    code: null,
    standing: needed ? { status: 'proposed' } : { status: 'admitted', notBefore: draft.now },
  };
  putAction(draft, action);
  if (needed) askApproval(draft, action, preview);
  return action;
};

const follow = (draft: Draft, action: Action, record: ProposeEffect): void => {
  const owner: Owner = {
    ...ownerOf(record),
    proposalId: record.proposalId,
    requirementsVersion: record.requirementsVersion,
  };
  if (action.runId !== record.runId && !action.followers.some((one) => one.runId === record.runId))
    putAction(draft, { ...action, followers: [...action.followers, owner] });
};

type Ruling =
  | { readonly kind: 'answer'; readonly answer: Omit<ProposalAnswer, 'requirementsVersion'> }
  | { readonly kind: 'open'; readonly replaces: Action | null };

/** E1, row by row: what the earlier actions of the effect leave for this proposal. */
export const rule = (
  earlier: readonly Action[],
  record: Pick<ProposeEffect, 'runId' | 'rootRunId' | 'repeat'>,
  sha256: string,
): Ruling => {
  const same = earlier.findLast((action) => isOpen(action) && action.request.sha256 === sha256);
  if (same !== undefined) {
    const foreign = same.runId !== record.runId && !same.followers.some((one) => one.runId === record.runId);
    if (foreign && same.followers.length >= maxFollowers)
      return { kind: 'answer', answer: refused('earlier_action_unsettled', null, same.actionKey) };
    return { kind: 'answer', answer: { status: 'existing', actionKey: same.actionKey, code: null, detail: null } };
  }
  const standsInTheWay = earlier.findLast(
    (action) => isOpen(action) && !(isReplaceable(action) && action.rootRunId === record.rootRunId),
  );
  if (standsInTheWay !== undefined)
    return {
      kind: 'answer',
      answer: refused('earlier_action_unsettled', standsInTheWay.standing.status, standsInTheWay.actionKey),
    };
  const done = earlier.findLast((action) => action.standing.status === 'succeeded');
  if (done !== undefined && !record.repeat)
    return { kind: 'answer', answer: refused('already_done', null, done.actionKey) };
  return { kind: 'open', replaces: earlier.findLast(isOpen) ?? null };
};

const notAllowed = (
  draft: Draft,
  record: ProposeEffect,
  fence: Fence,
  contract: Contract | null,
): ReturnType<typeof refused> | null => {
  if (contract === null) return refused('unknown_connector', `no connector is named ${record.connector}`);
  if (!contract.operations.includes(record.operation))
    return refused('unknown_operation', `${record.connector} has no operation ${record.operation}`);
  if (!subjectPattern.test(record.subject)) return refused('invalid_subject', '1 to 128 of A-Z a-z 0-9 . _ -');
  if (fence.mode === 'closed' || record.requirementsVersion < fence.minVersion)
    return refused('fenced', `the fence is ${fence.mode} from version ${fence.minVersion} on`);
  if (record.grantUntil !== null && record.grantUntil <= draft.now)
    return refused('not_granted', 'the grant has ended');
  return null;
};

/** Natural key (runId, proposalId): decided once, answered as often as it is asked. */
export const onPropose = (draft: Draft, record: ProposeEffect, replayed: boolean): void => {
  const fence = draft.view.get<Fence>('fence', record.runId) ?? newFence(record.tenant, record.runId);
  const known = Object.hasOwn(fence.proposals, record.proposalId) ? fence.proposals[record.proposalId] : undefined;
  if (known !== undefined) return answer(draft, record, fence, known);
  const remember = (
    said: Omit<ProposalAnswer, 'requirementsVersion'>,
    actions: readonly string[] = fence.actions,
  ): void => {
    const decided: ProposalAnswer = { ...said, requirementsVersion: record.requirementsVersion };
    answer(
      draft,
      record,
      { ...fence, actions, proposals: { ...fence.proposals, [record.proposalId]: decided } },
      decided,
    );
  };
  const contract = draft.world.contract(record.tenant, record.connector);
  const no = notAllowed(draft, record, fence, contract);
  if (no !== null || contract === null) return remember(no ?? refused('unknown_connector', null));
  const sealed = seal(record);
  if (!sealed.ok) return remember(refused(sealed.code, sealed.detail));

  const effect = draft.view.get<Effect>('effect', effectIdOf(record)) ?? { tenant: record.tenant, actions: [] };
  const earlier = effect.actions.flatMap((one) => actionOf(draft, one.actionKey) ?? []);
  const ruling = rule(earlier, record, sealed.sha256);
  if (ruling.kind === 'answer') {
    const existing =
      ruling.answer.status === 'existing'
        ? earlier.find((one) => one.actionKey === ruling.answer.actionKey)
        : undefined;
    if (existing !== undefined) follow(draft, existing, record);
    return remember(ruling.answer);
  }
  if (effect.actions.length >= maxActionsOfEffect)
    return remember(refused('too_many_actions', `${maxActionsOfEffect} actions of one effect`));
  // Actions opened by this very batch carry its clock; beyond the spare keys the next one is not locked.
  if (effect.actions.filter((one) => one.openedAt === draft.now).length >= spareKeys) {
    draft.tells.push({ type: 'propose', record, replayed });
    return;
  }
  if (ruling.replaces !== null) withdraw(draft, ruling.replaces, 'replaced');
  const action = open(draft, record, contract, effect, sealed, replayed ? record.occurredAt : null);
  draft.fence = fence;
  if (action.approval === null) startAction(draft, action);
  remember({ status: 'accepted', actionKey: action.actionKey, code: null, detail: null }, [
    ...fence.actions,
    action.actionKey,
  ]);
};
