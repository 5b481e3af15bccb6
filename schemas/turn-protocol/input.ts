import { Type, type Static, type TProperties, type TSchema } from 'typebox';
import { protocolName } from './limits';

/** The sealed input of a turn: every field is present, what does not apply is null or an empty list. */
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const text = Type.String();
const textOrNull = orNull(Type.String());
const at = Type.String({ description: 'RFC 3339, UTC' });
const version = Type.Integer({ minimum: 1 });

export const TurnForSchema = Type.Object({
  conversationId: text,
  taskId: text,
  runId: text,
  turn: Type.Integer({ minimum: 1 }),
  requirementsVersion: version,
});
export type TurnFor = Static<typeof TurnForSchema>;

export const RunViewSchema = Type.Object({
  rootRunId: text,
  parentRunId: textOrNull,
  continuationOfRunId: textOrNull,
  tenant: text,
  account: text,
  entity: orNull(Type.Object({ type: text, id: text })),
  agent: text,
  scheduled: Type.Boolean(),
  title: textOrNull,
});
export type RunView = Static<typeof RunViewSchema>;

export const RequirementsSchema = Type.Object({
  version,
  texts: Type.Array(Type.Object({ version, text, messageId: text, receivedAt: at })),
  structured: orNull(Type.Record(Type.String(), Type.Unknown())),
  history: Type.Array(Type.Object({ version, kind: text, text, receivedAt: at })),
});
export type Requirements = Static<typeof RequirementsSchema>;

export const BudgetSchema = Type.Object({
  turnsLeft: Type.Integer({ minimum: 0 }),
  costLeft: orNull(Type.Number()),
  hardDeadline: orNull(at),
});
export type Budget = Static<typeof BudgetSchema>;

/** R9: one immutable record of what a change of version or control found. Ids only: the facts are in their own lists. */
export const TransitionSchema = Type.Object({
  from: Type.Unknown(),
  to: Type.Unknown(),
  effectsDone: Type.Array(text),
  withdrawn: Type.Array(text),
  inFlight: Type.Array(text),
  unknown: Type.Array(text),
  reusableResults: Type.Array(text),
  resultsToRecheck: Type.Array(text),
  openInteractions: Type.Array(text),
  budgetLeft: BudgetSchema,
});
export type Transition = Static<typeof TransitionSchema>;

const change = <K extends string, P extends TProperties>(kind: K, fields: P) =>
  Type.Object({ kind: Type.Literal(kind), at, ...fields });
const interaction = { questionId: text, interactionRef: text };
const action = { actionKey: text, proposalId: textOrNull };

export const ChangeSchema = Type.Union([
  change('amended', { version, amendKind: text, text, messageId: text }),
  change('observed', {
    text,
    messageId: text,
    /** Of a child: this was an amendment of its parent, which made that version there. */
    ofParent: Type.Optional(Type.Object({ version, amendKind: text })),
  }),
  change('entity_event', {
    eventKind: text,
    eventAt: at,
    correlationId: textOrNull,
    text,
    messageId: text,
    confirmed: Type.Boolean(),
  }),
  change('answered', interaction),
  change('expired', interaction),
  change('interaction_withdrawn', interaction),
  change('park_refused', { questionId: text, reason: text }),
  change('report_refused', { code: text, detail: textOrNull }),
  change('action_proposed', action),
  change('action_awaiting_approval', action),
  change('action_denied', action),
  change('action_withdrawn', action),
  change('action_succeeded', action),
  change('action_failed', action),
  change('action_unknown', action),
  change('action_blocked', action),
  change('action_disputed', action),
  change('action_refused', { proposalId: textOrNull, code: text, actionKey: textOrNull }),
  change('withheld', { what: text, ids: Type.Array(text), code: Type.Optional(textOrNull) }),
  change('child_ended', {
    childId: text,
    runId: text,
    state: text,
    report: Type.Unknown(),
    requirementsVersion: version,
    needsRecheck: Type.Optional(Type.Boolean()),
  }),
  change('child_asks', { childId: text, questionId: text, question: text }),
  change('grant_added', { grant: text, code: textOrNull }),
  change('grant_refused', { grant: text, code: textOrNull }),
  change('resumed', {}),
]);
export type Change = Static<typeof ChangeSchema>;

export const MaterialSchema = Type.Object({
  kind: Type.Enum([
    'original_request',
    'amendment',
    'published_answer',
    'summary',
    'open_question',
    'saved_result',
    'late_answer',
    'history_message',
    'dependency_report',
  ]),
  ref: text,
  text: textOrNull,
  sha256: textOrNull,
  available: Type.Boolean(),
  unavailableReason: textOrNull,
  historical: Type.Boolean(),
  trust: Type.Enum(['verified', 'published', 'lead']),
  fromRunId: textOrNull,
  requirementsVersion: orNull(version),
  producedAt: orNull(at),
  truncatedFromBytes: orNull(Type.Integer()),
});
export type Material = Static<typeof MaterialSchema>;

export const ToolResultSchema = Type.Object({
  callId: text,
  tool: text,
  input: Type.Unknown(),
  requirementsVersion: version,
  ok: Type.Boolean(),
  output: Type.Unknown(),
  error: orNull(Type.Object({ code: text, message: text })),
  needsRecheck: Type.Boolean(),
});
export type ToolResult = Static<typeof ToolResultSchema>;

export const ActionViewSchema = Type.Object({
  actionKey: text,
  proposalId: textOrNull,
  connector: text,
  operation: text,
  subject: text,
  state: Type.Enum([
    'proposed',
    'awaiting_approval',
    'denied',
    'withdrawn',
    'admitted',
    'sending',
    'succeeded',
    'failed',
    'unknown',
    'blocked',
    'disputed',
  ]),
  code: textOrNull,
  receipt: orNull(
    Type.Object({ by: text, status: orNull(Type.Union([Type.Integer(), text])), body: Type.Unknown(), at: orNull(at) }),
  ),
  requirementsVersion: version,
});
export type ActionView = Static<typeof ActionViewSchema>;

export const AnswerSchema = Type.Object({
  questionId: text,
  interactionRef: text,
  text: textOrNull,
  choice: textOrNull,
  value: Type.Unknown(),
  decision: textOrNull,
  late: Type.Boolean(),
  requirementsVersion: version,
  needsRecheck: Type.Boolean(),
});
export type Answer = Static<typeof AnswerSchema>;

export const TurnInputSchema = Type.Object({
  protocol: Type.Literal(protocolName),
  for: TurnForSchema,
  run: RunViewSchema,
  requirements: RequirementsSchema,
  transition: orNull(TransitionSchema),
  changes: Type.Array(ChangeSchema),
  materials: Type.Array(MaterialSchema),
  toolResults: Type.Array(ToolResultSchema),
  actions: Type.Array(ActionViewSchema),
  answers: Type.Array(AnswerSchema),
  state: orNull(Type.Object({ value: Type.Unknown(), requirementsVersion: version })),
  budget: BudgetSchema,
  truncated: Type.Array(text),
});
export type TurnInput = Static<typeof TurnInputSchema>;
