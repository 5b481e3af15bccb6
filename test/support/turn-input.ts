import { Check } from 'typebox/value';
import { decideTurn } from '../../services/run-executor/agents/market-report/market-report';
import { priceSeries } from '../../services/run-executor/tools/price-series';
import { functionTool, runTool } from '../../services/run-executor/tools/tool';
import { checkOutput } from '../../services/run-executor/turn-protocol/check-output';
import {
  TurnInputSchema,
  type ActionView,
  type Change,
  type ToolResult,
  type TurnInput,
} from '../../schemas/turn-protocol/input';
import type { TurnOutput } from '../../schemas/turn-protocol/output';

const at = '2026-11-30T10:00:00.000Z';

export const turnInput = (texts: readonly string[], fields: Partial<TurnInput> = {}): TurnInput => {
  const version = fields.requirements?.version ?? texts.length;
  return {
    protocol: 'fairlead.turn/1',
    for: { conversationId: 'c-1', taskId: 'task-1', runId: 'run-1', turn: 1, requirementsVersion: version },
    run: {
      rootRunId: 'run-1',
      parentRunId: null,
      continuationOfRunId: null,
      tenant: 'local',
      account: 'alice',
      entity: null,
      agent: 'market-report',
      scheduled: false,
      title: null,
    },
    requirements: {
      version,
      texts: texts.map((text, i) => ({ version: i + 1, text, messageId: `m-${i + 1}`, receivedAt: at })),
      structured: null,
      history: [],
    },
    transition: null,
    changes: [],
    materials: [],
    toolResults: [],
    actions: [],
    answers: [],
    state: null,
    budget: { turnsLeft: 50, costLeft: null, hardDeadline: null },
    truncated: [],
    ...fields,
  };
};

/** One turn as the executor would have it: the input has the protocol's shape, the output passes its check. */
export const ask = (input: TurnInput): TurnOutput => {
  if (!Check(TurnInputSchema, input)) throw new Error('the test made an input that is none');
  const checked = checkOutput(JSON.parse(JSON.stringify(decideTurn(input))), input.for);
  if (!checked.ok) throw new Error(checked.message);
  return checked.output;
};

export const resultsFor = async (output: TurnOutput, version: number): Promise<ToolResult[]> =>
  Promise.all(
    (output.toolCalls ?? []).map(async ({ callId, tool, input }) => {
      const request = { for: output.for, callId, tool, input };
      const result = await runTool(functionTool(priceSeries), request, { signal: new AbortController().signal });
      if ('kind' in result) throw new Error('aborted');
      return {
        callId,
        tool,
        input,
        requirementsVersion: version,
        ok: result.ok,
        output: result.ok ? result.output : null,
        error: result.ok ? null : result.error,
        needsRecheck: false,
      };
    }),
  );

export const next = (input: TurnInput, output: TurnOutput, fields: Partial<TurnInput>): TurnInput => ({
  ...input,
  changes: [],
  transition: null,
  state: { value: output.state, requirementsVersion: input.requirements.version },
  ...fields,
  for: {
    ...input.for,
    turn: input.for.turn + 1,
    requirementsVersion: fields.requirements?.version ?? input.requirements.version,
  },
});

export const actionOf = (
  output: TurnOutput,
  state: ActionView['state'],
  fields: Partial<ActionView> = {},
): ActionView => {
  const proposal = output.actions?.[0];
  if (proposal === undefined) throw new Error('nothing was proposed');
  const { connector, operation, subject, proposalId = null } = proposal;
  return {
    actionKey: `${connector}:${operation}:${subject}:v1`,
    proposalId,
    connector,
    operation,
    subject,
    state,
    code: null,
    receipt: null,
    requirementsVersion: output.for.requirementsVersion,
    ...fields,
  };
};

export const answerOf = (choice: string | null, fields: Partial<TurnInput['answers'][number]> = {}) => ({
  questionId: 'returns',
  interactionRef: 'i-1',
  text: null,
  choice,
  value: null,
  decision: null,
  late: false,
  requirementsVersion: 1,
  needsRecheck: false,
  ...fields,
});

export const change = (kind: Change['kind'], fields: Record<string, unknown> = {}): Change =>
  ({ kind, at, questionId: 'returns', interactionRef: 'i-1', actionKey: 'k', proposalId: 'p', ...fields }) as Change;
