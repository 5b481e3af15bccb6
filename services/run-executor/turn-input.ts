import type { Change, Material, ToolResult, TurnInput } from '../../schemas/turn-protocol/input';
import { inputMaxBytes } from '../../schemas/turn-protocol/limits';
import { type Draft, textOf } from './draft';
import type { Run } from './state';
import { budgetView } from './transition';
import { isRequest, materialsOf } from './materials';
import { at } from './times';

const resultOf = (draft: Draft, call: Run['calls'][number]): ToolResult => ({
  callId: call.callId,
  tool: call.tool,
  input: JSON.parse(textOf(draft, call.input)) as unknown,
  requirementsVersion: call.version,
  ok: call.ok,
  output: call.output === null ? null : (JSON.parse(textOf(draft, call.output)) as unknown),
  error: call.error,
  needsRecheck: call.needsRecheck,
});

/** A child's report is kept beside the document and put into the input with its bytes. */
const withReport = (draft: Draft, change: Change): Change => {
  if (change.kind !== 'child_ended') return change;
  const report = draft.run.children.find((child) => child.childId === change.childId)?.report ?? null;
  return { ...change, report: report === null ? null : { ...report, body: textOf(draft, report.body) } };
};

export const inputOf = (draft: Draft, number: number): TurnInput => {
  const { run } = draft;
  return {
    protocol: 'fairlead.turn/1',
    for: {
      conversationId: run.conversationId,
      taskId: run.taskId,
      runId: run.runId,
      turn: number,
      requirementsVersion: run.requirements.version,
    },
    run: {
      rootRunId: run.rootRunId,
      parentRunId: run.parentRunId,
      continuationOfRunId: run.continuationOfRunId,
      tenant: run.tenant,
      account: run.account,
      entity: run.entity,
      agent: run.agent,
      scheduled: run.scheduled,
      title: run.title,
    },
    requirements: {
      version: run.requirements.version,
      texts: run.requirements.texts.map(({ version, text, messageId, receivedAt }) => ({
        version,
        text: textOf(draft, text),
        messageId,
        receivedAt: at(receivedAt),
      })),
      structured: run.requirements.structured,
      history: run.requirements.history.map((entry) => ({
        version: entry.version,
        kind: entry.kind,
        text: textOf(draft, entry.text),
        receivedAt: at(entry.receivedAt),
      })),
    },
    transition: run.transition,
    changes: run.changes.map((change) => withReport(draft, change)),
    materials: materialsOf(draft),
    toolResults: run.calls.filter((call) => call.status === 'done').map((call) => resultOf(draft, call)),
    actions: run.actions
      .filter((action) => action.actionKey !== null && action.status !== 'refused' && action.status !== 'proposing')
      .map((action) => ({
        actionKey: action.actionKey as string,
        proposalId: action.proposalId,
        connector: action.connector,
        operation: action.operation,
        subject: action.subject,
        state: action.status as TurnInput['actions'][number]['state'],
        code: action.code,
        receipt:
          action.receipt === null
            ? null
            : {
                by: action.receipt.by,
                status: action.receipt.status,
                body: action.receipt.body,
                at: at(action.receipt.at),
              },
        requirementsVersion: action.version,
      })),
    answers: run.questions
      .filter((question) => question.answer !== null)
      .map((question) => ({
        questionId: question.questionId,
        interactionRef: question.interactionRef,
        text: question.answer?.text ?? null,
        choice: question.answer?.choice ?? null,
        value:
          question.answer?.value === null || question.answer === null
            ? null
            : (JSON.parse(question.answer.value) as unknown),
        decision: question.answer?.decision ?? null,
        late: question.answer?.late ?? false,
        requirementsVersion: question.version,
        needsRecheck: question.version < run.requirements.version,
      })),
    state:
      run.agentState === null
        ? null
        : {
            value: JSON.parse(textOf(draft, run.agentState.value)) as unknown,
            requirementsVersion: run.agentState.version,
          },
    budget: budgetView(run),
    truncated: [],
  };
};

/** Lists that may grow are cut from their oldest end until the input fits; the agent is told which (turn protocol). */
const cuttable = ['toolResults', 'materials', 'changes'] as const satisfies readonly (keyof TurnInput)[];

/** What a run was asked for comes along whatever else has to stay behind (A12). */
const stays = (list: (typeof cuttable)[number], item: unknown): boolean =>
  list === 'materials' && isRequest(item as Material);

export const bounded = (input: TurnInput): Buffer => {
  let bytes = Buffer.from(JSON.stringify(input));
  const cut: { [K in (typeof cuttable)[number]]: TurnInput[K] } & { truncated: string[] } = { ...input, truncated: [] };
  for (const list of cuttable) {
    const items = cut[list] as unknown[];
    const kept = items.filter((item) => stays(list, item));
    let others = items.filter((item) => !stays(list, item));
    while (bytes.length > inputMaxBytes && others.length > 0) {
      others = others.slice(Math.ceil(others.length / 2));
      cut[list] = [...kept, ...others] as never;
      cut.truncated = [...new Set([...cut.truncated, list])];
      bytes = Buffer.from(JSON.stringify({ ...input, ...cut }));
    }
  }
  return bytes;
};
