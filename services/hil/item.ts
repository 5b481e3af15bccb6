import { escalatedTo, named } from './nudges';
import { codeOf, responseOf } from './records';
import type { Published } from './state';

const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** JSON kept as text by the asker; what is not JSON is shown as the text it is. */
const json = (text: string | null): unknown => {
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** An interaction as the routes show it. */
export const itemOf = (state: Published): Record<string, unknown> => {
  const { asked } = state;
  const answered = state.status === 'answered' ? state : null;
  const response = responseOf(state);
  const other = escalatedTo(state.nudges);
  return {
    interactionRef: asked.interactionRef,
    requestRevision: asked.requestRevision,
    kind: asked.kind,
    mode: asked.mode,
    state: state.status,
    code: codeOf(state),
    conversationId: asked.conversationId,
    taskId: asked.taskId,
    runId: asked.runId,
    rootRunId: asked.rootRunId,
    requirementsVersion: asked.requirementsVersion,
    turn: asked.turn,
    questionId: asked.questionId,
    actionKey: asked.actionKey,
    recipient: asked.recipientKind === 'role' ? `role:${asked.recipient}` : asked.recipient,
    claimedBy: state.claimedBy,
    question: state.purgedAt === undefined ? asked.question : null,
    choices: asked.choices,
    schema: json(asked.schema),
    default: json(asked.defaultAnswer),
    grant: json(asked.grant),
    holdsReport: asked.holdsReport,
    previewSha256: asked.previewSha256,
    reminders: state.nudges?.reminders ?? 0,
    remindedAt: time(state.nudges?.remindedAt ?? null),
    escalatedTo: other === null ? null : named(other),
    escalatedAt: other === null ? null : time(state.nudges?.escalatedAt ?? null),
    expiresAt: time(asked.expiresAt),
    publishedAt: time(state.publishedAt),
    seenAt: time(state.seenAt),
    answeredAt: time(answered?.answeredAt ?? null),
    adoptedAt: time(answered?.adoptedAt ?? null),
    adoption: answered?.adoption ?? null,
    purgedAt: time(state.purgedAt ?? null),
    late: response?.late ?? false,
    response: response === null ? null : { ...response, value: json(response.value) },
  };
};
