import { emit } from '../platform/decision';
import { common, ofRun, openIncident, textOf, type Draft } from './draft';
import { runKey } from './messages';
import { unsettledActions } from './open-work';
import type { Run } from './state';
import type { ActionState, Publication, QuestionState } from './turn-state';

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
    request.askAt = draft.context.now + deadlineAfter(request.attempt);
    send(draft, request.id, request.attempt);
    if (request.attempt === incidentAfterAttempts)
      openIncident(draft, {
        id: incidentId(draft.run.runId, request.id),
        kind: 'unanswered_request',
        ref: draft.run.runId,
        reason: `run ${draft.run.runId} has asked ${request.attempt} times for ${request.id} and got no answer`,
        actions: ['look at the dead letters and the lag of the asked service', 'cancel the run'],
      });
  }
};

const send = (draft: Draft, id: string, attempt: number): void => {
  const { run } = draft;
  const [what = '', ref = ''] = id.split('/');
  const eventId = `${run.runId}/${id}/${attempt}`;
  switch (what) {
    case 'propose': {
      const action = run.actions.find((one) => one.proposalId === ref);
      if (action !== undefined) propose(draft, action, attempt, eventId);
      return;
    }
    case 'fence':
      return fence(draft, attempt, eventId);
    case 'interaction': {
      const question = run.questions.find((one) => one.interactionRef === ref);
      if (question !== undefined) interact(draft, question, attempt, eventId);
      return;
    }
    case 'withdraw':
      return withdraw(draft, ref, attempt, eventId);
    case 'publish': {
      const publication = run.publications.find((one) => `${one.version}.${one.seq}` === ref);
      if (publication !== undefined) publish(draft, publication, attempt, eventId);
      return;
    }
    case 'supersede':
      draft.emits.push(
        emit(
          runKey(run.runId),
          'publication.commands.v1',
          'SupersedeVersion',
          run.conversationId,
          { ...ofRun(draft), version: Number(ref), attempt },
          eventId,
        ),
      );
      return;
    default:
      throw new Error(`no request is called ${id}`);
  }
};

const propose = (draft: Draft, action: ActionState, attempt: number, eventId: string): void => {
  const { run } = draft;
  draft.emits.push(
    emit(
      runKey(run.runId),
      'effect.commands.v1',
      'ProposeEffect',
      run.conversationId,
      {
        ...ofRun(draft),
        rootRunId: run.rootRunId,
        turn: action.turn,
        requirementsVersion: action.version,
        proposalId: action.proposalId,
        connector: action.connector,
        operation: action.operation,
        subject: action.subject,
        params: action.request.params === null ? null : textOf(draft, action.request.params),
        body: action.request.body === null ? null : textOf(draft, action.request.body),
        note: action.note,
        approval: action.approval,
        repeat: action.repeat,
        grantFrom: `agent:${run.agent}`,
        grantUntil: null,
        attempt,
      },
      eventId,
    ),
  );
};

const fence = (draft: Draft, attempt: number, eventId: string): void => {
  const { run } = draft;
  const { number, minVersion, mode } = run.fence;
  draft.emits.push(
    emit(
      runKey(run.runId),
      'effect.commands.v1',
      'RaiseFence',
      run.conversationId,
      {
        ...ofRun(draft),
        number,
        minVersion,
        mode,
        reason: run.cancel !== null ? 'cancel' : mode === 'closed' ? 'end' : 'amendment',
        attempt,
      },
      eventId,
    ),
  );
};

/** Raises the run's fence where something could still start or be on its way; else no round trip is needed (E7). */
export const raiseFence = (draft: Draft, mode: 'open' | 'closed', minVersion: number): void => {
  const { run } = draft;
  const needed = unsettledActions(run).length > 0;
  run.fence = { number: run.fence.number + (needed ? 1 : 0), minVersion, mode, acknowledged: !needed };
  if (!needed) return;
  run.requests = run.requests.filter((one) => !one.id.startsWith('fence/'));
  ask(draft, `fence/${run.fence.number}`);
};

const interact = (draft: Draft, question: QuestionState, attempt: number, eventId: string): void => {
  const { run } = draft;
  draft.emits.push(
    emit(
      runKey(run.runId),
      'hil.requests.v1',
      'RequestInteraction',
      run.conversationId,
      {
        ...ofRun(draft),
        rootRunId: run.rootRunId,
        messageId: run.messageId,
        owner: 'run-executor',
        interactionRef: question.interactionRef,
        requestRevision: question.revision,
        kind: question.kind,
        mode: question.mode,
        requirementsVersion: question.version,
        turn: question.turn,
        questionId: question.questionId,
        recipientKind: question.recipient.kind,
        recipient: question.recipient.name,
        question: question.question,
        choices: question.choices.map(({ id, label }) => ({ id, label })),
        schema: question.schema,
        defaultAnswer: question.defaultAnswer,
        grant: question.grant,
        expiresAt: question.expiresAt,
        remindAfterSec: question.remindAfterSec,
        escalateTo: question.escalateTo,
        holdsReport: question.holdsReport,
        actionKey: null,
        requestSha256: null,
        preview: null,
        previewSha256: null,
        selfApproval: 'allowed',
        attempt,
      },
      eventId,
    ),
  );
};

const withdraw = (draft: Draft, ref: string, attempt: number, eventId: string): void => {
  const { run } = draft;
  draft.emits.push(
    emit(
      runKey(run.runId),
      'hil.requests.v1',
      'WithdrawInteraction',
      run.conversationId,
      { ...ofRun(draft), interactionRef: ref, code: 'withdrawn', reason: 'the agent no longer needs it', attempt },
      eventId,
    ),
  );
};

const publish = (draft: Draft, publication: Publication, attempt: number, eventId: string): void => {
  const { run } = draft;
  draft.emits.push(
    emit(
      runKey(run.runId),
      'publication.commands.v1',
      'PublishReport',
      run.conversationId,
      {
        ...common(run),
        ...ofRun(draft),
        version: publication.version,
        seq: publication.seq,
        status: publication.status,
        body: Buffer.from(textOf(draft, publication.body)),
        contentType: publication.contentType,
        sha256: publication.body.sha256,
        sources: publication.sources,
        actions: JSON.stringify(
          run.actions
            .filter((one) => one.actionKey !== null)
            .map((one) => ({ actionKey: one.actionKey, state: one.status })),
        ),
        unsettledActions: [...publication.unsettledActions],
        document: publication.document,
        basedOn: publication.basedOn,
        turn: publication.turn,
        attempt,
      },
      eventId,
    ),
  );
};
