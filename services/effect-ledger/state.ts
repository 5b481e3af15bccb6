import type { AggregateKey } from '../platform/decision';
import type { AttemptOutcome } from './outcome';

/** Whose action it is; goes on every record about it. */
export interface Owner {
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly conversationId: string;
  readonly taskId: string;
  readonly runId: string;
  readonly proposalId: string;
  readonly requirementsVersion: number;
}

/** One try: `outcome` is null from the intent until the result or the end of the lease (E2). */
export interface Attempt {
  readonly number: number;
  readonly outcome: AttemptOutcome | null;
  readonly code: string | null;
  readonly startedAt: number;
  /** After this instant no byte of the request goes out. */
  readonly sendBy: number;
  readonly timeoutMs: number;
  readonly endedAt: number | null;
  readonly httpStatus: number | null;
  readonly body: string | null;
  /** Of the answer's headers those that help to find the request again; absent in documents of earlier builds. */
  readonly headers?: Readonly<Record<string, string>> | null;
}

export type EvidenceBy = 'response' | 'query' | 'callback' | 'attestation';

export interface Evidence {
  readonly by: EvidenceBy;
  readonly outcome: 'succeeded' | 'failed';
  readonly code: string | null;
  readonly status: number | null;
  readonly body: string | null;
  readonly account: string | null;
  readonly at: number;
}

export interface Approval {
  readonly interactionRef: string;
  readonly requestRevision: number;
  readonly previewSha256: string;
  readonly recipientKind: 'account' | 'role';
  readonly recipient: string;
  readonly selfApproval: 'allowed' | 'forbidden';
  readonly expiresAt: number;
  /** Requests sent so far; asked again until the interaction is known to be open (R25). */
  readonly asks: number;
  readonly askAt: number;
  readonly decision: 'approve' | 'deny' | null;
  readonly by: string | null;
  readonly at: number | null;
  /** The attempt that used the approval. */
  readonly adoptedBy: number | null;
}

/** The remote's own cancel: asked for and confirmed are two facts, and only a receipt confirms (E9). */
export interface Cancel {
  readonly requestedAt: number;
  readonly tries: number;
  /** Null: nothing more is sent. */
  readonly nextAt: number | null;
  readonly answeredAt: number | null;
  readonly httpStatus: number | null;
  readonly confirmedAt: number | null;
}

export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** Where the action stands. What a state needs is in that state, so no other can have it. */
export type Standing =
  | { readonly status: 'proposed' | 'awaiting_approval' }
  /** `notBefore` null: the run's fence is on hold, and its release starts the action. */
  | { readonly status: 'admitted'; readonly notBefore: number | null }
  | { readonly status: 'sending'; readonly lease: Lease }
  | { readonly status: 'unknown'; readonly plan: 'ask' | 'resend'; readonly nextAt: number; readonly giveUpAt: number }
  | { readonly status: 'blocked' | 'disputed' | 'succeeded' | 'failed' | 'denied' | 'withdrawn' };

export type Status = Standing['status'];

export interface Action extends Owner {
  readonly actionKey: string;
  readonly connector: string;
  readonly operation: string;
  readonly subject: string;
  readonly rootRunId: string;
  readonly turn: number;
  readonly grantUntil: number | null;
  /** The sealed bytes are a blob; where they go was sealed with them. */
  readonly request: { readonly sha256: string; readonly bytes: number; readonly method: string; readonly url: string };
  readonly approval: Approval | null;
  readonly attempts: readonly Attempt[];
  /** When its command was first told, if this database was restored to before it: it may have been sent since (X3). */
  readonly replayedFrom: number | null;
  readonly evidence: readonly Evidence[];
  /** Receipt queries so far; the last ones with the database's time of asking. */
  readonly queries: {
    readonly count: number;
    readonly asked: readonly { readonly query: number; readonly at: number }[];
  };
  /** Other runs that proposed the same request meanwhile and wait for the same outcome (E1). */
  readonly followers: readonly Owner[];
  readonly openedAt: number;
  readonly unknownSince: number | null;
  readonly code: string | null;
  readonly standing: Standing;
  /** All below are absent in documents of earlier builds. */
  readonly compensation?: Compensation | null;
  readonly compensatedBy?: readonly string[];
  readonly cancel?: Cancel | null;
  /** The withdrawal of its approval, asked again until hil has answered it (R25). */
  readonly withdrawal?: { readonly code: string; readonly asks: number; readonly askAt: number } | null;
  /** Events of the remote that were taken; one that comes again changes nothing (E10). */
  readonly callbacks?: readonly string[];
  /** What was sent and answered is gone since. */
  readonly purgedAt?: number;
  /** An operator asked for a query of every open outcome; it goes out when the connector's pace allows. */
  readonly wantedAt?: number | null;
}

