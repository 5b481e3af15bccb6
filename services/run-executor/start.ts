import type { StartRun } from '../../schemas/generated/records';
import type { Transition } from '../../schemas/turn-protocol/input';
import type { Context, Decision, View } from '../platform/decision';
import { advance } from './advance';
import { mustWaitInConversation } from './conversation';
import { decideFate, type Draft, draftOf, type Intent, keep, newFate, say } from './draft';
import { finish } from './finish';
import { endedOf, findHolds, interrupt, settleHold } from './holds';
import { conversationIdOf, type Message, runKey } from './messages';
import { initialText, newRun } from './new-run';
import { refusalWithoutRun } from './refusal';
import type { Settings } from './settings';
import { type Awaited, isRun, isTerminal, type Run, type RunRow } from './state';

/** A refusal that leaves no run behind; decided the same way at every repeat. */
const refuse = (record: StartRun, code: string, field: string, detail: string): Decision<Message, Intent> => ({
  emit: [
    refusalWithoutRun(
      record,
      record.runId,
      newFate(record, { status: 'refused', code, field, detail }),
      `${record.messageId}/fate/1/attempt/${record.attempt}`,
    ),
  ],
});

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
