import { Type, type TSchema } from 'typebox';

// What the routes answer, for the OpenAPI document and the client's types made of it.

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const text = orNull(Type.String());
const instant = Type.String({ format: 'date-time' });
const items = Type.Array(Type.Record(Type.String(), Type.Unknown()));

const conversationSchema = Type.Object({
  conversationId: Type.String(),
  account: Type.String(),
  title: text,
  createdAt: orNull(instant),
  updatedAt: orNull(instant),
});

const reportSchema = Type.Object({
  runId: Type.String(),
  taskId: Type.String(),
  conversationId: Type.String(),
  version: Type.Integer(),
  seq: Type.Integer(),
  status: Type.Union((['partial', 'final', 'superseded', 'late'] as const).map((status) => Type.Literal(status))),
  current: Type.Boolean(),
  sha256: Type.String(),
  contentType: Type.String(),
  sizeBytes: Type.Integer(),
  sources: Type.Array(Type.Unknown()),
  actions: Type.Array(Type.Unknown()),
  unsettledActions: Type.Array(Type.String()),
  turn: orNull(Type.Integer()),
  publishedAt: orNull(instant),
  purgedAt: Type.Optional(instant),
});

export const conversationsSchema: TSchema = Type.Object({ items: Type.Array(conversationSchema), next: text });
export const reportsSchema: TSchema = Type.Object({ items: Type.Array(reportSchema), next: text });

/** Items are as in their owners' routes, as far as the records of the events carry them. */
export const snapshotSchema: TSchema = Type.Object({
  cursor: Type.String(),
  conversation: conversationSchema,
  messages: items,
  receipts: items,
  runs: items,
  interactions: items,
  actions: items,
  reports: items,
});

const documentText = {
  sha256: Type.String(),
  contentType: text,
  sizeBytes: orNull(Type.Integer()),
  basedOn: Type.Array(Type.String()),
  runId: text,
  version: orNull(Type.Integer()),
  seq: orNull(Type.Integer()),
  by: text,
  at: orNull(instant),
  body: text,
};

export const documentSchema: TSchema = Type.Object({
  documentId: Type.String(),
  account: Type.String(),
  current: Type.Object(documentText),
  conflicts: Type.Array(Type.Object({ ...documentText, conflictsWith: Type.String() })),
  resolved: Type.Array(
    Type.Object({
      sha256: Type.String(),
      conflictsWith: Type.String(),
      at: orNull(instant),
      resolvedBy: text,
    }),
  ),
});
