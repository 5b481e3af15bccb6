import { Type, type TSchema } from 'typebox';
import { terminalStatuses } from './run-status';
import { liveStatuses } from './state';

// What the routes answer, for the OpenAPI document and the client's types made of it. Nothing is left out of an answer
// because it is not named here.

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const text = orNull(Type.String());
const instant = Type.String({ format: 'date-time' });
const reportRef = Type.Object({ version: Type.Integer(), seq: Type.Integer(), sha256: Type.String() });
const structured = Type.Unknown({ description: 'The structured values in force, a JSON object' });
const runState = Type.Union([...liveStatuses, ...terminalStatuses].map((status) => Type.Literal(status)));

const waitingFor = Type.Array(
  Type.Object({
    kind: Type.Union(
      (
        ['slot', 'tools', 'action', 'answer', 'child', 'dependency', 'fence', 'publication', 'retry', 'cancel'] as const
      ).map((kind) => Type.Literal(kind)),
    ),
    ref: Type.String(),
    since: instant,
    deadline: orNull(instant),
  }),
);

const budget = Type.Object({ turnsLeft: Type.Integer(), costLeft: orNull(Type.Number()), hardDeadline: instant });

export const runSchema: TSchema = Type.Object({
  runId: Type.String(),
  taskId: Type.String(),
  conversationId: Type.String(),
  tenant: Type.String(),
  account: Type.String(),
  agent: Type.String(),
  title: text,
  messageId: text,
  state: runState,
  waitingFor,
  cause: text,
  detail: text,
  stateRevision: Type.Integer(),
  requirementsVersion: Type.Integer(),
  appliedVersion: Type.Integer(),
  turns: Type.Integer(),
  versions: Type.Array(
    Type.Object({
      version: Type.Integer(),
      kind: Type.String(),
      text: { ...text, description: 'Null where the content of the run was purged' } as TSchema,
      understood: text,
      receivedAt: instant,
      appliedAt: orNull(instant),
    }),
  ),
  effectiveRequirements: Type.Object({
    texts: Type.Array(Type.Object({ version: Type.Integer(), text: Type.String() })),
    structured,
  }),
  structured,
  transitions: Type.Array(Type.Object({ at: instant }), {
    description: 'What each change of version or control found',
  }),
  steps: Type.Array(
    Type.Object({
      callId: Type.String(),
      tool: Type.String(),
      status: Type.String(),
      requirementsVersion: Type.Integer(),
      needsRecheck: Type.Boolean(),
      resultSha256: text,
    }),
  ),
  pendingUpdates: Type.Array(
    Type.Object({
      kind: Type.String(),
      messageId: Type.String(),
      clientMessageId: text,
      version: orNull(Type.Integer()),
      receivedAt: instant,
    }),
  ),
  budget,
  grants: Type.Object({
    tools: Type.Array(Type.String()),
    connectors: Type.Array(Type.String()),
    sources: Type.Array(Type.String()),
    consents: Type.Array(Type.String()),
    given: Type.Array(Type.Object({ grant: Type.String(), from: Type.String(), until: instant })),
  }),
  actions: Type.Array(
    Type.Object({
      actionKey: text,
      proposalId: Type.String(),
      connector: Type.String(),
      operation: Type.String(),
      subject: Type.String(),
      state: Type.String(),
      code: text,
      requirementsVersion: Type.Integer(),
    }),
  ),
  interactions: Type.Array(
    Type.Object({
      interactionRef: Type.String(),
      questionId: Type.String(),
      kind: Type.String(),
      state: Type.String(),
      requirementsVersion: Type.Integer(),
    }),
  ),
  children: Type.Array(
    Type.Object({
      childId: Type.String(),
      runId: Type.String(),
      agent: Type.String(),
      state: text,
      requirementsVersion: Type.Integer(),
      needsRecheck: Type.Boolean(),
      report: orNull(reportRef),
    }),
  ),
  continuation: orNull(
    Type.Object({
      ofRunId: Type.String(),
      originalSha256: text,
      grantsCut: Type.Array(Type.String()),
      parentCause: text,
    }),
  ),
  unsettledActions: Type.Array(Type.String()),
  lateSettlements: Type.Array(Type.Object({ actionKey: Type.String(), state: Type.String(), at: instant })),
  report: orNull(reportRef),
  lastPublished: orNull(reportRef),
  leaseEpoch: Type.Integer(),
  parentRunId: text,
  rootRunId: Type.String(),
  continuationOfRunId: text,
  enqueuedAt: instant,
  startedAt: orNull(instant),
  endedAt: orNull(instant),
  purgedAt: orNull(instant),
});

export const turnSchema: TSchema = Type.Object({
  number: Type.Integer(),
  attempts: Type.Integer(),
  requirementsVersion: Type.Integer(),
  inputSha256: Type.String(),
  toolCalls: Type.Array(Type.Unknown()),
  actions: Type.Array(Type.Unknown()),
  asks: Type.Array(Type.Unknown()),
  understood: text,
  outcome: text,
  detail: text,
  startedAt: orNull(instant),
  endedAt: orNull(instant),
});

export const queuedSchema: TSchema = Type.Object({
  place: Type.Integer(),
  runId: Type.String(),
  conversationId: Type.String(),
  priority: Type.Integer(),
  enqueuedAt: instant,
  reason: Type.String(),
  waitingFor,
});

export const standingSchema: TSchema = Type.Object({
  runId: Type.String(),
  state: runState,
  cause: text,
  report: orNull(reportRef),
});

/** `{items, next}`, as every list. */
export const listOfSchema = (item: TSchema): TSchema => Type.Object({ items: Type.Array(item), next: text });

/** Of an operator's purge: the runs that had content until then. */
export const purgedSchema: TSchema = Type.Object({
  conversationId: Type.String(),
  account: Type.String(),
  runs: Type.Integer(),
  purgedAt: instant,
});

export const taskSchema: TSchema = Type.Object({
  taskId: Type.String(),
  conversationId: Type.String(),
  entity: orNull(Type.Object({ type: Type.String(), id: Type.String() })),
  title: text,
  createdAt: instant,
  runs: Type.Array(runSchema),
});

/** Of an operator's hand on a run. */
export const steeredSchema: TSchema = Type.Object({ runId: Type.String(), state: runState });
