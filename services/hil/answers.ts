import { Type, type TSchema } from 'typebox';

// What the routes answer, for the OpenAPI document and the client's types made of it.

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const oneOf = (...names: string[]) => Type.Union(names.map((name) => Type.Literal(name)));
const text = orNull(Type.String());
const instant = orNull(Type.String({ format: 'date-time' }));
const value = (description: string) => Type.Unknown({ description });

export const interactionSchema: TSchema = Type.Object({
  interactionRef: Type.String(),
  requestRevision: Type.Integer(),
  kind: oneOf('question', 'permission', 'approval'),
  mode: oneOf('non_blocking', 'blocking'),
  state: oneOf('open', 'answered', 'closed'),
  code: text,
  conversationId: Type.String(),
  taskId: Type.String(),
  runId: Type.String(),
  rootRunId: Type.String(),
  requirementsVersion: Type.Integer(),
  turn: orNull(Type.Integer()),
  questionId: text,
  actionKey: text,
  recipient: Type.String(),
  claimedBy: text,
  question: { ...text, description: 'Null where it was purged' } as TSchema,
  choices: Type.Array(Type.Object({ id: Type.String(), label: Type.String() })),
  schema: value('JSON Schema of `value`, where one was asked for'),
  default: value('What the run goes on with meanwhile'),
  grant: value('What a permission would give'),
  holdsReport: Type.Boolean(),
  previewSha256: text,
  reminders: Type.Integer(),
  remindedAt: instant,
  escalatedTo: text,
  escalatedAt: instant,
  expiresAt: instant,
  publishedAt: instant,
  seenAt: instant,
  answeredAt: instant,
  adoptedAt: instant,
  purgedAt: instant,
  adoption: orNull(
    Type.Object({
      status: oneOf('pending', 'adopted', 'void'),
      reason: text,
      runId: text,
      turn: orNull(Type.Integer()),
      inputSha256: text,
    }),
  ),
  late: Type.Boolean(),
  response: orNull(
    Type.Object({
      responseId: Type.String(),
      clientResponseId: Type.String(),
      text,
      choice: text,
      value: value('The structured answer'),
      decision: text,
      respondedBy: Type.String(),
      late: Type.Boolean(),
      previewSha256: text,
    }),
  ),
});

export const interactionsSchema: TSchema = Type.Object({ items: Type.Array(interactionSchema), next: text });
