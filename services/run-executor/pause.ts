import { pauseChildren } from './children';
import { decideFate, type Draft } from './draft';
import { openCalls } from './open-work';
import { raiseFence } from './requests';
import { recordTransition } from './transition';

const tellAsked = (draft: Draft, messageIds: readonly string[], status: string, detail: string): void => {
  for (const messageId of messageIds) {
    const fate = draft.run.fates.find((one) => one.messageId === messageId);
    if (fate !== undefined) decideFate(draft, fate, { status, detail });
  }
};

/** Holds the ledger at once, so that an approval given from now on sends nothing; the run itself goes to its boundary. */
export const requestPause = (draft: Draft, messageId: string | null): void => {
  const { run, context } = draft;
  if (run.pause !== null) {
    if (messageId === null) return;
    if (run.status === 'paused') return tellAsked(draft, [messageId], 'control_confirmed', 'paused');
    run.pause.messageIds.push(messageId);
    return;
  }
  const from = run.status;
  run.pause = { requestedAt: context.now, messageIds: messageId === null ? [] : [messageId] };
  run.status = 'pausing';
  run.readyAt = null;
  recordTransition(draft, { state: from }, { control: 'pause', state: 'pausing' });
  raiseFence(draft, 'hold', run.fence.minVersion);
  pauseChildren(draft, 'pause');
  settlePause(draft);
};

/** A turn that rests between two attempts is worked on by nobody: it is asked again after the pause. */
export const settlePause = (draft: Draft): void => {
  const { run } = draft;
  if (run.status !== 'pausing' || run.pause === null || !run.fence.acknowledged) return;
  if ((run.turn !== null && run.turn.retryAt === null) || openCalls(run).length > 0) return;
  run.status = 'paused';
  run.readyAt = null;
  recordTransition(draft, { state: 'pausing' }, { control: 'pause', state: 'paused' });
  tellAsked(draft, run.pause.messageIds, 'control_confirmed', 'paused');
};

/** The pause was overtaken: by an end, a cancel, or a resume before it took hold. */
export const dropPause = (draft: Draft, by: string): void => {
  const { run } = draft;
  if (run.pause === null) return;
  if (run.status !== 'paused') tellAsked(draft, run.pause.messageIds, 'control_superseded', by);
  run.pause = null;
};

/** Same run, same budget, same deadline; what waited in the ledger under the hold may go. */
export const resume = (draft: Draft): void => {
  const { run, context } = draft;
  if (run.pause === null) return;
  const { requestedAt } = run.pause;
  const was = run.status;
  dropPause(draft, 'resume');
  if (run.startedAt === null) run.status = 'queued';
  else if (run.park !== null) run.status = 'parked';
  else if (run.turn !== null || openCalls(run).length > 0) run.status = 'running';
  else run.status = 'waiting';
  recordTransition(draft, { state: was }, { control: 'resume', state: run.status });
  raiseFence(draft, 'open', run.fence.minVersion);
  pauseChildren(draft, 'resume');
  if (was !== 'paused') return;
  // The clocks of work stood still meanwhile (R18).
  const pausedMs = context.now - requestedAt;
  if (run.turn !== null) {
    run.turn.firstFailureAt = run.turn.firstFailureAt === null ? null : run.turn.firstFailureAt + pausedMs;
    run.turn.retryAt = context.now;
  }
  if (run.status === 'waiting' || run.status === 'running')
    run.changes.push({ kind: 'resumed', at: new Date(context.now).toISOString() });
};
