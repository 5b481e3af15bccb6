import {
  none,
  unreachable,
  type AggregateKey,
  type Context,
  type Decision,
  type Tick,
  type View,
} from '../platform/decision';
import { advance } from './advance';
import {
  decideAboutEntity,
  entityIdIn,
  entityKeys,
  entityMoreKeys,
  entityRunIds,
  type EntityMessage,
} from './decide-entity';
import { takeAnswer } from './boundary';
import { requestCancel } from './cancel';
import { control } from './control';
import { draftOf, keep, type Draft, type Intent } from './draft';
import { aboutOf, entityIdOf, entityKey } from './entity';
import { finish } from './finish';
import { startEnding } from './ending';
import { actionChanged, fenceAcknowledged, interactionChanged, proposalDecided } from './events';
import { acknowledged } from './gate';
import { conversationIdOf, conversationKey, runKey, type Message, type Work } from './messages';
import { answered, askAgain } from './requests';
import { leaseMs } from './seal';
import { sourceRefs, sourceRunIds } from './materials';
import type { Settings } from './settings';
import { settleHold } from './holds';
import { decideStart } from './start';
import { mayStillCome, refuseUnknown, tickAwaited, waitForMessage } from './awaited';
import { requestPause, resume } from './pause';
import { openCalls } from './open-work';
import { isRun, isTerminal, type Run, type RunRow } from './state';
import { goOn, takeOver } from './take-over';
import { amend, observe } from './updates';

export type ExecutorMessage = Message | Tick;

/** About one run; the others are about an entity, which leads to runs. */
type RunMessage = Exclude<ExecutorMessage, EntityMessage>;

const isRunMessage = (message: ExecutorMessage): message is RunMessage => entityIdIn(message) === null;

/** The run a message is about. */
const runIdOf = (message: Exclude<RunMessage, Tick>): string => {
  switch (message.type) {
    case 'start':
    case 'proposal':
    case 'action':
    case 'fence':
    case 'interaction':
    case 'published':
    case 'superseded':
      return message.record.runId;
    case 'amend':
    case 'observe':
    case 'control':
      return message.record.targetRunId;
    default:
      return message.runId;
  }
};

/** Null: the message names its run only. */
const conversationOf = (message: RunMessage): string | null => {
  if (message.type === 'tick' || message.type === 'wake') return null;
  return 'record' in message ? conversationIdOf(message.record) : message.conversation;
};

/** Runs rank before conversations; where only the run is named, its conversation follows in `moreKeys`. */
export const keys = (message: ExecutorMessage): readonly AggregateKey[] => {
  if (!isRunMessage(message)) return entityKeys(message);
  const conversation = conversationOf(message);
  if (message.type === 'tick') return message.kind === 'run' ? [runKey(message.id)] : [];
  if (conversation === null) return [runKey(runIdOf(message))];
  const own = [runKey(runIdOf(message)), conversationKey(conversation)];
  if (message.type !== 'start') return own;
  const { dependsOnRunId, interruptRunId, parentRunId, continuationOfRunId } = message.record;
  const others = [dependsOnRunId, interruptRunId, parentRunId, continuationOfRunId];
  const about = aboutOf(message.record);
  return [
    ...own,
    ...others.filter((id): id is string => id !== null).map(runKey),
    ...(about === null ? [] : [entityKey(entityIdOf(about))]),
  ];
};

const rowOf = (message: RunMessage, view: View): RunRow | undefined =>
  view.get<RunRow>('run', message.type === 'tick' ? message.id : runIdOf(message));

/** Runs whose record this message's run may read: at its start, what it goes on from. */
const sourcesOf = (message: RunMessage, view: View): string[] => {
  if (message.type === 'start') {
    const { dependsOnRunId, parentRunId, continuationOfRunId } = message.record;
    return [dependsOnRunId, parentRunId, continuationOfRunId].filter((id): id is string => id !== null);
  }
  const row = rowOf(message, view);
  return isRun(row) && row.status === 'queued' ? sourceRunIds(row) : [];
};

