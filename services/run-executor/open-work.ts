import type { ChildState } from './tree-state';
import type { Run } from './state';
import type { ActionState, ActionStatus, QuestionState, ToolCallState } from './turn-state';

/** Action states in which something may still start or be on its way (E7, R15). */
const unsettled: ReadonlySet<ActionStatus> = new Set([
  'proposing',
  'proposed',
  'awaiting_approval',
  'admitted',
  'sending',
  'unknown',
]);

/** States the report gate waits for (R22). */
const holdsGate: ReadonlySet<ActionStatus> = new Set([
  'proposing',
  'proposed',
  'awaiting_approval',
  'admitted',
  'sending',
]);

/** States that make a report and its run partial. */
const leftOpen: ReadonlySet<ActionStatus> = new Set(['unknown', 'blocked', 'disputed']);

export const unsettledActions = (run: Run): ActionState[] =>
  run.actions.filter((action) => unsettled.has(action.status));

export const gateActions = (run: Run): ActionState[] => run.actions.filter((action) => holdsGate.has(action.status));

export const openActions = (run: Run): ActionState[] => run.actions.filter((action) => leftOpen.has(action.status));

export const openQuestions = (run: Run): QuestionState[] =>
  run.questions.filter((one) => one.status === 'asking' || one.status === 'open');

export const openCalls = (run: Run): ToolCallState[] => run.calls.filter((call) => call.status === 'open');

export const liveChildren = (run: Run): ChildState[] => run.children.filter((child) => child.state === null);

/** True while something is open whose change the agent should see: only then may a run wait (R13). */
export const hasOpenWork = (run: Run): boolean =>
  gateActions(run).length > 0 ||
  run.actions.some(
    (action) => action.status === 'unknown' || action.status === 'blocked' || action.status === 'disputed',
  ) ||
  openQuestions(run).length > 0 ||
  liveChildren(run).length > 0 ||
  run.pending.length > 0;
