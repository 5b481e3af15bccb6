import type { StartRun } from '../../schemas/generated/records';
import { sha256Hex } from '../platform/canonical';
import { emit, type Context, type Decision, type View } from '../platform/decision';
import { advance } from './advance';
import { mustWaitInConversation } from './conversation';
import { decideFate, draftOf, keep, newFate, say, type Draft, type Intent } from './draft';
import { finish } from './finish';
import { conversationIdOf, runKey, type EndedRun, type Message } from './messages';
import type { Settings, AgentSettings } from './settings';
import { isRun, isTerminal, type Awaited, type Kept, type Run, type RunRow } from './state';
import { startEnding } from './ending';
import type { Transition } from '../../schemas/turn-protocol/input';

const initialText = (runId: string, record: StartRun): Kept => {
  const sha256 = sha256Hex(Buffer.from(record.content));
  return { ref: `${runId}/${sha256}`, sha256, bytes: Buffer.byteLength(record.content), inline: record.content };
};

const newRun = (record: StartRun, agentName: string, agent: AgentSettings, now: number, trace: Run['trace']): Run => ({
  status: 'queued',
  cause: null,
  detail: null,
  runId: record.runId,
  taskId: record.taskId,
  tenant: record.tenant,
  app: record.app,
  account: record.account,
  conversationId: record.conversationId,
  messageId: record.messageId,
  relation: record.relation,
  agent: agentName,
  title: record.title,
  priority: record.priority,
  scheduled: record.scheduled,
  mode: record.mode === 'parallel' ? 'parallel' : 'queue',
  entity:
    record.entityType === null || record.entityId === null ? null : { type: record.entityType, id: record.entityId },
  rootRunId: record.runId,
  parentRunId: record.parentRunId,
  continuationOfRunId: record.continuationOfRunId,
  trace,
  enqueuedAt: now,
  startedAt: null,
  endedAt: null,
  holds: [],
  dependents: [],
  dependency: null,
  requirements: {
    version: 1,
    texts: [],
    structured: record.requirements === null ? null : (JSON.parse(record.requirements) as Record<string, unknown>),
    history: [],
  },
  appliedVersion: 0,
  pending: [],
  fates: [],
  epoch: 0,
  lease: null,
  turn: null,
  turns: 0,
  calls: [],
  actions: [],
  questions: [],
  requests: [],
  publications: [],
  fence: { number: 0, minVersion: 1, mode: 'open', acknowledged: true },
  agentState: null,
  summary: null,
  openQuestions: [],
  changes: [],
  sealedChanges: 0,
  transition: null,
  transitions: [],
  budget: { turnsLeft: agent.budget.turns, costLeft: agent.budget.cost, hardDeadline: now + agent.budget.deadlineMs },
  grants: agent.grants,
  recovery: agent.recovery,
  cancelSettleMs: agent.cancelSettleMs,
  retryMaxMs: agent.retryMaxMs,
  turnTimeoutMs: agent.turnTimeoutMs,
  again: true,
  noProgress: 0,
  holdChanges: null,
  gated: null,
  seqs: {},
  report: null,
  lastPublished: null,
  cancel: null,
  readyAt: null,
  ending: null,
  unsettledActions: [],
  lateSettlements: [],
});

/** A refusal that leaves no run behind; decided the same way at every repeat. */
const refuse = (record: StartRun, code: string, field: string, detail: string): Decision<Message, Intent> => ({
  emit: [
    emit(
      runKey(record.runId),
      'run.events.v1',
      'MessageDecided',
      record.conversationId,
      {
        tenant: record.tenant,
        app: record.app,
        account: record.account,
        conversationId: record.conversationId,
        messageId: record.messageId,
        clientMessageId: record.clientMessageId,
        revision: 1,
        status: 'refused',
        runId: null,
        taskId: null,
        targetRunId: null,
        parentRunId: record.parentRunId,
        continuationOfRunId: record.continuationOfRunId,
        requirementsVersion: null,
        effectiveRequirements: null,
        interactionRef: null,
        requestRevision: null,
        adoption: null,
        result: null,
        code,
        field,
        detail,
        candidates: [],
      },
      `${record.messageId}/fate/1/attempt/${record.attempt}`,
    ),
  ],
});

