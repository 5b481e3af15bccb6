import { interactionRefOf } from '../platform/identity';
import type { AgentOutcome } from './agents/agent';
import { advance } from './advance';
import { emit } from '../platform/decision';
import { keep, ofRun, type Draft } from './draft';
import { sayAdoption, startEnding } from './ending';
import { gate, publishHistory, publishPartial } from './gate';
import { runKey } from './messages';
import { ask, answered } from './requests';
import { addChange } from './seal';
import type { ActionState, Cause, OpenTurn, QuestionState, ToolCallState } from './state';
import { checkOutput } from './turn-protocol/check-output';
import type { Ask, TurnOutput } from '../../schemas/turn-protocol/output';

/** First rest of an agent that could not answer; doubled up to the longest. */
const firstRetryMs = 1_000;
const maxRetryMs = 600_000;

const at = (ms: number): string => new Date(ms).toISOString();

/** The answer to the open turn, checked for number and epoch by the caller. */
export const takeAnswer = (draft: Draft, turn: OpenTurn, outcome: AgentOutcome): void => {
  switch (outcome.kind) {
    case 'aborted':
      return;
    case 'retry':
      return restAgent(
        draft,
        turn,
        outcome.reason === 'timeout' ? 'agent_timeout' : 'agent_unreachable',
        outcome.retryAfterMs ?? null,
      );
    case 'defect':
      return startEnding(draft, 'failed', 'defect', outcome.message);
    case 'malformed':
      return startEnding(
        draft,
        'failed',
        'malformed_output',
        outcome.field === undefined ? outcome.message : `${outcome.field}: ${outcome.message}`,
      );
    case 'output': {
      const { run } = draft;
      const checked = checkOutput(outcome.raw, {
        conversationId: run.conversationId,
        taskId: run.taskId,
        runId: run.runId,
        turn: turn.number,
        requirementsVersion: turn.version,
      });
      if (!checked.ok)
        return startEnding(
          draft,
          'failed',
          'malformed_output',
          `${checked.code} at ${checked.field}: ${checked.message}`,
        );
      const missing = notThereYet(checked.output);
      if (missing !== null) return startEnding(draft, 'failed', 'malformed_output', `${missing}: not implemented`);
      return commitTurn(draft, turn, checked.output);
    }
  }
};

/** Parts of the protocol this release refuses by name instead of ignoring them. */
const notThereYet = (output: TurnOutput): string | null => {
  if ((output.spawn ?? []).length > 0) return 'spawn';
  if ((output.answerChildren ?? []).length > 0) return 'answerChildren';
  if ((output.ask ?? []).some((one) => one.revises !== undefined)) return 'ask.revises';
  return null;
};

/** Time-outs, connection errors, 429 and 5xx: the same sealed turn again, later; after the bound interrupted (R14). */
const restAgent = (draft: Draft, turn: OpenTurn, cause: Cause, retryAfterMs: number | null): void => {
  const { run, context } = draft;
  turn.firstFailureAt ??= context.now;
  if (context.now - turn.firstFailureAt >= run.retryMaxMs)
    return startEnding(draft, 'interrupted', cause, `turn ${turn.number} got no answer in ${turn.attempt} attempts`);
  const restMs = Math.min(maxRetryMs, Math.max(firstRetryMs * 2 ** Math.min(turn.attempt - 1, 16), retryAfterMs ?? 0));
  turn.retryAt = context.now + restMs;
  run.lease = null;
};

/** R11: one transaction per turn. What the turn was asked under an older version is sorted as R8 says. */
const commitTurn = (draft: Draft, turn: OpenTurn, output: TurnOutput): void => {
  const { run } = draft;
  const stale = turn.version < run.requirements.version;
  run.turn = null;
  run.lease = null;
  run.turns = turn.number;
  run.changes = run.changes.slice(run.sealedChanges);
  run.sealedChanges = 0;
  run.transition = null;
  if (output.state !== undefined)
    run.agentState = { value: keep(draft, JSON.stringify(output.state ?? null)), version: turn.version };
  if (output.usage !== undefined && run.budget.costLeft !== null)
    run.budget.costLeft = Math.max(0, run.budget.costLeft - output.usage.cost);
  if (output.summary !== undefined) run.summary = keep(draft, output.summary);
  if (output.openQuestions !== undefined) run.openQuestions = output.openQuestions;
  if (output.understood !== undefined)
    for (const entry of run.requirements.history)
      if (entry.version === turn.version) entry.understood = output.understood;
  adopt(draft, turn);
  journal(draft, turn, output, stale);
  if (stale) withhold(draft, turn, output);
  else take(draft, turn, output);
  advance(draft);
};

