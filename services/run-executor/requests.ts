import { openIncident, type Draft } from './draft';
import { unsettledActions } from './open-work';
import { send } from './send-request';
import type { Fence, Run } from './state';
import type { QuestionState } from './turn-state';

/** First wait for an answer of another service; doubled with each repeat. */
const firstAnswerMs = 10_000;
const maxAnswerMs = 300_000;
/** Repeats after which somebody should look; the asking goes on. */
const incidentAfterAttempts = 6;

const deadlineAfter = (attempt: number): number => Math.min(maxAnswerMs, firstAnswerMs * 2 ** (attempt - 1));

/** Opens a request to another service: sent now, sent again until its answer closes it (R25). */
export const ask = (draft: Draft, id: string): void => {
  draft.run.requests = [
    ...draft.run.requests.filter((one) => one.id !== id),
    { id, attempt: 1, askAt: draft.context.now + deadlineAfter(1) },
  ];
  send(draft, id, 1);
};

/** A revision is a request of its own, so that none of its attempts is taken for one of the earlier revision. */
export const requestOf = (question: QuestionState): string =>
  question.revision === 1
    ? `interaction/${question.interactionRef}`
    : `interaction/${question.interactionRef}/${question.revision}`;

/** How long an open question waits until hil is asked what stands, in case its answer was lost on the way; doubled. */
const firstLookMs = 300_000;
const maxLookMs = 86_400_000;

/** Asked and known there: from now on asked again only seldom, and no silence is an incident (R25). */
export const known = (draft: Draft, id: string): void => {
  draft.run.requests = draft.run.requests.map((one) =>
    one.id === id && one.known !== true ? { ...one, known: true, askAt: draft.context.now + firstLookMs } : one,
  );
};

export const answered = (draft: Draft, id: string): void => {
  draft.run.requests = draft.run.requests.filter((one) => one.id !== id);
};

const incidentId = (runId: string, request: string): string => `unanswered/${runId}/${request}`;

/** Incidents about requests that were answered, or are no longer asked. */
export const answeredIncidents = (before: Run | null, run: Run): string[] =>
  (before?.requests ?? [])
    .filter((asked) => asked.attempt >= incidentAfterAttempts && !run.requests.some((one) => one.id === asked.id))
    .map((asked) => incidentId(run.runId, asked.id));

/** Sends again what is overdue. The answerer decides by natural key, so a repeat changes nothing there. */
export const askAgain = (draft: Draft): void => {
  for (const request of draft.run.requests) {
    if (request.askAt > draft.context.now) continue;
    request.attempt += 1;
    request.askAt =
      draft.context.now +
      (request.known === true
        ? Math.min(maxLookMs, firstLookMs * 2 ** Math.min(request.attempt, 16))
        : deadlineAfter(request.attempt));
    send(draft, request.id, request.attempt);
    if (request.attempt === incidentAfterAttempts && request.known !== true)
      openIncident(draft, {
        id: incidentId(draft.run.runId, request.id),
        kind: 'unanswered_request',
        ref: draft.run.runId,
        reason: `run ${draft.run.runId} has asked ${request.attempt} times for ${request.id} and got no answer`,
        actions: ['look at the dead letters and the lag of the asked service', 'cancel the run'],
      });
  }
};

/**
 * Raises the run's fence where something could still start or be on its way, or may come out of the turn that is being
 * asked under a hold; else no round trip is needed (E7). A hold the ledger knows is lifted there in any case.
 */
export const raiseFence = (draft: Draft, mode: Fence['mode'], minVersion: number): void => {
  const { run } = draft;
  const { number, told } = run.fence;
  const needed =
    unsettledActions(run).length > 0 || (mode === 'hold' && run.turn !== null) || (mode === 'open' && told === 'hold');
  run.fence = {
    number: number + (needed ? 1 : 0),
    minVersion,
    mode,
    acknowledged: !needed,
    told: needed ? mode : told,
  };
  if (!needed) return;
  run.requests = run.requests.filter((one) => !one.id.startsWith('fence/'));
  ask(draft, `fence/${run.fence.number}`);
};
