import { withdraw } from './approval';
import { actionOf, ownerOf, putAction, type Draft } from './draft';
import { compensationEffectId, spareKeys, type Compensate } from './messages';
import { maxActionsOfEffect, subjectPattern } from './decide-propose';
import { openAction } from './open-action';
import { seal } from './seal';
import { compensationFenceId, isOpen, isReplaceable, newFence, type Action, type Effect, type Fence } from './state';

export type CompensationAnswer =
  | { readonly kind: 'unknown_action' }
  | { readonly kind: 'opened' | 'existing'; readonly actionKey: string }
  | {
      readonly kind: 'refused';
      readonly code:
        'action_not_compensable' | 'already_done' | 'earlier_action_unsettled' | 'field_invalid' | 'content_too_large';
      readonly field: string | null;
      readonly detail: string;
    };

const refused = (
  code: Extract<CompensationAnswer, { kind: 'refused' }>['code'],
  detail: string,
  field: string | null = null,
): CompensationAnswer => ({ kind: 'refused', code, detail, field });

const counts = (action: Action): boolean => isOpen(action) || action.standing.status === 'succeeded';

/**
 * A compensation is an action like any other, with key, approval, attempts and fence of its own, linked to the success
 * it answers to (E9). It always needs a person's word: nothing of the run that did the first thing covers the second.
 * Asked for again with the same request it is the same one, until it ended without effect.
 */
export const onCompensate = (draft: Draft, message: Compensate): CompensationAnswer => {
  const original = actionOf(draft, message.actionKey);
  if (original === undefined || original.tenant !== message.tenant) return { kind: 'unknown_action' };
  const { operation, subject } = message;
  const contract = draft.world.contract(original.tenant, original.connector);
  if (contract === null) return refused('action_not_compensable', `${original.connector} is not configured any more`);
  if (!contract.operations.includes(operation))
    return refused('field_invalid', `${original.connector} has no operation ${operation}`, 'operation');
  if (!subjectPattern.test(subject)) return refused('field_invalid', '1 to 128 of A-Z a-z 0-9 . _ -', 'subject');
  const sealed = seal({ params: message.params, body: null });
  if (!sealed.ok)
    return refused(
      sealed.code === 'request_too_large' ? 'content_too_large' : 'field_invalid',
      sealed.detail,
      'params',
    );
  const effectId = compensationEffectId(message);
  const effect = draft.view.get<Effect>('effect', effectId) ?? { tenant: original.tenant, actions: [] };
  const earlier = effect.actions.flatMap((one) => actionOf(draft, one.actionKey) ?? []);
  const own = (action: Action): boolean => action.compensation?.of === original.actionKey;
  const same = earlier.findLast((one) => own(one) && counts(one) && one.request.sha256 === sealed.sha256);
  if (same !== undefined) return { kind: 'existing', actionKey: same.actionKey };
  if (original.standing.status !== 'succeeded')
    return refused('action_not_compensable', `${original.actionKey} is ${original.standing.status}, not succeeded`);
  const inTheWay = earlier.findLast((one) => isOpen(one) && !(isReplaceable(one) && own(one)));
  if (inTheWay !== undefined)
    return refused('earlier_action_unsettled', `${inTheWay.actionKey} is ${inTheWay.standing.status}`);
  const done = earlier.findLast((one) => one.standing.status === 'succeeded');
  if (done !== undefined) return refused('already_done', `${done.actionKey} has done this`);
  if (effect.actions.length >= maxActionsOfEffect)
    return refused('field_invalid', `the subject has ${maxActionsOfEffect} actions already`, 'subject');
  if (effect.actions.filter((one) => one.openedAt === draft.now).length >= spareKeys)
    return refused('earlier_action_unsettled', 'too many of this subject at once');
  const replaced = earlier.findLast(isOpen);
  if (replaced !== undefined) withdraw(draft, replaced, 'replaced');
  const fenceId = compensationFenceId(effectId);
  const fence = draft.view.get<Fence>('fence', fenceId) ?? newFence(original.tenant, fenceId);
  const action = openAction(draft, contract, effect, {
    ...ownerOf(original),
    // No proposal of an agent has a colon, so no run takes it for its own.
    proposalId: `compensates:${original.actionKey}`,
    requirementsVersion: original.requirementsVersion,
    connector: original.connector,
    operation,
    subject,
    rootRunId: original.rootRunId,
    turn: original.turn,
    grantUntil: null,
    sealed,
    note: null,
    repeat: false,
    needsApproval: true,
    replayedFrom: null,
    compensation: { of: original.actionKey, requestedBy: message.account },
  });
  draft.fence = { ...fence, actions: [...fence.actions, action.actionKey] };
  putAction(draft, { ...original, compensatedBy: [...(original.compensatedBy ?? []), action.actionKey] });
  return { kind: 'opened', actionKey: action.actionKey };
};
