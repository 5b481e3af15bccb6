import type { Change, Transition } from '../../schemas/turn-protocol/input';

export const terminalStatuses = ['completed', 'partial', 'failed', 'cancelled', 'interrupted'] as const;
export type Terminal = (typeof terminalStatuses)[number];

export const liveStatuses = [
  'queued',
  'running',
  'waiting',
  'parked',
  'pausing',
  'paused',
  'cancelling',
  'publishing',
  'closing',
] as const;
export type RunStatus = (typeof liveStatuses)[number] | Terminal;

export type Cause =
  | 'unsettled_actions'
  | 'budget_turns'
  | 'budget_cost'
  | 'deadline'
  | 'agent_failed'
  | 'malformed_output'
  | 'no_progress'
  | 'dependency_failed'
  | 'defect'
  | 'owner_lost'
  | 'agent_timeout'
  | 'agent_unreachable'
  | 'user'
  | 'operator'
  | 'interrupted_by_message';

/** Text or JSON kept by a run: small ones in the document, larger ones in `blobs` under the run's own reference. */
export interface Kept {
  readonly ref: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly inline: string | null;
}

export interface RequirementText {
  readonly version: number;
  readonly text: Kept;
  readonly messageId: string;
  readonly receivedAt: number;
}

export interface VersionEntry {
  readonly version: number;
  readonly kind: 'initial' | 'supplement' | 'replace';
  readonly text: Kept;
  readonly messageId: string;
  readonly receivedAt: number;
  appliedAt: number | null;
  understood: string | null;
}

export interface Requirements {
  version: number;
  /** Texts in force, oldest first. */
  texts: RequirementText[];
  structured: Record<string, unknown> | null;
  history: VersionEntry[];
}

/** A received update that no turn has taken yet. `runId` and `taskId` are what a follow-up run would be called. */
export interface PendingUpdate {
  readonly kind: 'amendment' | 'observation';
  readonly messageId: string;
  readonly clientMessageId: string;
  readonly text: Kept;
  readonly receivedAt: number;
  readonly version: number | null;
  readonly amendKind: 'supplement' | 'replace' | null;
  readonly structured: Record<string, unknown> | null;
  readonly followUp: { readonly runId: string; readonly taskId: string };
}

/** What this run has said about a message, to be said again whenever the message is delivered again (R25). */
export interface MessageFate {
  readonly messageId: string;
  readonly clientMessageId: string;
  revision: number;
  status: string;
  code: string | null;
  detail: string | null;
  field: string | null;
  version: number | null;
  withEffective: boolean;
  runId: string | null;
  taskId: string | null;
  turn: number | null;
  inputSha256: string | null;
}

export interface Lease {
  readonly owner: string;
  until: number;
}

/** The turn that is being asked, from its seal to its commit. */
export interface OpenTurn {
  readonly number: number;
  readonly version: number;
  readonly inputSha256: string;
  readonly sealedAt: number;
  attempt: number;
  /** When the current attempt's answer counts as timed out. */
  deadline: number;
  /** Set while the agent is given a rest before it is asked again. */
  retryAt: number | null;
  /** Owners lost during this turn (R14). */
  lost: number;
  firstFailureAt: number | null;
  /** Ids of the answers this input carries, for their adoption at the commit. */
  readonly answers: readonly string[];
}

export interface ToolCallState {
  readonly callId: string;
  readonly tool: string;
  readonly input: Kept;
  readonly version: number;
  readonly turn: number;
  status: 'open' | 'done' | 'dropped';
  ok: boolean;
  output: Kept | null;
  error: { code: string; message: string } | null;
  needsRecheck: boolean;
}

export type ActionStatus =
  | 'proposing'
  | 'refused'
  | 'proposed'
  | 'awaiting_approval'
  | 'denied'
  | 'withdrawn'
  | 'admitted'
  | 'sending'
  | 'succeeded'
  | 'failed'
  | 'unknown'
  | 'blocked'
  | 'disputed';

export interface ActionState {
  readonly proposalId: string;
  readonly connector: string;
  readonly operation: string;
  readonly subject: string;
  readonly request: { readonly params: Kept | null; readonly body: Kept | null };
  readonly note: string | null;
  readonly approval: boolean;
  readonly repeat: boolean;
  readonly turn: number;
  readonly version: number;
  actionKey: string | null;
  /** Revision of the ledger's record last seen, so that an older one coming late changes nothing. */
  seen: number;
  status: ActionStatus;
  code: string | null;
  receipt: { by: string; status: number | null; body: string | null; at: number } | null;
}

export interface QuestionState {
  readonly questionId: string;
  readonly interactionRef: string;
  readonly kind: 'question' | 'permission';
  readonly mode: 'non_blocking' | 'blocking';
  readonly revision: number;
  readonly turn: number;
  readonly version: number;
  readonly question: string;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  readonly schema: string | null;
  readonly defaultAnswer: string | null;
  readonly grant: string | null;
  readonly recipient: { readonly kind: 'account' | 'role'; readonly name: string };
  readonly expiresAt: number | null;
  readonly remindAfterSec: number | null;
  readonly escalateTo: string | null;
  readonly holdsReport: boolean;
  status: 'asking' | 'open' | 'answered' | 'closed';
  code: string | null;
  seen: number;
  answer: {
    readonly text: string | null;
    readonly choice: string | null;
    readonly value: string | null;
    readonly decision: string | null;
    readonly late: boolean;
  } | null;
  adoption: 'none' | 'pending' | 'adopted' | 'void';
}

/** A request to another service that has not been answered yet (R25). Its content follows from the state by its id. */
export interface OpenRequest {
  readonly id: string;
  attempt: number;
  askAt: number;
}