/** What makes an action a compensation: the confirmed success it answers to, and the person who asked for it. */
export interface Compensation {
  readonly of: string;
  readonly requestedBy: string;
}

/** All actions ever proposed for one effect, oldest first; their number is part of their key. */
export interface Effect {
  readonly tenant: string;
  readonly actions: readonly { readonly actionKey: string; readonly openedAt: number }[];
}

export interface ProposalAnswer {
  readonly status: 'accepted' | 'existing' | 'refused';
  readonly actionKey: string | null;
  readonly code: string | null;
  readonly detail: string | null;
  readonly requirementsVersion: number;
}

/** What of a run may start. Every attempt is recorded under this row's lock (E7). */
export interface Fence {
  readonly runId: string;
  readonly tenant: string;
  readonly number: number;
  readonly minVersion: number;
  readonly mode: 'open' | 'hold' | 'closed';
  readonly actions: readonly string[];
  readonly withdrawn: readonly string[];
  readonly proposals: Readonly<Record<string, ProposalAnswer>>;
}

export const fenceKey = (runId: string): AggregateKey => ({ kind: 'fence', id: runId });
export const effectKey = (id: string): AggregateKey => ({ kind: 'effect', id });
export const actionKeyOf = (id: string): AggregateKey => ({ kind: 'action', id });

export const effectIdOf = (of: { readonly connector: string; readonly operation: string; readonly subject: string }) =>
  `${of.connector}:${of.operation}:${of.subject}`;

export const effectIdOfKey = (actionKey: string): string => actionKey.slice(0, actionKey.lastIndexOf(':v'));

/** A compensation starts under a fence of its own: its run may have ended, and its fence be closed (E9). */
export const compensationFenceId = (effectId: string): string => `compensation/${effectId}`;

export const fenceIdOf = (action: Pick<Action, 'actionKey' | 'runId' | 'compensation'>): string =>
  action.compensation == null ? action.runId : compensationFenceId(effectIdOfKey(action.actionKey));

export const numberedKey = (effectId: string, number: number): string => `${effectId}:v${number}`;

export const requestRef = (actionKey: string): string => `${actionKey}/request`;
export const previewRef = (actionKey: string): string => `${actionKey}/preview`;

export const statuses = [
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
] as const satisfies readonly Status[];

const notAdmitted: ReadonlySet<Status> = new Set(['proposed', 'awaiting_approval']);
const unattempted: ReadonlySet<Status> = new Set(['proposed', 'awaiting_approval', 'admitted']);
const over: ReadonlySet<Status> = new Set(['succeeded', 'failed', 'denied', 'withdrawn']);
const unconfirmed: ReadonlySet<Status> = new Set(['sending', 'unknown', 'blocked', 'disputed']);

/** Another request of the same root may still take its place (E1). */
export const isReplaceable = (action: Action): boolean => notAdmitted.has(action.standing.status);
/** Nothing of it has gone out: attempts that were not sent leave an action admitted. */
export const isUnattempted = (action: Action): boolean => unattempted.has(action.standing.status);
export const isOpen = (action: Action): boolean => !over.has(action.standing.status);
/** An attempt may have had an effect that is not confirmed either way. */
export const isUnsettled = (action: Action): boolean => unconfirmed.has(action.standing.status);

export const newFence = (tenant: string, runId: string): Fence => ({
  runId,
  tenant,
  number: 0,
  minVersion: 1,
  mode: 'open',
  actions: [],
  withdrawn: [],
  proposals: {},
});
