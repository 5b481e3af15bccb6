import type { Response } from '../../schemas/generated/records';
import { emit, type AggregateKey, type Emit } from '../platform/decision';
import { escalatedTo, named } from './nudges';
import type { Clarification, DecidedClarification, Published } from './state';

const eventsTopic = 'hil.events.v1';

export const interactionKey = (ref: string): AggregateKey => ({ kind: 'interaction', id: ref });
export const runKey = (runId: string): AggregateKey => ({ kind: 'run', id: runId });
export const clarificationKey = (messageId: string): AggregateKey => ({ kind: 'clarification', id: messageId });

export const codeOf = (state: Published): string | null => (state.status === 'closed' ? state.code : null);
export const responseOf = (state: Published): Response | null => (state.status === 'answered' ? state.response : null);

/** `revision` is the one the interaction has after this decision; `id` only for telling the same state again. */
export const interactionChanged = (state: Published, revision: number, id?: string): Emit => {
  const { asked } = state;
  const answered = state.status === 'answered' ? state : null;
  const other = escalatedTo(state.nudges);
  return emit(
    interactionKey(asked.interactionRef),
    eventsTopic,
    'InteractionChanged',
    asked.conversationId,
    {
      tenant: asked.tenant,
      app: asked.app,
      account: asked.account,
      conversationId: asked.conversationId,
      taskId: asked.taskId,
      runId: asked.runId,
      revision,
      rootRunId: asked.rootRunId,
      owner: asked.owner,
      interactionRef: asked.interactionRef,
      requestRevision: asked.requestRevision,
      kind: asked.kind,
      mode: asked.mode,
      state: state.status,
      code: codeOf(state),
      requirementsVersion: asked.requirementsVersion,
      turn: asked.turn,
      questionId: asked.questionId,
      actionKey: asked.actionKey,
      recipientKind: asked.recipientKind,
      recipient: asked.recipient,
      claimedBy: state.claimedBy,
      question: asked.question,
      choices: asked.choices,
      expiresAt: asked.expiresAt,
      publishedAt: state.publishedAt,
      seenAt: state.seenAt,
      answeredAt: answered?.answeredAt ?? null,
      adoptedAt: answered?.adoptedAt ?? null,
      adoption: answered?.adoption ?? null,
      response: responseOf(state),
      reminders: state.nudges?.reminders ?? 0,
      remindedAt: state.nudges?.remindedAt ?? null,
      escalatedTo: other === null ? null : named(other),
      escalatedAt: other === null ? null : (state.nudges?.escalatedAt ?? null),
    },
    id,
  );
};

export const messageDecided = (state: DecidedClarification, revision: number, id?: string): Emit => {
  const { submitted, verdict } = state;
  return emit(
    clarificationKey(submitted.messageId),
    eventsTopic,
    'MessageDecided',
    submitted.conversationId,
    {
      tenant: submitted.tenant,
      app: submitted.app,
      account: submitted.account,
      conversationId: submitted.conversationId,
      messageId: submitted.messageId,
      clientMessageId: submitted.clientMessageId,
      revision,
      status: verdict.status,
      runId: null,
      taskId: null,
      targetRunId: verdict.runId,
      parentRunId: null,
      continuationOfRunId: null,
      requirementsVersion: null,
      effectiveRequirements: null,
      interactionRef: submitted.interactionRef,
      requestRevision: submitted.requestRevision,
      adoption: verdict.adoption,
      result: null,
      code: verdict.code,
      field: null,
      detail: verdict.detail,
      candidates: [],
    },
    id,
  );
};

export const isDecided = (state: Clarification | undefined): state is DecidedClarification =>
  state?.status === 'decided';
