import { Type, type TSchema } from 'typebox';
import { statuses } from './state';

// What the routes answer, for the OpenAPI document and the client's types made of it.

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const oneOf = (names: readonly string[]) => Type.Union(names.map((name) => Type.Literal(name)));
const text = orNull(Type.String());
const whole = orNull(Type.Integer());
const instant = Type.String({ format: 'date-time' });

export const actionSchema: TSchema = Type.Object({
  actionKey: Type.String(),
  connector: Type.String(),
  operation: Type.String(),
  subject: Type.String(),
  revision: Type.Integer(),
  state: oneOf(statuses),
  code: text,
  runId: Type.String(),
  conversationId: Type.String(),
  taskId: Type.String(),
  proposalId: Type.String(),
  requirementsVersion: Type.Integer(),
  requestSha256: Type.String(),
  target: Type.Object({ method: Type.String(), url: Type.String() }),
  openedAt: instant,
  approval: orNull(
    Type.Object({
      interactionRef: Type.String(),
      previewSha256: Type.String(),
      decision: orNull(oneOf(['approve', 'deny'])),
      by: text,
      at: orNull(instant),
      expiresAt: instant,
      adoptedBy: whole,
    }),
  ),
  attempts: Type.Array(
    Type.Object({
      number: Type.Integer(),
      outcome: text,
      code: text,
      sendBy: instant,
      startedAt: instant,
      endedAt: orNull(instant),
      httpStatus: whole,
      body: text,
      headers: orNull(Type.Record(Type.String(), Type.String())),
    }),
  ),
  queries: Type.Integer(),
  evidence: Type.Array(
    Type.Object({
      by: oneOf(['response', 'query', 'callback', 'attestation']),
      outcome: oneOf(['succeeded', 'failed']),
      code: text,
      status: whole,
      body: text,
      account: text,
      at: instant,
    }),
  ),
  links: Type.Array(Type.Object({ kind: oneOf(['compensates', 'compensated_by']), actionKey: Type.String() })),
  cancel: orNull(
    Type.Object({
      requestedAt: instant,
      tries: Type.Integer(),
      answeredAt: orNull(instant),
      httpStatus: whole,
      confirmedAt: orNull(instant),
    }),
  ),
  purgedAt: orNull(instant),
});

export const actionsSchema: TSchema = Type.Object({ items: Type.Array(actionSchema), next: text });

/** Of a connector that was paused or resumed; what had waited for the latter is counted. */
export const pausedSchema: TSchema = Type.Object({
  connector: Type.String(),
  paused: Type.Boolean(),
  released: Type.Optional(Type.Integer()),
});
export const askedSchema: TSchema = Type.Object({ connector: Type.String(), asked: Type.Integer() });
