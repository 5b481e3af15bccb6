import { sha256Hex } from '../platform/canonical';
import { decideFate, textOf, type Draft } from './draft';
import type { Change, Material, ToolResult, Transition, TurnInput } from '../../schemas/turn-protocol/input';
import { inputMaxBytes } from '../../schemas/turn-protocol/limits';
import { gateActions, openQuestions, type ActionState, type PendingUpdate, type Run } from './state';

const at = (ms: number): string => new Date(ms).toISOString();

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

/** All updates pending at a boundary are absorbed in it; each message is told its fate once the input is sealed (R6). */
const absorb = (draft: Draft): readonly PendingUpdate[] => {
  const { run, context } = draft;
  const absorbed = run.pending;
  run.pending = [];
  const from = run.appliedVersion;
  if (absorbed.some((update) => update.kind === 'amendment')) {
    for (const call of run.calls) if (call.version < run.requirements.version) call.needsRecheck = true;
    recordTransition(draft, { version: from }, { version: run.requirements.version });
  }
  for (const update of absorbed)
    run.changes.push(
      update.kind === 'amendment'
        ? {
            kind: 'amended',
            at: at(update.receivedAt),
            version: update.version as number,
            amendKind: update.amendKind as string,
            text: textOf(draft, update.text),
            messageId: update.messageId,
          }
        : {
            kind: 'observed',
            at: at(update.receivedAt),
            text: textOf(draft, update.text),
            messageId: update.messageId,
          },
    );
  run.appliedVersion = run.requirements.version;
  for (const entry of run.requirements.history) if (entry.appliedAt === null) entry.appliedAt = context.now;
  return absorbed;
};

/** An amendment whose text a later `replace` took out of force before any turn saw it was superseded. */
const tellFates = (draft: Draft, absorbed: readonly PendingUpdate[], turn: number, inputSha256: string): void => {
  const { run } = draft;
  for (const update of absorbed) {
    const superseded =
      update.kind === 'amendment' &&
      absorbed.some((later) => later.amendKind === 'replace' && (later.version ?? 0) > (update.version ?? 0));
    decideFate(draft, update, {
      status: superseded ? 'update_superseded' : 'update_applied',
      version: update.version ?? run.requirements.version,
      withEffective: update.kind === 'amendment',
      turn,
      inputSha256,
    });
  }
};

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

const materialsOf = (run: Run): Material[] =>
  run.dependency === null
    ? []
    : [
        {
          kind: 'dependency_report',
          ref: `${run.dependency.runId}/v${run.dependency.version}`,
          text: null,
          sha256: run.dependency.sha256,
          available: false,
          unavailableReason: 'only its reference and hash are recorded here; the publication service has the bytes',
          historical: true,
          trust: 'published',
          fromRunId: run.dependency.runId,
          requirementsVersion: run.dependency.version,
          producedAt: null,
          truncatedFromBytes: null,
        },
      ];

const inputOf = (draft: Draft, number: number): TurnInput => {
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
    changes: run.changes,
    materials: materialsOf(run),
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

const bounded = (input: TurnInput): Buffer => {
  let bytes = Buffer.from(JSON.stringify(input));
  const cut: { [K in (typeof cuttable)[number]]: TurnInput[K] } & { truncated: string[] } = { ...input, truncated: [] };
  for (const list of cuttable)
    while (bytes.length > inputMaxBytes && cut[list].length > 0) {
      const half = Math.ceil(cut[list].length / 2);
      cut[list] = (cut[list] as unknown[]).slice(half) as never;
      cut.truncated = [...new Set([...cut.truncated, list])];
      bytes = Buffer.from(JSON.stringify({ ...input, ...cut }));
    }
  return bytes;
};

/**
 * Seals the next turn: absorbs what is pending, fixes the exact bytes, advances the resume point, and hands the turn to
 * this process, all in the boundary's transaction (R12). Applied is a fact from here on (R4).
 */
export const sealTurn = (draft: Draft): void => {
  const { run, context } = draft;
  const absorbed = absorb(draft);
  const number = run.turns + 1;
  const bytes = bounded(inputOf(draft, number));
  const inputSha256 = sha256Hex(bytes);
  run.epoch += run.lease?.owner === context.instance ? 0 : 1;
  run.turn = {
    number,
    version: run.requirements.version,
    inputSha256,
    sealedAt: context.now,
    attempt: 1,
    deadline: context.now + run.turnTimeoutMs,
    retryAt: null,
    lost: 0,
    firstFailureAt: null,
    answers: run.questions
      .filter((one) => one.answer !== null && one.adoption === 'pending')
      .map((one) => one.interactionRef),
  };
  run.sealedChanges = run.changes.length;
  run.budget.turnsLeft -= 1;
  run.again = false;
  run.holdChanges = null;
  run.status = 'running';
  draft.rows.push({
    table: 'inputs',
    values: {
      run_id: run.runId,
      turn: number,
      sha256: inputSha256,
      requirements_version: run.requirements.version,
      bytes,
      sealed_at: new Date(context.now),
    },
  });
  tellFates(draft, absorbed, number, inputSha256);
  askAgent(draft, bytes);
};

/** How long a claimed turn is this process's own without a sign of life. */
export const leaseMs = 6_000;

export const askAgent = (draft: Draft, inputBytes: Buffer | null, takenOver = false): void => {
  const { run, context, conversation } = draft;
  const turn = run.turn;
  if (turn === null) throw new Error(`run ${run.runId} has no sealed turn to ask`);
  run.lease = { owner: context.instance, until: context.now + leaseMs };
  draft.performs.push({
    type: 'ask',
    runId: run.runId,
    conversation,
    agent: run.agent,
    turn: turn.number,
    epoch: run.epoch,
    attempt: turn.attempt,
    inputSha256: turn.inputSha256,
    inputBytes,
    deadline: turn.deadline,
    takenOver,
    trace: run.trace,
  });
};

/** True while something is open whose change the agent should see: only then may a run wait (R13). */
export const hasOpenWork = (run: Run): boolean =>
  gateActions(run).length > 0 ||
  run.actions.some(
    (action) => action.status === 'unknown' || action.status === 'blocked' || action.status === 'disputed',
  ) ||
  openQuestions(run).length > 0 ||
  run.pending.length > 0;

export const addChange = (run: Run, change: Change): void => void run.changes.push(change);
