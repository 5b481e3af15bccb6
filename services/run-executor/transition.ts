import type { Transition, TurnInput } from '../../schemas/turn-protocol/input';
import type { Draft } from './draft';
import { openQuestions } from './open-work';
import type { Run } from './state';
import type { ActionState } from './turn-state';
import { at } from './times';

export const budgetView = (run: Run): TurnInput['budget'] => ({
  turnsLeft: run.budget.turnsLeft,
  costLeft: run.budget.costLeft,
  hardDeadline: at(run.budget.hardDeadline),
});

const keysOf = (actions: readonly ActionState[]): string[] =>
  actions.map((action) => action.actionKey ?? action.proposalId);

const inState = (run: Run, ...states: readonly string[]): string[] =>
  keysOf(run.actions.filter((action) => states.includes(action.status)));

/** R9: what a change of version or control found, from the run's own record and the fence's acknowledgement. */
export const transitionOf = (run: Run, from: unknown, to: unknown): Transition => ({
  from,
  to,
  effectsDone: inState(run, 'succeeded'),
  withdrawn: inState(run, 'withdrawn'),
  inFlight: inState(run, 'sending'),
  unknown: inState(run, 'unknown', 'blocked', 'disputed'),
  reusableResults: run.calls.filter((call) => call.status === 'done' && !call.needsRecheck).map((call) => call.callId),
  resultsToRecheck: run.calls.filter((call) => call.status === 'done' && call.needsRecheck).map((call) => call.callId),
  openInteractions: openQuestions(run).map((one) => one.interactionRef),
  budgetLeft: budgetView(run),
});

export const recordTransition = (draft: Draft, from: unknown, to: unknown): void => {
  const { run, context } = draft;
  run.transition = transitionOf(run, from, to);
  run.transitions = [...run.transitions, { ...run.transition, at: context.now }];
};
