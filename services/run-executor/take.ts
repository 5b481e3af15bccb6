import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { answerChild, spawn } from './children';
import type { Draft } from './draft';
import { startEnding } from './ending';
import { gate, publishHistory, publishPartial } from './gate';
import { proposalIdOf, propose } from './proposals';
import { openQuestion, withdrawQuestion } from './questions';
import { requestTool } from './tool-calls';
import type { OpenTurn, ToolCallState } from './turn-state';
import { at } from './times';

/** R8: nothing of an outdated turn starts; what it wanted is told to the next one, what it wrote becomes history. */
export const withhold = (draft: Draft, turn: OpenTurn, output: TurnOutput): void => {
  const { run, context } = draft;
  const groups: [string, string[]][] = [
    ['toolCalls', (output.toolCalls ?? []).map((call) => call.callId)],
    ['actions', (output.actions ?? []).map((action, index) => proposalIdOf(action, turn.number, index))],
    ['questions', (output.ask ?? []).map((one) => one.questionId)],
    ['children', (output.spawn ?? []).map((one) => one.childId)],
    ['answerChildren', (output.answerChildren ?? []).map((one) => one.questionId)],
    ['publish', output.publish === undefined ? [] : [`v${turn.version}`]],
    ['report', output.report === undefined ? [] : [`v${turn.version}`]],
  ];
  for (const [what, ids] of groups)
    if (ids.length > 0) run.changes.push({ kind: 'withheld', at: at(context.now), what, ids, code: 'superseded' });
  for (const body of [output.publish, output.report]) if (body !== undefined) publishHistory(draft, turn, body);
  run.again = true;
};

export const take = (draft: Draft, turn: OpenTurn, output: TurnOutput): void => {
  const { run } = draft;
  reuse(run.calls, output);
  for (const questionId of output.withdraw ?? []) withdrawQuestion(draft, questionId);
  (output.actions ?? []).forEach((action, index) =>
    propose(draft, turn, action, proposalIdOf(action, turn.number, index)),
  );
  for (const call of output.toolCalls ?? []) requestTool(draft, turn, call);
  if (output.publish !== undefined) publishPartial(draft, turn, output.publish);
  for (const one of output.spawn ?? []) spawn(draft, turn, one);
  for (const one of output.answerChildren ?? []) answerChild(draft, one);
  // Last: whether a blocking one may park the run depends on what else the turn began.
  for (const one of output.ask ?? []) openQuestion(draft, turn, one);
  const moved =
    [output.toolCalls, output.actions, output.ask, output.withdraw, output.spawn, output.answerChildren].some(
      (list) => (list ?? []).length > 0,
    ) || output.publish !== undefined;
  if (output.again === true) run.again = true;
  if (moved || output.again === true || output.report !== undefined || run.changes.length > 0) run.noProgress = 0;
  if (output.fail !== undefined)
    return startEnding(draft, 'failed', 'agent_failed', `${output.fail.code}: ${output.fail.message}`);
  if (output.report !== undefined) gate(draft, turn, output.report);
};

/** R7: a turn of the current version says which older results it still stands on. */
const reuse = (calls: ToolCallState[], output: TurnOutput): void => {
  const reused = new Set(output.results?.reuse ?? []);
  const dropped = new Set(output.results?.drop ?? []);
  for (const call of calls) {
    if (reused.has(call.callId)) call.needsRecheck = false;
    if (dropped.has(call.callId) && call.status === 'done') call.status = 'dropped';
  }
};
