import { Type, type TSchema } from 'typebox';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const text = orNull(Type.String());
const whole = orNull(Type.Integer());
const choice = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)));
const option = (schema: TSchema, description: string) => Type.Optional(orNull({ ...schema, description } as TSchema));
const id = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' });

/** For the OpenAPI document; the checks themselves are in validate.ts, for both channels. */
export const bodySchema = Type.Object({
  clientMessageId: option(id, 'The identity of the message; the header Idempotency-Key may give it instead'),
  content: option(Type.String(), 'The words of the user, up to 256 KiB of UTF-8, kept byte for byte'),
  relation: option(
    choice(
      'unspecified',
      'new_task',
      'follow_up',
      'clarification',
      'continue',
      'amend',
      'observe',
      'control',
      'entity_event',
    ),
    'How the message relates to existing work; default unspecified',
  ),
  targetRunId: option(id, 'The run the message is aimed at'),
  targetClientMessageId: option(id, 'The same run, named by the message that started it'),
  expectedVersion: option(Type.Integer({ minimum: 1 }), 'The requirements version the user saw'),
  amendKind: option(choice('supplement', 'replace'), 'Default supplement'),
  continuationOfRunId: option(id, 'The ended run to be continued'),
  parentRunId: option(id, 'The run whose context a follow-up may read'),
  interactionRef: option(id, 'The question that is answered'),
  requestRevision: option(Type.Integer({ minimum: 1 }), 'The revision of that question'),
  control: option(choice('progress', 'pause', 'resume', 'cancel'), 'What a control message asks for'),
  mode: option(choice('queue', 'parallel'), 'Default queue'),
  dependsOnRunId: option(id, 'A run whose published report the new task waits for'),
  entityType: option(Type.String(), 'Type of the entity concerned; comes with entityId'),
  entityId: option(Type.String(), 'Id of that entity'),
  eventKind: option(Type.String(), 'What happened to the entity'),
  eventAt: option(Type.String({ format: 'date-time' }), 'When it happened'),
  correlationId: option(Type.String(), 'Ties events of one occurrence together'),
  agent: option(Type.String(), 'Which configured agent; default is the one of the tenant'),
  title: option(Type.String({ maxLength: 200 }), 'For people'),
  priority: option(Type.Integer({ minimum: 0, maximum: 9 }), '9 first; default 5'),
  scheduled: option(Type.Boolean(), 'A run that never parks for a person'),
  requirements: option(
    Type.Union([Type.Object({}), Type.String()]),
    'Structured requirements: an object, or its JSON text; in an amendment a merge patch',
  ),
});

const reportRef = Type.Object({ version: Type.Integer(), seq: Type.Integer(), sha256: Type.String() });

export const receiptSchema = Type.Object({
  eventId: Type.String(),
  occurredAt: Type.String({ format: 'date-time' }),
  requestEventId: text,
  tenant: Type.String(),
  app: Type.String(),
  account: Type.String(),
  conversationId: Type.String(),
  clientMessageId: Type.String(),
  revision: Type.Integer(),
  status: Type.String(),
  duplicate: Type.Boolean(),
  relation: text,
  messageId: text,
  runId: text,
  taskId: text,
  targetRunId: text,
  parentRunId: text,
  continuationOfRunId: text,
  requirementsVersion: whole,
  effectiveRequirements: orNull(
    Type.Object({
      texts: Type.Array(Type.Object({ version: Type.Integer(), text: Type.String() })),
      structured: Type.Unknown(),
    }),
  ),
  interactionRef: text,
  adoption: orNull(Type.Object({ status: Type.String(), reason: text, runId: text, turn: whole, inputSha256: text })),
  progress: orNull(
    Type.Object({
      state: Type.String(),
      waitingFor: Type.Array(Type.Unknown()),
      requirementsVersion: Type.Integer(),
      appliedVersion: Type.Integer(),
      turns: Type.Integer(),
      lastPublished: orNull(reportRef),
    }),
  ),
  result: orNull(Type.Object({ state: Type.String(), cause: text, version: whole, sha256: text })),
  code: text,
  field: text,
  detail: text,
  candidates: Type.Array(
    Type.Object({
      runId: Type.String(),
      taskId: Type.String(),
      title: text,
      state: Type.String(),
      requirementsVersion: Type.Integer(),
      interactionRef: text,
      requestRevision: whole,
    }),
  ),
  contentSha256: text,
});
