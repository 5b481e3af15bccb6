import { Type, type TSchema } from 'typebox';

// What the operator routes of every service answer, for the OpenAPI document and the client's types made of it.

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const text = orNull(Type.String());
const instant = Type.String({ format: 'date-time' });
const list = (item: TSchema): TSchema => Type.Object({ items: Type.Array(item), next: text });

/** `{200: …}`: every operator route answers so when it does what it was asked. */
export const answers = (schema: TSchema): { readonly response: { readonly 200: TSchema } } => ({
  response: { 200: schema },
});

export const deadLetterSchema: TSchema = Type.Object({
  id: Type.String({ description: 'topic:partition:offset' }),
  consumer: Type.String(),
  topic: Type.String(),
  code: Type.String(),
  message: Type.String(),
  at: instant,
  attempts: Type.Integer(),
  redriveCount: Type.Integer(),
  state: Type.Union((['dead', 'redriven', 'skipped'] as const).map((state) => Type.Literal(state))),
  key: text,
  preview: text,
  decoded: orNull(Type.Object({ record: Type.String(), value: Type.Unknown() })),
});
export const deadLettersSchema = list(deadLetterSchema);

export const redrivenSchema: TSchema = Type.Object({
  id: Type.String(),
  state: Type.String(),
  code: text,
  message: text,
});
export const settledSchema: TSchema = Type.Object({ id: Type.String(), state: Type.String() });

export const bulkRedrivenSchema: TSchema = Type.Object({
  matched: Type.Integer(),
  redriven: Type.Integer(),
  failed: Type.Integer(),
  dryRun: Type.Boolean(),
});
export const bulkPurgedSchema: TSchema = Type.Object({
  matched: Type.Integer(),
  waiting: Type.Integer(),
  purged: Type.Integer(),
  dryRun: Type.Boolean(),
});

export const blockedKeysSchema = list(
  Type.Object({
    key: Type.String(),
    topic: Type.String(),
    recordKey: text,
    eventId: Type.String(),
    message: text,
    at: instant,
    waiting: Type.Integer(),
  }),
);
export const unblockedSchema: TSchema = Type.Object({ key: Type.String(), state: Type.String() });

export const incidentsSchema = list(
  Type.Object({
    id: Type.String(),
    kind: Type.String(),
    ref: Type.String(),
    reason: Type.String(),
    actions: Type.Array(Type.String()),
    openedAt: instant,
    acknowledgedAt: orNull(instant),
    closedAt: orNull(instant),
  }),
);

const lagPoint = { lag: Type.Number(), timeLagSeconds: Type.Number() };
export const statusSchema: TSchema = Type.Object({
  instances: Type.Array(Type.Object({ instance: Type.String(), seenAt: instant, ...lagPoint })),
  history: Type.Array(Type.Object({ at: instant, ...lagPoint })),
  outbox: Type.Object({ pending: Type.Integer(), oldestSeconds: Type.Number(), blockedKeys: Type.Integer() }),
});
export const lagSchema = list(
  Type.Object({
    group: Type.String(),
    topic: Type.String(),
    partition: Type.Integer(),
    ...lagPoint,
    progressAgeSeconds: Type.Number(),
  }),
);