/** A continued run is about its parent's entity, which its message does not name. */
const inheritedEntity = (message: RunMessage, view: View): AggregateKey[] => {
  if (message.type !== 'start' || message.record.relation !== 'continue') return [];
  const parent = view.get<RunRow>('run', message.record.continuationOfRunId ?? '');
  if (!isRun(parent) || parent.entity === null) return [];
  const { tenant, account, entity } = parent;
  return [entityKey(entityIdOf({ tenant, account, ...entity }))];
};

export const moreKeys = (message: ExecutorMessage, view: View): readonly AggregateKey[] => {
  if (!isRunMessage(message)) return entityMoreKeys(message, view);
  const row = rowOf(message, view);
  const conversation =
    conversationOf(message) !== null || row === undefined ? [] : [conversationKey(conversationIdOf(row))];
  return [...conversation, ...sourcesOf(message, view).map(runKey), ...inheritedEntity(message, view)];
};

/** Texts too large for the document that a decision about this run may need: to seal a turn or to ask again. */
export const blobs = (message: ExecutorMessage, view: View): readonly string[] => {
  if (!isRunMessage(message))
    return entityRunIds(message, view).flatMap((runId) => ownRefs(view.get<RunRow>('run', runId)));
  const sources = sourcesOf(message, view).flatMap((runId) => {
    const source = view.get<RunRow>('run', runId);
    return sourceRefs(isRun(source) ? source : undefined);
  });
  return [...sources, ...ownRefs(rowOf(message, view))];
};

const ownRefs = (row: RunRow | undefined): string[] => {
  if (!isRun(row)) return [];
  // An ended run only tells again what it told before, the texts in force among it.
  const kept = isTerminal(row.status)
    ? row.requirements.texts.map((one) => one.text)
    : [
        ...row.requirements.history.map((one) => one.text),
        ...row.pending.map((one) => one.text),
        ...row.calls.flatMap((call) => (call.output === null ? [call.input] : [call.input, call.output])),
        ...row.actions.flatMap((action) => [action.request.params, action.request.body]),
        ...row.publications.map((one) => one.body),
        ...row.questions.map((one) => one.event?.text),
        row.agentState?.value,
        row.materials,
      ];
  return kept.flatMap((one) => (one === null || one === undefined || one.inline !== null ? [] : [one.ref]));
};

export const decide =
  (settings: Settings) =>
  (view: View, message: ExecutorMessage, context: Context): Decision<Message, Intent> => {
    if (!isRunMessage(message)) return decideAboutEntity(view, message, context, settings);
    if (message.type === 'start') return decideStart(view, message, context, settings);
    const runId = message.type === 'tick' ? message.id : runIdOf(message);
    const row = view.get<RunRow>('run', runId);
    if (message.type === 'tick' && row?.status === 'awaited') return tickAwaited(row, context);
    if (message.type === 'amend' || message.type === 'observe' || message.type === 'control') {
      const { record } = message;
      const known =
        isRun(row) &&
        row.tenant === record.tenant &&
        row.account === record.account &&
        row.conversationId === record.conversationId;
      if (!known)
        return message.type === 'control' && mayStillCome(message.record, row)
          ? waitForMessage(message.record, row, context)
          : refuseUnknown(record);
    }
    if (!isRun(row)) return none;
    const draft = draftOf(row, row, conversationOf(message) ?? conversationIdOf(row), view, context, settings);
    const reply = decideRun(draft, message);
    return reply === 'nothing' ? none : finish(draft, { reply });
  };

const current = (run: Run, work: Work): boolean => run.epoch === work.epoch;