/** The committed turn whose sealed input carried an answer is its adopter (H2). */
const adopt = (draft: Draft, turn: OpenTurn): void => {
  for (const question of draft.run.questions) {
    if (question.adoption !== 'pending' || !turn.answers.includes(question.interactionRef)) continue;
    question.adoption = 'adopted';
    sayAdoption(draft, question.interactionRef, question.revision, {
      status: 'adopted',
      reason: null,
      turn: turn.number,
      inputSha256: turn.inputSha256,
    });
  }
};

const proposalIdOf = (action: NonNullable<TurnOutput['actions']>[number], turn: number, index: number): string =>
  action.proposalId ?? `t${turn}.${index + 1}`;

const journal = (draft: Draft, turn: OpenTurn, output: TurnOutput, stale: boolean): void => {
  const { run, context } = draft;
  const outcome = stale
    ? 'superseded'
    : output.report !== undefined
      ? 'report'
      : output.fail !== undefined
        ? 'fail'
        : 'continue';
  const toolCalls = (output.toolCalls ?? []).map(({ callId, tool }) => ({ callId, tool }));
  const actions = (output.actions ?? []).map((action, index) => proposalIdOf(action, turn.number, index));
  const questions = (output.ask ?? []).map((one) => one.questionId);
  draft.rows.push({
    table: 'turns',
    values: {
      run_id: run.runId,
      number: turn.number,
      attempts: turn.attempt,
      requirements_version: turn.version,
      input_sha256: turn.inputSha256,
      outcome,
      doc: JSON.stringify({ toolCalls, actions, asks: questions, understood: output.understood ?? null }),
      started_at: new Date(turn.sealedAt),
      ended_at: new Date(context.now),
    },
  });
  draft.emits.push(
    emit(runKey(run.runId), 'run.events.v1', 'TurnCommitted', run.conversationId, {
      ...ofRun(draft),
      turn: turn.number,
      attempts: turn.attempt,
      requirementsVersion: turn.version,
      inputSha256: turn.inputSha256,
      outcome,
      toolCalls,
      actions,
      questions,
      understood: output.understood ?? null,
      startedAt: turn.sealedAt,
      endedAt: context.now,
      stale,
    }),
  );
};

/** R8: nothing of an outdated turn starts; what it wanted is told to the next one, what it wrote becomes history. */
const withhold = (draft: Draft, turn: OpenTurn, output: TurnOutput): void => {
  const { run, context } = draft;
  const groups: [string, string[]][] = [
    ['toolCalls', (output.toolCalls ?? []).map((call) => call.callId)],
    ['actions', (output.actions ?? []).map((action, index) => proposalIdOf(action, turn.number, index))],
    ['questions', (output.ask ?? []).map((one) => one.questionId)],
    ['publish', output.publish === undefined ? [] : [`v${turn.version}`]],
    ['report', output.report === undefined ? [] : [`v${turn.version}`]],
  ];
  for (const [what, ids] of groups)
    if (ids.length > 0) addChange(run, { kind: 'withheld', at: at(context.now), what, ids });
  for (const body of [output.publish, output.report]) if (body !== undefined) publishHistory(draft, turn, body);
  run.again = true;
};

