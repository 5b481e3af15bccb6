import type { StartRun } from '../../schemas/generated/records';
import type { AggregateKey, Context, Decision, View } from '../platform/decision';
import { advance } from './advance';
import { agentOf, continuationOf, grantsOf, reasonNotToContinue } from './continuation';
import { slotFor } from './claim-slot';
import { waitsBehind } from './conversation';
import { decideFate, type Draft, draftOf, type Intent, keep, newFate, say } from './draft';
import { openCancels, refuseCancels, refusedBefore } from './awaited';
import { changeOfEvent, entityPuts } from './entity';
import { finish } from './finish';
import { endedOf, findHolds, interrupt, orderAfter, settleHold } from './holds';
import { conversationIdOf, type Message, runKey } from './messages';
import { mergePatch } from './merge-patch';
import { initialText, newRun } from './new-run';
import { type Reason, refuse, sayWithoutRun } from './refusal';
import type { AgentSettings, Settings } from './settings';
import type { ChildStart } from './tree-state';
import type { MessageFate } from './requirements-state';
import { isRun, isTerminal, type Run, type RunRow } from './state';

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
  if (row?.status === 'refused') return { emit: [sayWithoutRun(record, row.fate)] };
  const parent = parentOf(view, record);
  const no = (reason: Reason): Decision<Message, Intent> => {
    const refused = refuse(record, reason, context);
    return { ...refused, emit: [...(refused.emit ?? []), ...refuseCancels(row)] };
  };
  const reason = record.relation === 'continue' ? reasonNotToContinue(view, record, parent) : null;
  if (reason !== null) return no(reason);
  const agentName =
    parent === undefined
      ? (record.agent ?? settings.defaultAgent(record.tenant) ?? '')
      : agentOf(record, parent, settings);
  const agent = settings.agent(record.tenant, agentName);
  if (agent === undefined && message.child !== undefined) return unborn(record, message.child);
  if (agent === undefined)
    return no({
      code: 'unknown_agent',
      field: 'agent',
      detail: `no agent named ${agentName} is configured for this tenant`,
    });
  if (message.child !== undefined && !isAwaitedBy(view, record)) return unborn(record, message.child);
  const found = findHolds(view, record);
  if ('code' in found) return no(found);

  const fresh = newRun(record, agentName, agent, context.now, settings.ageingMs(record.tenant), {
    correlationId: context.trace.correlationId ?? context.cause,
    traceparent: context.trace.traceparent,
  });
  const run: Run = {
    ...fresh,
    order: orderAfter(fresh, found.puts),
    ...(parent === undefined ? {} : continued(record, parent, agent, settings)),
    ...(message.fate === undefined || message.event !== undefined ? {} : { amends: true }),
    ...(message.event === undefined ? {} : { changes: [changeOfEvent(message.event, true, record.content)] }),
    ...(message.child === undefined ? {} : spawnedBy(message.child)),
  };
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
  if (run.spawned === null) run.slot = slotFor(run, settings);
  draft.rows.push({
    table: 'tasks',
    values: {
      task_id: run.taskId,
      tenant: run.tenant,
      account: run.account,
      conversation_id: run.conversationId,
      entity_type: run.entity?.type ?? null,
      entity_id: run.entity?.id ?? null,
      title: run.title,
    },
  });

  const cancels = openCancels(row, record);
  const puts: { key: AggregateKey; state: unknown }[] = found.puts.map((other) => ({
    key: runKey(other.runId),
    state: other,
  }));
  puts.push(...entityPuts(view, run, context, message.event));
  if (message.fate !== undefined) run.fates = [message.fate];
  run.fates.push(...refusedBefore(row, record));
  draft.emits.push(...refuseCancels(row, record));
  if (cancels.length > 0) return cancelBeforeStart(draft, record, cancels);
  for (const hold of [...run.holds]) settleHold(draft, endedOf(view, hold.runId));
  if (record.interruptRunId !== null) puts.push(...interrupt(draft, record.interruptRunId));
  if (!isTerminal(run.status)) {
    const waits = waitsBehind(draft) !== null;
    advance(draft);
    if (message.fate === undefined && message.child === undefined) tellStart(draft, record, waits);
  } else if (message.fate === undefined) tellStart(draft, record, false);
  return finish(draft, { put: puts });
};

const parentOf = (view: View, record: StartRun): Run | undefined => {
  const row = record.relation === 'continue' ? view.get<RunRow>('run', record.continuationOfRunId ?? '') : undefined;
  return isRun(row) ? row : undefined;
};

/** What a continued run has of its parent; budget, turns and receipts are its own (A12). */
const continued = (record: StartRun, parent: Run, agent: AgentSettings, settings: Settings): Partial<Run> => {
  const { grants, cut } = grantsOf(parent, agent, settings.ceiling(record.tenant));
  const patch = record.requirements === null ? null : (JSON.parse(record.requirements) as Record<string, unknown>);
  const { structured } = parent.requirements;
  return {
    taskId: parent.taskId,
    title: record.title ?? parent.title,
    scheduled: parent.scheduled,
    entity: parent.entity,
    requirements: {
      version: 1,
      texts: [],
      structured: patch === null ? structured : mergePatch(structured, patch),
      history: [],
    },
    grants,
    continuation: continuationOf(record, parent, cut),
  };
};

/** Its parent may have been cancelled before the child began. */
const isAwaitedBy = (view: View, record: StartRun): boolean => {
  const parent = view.get<RunRow>('run', record.parentRunId ?? '');
  if (!isRun(parent) || isTerminal(parent.status)) return false;
  if (parent.status === 'cancelling' || parent.status === 'closing') return false;
  return (parent.children ?? []).some((child) => child.runId === record.runId && child.state === null);
};

const unborn = (record: StartRun, child: ChildStart): Decision<Message, Intent> => ({
  tell: [
    {
      message: {
        type: 'child_ended',
        runId: record.parentRunId ?? '',
        childId: child.childId,
        childRunId: record.runId,
        state: 'cancelled',
        detail: 'it never began',
        report: null,
        unused: child.budget,
      },
    },
  ],
});

const spawnedBy = ({ budget, grants, ...spawned }: ChildStart): Partial<Run> => ({
  rootRunId: spawned.rootRunId,
  spawned,
  grants,
  budget: { turnsLeft: budget.turns, costLeft: budget.cost, hardDeadline: budget.hardDeadline },
});

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
const cancelBeforeStart = (draft: Draft, record: StartRun, cancels: MessageFate[]): Decision<Message, Intent> => {
  const { run, context } = draft;
  run.status = 'cancelled';
  run.cause = 'user';
  run.endedAt = context.now;
  decideFate(draft, record, { status: 'cancelled_before_start', runId: run.runId, taskId: run.taskId, version: 1 });
  for (const cancel of cancels) {
    run.fates.push(newFate(cancel, { status: 'control_confirmed', detail: 'cancelled' }, cancel.revision));
    say(draft, run.fates.at(-1) as (typeof run.fates)[number]);
  }
  return finish(draft);
};