/** Applies one message to one run. 'nothing' = the run stays as it is and nothing is said. */
const decideRun = (draft: Draft, message: Exclude<RunMessage, { type: 'start' }>): unknown => {
  const { run, context } = draft;
  switch (message.type) {
    case 'amend':
      amend(draft, message.record);
      break;
    case 'observe':
      observe(draft, message.record);
      break;
    case 'control':
      control(draft, message.record);
      break;
    case 'answered': {
      const { turn } = run;
      if (turn === null || turn.number !== message.turn || !current(run, message) || turn.retryAt !== null)
        return 'nothing';
      takeAnswer(draft, turn, message.outcome);
      return { state: run.status };
    }
    case 'tool_done': {
      const call = run.calls.find((one) => one.callId === message.callId);
      if (call === undefined || call.status !== 'open' || !current(run, message)) return 'nothing';
      call.status = 'done';
      call.ok = message.outcome.ok;
      if (message.outcome.ok) call.output = keep(draft, JSON.stringify(message.outcome.output ?? null));
      else call.error = message.outcome.error;
      call.needsRecheck = call.version < run.requirements.version;
      if (openCalls(run).length === 0) {
        run.again = true;
        run.lease = null;
      }
      break;
    }
    case 'renew':
      if (run.lease === null || !current(run, message) || run.lease.owner !== context.instance) return 'nothing';
      run.lease = { owner: context.instance, until: context.now + leaseMs };
      return null;
    case 'proposal':
      proposalDecided(draft, message.record);
      break;
    case 'action':
      actionChanged(draft, message.record);
      break;
    case 'fence':
      fenceAcknowledged(draft, message.record);
      break;
    case 'interaction':
      interactionChanged(draft, message.record);
      break;
    case 'published':
      answered(draft, `publish/${message.record.version}.${message.record.seq}`);
      acknowledged(draft, message.record);
      break;
    case 'superseded':
      answered(draft, `supersede/${message.record.version}`);
      break;
    case 'wake':
      settleHold(draft, message.ended);
      break;
    case 'steer':
      if (isTerminal(run.status) || run.status === 'publishing' || run.status === 'closing')
        return { state: run.status, code: 'run_ended' };
      steer(draft, message.verb);
      break;
    case 'orphaned':
      if (run.lease?.owner !== message.owner) return 'nothing';
      takeOver(draft, 'lost');
      break;
    case 'tick':
      tick(draft);
      break;
    default:
      return unreachable(message);
  }
  advance(draft);
  return { state: run.status };
};

const steer = (draft: Draft, verb: Extract<Message, { type: 'steer' }>['verb']): void => {
  switch (verb) {
    case 'cancel':
      return requestCancel(draft, 'operator', null);
    case 'interrupt':
      return requestCancel(draft, 'interrupted_by_message', null);
    case 'pause':
      return draft.run.status === 'cancelling' ? undefined : requestPause(draft, null);
    case 'resume':
      return resume(draft);
    case 'release-lease':
      // Nobody works on a paused run, and a parked one waits for a person.
      return draft.run.status === 'paused' || draft.run.status === 'parked' ? undefined : takeOver(draft, 'released');
    default:
      return unreachable(verb);
  }
};

/** Everything that may be due, each part idempotent. */
const tick = (draft: Draft): void => {
  const { run, context } = draft;
  askAgain(draft);
  if (isTerminal(run.status)) return;
  if (
    context.now >= run.budget.hardDeadline &&
    (run.status === 'queued' ||
      run.status === 'running' ||
      run.status === 'waiting' ||
      run.status === 'parked' ||
      run.status === 'pausing' ||
      run.status === 'paused')
  )
    return startEnding(draft, 'partial', 'deadline');
  if (run.lease !== null && run.lease.until <= context.now) return takeOver(draft, 'lost');
  // The clocks of work stand still: a turn that rests is asked again after the pause (R18).
  if (run.pause !== null && (run.turn === null || run.turn.retryAt !== null)) return;
  const { turn } = run;
  const unclaimed = turn === null ? openCalls(run).length > 0 : turn.retryAt === null || turn.retryAt <= context.now;
  if (run.lease !== null || !unclaimed) return;
  run.epoch += 1;
  goOn(draft, false);
};

/** When a run next needs a look; null = only a message can move it. */
export const dueAt = (row: RunRow): number | null => {
  if (row.status === 'awaited') return row.until;
  if (row.status === 'refused') return null;
  const requests = row.requests.map((request) => request.askAt);
  if (isTerminal(row.status)) return requests.length === 0 ? null : Math.min(...requests);
  const times = [
    ...requests,
    row.status === 'publishing' || row.status === 'closing' || row.status === 'cancelling'
      ? null
      : row.budget.hardDeadline,
    row.lease?.until ?? null,
    (row.pause ?? null) === null ? (row.turn?.retryAt ?? null) : null,
    row.readyAt,
    row.cancel?.settleBy ?? null,
  ].filter((time): time is number => time !== null);
  return times.length === 0 ? null : Math.min(...times);
};
