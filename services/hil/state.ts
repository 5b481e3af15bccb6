import type { Nudges } from './nudges';
import type { Adoption, RequestInteraction, Response, SubmitClarification } from '../../schemas/generated/records';

/** What was asked, as its owner sealed it for one revision; no answer changes any of it (H1). */
export type Asked = Omit<
  RequestInteraction,
  'eventId' | 'occurredAt' | 'revision' | 'preview' | 'attempt' | 'remindAfterSec' | 'escalateTo'
>;

/** Times are ms since the epoch by the database's clock. Published, seen, answered, adopted stay four facts (H2). */
interface Facts {
  readonly asked: Asked;
  readonly publishedAt: number;
  readonly seenAt: number | null;
  readonly claimedBy: string | null;
  /** The run is over: a question then only takes a late answer, which wakes nothing (H6). */
  readonly runEnded: boolean;
  readonly changedAt: number;
  /** Absent in documents of earlier builds. */
  readonly nudges?: Nudges;
  /** What was asked and answered is gone since. */
  readonly purgedAt?: number;
}

/** Something named it before its request arrived: clarifications that wait, or a withdrawal that overtook it. */
export interface Awaited {
  readonly status: 'awaited';
  readonly clarifications: readonly string[];
  readonly withdrawn: string | null;
}

export interface Open extends Facts {
  readonly status: 'open';
}

export interface Answered extends Facts {
  readonly status: 'answered';
  readonly response: Response;
  /** Hash of what the answer means, to tell a repeat from another answer under the same id (H3). */
  readonly meaning: string;
  readonly answeredAt: number;
  readonly adoption: Adoption;
  readonly adoptedAt: number | null;
  /** The chat message it came as, which is told what becomes of it. */
  readonly messageId: string | null;
}

export interface Closed extends Facts {
  readonly status: 'closed';
  /** `expired`, `run_ended`, `withdrawn` or the reason its owner gave. */
  readonly code: string;
}

export type Published = Open | Answered | Closed;
export type Interaction = Awaited | Published;

export type Submitted = Omit<SubmitClarification, 'eventId' | 'occurredAt' | 'attempt'>;

/** The question is not known here, or not to this account: both look the same from outside (A10). */
export interface WaitingClarification {
  readonly status: 'waiting';
  readonly submitted: Submitted;
  readonly until: number;
}

export interface DecidedClarification {
  readonly status: 'decided';
  readonly submitted: Submitted;
  readonly verdict: Verdict;
}

export interface Verdict {
  readonly status: 'response_received' | 'response_adopted' | 'response_void' | 'response_late' | 'refused';
  readonly runId: string | null;
  readonly adoption: Adoption | null;
  readonly code: string | null;
  readonly detail: string | null;
}

export type Clarification = WaitingClarification | DecidedClarification;

/** Only what closing needs: which interactions a run has, and whether it is over. */
export interface Run {
  readonly ended: string | null;
  readonly refs: readonly string[];
}

export const terminalStates: ReadonlySet<string> = new Set([
  'completed',
  'partial',
  'failed',
  'cancelled',
  'interrupted',
]);

export const noAdoption: Omit<Adoption, 'status'> = { reason: null, runId: null, turn: null, inputSha256: null };
