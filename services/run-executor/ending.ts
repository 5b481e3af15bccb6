import type { StartRun } from '../../schemas/generated/records';
import { decideFate, ofRun, textOf, type Draft } from './draft';
import { emit } from '../platform/decision';
import { runKey } from './messages';
import { tellParent } from './child';
import { endChildren } from './children';
import { journalUncommitted } from './journal';
import { leavePark } from './park';
import { dropPause } from './pause';
import { raiseFence } from './requests';
import { recordTransition } from './transition';
import { liveChildren, openActions, unsettledActions } from './open-work';
import type { PendingUpdate } from './requirements-state';
import type { Terminal } from './run-status';
import { type Cause, isTerminal } from './state';

/**
 * Every end passes here: the fence is closed and, where anything is unsettled, acknowledged before the run is terminal
 * (R23). What is in flight at the agent or at tools loses its claim at once.
 */
export const startEnding = (
  draft: Draft,
  to: Terminal,
  cause: Cause | null,
  detail: string | null = null,
  outcomeOfTurn: string = cause ?? to,
): void => {
  const { run } = draft;
  if (isTerminal(run.status) || run.ending !== null) return;
  dropPause(draft, to);
  leavePark(draft);
  dropWork(draft, outcomeOfTurn, detail);
  run.ending = { to, cause };
  run.detail = detail;
  run.status = 'closing';
  raiseFence(draft, 'closed', run.requirements.version);
  endChildren(draft, 'operator');
  tellPending(draft, to, cause);
  finishEnding(draft);
};

/** Takes the turn or tools away from whoever works on them: a late result finds another epoch (R11). */
export const dropWork = (draft: Draft, outcomeOfTurn: string, detail: string | null): void => {
  const { run } = draft;
  if (run.turn !== null || run.lease !== null) {
    run.epoch += 1;
    draft.performs.push({ type: 'abort', runId: run.runId });
  }
  if (run.turn !== null) journalUncommitted(draft, run.turn, outcomeOfTurn, detail);
  run.turn = null;
  run.lease = null;
  run.readyAt = null;
  for (const call of run.calls) if (call.status === 'open') call.status = 'dropped';
};

export const finishEnding = (draft: Draft): void => {
  const { run, context } = draft;
  const ending = run.ending;
  if (ending === null || !run.fence.acknowledged || run.publications.length > 0 || liveChildren(run).length > 0) return;
  run.requests = run.requests.filter((request) => request.id.startsWith('supersede/'));
  run.unsettledActions = [...unsettledActions(run), ...openActions(run)]
    .map((action) => action.actionKey ?? action.proposalId)
    .filter((key, index, all) => all.indexOf(key) === index);
  run.status = ending.to;
  run.cause = ending.cause;
  run.endedAt = context.now;
  voidAnswers(draft);
  tellUnstarted(draft);
  tellParent(draft, ending.to);
  if (run.cancel !== null) confirmCancel(draft);
  // What was told to wait for this run looks at it now: dependants, runs held by an interrupt, the conversation's queue.
  const report = run.report === null ? null : { version: run.report.version, sha256: run.report.sha256 };
  for (const runId of run.dependents)
    draft.tells.push({
      type: 'wake',
      runId,
      ended: { runId: run.runId, state: run.status, report },
    });
  run.dependents = [];
};

/** The message of a run that ended in the queue hears of it: nothing of it was ever executed. */
const tellUnstarted = (draft: Draft): void => {
  const { run } = draft;
  const fate = run.fates.find((one) => one.messageId === run.messageId);
  if (run.startedAt !== null || fate?.status !== 'run_queued') return;
  decideFate(draft, fate, {
    status: run.status === 'cancelled' ? 'cancelled_before_start' : 'run_queued',
    detail: run.cause === null ? run.status : `${run.status}: ${run.cause}`,
  });
};

/** Answers that no turn took are void, with the reason (H2). */
const voidAnswers = (draft: Draft): void => {
  const { run } = draft;
  for (const question of run.questions) {
    if (question.adoption === 'pending') {
      question.adoption = 'void';
      sayAdoption(draft, question.interactionRef, question.revision, {
        status: 'void',
        reason: `the run ended ${run.status} before a turn took the answer`,
        turn: null,
        inputSha256: null,
      });
    }
    if (question.status === 'asking' || question.status === 'open') {
      question.status = 'closed';
      question.code = 'withdrawn';
    }
  }
};

export const sayAdoption = (
  draft: Draft,
  interactionRef: string,
  requestRevision: number,
  adoption: {
    readonly status: 'adopted' | 'void';
    readonly reason: string | null;
    readonly turn: number | null;
    readonly inputSha256: string | null;
  },
): void => {
  const { run } = draft;
  draft.emits.push(
    emit(runKey(run.runId), 'run.events.v1', 'AnswerAdopted', run.conversationId, {
      ...ofRun(draft),
      interactionRef,
      requestRevision,
      status: adoption.status,
      reason: adoption.reason,
      turn: adoption.turn,
      attempt: null,
      inputSha256: adoption.inputSha256,
      actionKey: null,
    }),
  );
};

const confirmCancel = (draft: Draft): void => {
  const { run } = draft;
  for (const messageId of run.cancel?.messageIds ?? []) {
    const fate = run.fates.find((one) => one.messageId === messageId);
    if (fate !== undefined) decideFate(draft, fate, { status: 'control_confirmed', detail: run.status });
  }
  recordTransition(draft, { control: 'cancel', state: 'cancelling' }, { state: run.status });
};

/** No terminal state swallows a received update (R6). */
const tellPending = (draft: Draft, to: Terminal, cause: Cause | null): void => {
  const { run } = draft;
  const pending = run.pending;
  run.pending = [];
  for (const update of pending)
    if (update.kind === 'amendment' && (to === 'completed' || to === 'partial')) moveToFollowUp(draft, update);
    else
      decideFate(draft, update, {
        status: 'update_not_applied',
        code: 'run_ended',
        detail: cause === null ? to : `${to}: ${cause}`,
      });
};

/** The amendment becomes the first version of a linked new run; the old run's end stays what it is (R3). */
export const moveToFollowUp = (draft: Draft, update: PendingUpdate): void => {
  const { run, context } = draft;
  const record: StartRun = {
    eventId: `${update.messageId}/follow-up`,
    occurredAt: context.now,
    tenant: run.tenant,
    app: run.app,
    account: run.account,
    conversationId: run.conversationId,
    messageId: update.messageId,
    clientMessageId: update.clientMessageId,
    runId: update.followUp.runId,
    taskId: update.followUp.taskId,
    relation: 'follow_up',
    content: textOf(draft, update.text),
    contentSha256: update.text.sha256,
    receivedAt: update.receivedAt,
    agent: run.agent,
    title: run.title,
    priority: run.priority,
    scheduled: run.scheduled,
    requirements: update.structured === null ? null : JSON.stringify(update.structured),
    mode: 'queue',
    dependsOnRunId: null,
    parentRunId: run.runId,
    continuationOfRunId: null,
    parentFacts: null,
    interactionRef: null,
    requestRevision: null,
    entityType: run.entity?.type ?? null,
    entityId: run.entity?.id ?? null,
    interruptRunId: null,
    attempt: 1,
  };
  const fate = { messageId: update.messageId, clientMessageId: update.clientMessageId };
  decideFate(draft, fate, { status: 'follow_up_created', runId: record.runId, taskId: record.taskId, version: 1 });
  const told = run.fates.find((one) => one.messageId === update.messageId);
  draft.tells.push({
    type: 'start',
    record,
    ...(told === undefined ? {} : { fate: told }),
  });
};
