/** One report of a run; its bytes lie in a table of their own and never change (P1). */
export interface Report {
  readonly version: number;
  readonly seq: number;
  /** As decided when it was published; what is superseded since is told by `supersededBelow`. */
  readonly status: ReportStatus;
  /** Whether publishing it moved the pointer; a repeated command is answered with this again. */
  readonly accepted: boolean;
  readonly sha256: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** JSON texts, as the executor made them. */
  readonly sources: string;
  readonly actions: string;
  readonly unsettledActions: readonly string[];
  readonly turn: number;
  readonly publishedAt: number;
}

export type ReportStatus = 'partial' | 'final' | 'superseded' | 'late';

export interface ReportRun {
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly conversationId: string;
  readonly taskId: string;
  readonly runId: string;
  /** Versions below this were superseded; no report of them becomes current any more (R4). */
  readonly supersededBelow: number;
  readonly current: { readonly version: number; readonly seq: number } | null;
  /** In the order they came. */
  readonly reports: readonly Report[];
  /** The bytes of its reports are gone since. */
  readonly purgedAt?: number;
}

export type TimelineKind = 'message' | 'receipt' | 'run' | 'turn' | 'interaction' | 'action' | 'report';

/** A place where events are numbered: one conversation, or everything of one account. */
export interface Stream {
  readonly tenant: string;
  readonly account: string;
  /** Null for the account's own stream. */
  readonly conversationId: string | null;
  /** Tells cursors of this stream from those of another, or of this one before its database was lost. */
  readonly epoch: string;
  readonly seq: number;
  readonly title: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The newest that is known of one thing, so that old news never replaces new, and none comes twice. */
export interface Fact {
  readonly kind: TimelineKind;
  readonly tenant: string;
  readonly account: string;
  readonly stream: string;
  readonly seq: number;
  /** Where it first appeared: things are shown in that order. */
  readonly firstSeq: number;
  readonly runId: string | null;
  readonly revision: number;
  /** Hash of the item: the same revision told again is the same event. */
  readonly digest: string;
  /** A run that is over. */
  readonly ended: boolean;
  /** False for what one submission was told and no identity keeps: a refusal before admission, a conflict. */
  readonly kept: boolean;
}

export const terminalStates: ReadonlySet<string> = new Set([
  'completed',
  'partial',
  'failed',
  'cancelled',
  'interrupted',
]);

export const shownStatus = (run: ReportRun, report: Report): ReportStatus =>
  report.status !== 'late' && report.version < run.supersededBelow ? 'superseded' : report.status;
