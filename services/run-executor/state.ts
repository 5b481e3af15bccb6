import type { Change, Transition } from '../../schemas/turn-protocol/input';
import type { MessageFate, PendingUpdate, Requirements } from './requirements-state';
import { terminalStatuses, type Terminal } from './run-status';
import type { ChildStart, ChildState, GivenGrant, Grants } from './tree-state';
import type {
  ActionState,
  Kept,
  Lease,
  OpenRequest,
  OpenTurn,
  Publication,
  PublishedReport,
  QuestionState,
  ToolCallState,
} from './turn-state';

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

export interface Fence {
  number: number;
  minVersion: number;
  mode: 'open' | 'hold' | 'closed';
  acknowledged: boolean;
  /** The mode the ledger was last told: a hold is lifted there even when nothing is unsettled any more. */
  told: 'open' | 'hold' | 'closed';
}

/** What a continued run is of; absent for every other run (A12). */
export interface Continuation {
  readonly ofRunId: string;
  /** Of the first request of the chain. */
  readonly originalSha256: string;
  /** Grants of the parent that were not carried, as `tool:x`. */
  readonly grantsCut: readonly string[];
  readonly parentCause: Cause | null;
  /** The parent's question whose late answer comes along. */
  readonly lateAnswerRef: string | null;
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
  fence: Fence;
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
  /** What persons permitted on top; absent = nothing (R24). */
  given?: GivenGrant[];
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
  /** A pause that was asked for or holds: from `pausing` on until it is resumed or overtaken (R16). */
  pause: { readonly requestedAt: number; readonly messageIds: string[] } | null;
  /** The blocking question a run is parked for; kept while such a run is paused (H5). */
  park: { readonly interactionRef: string; readonly since: number } | null;
  /** Where a spawned run stands in its tree; null for every other run. */
  readonly spawned: Omit<ChildStart, 'budget' | 'grants'> | null;
  /** Of a child whose parent was amended: its parent's version as last heard, and as its last committed turn knew it. */
  ofParent?: { readonly heard: number; readonly committed: number };
  children: ChildState[];
  /** Its place in the fixed order of the queue, from durable facts (R19). */
  readonly order: number;
  /** The earlier run of its conversation that a queued run waits behind. */
  behind: string | null;
  /** Limited places it takes while it works; null = nothing limits it. */
  slot: {
    state: 'none' | 'wanted' | 'waiting' | 'held';
    readonly counters: readonly string[];
    /** The turn at which it last got its slot, or was looked at for giving way. */
    readonly turn: number;
    offered: boolean;
    blockedBy: string | null;
  } | null;
  /** When a run that may go on but found no room looks again. */
  readyAt: number | null;
  /** The end that `closing` leads to. */
  ending: { readonly to: Terminal; readonly cause: Cause | null } | null;
  unsettledActions: string[];
  /** Settlements that arrived after the end; the terminal state itself stays (R23). */
  lateSettlements: { readonly actionKey: string; readonly state: string; readonly at: number }[];
  /** Revision of the newest `RunStateChanged`; what others know of the run is known under it. */
  toldRevision?: number;
  /** Newest last, the newest few. */
  published?: PublishedReport[];
  /** What came along from other runs, as the JSON text of the input's list; fixed at the start. */
  materials?: Kept | null;
  continuation?: Continuation | null;
  /** The run this one was started to interrupt. */
  interrupts?: string | null;
  /** True for a follow-up made of an amendment that came too late (R3). */
  amends?: boolean;
  /** Its content is gone since; only an ended run's ever is. */
  readonly purgedAt?: number;
}

export interface Owner {
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly conversationId: string;
}

/** Absent in rows of older releases: then it is the row's. */
export type EarlyFate = MessageFate & { readonly of?: Owner };

/** What came before its run: a cancel waits ten minutes for it; what was refused stays known, of whatever kind (A6, A16). */
export interface Awaited extends Owner {
  status: 'awaited';
  readonly runId: string;
  cancels: EarlyFate[];
  until: number | null;
}

/** A start that was refused: nothing of a run, only the answer that every repeat of the request gets (R25). */
export interface RefusedStart {
  readonly status: 'refused';
  readonly runId: string;
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly conversationId: string;
  readonly fate: MessageFate;
  readonly at: number;
}

export type RunRow = Run | Awaited | RefusedStart;

/** Order of the runs of one conversation: who holds and who waits (A13, R19). */
export interface ConversationRuns {
  readonly tenant: string;
  readonly account: string;
  readonly conversationId: string;
  /** Runs that still hold a place: not terminal, not parked, not paused. */
  active: string[];
  /** Queued runs in their fixed order, those that wait for nobody here (but for a slot, or a run's end) among them. */
  waiting: { readonly runId: string; readonly order: number }[];
  /** When an operator last had its content purged. */
  readonly purgedAt?: number;
}

export const isRun = (row: RunRow | undefined): row is Run =>
  row !== undefined && row.status !== 'awaited' && row.status !== 'refused';

/** One step of priority is worth this much waiting, unless the tenant says otherwise, so that nothing starves (R19). */
export const defaultAgeingMs = 60_000;

/** What an older release did not write reads as what it then always was. */
export const complete = (run: Run): Run => ({
  ...run,
  pause: run.pause ?? null,
  park: run.park ?? null,
  spawned: run.spawned ?? null,
  children: run.children ?? [],
  order: run.order ?? run.enqueuedAt - run.priority * defaultAgeingMs,
  behind: run.behind ?? null,
  slot: run.slot ?? null,
  fence: { ...run.fence, told: run.fence.told ?? run.fence.mode },
});

export const isTerminal = (status: RunStatus): status is Terminal =>
  (terminalStatuses as readonly string[]).includes(status);
