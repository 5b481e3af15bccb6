import { hasSlot, mustOfferSlot } from './claim-slot';
import { waitsBehind } from './conversation';
import { settleCancel } from './cancel';
import { decideFate, type Draft } from './draft';
import { finishEnding, startEnding } from './ending';
import { hasOpenWork } from './open-work';
import { settlePause } from './pause';
import { sealTurn } from './seal';
import { takeMaterials } from './materials';
import { openCalls } from './open-work';

/** A run that may go on while this process is full looks again this soon; any instance with room takes it. */
const lookAgainMs = 100;
/** Turns in a row that change nothing and leave nothing open, until the run fails. */
const maxNoProgress = 3;

/** After every decision: takes the run as far as its own record allows, and no further. */
export const advance = (draft: Draft): void => {
  const { run } = draft;
  switch (run.status) {
    case 'queued':
      run.readyAt = null;
      run.behind = waitsBehind(draft);
      if (run.holds.length === 0 && run.behind === null) start(draft);
      return;
    case 'running':
    case 'waiting':
      return nextTurn(draft);
    case 'pausing':
      return settlePause(draft);
    case 'cancelling':
      return settleCancel(draft);
    case 'closing':
      return finishEnding(draft);
    case 'parked':
    case 'paused':
    case 'publishing':
    case 'completed':
    case 'partial':
    case 'failed':
    case 'cancelled':
    case 'interrupted':
      return;
  }
};

const start = (draft: Draft): void => {
  const { run, context } = draft;
  if (!hasSlot(draft)) return;
  if (context.capacity - draft.performs.length <= 0) {
    run.readyAt = context.now + lookAgainMs;
    return;
  }
  run.startedAt = context.now;
  run.status = 'running';
  takeMaterials(draft);
  // A run that had to wait tells its message now that the waiting is over.
  const fate = run.fates.find((one) => one.messageId === run.messageId);
  if (fate?.status === 'run_queued') decideFate(draft, fate, { status: 'run_started', detail: null });
  nextTurn(draft);
};

/** R13: when all tool results are in; at once with `again`; else at the first change while anything is open. */
const nextTurn = (draft: Draft): void => {
  const { run, context } = draft;
  if (run.turn !== null || openCalls(run).length > 0) return;
  run.readyAt = null;
  if (context.now >= run.budget.hardDeadline) return startEnding(draft, 'partial', 'deadline');
  const wanted = run.again || run.changes.length > (run.holdChanges ?? 0) || run.pending.length > 0;
  if (!wanted && !hasOpenWork(run)) {
    run.noProgress += 1;
    if (run.noProgress >= maxNoProgress)
      return startEnding(draft, 'failed', 'no_progress', 'three turns in a row changed nothing and left nothing open');
  }
  const unpublished = run.publications.some((one) => one.status !== 'late');
  if ((!wanted && hasOpenWork(run)) || !run.fence.acknowledged || unpublished) {
    run.status = 'waiting';
    return;
  }
  if (run.budget.turnsLeft <= 0) return startEnding(draft, 'partial', 'budget_turns');
  if (run.budget.costLeft !== null && run.budget.costLeft <= 0) return startEnding(draft, 'partial', 'budget_cost');
  if (!hasSlot(draft) || mustOfferSlot(draft)) {
    run.status = 'waiting';
    return;
  }
  if (context.capacity - draft.performs.length <= 0) {
    run.readyAt = context.now + lookAgainMs;
    return;
  }
  sealTurn(draft);
};
