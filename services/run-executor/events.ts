import type {
  ActionStateChanged,
  FenceAcknowledged,
  InteractionChanged,
  ProposalDecided,
} from '../../schemas/generated/records';
import { give } from './grants';
import { grantable } from './questions';
import type { Draft } from './draft';
import { sayAdoption } from './ending';
import { takeEventAnswer } from './event-question';
import { takeDefault } from './default-answer';
import { unpark } from './park';
import { answered, known, requestOf } from './requests';

import { isTerminal, type Run } from './state';
import type { ActionState, ActionStatus, QuestionState } from './turn-state';
import type { Change } from '../../schemas/turn-protocol/input';
import { at } from './times';

/** States the agent is told about; what passes by on the way to them is not worth a turn. */
const toldStates = new Set([
  'awaiting_approval',
  'denied',
  'withdrawn',
  'succeeded',
  'failed',
  'unknown',
  'blocked',
  'disputed',
]);
const settledStates = new Set(['denied', 'withdrawn', 'succeeded', 'failed', 'blocked', 'disputed']);

/** Several proposals of one run can stand for one action; a refused one only names what stands in its way. */
const proposalsOf = (run: Run, actionKey: string | null): ActionState[] =>
  run.actions.filter((one) => one.actionKey === actionKey && actionKey !== null && one.status !== 'refused');

export const proposalDecided = (draft: Draft, record: ProposalDecided): void => {
  const { run, context } = draft;
  const action = run.actions.find((one) => one.proposalId === record.proposalId);
  if (action === undefined) return;
  if (action.status !== 'proposing') return learnFromRepeat(draft, action, record);
  // Another proposal of this run may have led to the same action before; its news are known up to there.
  const siblings = record.status === 'refused' ? [] : proposalsOf(run, record.actionKey);
  action.seen = Math.max(action.seen, ...siblings.map((one) => one.seen));
  action.actionKey = record.actionKey;
  action.code = record.code;
  if (record.status === 'refused') {
    answered(draft, `propose/${record.proposalId}`);
    action.status = 'refused';
    run.changes.push({
      kind: 'action_refused',
      at: at(context.now),
      proposalId: record.proposalId,
      code: record.code ?? 'refused',
      actionKey: record.actionKey,
    });
    return;
  }
  moveAction(draft, action, (record.state ?? 'proposed') as ActionStatus);
};

/** How much a state says about what happened; what says less comes too late to be news. */
const certaintyOf = (state: string): number =>
  state === 'unknown' ? 1 : state === 'blocked' ? 2 : settledStates.has(state) ? 3 : 0;

/** The ledger says of a proposal that was asked about again where its action stands: news of it may have been lost. */
const learnFromRepeat = (draft: Draft, action: ActionState, record: ProposalDecided): void => {
  if (record.status === 'refused' || record.state === null || action.actionKey !== record.actionKey) return;
  if (isTerminal(draft.run.status) || certaintyOf(record.state) <= certaintyOf(action.status)) return;
  moveAction(draft, action, record.state as ActionStatus);
};

export const actionChanged = (draft: Draft, record: ActionStateChanged): void => {
  const { run, context } = draft;
  const proposed = run.actions.find((one) => one.proposalId === record.proposalId && one.actionKey === null);
  if (proposed !== undefined && proposed.status !== 'refused') proposed.actionKey = record.actionKey;
  const news = proposalsOf(run, record.actionKey).filter((action) => record.revision > action.seen);
  if (news.length === 0) return;
  for (const action of news) {
    action.seen = record.revision;
    action.code = record.code;
    if (record.receipt !== null) {
      const { by, status, body, at: settledAt } = record.receipt;
      action.receipt = { by, status, body, at: settledAt };
    }
    // The terminal state stays; what is learnt later is appended beside it (R23).
    if (isTerminal(run.status)) action.status = record.state as ActionStatus;
    else moveAction(draft, action, record.state as ActionStatus);
  }
  if (isTerminal(run.status) && settledStates.has(record.state))
    run.lateSettlements.push({ actionKey: record.actionKey, state: record.state, at: context.now });
};

