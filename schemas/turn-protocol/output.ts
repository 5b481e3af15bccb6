import { Type, type Static, type TProperties } from 'typebox';
import { durationMaxSec, listMaxItems } from './limits';
import { TurnForSchema } from './input';

/**
 * What an agent may answer. Unknown fields are refused by name, in every object: a mistyped `approval` must not send
 * something without asking. Only the echo is open, so that an older executor can read a newer one's.
 */
const closed = <P extends TProperties>(fields: P) => Type.Object(fields, { additionalProperties: false });
const list = <S extends Parameters<typeof Type.Array>[0]>(item: S) => Type.Array(item, { maxItems: listMaxItems });
const optional = Type.Optional;

const id = Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' });
const durationSec = Type.Integer({ minimum: 1, maximum: durationMaxSec });
const contentType = Type.Union([
  Type.Literal('text/markdown'),
  Type.Literal('text/plain'),
  Type.Literal('application/json'),
]);
const recipient = Type.String({ pattern: '^(user|parent|(role|account):[^\\u0000-\\u001f\\u007f]{1,128})$' });
const grant = Type.String({ pattern: '^(tool|source|connector|consent):[^\\u0000-\\u001f\\u007f]{1,128}$' });
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

export const ToolCallSchema = closed({ callId: id, tool: id, input: Type.Unknown() });
export type ToolCall = Static<typeof ToolCallSchema>;

export const ActionProposalSchema = closed({
  proposalId: optional(id),
  connector: id,
  operation: id,
  subject: id,
  params: optional(Type.Unknown()),
  body: optional(Type.String()),
  note: optional(Type.String()),
  approval: optional(Type.Boolean()),
  repeat: optional(Type.Boolean()),
});
export type ActionProposal = Static<typeof ActionProposalSchema>;

export const AskSchema = closed({
  questionId: id,
  kind: Type.Union([Type.Literal('question'), Type.Literal('permission')]),
  mode: optional(Type.Union([Type.Literal('non_blocking'), Type.Literal('blocking')])),
  to: optional(recipient),
  question: Type.String({ minLength: 1 }),
  choices: optional(list(closed({ id, label: Type.String() }))),
  schema: optional(Type.Record(Type.String(), Type.Unknown())),
  default: optional(Type.Unknown()),
  grant: optional(grant),
  expiresInSec: optional(durationSec),
  remindAfterSec: optional(durationSec),
  escalateTo: optional(recipient),
  holdsReport: optional(Type.Boolean()),
  revises: optional(id),
});
export type Ask = Static<typeof AskSchema>;

export const SpawnSchema = closed({
  childId: id,
  agent: id,
  text: Type.String(),
  entity: optional(closed({ type: Type.String(), id: Type.String() })),
  budget: optional(
    closed({
      turns: optional(Type.Integer({ minimum: 1 })),
      cost: optional(Type.Number({ minimum: 0 })),
      deadlineSec: optional(durationSec),
    }),
  ),
});
export type Spawn = Static<typeof SpawnSchema>;

export const AnswerChildSchema = closed({
  childId: id,
  questionId: id,
  text: optional(Type.String()),
  choice: optional(id),
  value: optional(Type.Unknown()),
  escalate: optional(Type.Boolean()),
});
export type AnswerChild = Static<typeof AnswerChildSchema>;

export const SourceSchema = closed({
  callId: optional(id),
  materialRef: optional(Type.String({ minLength: 1, maxLength: 512 })),
  actionKey: optional(Type.String({ minLength: 1, maxLength: 512 })),
});
export type Source = Static<typeof SourceSchema>;

export const PublishOutputSchema = closed({ body: Type.String(), contentType });
export type PublishOutput = Static<typeof PublishOutputSchema>;

export const ReportOutputSchema = closed({
  body: Type.String(),
  contentType,
  sources: optional(list(SourceSchema)),
  document: optional(id),
  basedOn: optional(sha256),
});
export type ReportOutput = Static<typeof ReportOutputSchema>;

export const TurnOutputSchema = closed({
  for: TurnForSchema,
  state: optional(Type.Unknown()),
  understood: optional(Type.String()),
  toolCalls: optional(list(ToolCallSchema)),
  actions: optional(list(ActionProposalSchema)),
  ask: optional(list(AskSchema)),
  withdraw: optional(list(id)),
  spawn: optional(list(SpawnSchema)),
  answerChildren: optional(list(AnswerChildSchema)),
  results: optional(closed({ reuse: optional(list(id)), drop: optional(list(id)) })),
  publish: optional(PublishOutputSchema),
  report: optional(ReportOutputSchema),
  summary: optional(Type.String()),
  openQuestions: optional(list(Type.String())),
  again: optional(Type.Boolean()),
  usage: optional(closed({ cost: Type.Number({ minimum: 0 }) })),
  fail: optional(closed({ code: id, message: Type.String() })),
});
export type TurnOutput = Static<typeof TurnOutputSchema>;
