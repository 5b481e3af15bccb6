import { sha256Hex } from '../platform/canonical';
import { absorb, tellFates } from './absorb';
import type { Draft } from './draft';
import { bounded, inputOf } from './turn-input';

/**
 * Seals the next turn: absorbs what is pending, fixes the exact bytes, advances the resume point, and hands the turn to
 * this process, all in the boundary's transaction (R12). Applied is a fact from here on (R4).
 */
export const sealTurn = (draft: Draft): void => {
  const { run, context } = draft;
  const absorbed = absorb(draft);
  const number = run.turns + 1;
  const bytes = bounded(inputOf(draft, number));
  const inputSha256 = sha256Hex(bytes);
  run.epoch += run.lease?.owner === context.instance ? 0 : 1;
  run.turn = {
    number,
    version: run.requirements.version,
    inputSha256,
    sealedAt: context.now,
    attempt: 1,
    deadline: context.now + run.turnTimeoutMs,
    retryAt: null,
    lost: 0,
    firstFailureAt: null,
    answers: run.questions
      .filter((one) => one.answer !== null && one.adoption === 'pending')
      .map((one) => one.interactionRef),
    ...(run.ofParent === undefined ? {} : { parentVersion: run.ofParent.heard }),
  };
  run.sealedChanges = run.changes.length;
  run.budget.turnsLeft -= 1;
  run.again = false;
  run.holdChanges = null;
  run.status = 'running';
  draft.rows.push({
    table: 'inputs',
    values: {
      run_id: run.runId,
      turn: number,
      sha256: inputSha256,
      requirements_version: run.requirements.version,
      bytes,
      sealed_at: new Date(context.now),
    },
  });
  tellFates(draft, absorbed, number, inputSha256);
  askAgent(draft, bytes);
};

/** How long a claimed turn is this process's own without a sign of life. */
export const leaseMs = 6_000;

export const askAgent = (draft: Draft, inputBytes: Buffer | null, takenOver = false): void => {
  const { run, context, conversation } = draft;
  const turn = run.turn;
  if (turn === null) throw new Error(`run ${run.runId} has no sealed turn to ask`);
  run.lease = { owner: context.instance, until: context.now + leaseMs };
  draft.performs.push({
    type: 'ask',
    runId: run.runId,
    conversation,
    agent: run.agent,
    turn: turn.number,
    epoch: run.epoch,
    attempt: turn.attempt,
    inputSha256: turn.inputSha256,
    inputBytes,
    deadline: turn.deadline,
    takenOver,
    trace: run.trace,
  });
};