export interface Publication {
  readonly version: number;
  readonly seq: number;
  readonly status: 'partial' | 'final' | 'late';
  readonly body: Kept;
  readonly contentType: string;
  readonly sources: string;
  readonly unsettledActions: readonly string[];
  readonly document: string | null;
  readonly basedOn: string | null;
  readonly turn: number;
}

export interface Grants {
  readonly tools: readonly string[];
  readonly connectors: readonly string[];
  readonly sources: readonly string[];
  /** Permissions of a person to disclose something once; never carried to another run. */
  readonly consents: readonly string[];
}

export interface Run {
  status: RunStatus;
  cause: Cause | null;
  detail: string | null;
  readonly runId: string;
  readonly taskId: string;
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly conversationId: string;
  readonly messageId: string;
  readonly relation: string;
  readonly agent: string;
  readonly title: string | null;
  readonly priority: number;
  readonly scheduled: boolean;
  readonly mode: 'queue' | 'parallel';
  readonly entity: { readonly type: string; readonly id: string } | null;
  readonly rootRunId: string;
  readonly parentRunId: string | null;
  readonly continuationOfRunId: string | null;
  readonly trace: { readonly correlationId: string | null; readonly traceparent: string | null };
  readonly enqueuedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** Runs whose end or report this one waits for before it starts. */
  holds: { readonly runId: string; readonly kind: 'dependency' | 'interrupt' | 'queue' }[];
  /** Runs that wait for this one's end. */
  dependents: string[];
  dependency: { readonly runId: string; readonly version: number; readonly sha256: string } | null;
  requirements: Requirements;
  appliedVersion: number;
  pending: PendingUpdate[];
  fates: MessageFate[];
  epoch: number;
  lease: Lease | null;
  turn: OpenTurn | null;
  /** Last committed turn; 0 before the first. */
  turns: number;
  calls: ToolCallState[];
  actions: ActionState[];
  questions: QuestionState[];
  requests: OpenRequest[];
  publications: Publication[];
  fence: { number: number; minVersion: number; mode: 'open' | 'hold' | 'closed'; acknowledged: boolean };
  agentState: { readonly value: Kept; readonly version: number } | null;
  summary: Kept | null;
  openQuestions: readonly string[];
  /** What happened since the last committed turn, for the next input. */
  changes: Change[];
  /** How many of `changes` the open turn's input carries. */
  sealedChanges: number;
  transition: Transition | null;
  transitions: (Transition & { readonly at: number })[];
  budget: { turnsLeft: number; costLeft: number | null; hardDeadline: number };
  grants: Grants;
  recovery: 'continue' | 'settle';
  cancelSettleMs: number;
  retryMaxMs: number;
  turnTimeoutMs: number;
  /** The agent asked for another turn at once, or a refused report wants one. */
  again: boolean;
  noProgress: number;
  /** After a refused report: the number of changes that alone do not call for another turn; null = they do. */
  holdChanges: number | null;
  /** The report that passed the gate. */
  gated: { readonly version: number; readonly seq: number } | null;
  seqs: Record<string, number>;
  report: { readonly version: number; readonly seq: number; readonly sha256: string } | null;
  lastPublished: { readonly version: number; readonly seq: number; readonly sha256: string } | null;
  cancel: {
    readonly requestedAt: number;
    readonly cause: Cause;
    readonly messageIds: string[];
    settleBy: number | null;
  } | null;
  /** When a run that may go on but found no room looks again. */
  readyAt: number | null;
  /** The end that `closing` leads to. */
  ending: { readonly to: Terminal; readonly cause: Cause | null } | null;
  unsettledActions: string[];
  /** Settlements that arrived after the end; the terminal state itself stays (R23). */
  lateSettlements: { readonly actionKey: string; readonly state: string; readonly at: number }[];
}

/** A cancel that named a message which has not arrived: kept for ten minutes (A16). */
export interface Awaited {
  status: 'awaited';
  readonly runId: string;
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly conversationId: string;
  cancels: MessageFate[];
  until: number | null;
}

export type RunRow = Run | Awaited;

/** Order of the runs of one conversation: who holds and who waits (A13, R19). */
export interface ConversationRuns {
  readonly tenant: string;
  readonly account: string;
  readonly conversationId: string;
  /** Runs that still hold a place: not terminal, not parked, not paused. */
  active: string[];
  /** Queued runs in their fixed order. */
  waiting: { readonly runId: string; readonly order: number }[];
}

export const isRun = (row: RunRow | undefined): row is Run => row !== undefined && row.status !== 'awaited';
export const isTerminal = (status: RunStatus): status is Terminal =>
  (terminalStatuses as readonly string[]).includes(status);

/** Action states in which something may still start or be on its way (E7, R15). */
const unsettled: ReadonlySet<ActionStatus> = new Set([
  'proposing',
  'proposed',
  'awaiting_approval',
  'admitted',
  'sending',
  'unknown',
]);
/** States the report gate waits for (R22). */
const holdsGate: ReadonlySet<ActionStatus> = new Set([
  'proposing',
  'proposed',
  'awaiting_approval',
  'admitted',
  'sending',
]);
/** States that make a report and its run partial. */
const leftOpen: ReadonlySet<ActionStatus> = new Set(['unknown', 'blocked', 'disputed']);

export const unsettledActions = (run: Run): ActionState[] =>
  run.actions.filter((action) => unsettled.has(action.status));
export const gateActions = (run: Run): ActionState[] => run.actions.filter((action) => holdsGate.has(action.status));
export const openActions = (run: Run): ActionState[] => run.actions.filter((action) => leftOpen.has(action.status));
export const openQuestions = (run: Run): QuestionState[] =>
  run.questions.filter((one) => one.status === 'asking' || one.status === 'open');
export const openCalls = (run: Run): ToolCallState[] => run.calls.filter((call) => call.status === 'open');
