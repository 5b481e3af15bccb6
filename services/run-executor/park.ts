import type { Draft } from './draft';
import { liveChildren, openCalls } from './open-work';
import { at } from './times';
import { changeTree, isInTree, treeOf } from './tree';
import type { QuestionState } from './turn-state';

/** H5: why this run may not park now; null = it may. */
const refusalOf = (draft: Draft): string | null => {
  const { run, settings } = draft;
  if (run.scheduled) return 'scheduled';
  if (settings.agent(run.tenant, run.agent)?.park === 'never') return 'park_never';
  if (openCalls(run).length > 0) return 'tool_call_unfinished';
  if (run.actions.some((action) => action.status === 'sending')) return 'action_sending';
  if (run.park !== null) return 'already_parked';
  if (liveChildren(run).length > 0) return 'child_running';
  if (isInTree(draft) && treeOf(draft).parked !== null) return 'root_parked';
  return null;
};

/** The same run stands still for an answer; refused, the question goes on beside the run and the agent is told why. */
export const parkFor = (draft: Draft, question: QuestionState): void => {
  const { run, context } = draft;
  const reason = refusalOf(draft);
  if (reason !== null) {
    question.mode = 'non_blocking';
    run.changes.push({ kind: 'park_refused', at: at(context.now), questionId: question.questionId, reason });
    return;
  }
  run.park = { interactionRef: question.interactionRef, since: context.now };
  if (run.status === 'running') run.status = 'parked';
  if (isInTree(draft)) changeTree(draft, { parked: run.runId });
};

/** Without a word: the run ends, or goes on. */
export const leavePark = (draft: Draft): void => {
  draft.run.park = null;
  if (isInTree(draft) && treeOf(draft).parked === draft.run.runId) changeTree(draft, { parked: null });
};

/** Its question is over, or an amendment came, with which the question stays open beside the run. */
export const unpark = (draft: Draft): void => {
  const { run } = draft;
  if (run.park === null) return;
  for (const question of run.questions)
    if (question.interactionRef === run.park.interactionRef) question.mode = 'non_blocking';
  leavePark(draft);
  if (run.status === 'parked') run.status = 'waiting';
};
