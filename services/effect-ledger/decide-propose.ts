import type { ProposeEffect } from '../../schemas/generated/records';
import { emit } from '../platform/decision';
import { withdraw } from './approval';
import type { Contract } from './contract';
import { startAction } from './decide-start';
import { actionOf, ownerOf, putAction, type Draft } from './draft';
import { spareKeys } from './messages';
import { openAction } from './open-action';
import { seal } from './seal';
import {
  effectIdOf,
  fenceKey,
  isOpen,
  isReplaceable,
  newFence,
  type Action,
  type Effect,
  type Fence,
  type Owner,
  type ProposalAnswer,
} from './state';

/** Proposals that one effect can have; a subject that is used like a queue is a mistake of its agent. */
export const maxActionsOfEffect = 200;
/** Other runs that can wait for the outcome of one action. */
const maxFollowers = 16;
export const subjectPattern = /^[A-Za-z0-9._-]{1,128}$/;

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
  // What an operator asked for is nobody's proposal: a run that wants the same waits for its end.
  if (same !== undefined && same.compensation == null) {
    const foreign = same.runId !== record.runId && !same.followers.some((one) => one.runId === record.runId);
    if (foreign && same.followers.length >= maxFollowers)
      return { kind: 'answer', answer: refused('earlier_action_unsettled', null, same.actionKey) };
    return { kind: 'answer', answer: { status: 'existing', actionKey: same.actionKey, code: null, detail: null } };
  }
  const standsInTheWay = earlier.findLast(
    (action) =>
      isOpen(action) &&
      !(isReplaceable(action) && action.compensation == null && action.rootRunId === record.rootRunId),
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
  const done = earlier.some((one) => one.standing.status === 'succeeded');
  const action = openAction(draft, contract, effect, {
    ...ownerOf(record),
    proposalId: record.proposalId,
    requirementsVersion: record.requirementsVersion,
    connector: record.connector,
    operation: record.operation,
    subject: record.subject,
    rootRunId: record.rootRunId,
    turn: record.turn,
    grantUntil: record.grantUntil,
    sealed,
    note: record.note,
    repeat: done,
    needsApproval: done || contract.approval === 'always' || (contract.approval === 'on_request' && record.approval),
    replayedFrom: replayed ? record.occurredAt : null,
    compensation: null,
  });
  draft.fence = fence;
  if (action.approval === null) startAction(draft, action);
  remember({ status: 'accepted', actionKey: action.actionKey, code: null, detail: null }, [
    ...fence.actions,
    action.actionKey,
  ]);
};
