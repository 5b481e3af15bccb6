import { performTool, toolLeaseMs } from './tool-calls';
import { textOf, type Draft } from './draft';
import { startEnding } from './ending';
import { askAgent } from './seal';
import { openCalls } from './open-work';

/** Owners that one turn may lose before the run is given up as interrupted (R14). */
const maxLostOwners = 5;
const lookAgainMs = 100;

/**
 * A new owner goes on from the committed checkpoint: the same sealed input for the same turn, only the unfinished tool
 * calls, under a higher epoch, so that whatever the old owner still brings is refused (R11, R14, R7).
 */
export const takeOver = (draft: Draft, why: 'lost' | 'released'): void => {
  const { run } = draft;
  run.epoch += 1;
  run.lease = null;
  const { turn } = run;
  if (turn !== null && why === 'lost') {
    turn.lost += 1;
    if (turn.lost >= maxLostOwners)
      return startEnding(draft, 'interrupted', 'owner_lost', `turn ${turn.number} lost ${turn.lost} owners`);
  }
  // Something a person or a child has already stored for the run is worth going on for, even under `settle`.
  const stored = run.changes.length > run.sealedChanges || run.pending.length > 0 || run.pause !== null;
  if (why === 'lost' && run.recovery === 'settle' && !stored)
    return startEnding(draft, 'interrupted', 'owner_lost', 'recovery is settle');
  goOn(draft, true);
};

/** Asks again what is open and nobody works on; without room here, whoever looks next does. */
export const goOn = (draft: Draft, takenOver: boolean): void => {
  const { run, context, conversation } = draft;
  const { turn } = run;
  const calls = openCalls(run);
  run.readyAt = null;
  // With nothing to ask again there is nothing to wait for room for; a turn that rests under a pause is asked after it.
  if (turn === null ? calls.length === 0 : run.pause !== null && turn.retryAt !== null) return;
  if (context.capacity - draft.performs.length <= 0) {
    run.readyAt = context.now + lookAgainMs;
    return;
  }
  if (turn !== null) {
    turn.attempt += 1;
    turn.retryAt = null;
    turn.deadline = context.now + run.turnTimeoutMs;
    return askAgent(draft, null, takenOver);
  }
  run.lease = { owner: context.instance, until: context.now + toolLeaseMs };
  for (const call of calls) performTool(draft, call, textOf(draft, call.input), conversation);
};
