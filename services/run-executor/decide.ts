import { none, unreachable, type Context, type Decision, type View } from '../platform/decision';
import { advance } from './advance';
import { decideAboutEntity } from './decide-entity';
import { purgeConversation, purgeRun } from './decide-purge';
import { takeAnswer } from './boundary';
import { requestCancel } from './cancel';
import { expireAskedOfParent, parentAmended, parentAnswers } from './child';
import { childAsks, childEnded } from './children';
import { syncSlot } from './claim-slot';
import { control } from './control';
import { draftOf, keep, type Draft, type Intent } from './draft';
import { finish } from './finish';
import { startEnding } from './ending';
import { actionChanged, fenceAcknowledged, interactionChanged, proposalDecided } from './events';
import { acknowledged } from './gate';
import { conversationOf, isRunMessage, runIdOf, type RunMessage } from './keys';
import { conversationIdOf, type ExecutorMessage, type Message, type Work } from './messages';
import { answered, askAgain } from './requests';
import { isLeaseOver, leaseEnded, livesByRenewals, renewLease } from './lease';
import type { Settings } from './settings';
import { settleHold } from './holds';
import { decideStart } from './start';
import { mayStillCome, refuseUnknown, tickAwaited, waitForMessage } from './awaited';
import { requestPause, resume } from './pause';
import { openCalls } from './open-work';
import { isRun, isTerminal, type Run, type RunRow } from './state';
import { goOn, takeOver } from './take-over';
import { amend, observe } from './updates';

export const decide =
  (settings: Settings) =>
  (view: View, message: ExecutorMessage, context: Context): Decision<Message, Intent> => {
    if (message.type === 'purge_conversation') return purgeConversation(view, message, context);
    if (!isRunMessage(message)) return decideAboutEntity(view, message, context, settings);
    if (message.type === 'start') return decideStart(view, message, context, settings);
    if (message.type === 'renew') return renewLease(view, message, context);
    if (message.type === 'purge') return purgeRun(view, message, context);
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
          : refuseUnknown(record, row);
    }
    const over = message.type === 'tick' && message.kind === 'lease' ? leaseEnded(view, runId, context) : [];
    if (message.type === 'tick' && message.kind === 'lease' && !livesByRenewals(row)) return { put: over };
    if (!isRun(row)) return none;
    const draft = draftOf(row, row, conversationOf(message) ?? conversationIdOf(row), view, context, settings);
    const reply = decideRun(draft, message);
    return reply === 'nothing' ? none : finish(draft, { put: over, reply });
  };

const current = (run: Run, work: Work): boolean => run.epoch === work.epoch;

/** Applies one message to one run. 'nothing' = the run stays as it is and nothing is said. */
const decideRun = (draft: Draft, message: Exclude<RunMessage, { type: 'start' | 'renew' | 'purge' }>): unknown => {
  const { run } = draft;
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
      syncSlot(draft);
      break;
    case 'child_ended':
      childEnded(draft, message);
      break;
    case 'child_asks':
      childAsks(draft, message);
      break;
    case 'parent_answers':
      parentAnswers(draft, message);
      break;
    case 'parent_amended':
      parentAmended(draft, message);
      break;
    case 'parent_ends':
      if (isTerminal(run.status) || run.status === 'closing') return 'nothing';
      // Past the gate the report is on its way; the end that follows is told to the parent like any other.
      if (run.status !== 'publishing') requestCancel(draft, message.cause, null);
      break;
    case 'parent_pauses':
      if (isTerminal(run.status) || run.status === 'publishing' || run.status === 'closing') return 'nothing';
      steer(draft, message.verb);
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
  if (run.spawned !== null) expireAskedOfParent(draft);
  if (isLeaseOver(draft)) return takeOver(draft, 'lost');
  // The clocks of work stand still: a turn that rests is asked again after the pause (R18).
  if (run.status === 'paused' || (run.pause !== null && run.turn !== null && run.turn.retryAt !== null)) return;
  const { turn } = run;
  const unclaimed = turn === null ? openCalls(run).length > 0 : turn.retryAt === null || turn.retryAt <= context.now;
  if (run.lease !== null || !unclaimed) return;
  run.epoch += 1;
  goOn(draft, false);
};