const seen = (row: RunRow | undefined, record: StartRun): row is Run =>
  isRun(row) && row.tenant === record.tenant && row.account === record.account;

/** What this run must wait for, or why it can never start. */
const findHolds = (
  view: View,
  record: StartRun,
):
  | { readonly holds: Run['holds']; readonly puts: Run[] }
  | { readonly code: string; readonly field: string; readonly detail: string } => {
  const holds: Run['holds'] = [];
  const puts: Run[] = [];
  // It gives no right and carries no limit, but what it names is shown to the agent: only the account's own (A9).
  if (record.parentRunId !== null && !seen(view.get<RunRow>('run', record.parentRunId), record))
    return { code: 'unknown_run', field: 'parentRunId', detail: 'no such run of this account' };
  if (record.dependsOnRunId !== null) {
    const other = view.get<RunRow>('run', record.dependsOnRunId);
    if (!seen(other, record))
      return { code: 'unknown_run', field: 'dependsOnRunId', detail: 'no such run of this account' };
    holds.push({ runId: other.runId, kind: 'dependency' });
    if (!isTerminal(other.status)) puts.push({ ...other, dependents: [...other.dependents, record.runId] });
  }
  return { holds, puts };
};

export const decideStart = (
  view: View,
  message: Extract<Message, { type: 'start' }>,
  context: Context,
  settings: Settings,
): Decision<Message, Intent> => {
  const { record } = message;
  const row = view.get<RunRow>('run', record.runId);
  const conversation = conversationIdOf(record);
  if (isRun(row)) {
    const repeat = draftOf(row, row, conversation, view, context, settings);
    const fate = row.fates.find((one) => one.messageId === record.messageId);
    if (fate !== undefined) say(repeat, fate, record.attempt);
    return { emit: repeat.emits };
  }
  if (record.relation === 'continue')
    return refuse(
      record,
      'not_implemented',
      'relation',
      'continuing an ended run is not there yet; start a follow_up instead',
    );
  const agentName = record.agent ?? settings.defaultAgent(record.tenant) ?? '';
  const agent = settings.agent(record.tenant, agentName);
  if (agent === undefined)
    return refuse(record, 'unknown_agent', 'agent', `no agent named ${agentName} is configured for this tenant`);
  const found = findHolds(view, record);
  if ('code' in found) return refuse(record, found.code, found.field, found.detail);

  const run = newRun(record, agentName, agent, context.now, {
    correlationId: context.trace.correlationId ?? context.cause,
    traceparent: context.trace.traceparent,
  });
  const draft = draftOf(run, null, conversation, view, context, settings);
  const text = initialText(run.runId, record);
  const kept = text.bytes > 0 ? keep(draft, record.content) : text;
  run.requirements.texts = [{ version: 1, text: kept, messageId: record.messageId, receivedAt: record.receivedAt }];
  run.requirements.history = [
    {
      version: 1,
      kind: 'initial',
      text: kept,
      messageId: record.messageId,
      receivedAt: context.now,
      appliedAt: null,
      understood: null,
    },
  ];
  run.holds = found.holds;
  // Handed on from the run that was interrupted or amended too late (R9).
  if (message.transition !== undefined && message.transition !== null) handOn(run, message.transition);
  draft.rows.push({
    table: 'tasks',
    values: {
      task_id: run.taskId,
      tenant: run.tenant,
      account: run.account,
      conversation_id: run.conversationId,
      entity_type: record.entityType,
      entity_id: record.entityId,
      title: record.title,
    },
  });

  const cancelled = row !== undefined && row.until !== null && row.cancels.length > 0 ? row : null;
  const puts: { key: ReturnType<typeof runKey>; state: unknown }[] = found.puts.map((other) => ({
    key: runKey(other.runId),
    state: other,
  }));
  if (message.fate !== undefined) run.fates = [message.fate];
  if (cancelled !== null) return cancelBeforeStart(draft, record, cancelled);
  for (const hold of [...run.holds]) settleHold(draft, endedOf(view, hold.runId));
  if (record.interruptRunId !== null) puts.push(...interrupt(draft, record.interruptRunId));
  if (!isTerminal(run.status)) {
    const waits = mustWaitInConversation(draft);
    advance(draft);
    if (message.fate === undefined) tellStart(draft, record, waits);
  } else if (message.fate === undefined) tellStart(draft, record, false);
  return finish(draft, { put: puts });
};

