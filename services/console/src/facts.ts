/** What the services answer, as far as a page shows it. */
export interface Adoption {
  readonly status: string;
  readonly reason: string | null;
  readonly runId?: string | null;
  readonly turn?: number | null;
}

export interface Interaction {
  readonly interactionRef: string;
  readonly requestRevision: number;
  readonly revision?: number;
  readonly kind: 'question' | 'permission' | 'approval';
  readonly mode: string;
  readonly state: 'open' | 'answered' | 'closed';
  readonly code: string | null;
  readonly conversationId: string;
  readonly runId: string;
  readonly requirementsVersion: number;
  readonly questionId: string | null;
  readonly actionKey: string | null;
  readonly recipient: string;
  readonly claimedBy: string | null;
  /** Null where it was purged. */
  readonly question: string | null;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  readonly schema?: unknown;
  readonly default?: unknown;
  readonly expiresAt: string | null;
  readonly publishedAt: string | null;
  readonly seenAt: string | null;
  readonly answeredAt: string | null;
  readonly adoptedAt: string | null;
  readonly adoption: Adoption | null;
  readonly late: boolean;
  readonly escalatedTo?: string | null;
  readonly response: {
    readonly by?: string;
    readonly account?: string;
    readonly text?: string | null;
    readonly choice?: string | null;
    readonly value?: unknown;
    readonly decision?: string | null;
  } | null;
}

export interface Message {
  readonly messageId: string;
  readonly clientMessageId: string;
  readonly account: string;
  readonly relation: string;
  /** Null where the words were purged. */
  readonly content: string | null;
  readonly targetRunId: string | null;
  readonly receivedAt: string;
}

export interface Receipt {
  readonly messageId: string | null;
  readonly clientMessageId: string;
  readonly status: string;
  readonly duplicate: boolean;
  readonly relation: string | null;
  readonly runId: string | null;
  readonly targetRunId: string | null;
  readonly requirementsVersion: number | null;
  readonly code: string | null;
  readonly field: string | null;
  readonly detail: string | null;
  readonly adoption: Adoption | null;
  readonly result: { readonly state: string; readonly cause: string | null } | null;
  readonly progress: { readonly state: string; readonly turns: number } | null;
  readonly at?: string;
}

export interface WaitingFor {
  readonly kind: string;
  readonly ref: string;
  readonly since: string;
  readonly deadline: string | null;
}

export interface Run {
  readonly runId: string;
  readonly messageId: string;
  readonly conversationId: string;
  readonly title: string | null;
  readonly agent: string;
  readonly state: string;
  readonly waitingFor: readonly WaitingFor[];
  readonly cause: string | null;
  readonly requirementsVersion: number;
  readonly appliedVersion: number;
  readonly turns: number;
  readonly parentRunId: string | null;
  readonly continuation: { readonly ofRunId: string } | null;
  readonly report: { readonly version: number; readonly seq: number; readonly sha256: string } | null;
  readonly unsettledActions: readonly string[];
  readonly acceptsUpdates?: boolean;
  readonly startedAt: string | null;
}

export interface Transition {
  readonly at: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly effectsDone: readonly string[];
  readonly withdrawn: readonly string[];
  readonly inFlight: readonly string[];
  readonly unknown: readonly string[];
  readonly reusableResults: readonly string[];
  readonly resultsToRecheck: readonly string[];
  readonly openInteractions: readonly string[];
}

/** The run as its owner holds it. */
export interface RunRecord extends Run {
  readonly detail: string | null;
  readonly versions: readonly {
    readonly version: number;
    readonly kind: string;
    readonly text: string | null;
    readonly understood: string | null;
    readonly receivedAt: string;
    readonly appliedAt: string | null;
  }[];
  readonly transitions: readonly Transition[];
  readonly steps: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly status: string;
    readonly needsRecheck: boolean;
    readonly resultSha256: string | null;
  }[];
  readonly pendingUpdates: readonly { readonly kind: string; readonly receivedAt: string }[];
  readonly budget: {
    readonly turnsLeft: number;
    readonly costLeft: number | null;
    readonly hardDeadline: string | null;
  };
  readonly children: readonly { readonly runId?: string; readonly childId?: string }[];
  readonly leaseEpoch: number;
  readonly enqueuedAt: string;
  readonly endedAt: string | null;
  readonly account: string;
}

export interface Turn {
  readonly runId?: string;
  readonly number: number;
  readonly attempts: number;
  readonly requirementsVersion: number;
  readonly inputSha256: string;
  readonly outcome: string | null;
  readonly toolCalls: readonly { readonly callId: string; readonly tool: string }[];
  readonly actions: readonly string[];
  readonly asks: readonly string[];
  readonly understood: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly stale?: boolean;
}

export interface Evidence {
  readonly at: string;
  readonly by?: string;
  readonly source?: string;
  readonly [field: string]: unknown;
}

export interface Action {
  readonly actionKey: string;
  readonly connector: string;
  readonly operation: string;
  readonly subject: string;
  readonly state: string;
  readonly code: string | null;
  readonly runId: string;
  readonly conversationId: string;
  readonly requirementsVersion: number;
  readonly requestSha256: string;
  readonly openedAt?: string;
  readonly target?: { readonly method: string; readonly url: string };
  readonly approval?: {
    readonly interactionRef: string;
    readonly decision: string | null;
    readonly by: string | null;
    readonly at: string | null;
  } | null;
  readonly attempts?: readonly {
    readonly number: number;
    readonly outcome: string | null;
    readonly code: string | null;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly httpStatus: number | null;
    readonly body: string | null;
  }[];
  readonly attemptCount?: number;
  readonly queries?: number;
  readonly evidence: readonly Evidence[];
  readonly links?: readonly { readonly kind: string; readonly actionKey: string }[];
}

export interface Report {
  readonly runId: string;
  readonly version: number;
  readonly seq: number;
  readonly status: string;
  readonly current: boolean;
  readonly sha256: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  readonly sources: readonly Record<string, unknown>[];
  readonly unsettledActions: readonly string[];
  readonly turn: number;
  readonly publishedAt: string;
}

export interface Conversation {
  readonly conversationId: string;
  readonly account: string;
  readonly title: string | null;
  readonly updatedAt: string;
}

export interface Session {
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly roles: readonly string[];
  readonly expiresAt: string;
}

/** One event of a stream. */
export interface LiveEvent {
  readonly kind: string;
  readonly eventId: string | null;
  readonly at: string;
  readonly item: unknown;
}

export interface List<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

const ended: ReadonlySet<string> = new Set(['completed', 'partial', 'failed', 'cancelled', 'interrupted']);
export const hasEnded = (run: { readonly state: string }): boolean => ended.has(run.state);