/** Until nothing more is to be expected of it, an action is asked about again, though seldom (R25). */
const moveAction = (draft: Draft, action: ActionState, state: ActionStatus): void => {
  const request = `propose/${action.proposalId}`;
  if (certaintyOf(state) === 3) answered(draft, request);
  else known(draft, request);
  if (action.status === state) return;
  action.status = state;
  if (toldStates.has(state))
    draft.run.changes.push({
      kind: `action_${state}`,
      at: at(draft.context.now),
      actionKey: action.actionKey ?? '',
      proposalId: action.proposalId,
    } as Change);
};

export const fenceAcknowledged = (draft: Draft, record: FenceAcknowledged): void => {
  const { run } = draft;
  if (record.number < run.fence.number) return;
  answered(draft, `fence/${run.fence.number}`);
  run.fence.acknowledged = true;
  for (const key of record.withdrawn)
    for (const action of proposalsOf(run, key)) moveAction(draft, action, 'withdrawn');
};

export const interactionChanged = (draft: Draft, record: InteractionChanged): void => {
  const { run, context } = draft;
  const question = run.questions.find((one) => one.interactionRef === record.interactionRef);
  if (question === undefined) return;
  const over = record.state === 'closed' || record.state === 'answered';
  if (over) answered(draft, requestOf(question));
  else if (record.requestRevision === question.revision) known(draft, requestOf(question));
  if (over) answered(draft, `withdraw/${record.interactionRef}`);
  if (record.revision <= question.seen) return;
  question.seen = record.revision;
  if (isTerminal(run.status)) {
    if (record.state === 'answered' && record.response !== null && question.answer === null) {
      const { text, choice, value } = record.response;
      question.late = { text, choice, value };
    }
    return;
  }
  const { questionId, interactionRef } = question;
  if (record.state === 'open' && question.status === 'asking') question.status = 'open';
  if (record.state === 'closed' && question.status !== 'closed' && question.answer === null) {
    question.status = 'closed';
    question.code = record.code;
    const expired = record.code === 'expired';
    if (expired) takeDefault(question);
    run.changes.push({
      kind: expired ? 'expired' : 'interaction_withdrawn',
      at: at(context.now),
      questionId,
      interactionRef,
    });
  }
  if (record.state === 'answered' && question.answer === null && record.response !== null) {
    const { text, choice, value, decision, late } = record.response;
    question.status = 'answered';
    question.answer = { text, choice, value, decision, late };
    question.adoption = 'pending';
    if (question.kind === 'permission') decidePermission(draft, question);
    else run.changes.push({ kind: 'answered', at: at(context.now), questionId, interactionRef });
    takeEventAnswer(draft, question);
  }
  if (over && run.park?.interactionRef === interactionRef) unpark(draft);
};

/** The executor checks the ceiling again at the time of the answer, and only then grants (H7). */
const decidePermission = (draft: Draft, question: QuestionState): void => {
  const { run, context } = draft;
  const grant = question.grant ?? '';
  const allowed = question.answer?.decision === 'approve' && grantable(draft, grant);
  question.adoption = allowed || question.answer?.decision === 'deny' ? 'adopted' : 'void';
  sayAdoption(draft, question.interactionRef, question.revision, {
    status: question.adoption === 'adopted' ? 'adopted' : 'void',
    reason: question.adoption === 'adopted' ? null : 'outside the ceiling of the tenant at the time of the answer',
    turn: null,
    inputSha256: null,
  });
  if (!allowed) {
    run.changes.push({
      kind: 'grant_refused',
      at: at(context.now),
      grant,
      code: question.answer?.decision === 'deny' ? 'denied' : 'not_granted',
    });
    return;
  }
  give(run, grant, question.interactionRef);
  run.changes.push({ kind: 'grant_added', at: at(context.now), grant, code: null });
};