const handOn = (run: Run, transition: Transition): void => {
  run.transition = { ...transition, from: { runId: run.parentRunId, ...((transition.from as object | null) ?? {}) } };
};

const endedOf = (view: View, runId: string): EndedRun | null => {
  const other = view.get<RunRow>('run', runId);
  if (!isRun(other) || !isTerminal(other.status)) return null;
  return {
    runId,
    state: other.status,
    report: other.report === null ? null : { version: other.report.version, sha256: other.report.sha256 },
  };
};

/** The run this one waited for has ended: take its report's reference, or fail where there is none (A14). */
export const settleHold = (draft: Draft, ended: EndedRun | null): void => {
  const { run } = draft;
  const hold = ended === null ? undefined : run.holds.find((one) => one.runId === ended.runId);
  if (hold === undefined || ended === null) return;
  run.holds = run.holds.filter((one) => one !== hold);
  if (hold.kind !== 'dependency') return;
  if (ended.report === null)
    return startEnding(
      draft,
      'failed',
      'dependency_failed',
      `run ${ended.runId} ended ${ended.state} without a report`,
    );
  run.dependency = { runId: ended.runId, version: ended.report.version, sha256: ended.report.sha256 };
};

/** The old run is told to end; it decides that by itself, under its own row, and its end wakes the one that waits (A13). */
const interrupt = (draft: Draft, runId: string): { key: ReturnType<typeof runKey>; state: unknown }[] => {
  const { run, view } = draft;
  const other = view.get<RunRow>('run', runId);
  if (!isRun(other) || other.account !== run.account || other.tenant !== run.tenant || isTerminal(other.status))
    return [];
  run.holds.push({ runId, kind: 'interrupt' });
  draft.tells.push({
    type: 'steer',
    runId,
    conversation: conversationIdOf(other),
    verb: 'interrupt',
    reason: run.messageId,
  });
  return [{ key: runKey(runId), state: { ...other, dependents: [...other.dependents, run.runId] } }];
};

const tellStart = (draft: Draft, record: StartRun, waits: boolean): void => {
  const { run } = draft;
  const started = run.startedAt !== null;
  decideFate(draft, record, {
    status: started ? 'run_started' : 'run_queued',
    runId: run.runId,
    taskId: run.taskId,
    version: 1,
    detail: waits ? 'waits for its turn in the conversation' : null,
  });
};

/** An earlier cancel named this message: the agent is never called, and the cancel is confirmed (A16). */
const cancelBeforeStart = (draft: Draft, record: StartRun, awaited: Awaited): Decision<Message, Intent> => {
  const { run, context } = draft;
  run.status = 'cancelled';
  run.cause = 'user';
  run.endedAt = context.now;
  decideFate(draft, record, { status: 'cancelled_before_start', runId: run.runId, taskId: run.taskId, version: 1 });
  for (const cancel of awaited.cancels) {
    run.fates.push(newFate(cancel, { status: 'control_confirmed', detail: 'cancelled' }, cancel.revision));
    say(draft, run.fates.at(-1) as (typeof run.fates)[number]);
  }
  return finish(draft);
};