const take = (draft: Draft, turn: OpenTurn, output: TurnOutput): void => {
  const { run } = draft;
  reuse(run.calls, output);
  for (const questionId of output.withdraw ?? []) withdrawQuestion(draft, questionId);
  for (const one of output.ask ?? []) openQuestion(draft, turn, one);
  (output.actions ?? []).forEach((action, index) =>
    propose(draft, turn, action, proposalIdOf(action, turn.number, index)),
  );
  for (const call of output.toolCalls ?? []) requestTool(draft, turn, call);
  if (output.publish !== undefined) publishPartial(draft, turn, output.publish);
  const moved =
    [output.toolCalls, output.actions, output.ask, output.withdraw].some((list) => (list ?? []).length > 0) ||
    output.publish !== undefined;
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

const withdrawQuestion = (draft: Draft, questionId: string): void => {
  for (const question of draft.run.questions) {
    if (question.questionId !== questionId || (question.status !== 'asking' && question.status !== 'open')) continue;
    answered(draft, `interaction/${question.interactionRef}`);
    ask(draft, `withdraw/${question.interactionRef}`);
  }
};

const recipientOf = (draft: Draft, to: string | undefined): QuestionState['recipient'] => {
  if (to?.startsWith('role:') === true) return { kind: 'role', name: to.slice('role:'.length) };
  if (to?.startsWith('account:') === true) return { kind: 'account', name: to.slice('account:'.length) };
  // A run without a parent asks its user either way.
  return { kind: 'account', name: draft.run.account };
};

const openQuestion = (draft: Draft, turn: OpenTurn, one: Ask): void => {
  const { run, context } = draft;
  if (run.questions.some((known) => known.questionId === one.questionId)) return;
  if (one.kind === 'permission' && !grantable(draft, one.grant ?? '')) {
    addChange(run, { kind: 'grant_refused', at: at(context.now), grant: one.grant ?? '', code: 'not_granted' });
    return;
  }
  if (one.mode === 'blocking')
    addChange(run, {
      kind: 'park_refused',
      at: at(context.now),
      questionId: one.questionId,
      reason: 'not_implemented',
    });
  const interactionRef = interactionRefOf(run.runId, one.questionId);
  run.questions.push({
    questionId: one.questionId,
    interactionRef,
    kind: one.kind,
    mode: 'non_blocking',
    revision: 1,
    turn: turn.number,
    version: turn.version,
    question: one.question,
    choices: one.choices ?? [],
    schema: one.schema === undefined ? null : JSON.stringify(one.schema),
    defaultAnswer: one.default === undefined ? null : JSON.stringify(one.default),
    grant: one.grant ?? null,
    recipient: recipientOf(draft, one.to),
    expiresAt: one.expiresInSec === undefined ? null : context.now + one.expiresInSec * 1_000,
    remindAfterSec: one.remindAfterSec ?? null,
    escalateTo: one.escalateTo ?? null,
    holdsReport: one.holdsReport === true,
    status: 'asking',
    code: null,
    seen: 0,
    answer: null,
    adoption: 'none',
  });
  ask(draft, `interaction/${interactionRef}`);
};

/** Outside the tenant's ceiling no interaction is made at all (H7). */
export const grantable = (draft: Draft, grant: string): boolean => {
  const [kind = '', name = ''] = grant.split(/:(.*)/s);
  const ceiling = draft.settings.ceiling(draft.run.tenant);
  if (kind === 'tool') return ceiling.tools.includes(name);
  if (kind === 'connector') return ceiling.connectors.includes(name);
  if (kind === 'source') return ceiling.sources.includes(name);
  return kind === 'consent' && name !== '';
};

const propose = (
  draft: Draft,
  turn: OpenTurn,
  action: NonNullable<TurnOutput['actions']>[number],
  proposalId: string,
): void => {
  const { run, context } = draft;
  if (run.actions.some((known) => known.proposalId === proposalId)) return;
  const granted = run.grants.connectors.includes(action.connector);
  const state: ActionState = {
    proposalId,
    connector: action.connector,
    operation: action.operation,
    subject: action.subject,
    request: {
      params: action.params === undefined ? null : keep(draft, JSON.stringify(action.params)),
      body: action.body === undefined ? null : keep(draft, action.body),
    },
    note: action.note ?? null,
    approval: action.approval === true,
    repeat: action.repeat === true,
    turn: turn.number,
    version: turn.version,
    actionKey: null,
    seen: 0,
    status: granted ? 'proposing' : 'refused',
    code: granted ? null : 'not_granted',
    receipt: null,
  };
  run.actions.push(state);
  if (granted) ask(draft, `propose/${proposalId}`);
  else
    addChange(run, { kind: 'action_refused', at: at(context.now), proposalId, code: 'not_granted', actionKey: null });
};

const requestTool = (draft: Draft, turn: OpenTurn, call: NonNullable<TurnOutput['toolCalls']>[number]): void => {
  const { run, context, conversation } = draft;
  if (run.calls.some((known) => known.callId === call.callId)) return;
  const inputText = JSON.stringify(call.input ?? null);
  const granted = run.grants.tools.includes(call.tool);
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
