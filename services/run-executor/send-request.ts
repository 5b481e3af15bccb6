import { emit } from '../platform/decision';
import { grantOf } from './grants';
import { common, ofRun, textOf, type Draft } from './draft';
import { runKey } from './messages';
import type { Run } from './state';
import type { ActionState, Publication, QuestionState } from './turn-state';

/** One attempt of a request, made from the state as it stands; its event id names the attempt. */
export const send = (draft: Draft, id: string, attempt: number): void => {
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
  const grant = grantOf(run, 'connector', action.connector);
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
        grantFrom: grant.from,
        grantUntil: grant.until,
        attempt,
      },
      eventId,
    ),
  );
};

const reasonOf = ({ cancel, pause, fence: { mode } }: Run): string => {
  if (cancel !== null) return 'cancel';
  if (mode === 'closed') return 'end';
  return mode === 'hold' || pause !== null ? 'pause' : 'amendment';
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
        reason: reasonOf(run),
        attempt,
      },
      eventId,
    ),
  );
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
        recipientKind: question.recipient.kind === 'role' ? 'role' : 'account',
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
        requestedBy: null,
        compensates: null,
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
