import type { ObserveRun } from '../../schemas/generated/records';
/** Text or JSON kept by a run: small ones in the document, larger ones in `blobs` under the run's own reference. */
export interface Kept {
  readonly ref: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly inline: string | null;
}

export interface Lease {
  readonly owner: string;
  until: number;
  /** Outlasted: its owner lives by the renewals beside the run. */
  renewed?: true;
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
  /** Of a child: the parent's version that this input knows of. */
  readonly parentVersion?: number;
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
  mode: 'non_blocking' | 'blocking';
  readonly revision: number;
  readonly turn: number;
  readonly version: number;
  readonly question: string;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  readonly schema: string | null;
  readonly defaultAnswer: string | null;
  readonly grant: string | null;
  recipient: { readonly kind: 'account' | 'role' | 'parent'; readonly name: string };
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
  /** The entity event it asks about; set by the executor itself, its words kept aside. */
  event?: ObserveRun & { readonly text: Kept };
  /** Said after the run had ended: wakes nothing, and a Continue may carry it along (H6). */
  late?: Pick<NonNullable<QuestionState['answer']>, 'text' | 'choice' | 'value'>;
}

/** A request to another service that has not been answered yet (R25). Its content follows from the state by its id. */
export interface OpenRequest {
  readonly id: string;
  attempt: number;
  askAt: number;
  /** Its receiver has it and will tell; it is asked seldom, in case that is lost. */
  known?: true;
}

/** A report or partial that became current; its bytes stay here for runs that are made from this one. */
export interface PublishedReport {
  readonly version: number;
  readonly seq: number;
  readonly body: Kept;
  readonly contentType: string;
  readonly at: number;
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
