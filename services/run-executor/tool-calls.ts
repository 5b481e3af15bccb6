import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { type Draft, keep } from './draft';
import { isGranted } from './grants';
import type { OpenTurn, ToolCallState } from './turn-state';

export const requestTool = (draft: Draft, turn: OpenTurn, call: NonNullable<TurnOutput['toolCalls']>[number]): void => {
  const { run, context, conversation } = draft;
  if (run.calls.some((known) => known.callId === call.callId)) return;
  const inputText = JSON.stringify(call.input ?? null);
  const granted = isGranted(run, 'tool', call.tool, context.now);
  run.calls.push({
    callId: call.callId,
    tool: call.tool,
    input: keep(draft, inputText),
    version: turn.version,
    turn: turn.number,
    status: granted ? 'open' : 'done',
    ok: false,
    output: null,
    error: granted ? null : { code: 'not_granted', message: `the tool ${call.tool} is not granted to this run` },
    needsRecheck: false,
  });
  if (!granted) {
    run.again = true;
    return;
  }
  run.lease ??= { owner: context.instance, until: context.now + toolLeaseMs };
  performTool(draft, run.calls.at(-1) as ToolCallState, inputText, conversation);
};

export const toolLeaseMs = 6_000;

export const performTool = (draft: Draft, call: ToolCallState, inputText: string, conversation: string): void => {
  const { run } = draft;
  draft.performs.push({
    type: 'tool',
    runId: run.runId,
    conversation,
    turn: call.turn,
    epoch: run.epoch,
    callId: call.callId,
    tool: call.tool,
    inputText,
    trace: run.trace,
    for: {
      conversationId: run.conversationId,
      taskId: run.taskId,
      runId: run.runId,
      turn: call.turn,
      requirementsVersion: call.version,
    },
  });
};
