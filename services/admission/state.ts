import type {
  AmendRun,
  ControlRun,
  ObserveRun,
  ReceiptIssued,
  ReportRef,
  StartRun,
  SubmitClarification,
} from '../../schemas/generated/records';
import type { Fingerprint } from './fingerprint';

/** Who said what: the part that every record about a message starts with. */
export interface Speaker {
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly conversationId: string;
  readonly clientMessageId: string;
}

/** What a receipt says beyond whom it concerns; only what applies is kept. */
export type Outcome = Omit<
  ReceiptIssued,
  'eventId' | 'occurredAt' | 'requestEventId' | 'revision' | 'duplicate' | keyof Speaker
>;

export type KeptOutcome = Partial<Outcome> & Pick<Outcome, 'status'>;

export interface Receipt extends KeptOutcome {
  readonly revision: number;
  /** By the database's clock, in ms. */
  readonly at: number;
}

/** Parts of a command that the message itself supplies whenever the command is sent. */
type Supplied =
  keyof Speaker | 'eventId' | 'occurredAt' | 'messageId' | 'content' | 'contentSha256' | 'receivedAt' | 'attempt';

/** What the owner is asked for, kept while it has not answered; values that are null are left out. */
export type Command =
  | {
      readonly type: 'StartRun';
      readonly value: Partial<Omit<StartRun, Supplied>> & Pick<StartRun, 'runId' | 'taskId' | 'relation'>;
    }
  | { readonly type: 'AmendRun'; readonly value: Omit<AmendRun, Supplied> }
  | {
      readonly type: 'ObserveRun';
      readonly value: Partial<Omit<ObserveRun, Supplied>> & Pick<ObserveRun, 'targetRunId' | 'runId' | 'taskId'>;
    }
  | { readonly type: 'ControlRun'; readonly value: Omit<ControlRun, Supplied> }
  | { readonly type: 'SubmitClarification'; readonly value: Omit<SubmitClarification, Supplied> };

interface MessageBase extends Speaker {
  readonly fingerprint: Fingerprint;
  /** The submission's own event id, echoed in each receipt; null over HTTP. */
  readonly requestEventId: string | null;
  readonly receivedAt: number;
  readonly receipt: Receipt;
  /** HTTP status of the first settled receipt: what a repeated POST is answered with. */
  readonly http: number | null;
}

/** The owner has the question and a deadline to answer it (R25). */
export interface AskingMessage extends MessageBase {
  readonly status: 'asking';
  readonly command: Command;
  readonly attempts: number;
  readonly askAt: number;
}

/** A progress request about a run that this projection has not seen yet. */
export interface LookingMessage extends MessageBase {
  readonly status: 'looking';
  readonly targetRunId: string;
  readonly lookAt: number;
  readonly until: number;
}

/** Decided at least once; later news of the owner only moves it forward. */
export interface DecidedMessage extends MessageBase {
  readonly status: 'decided';
  /** Revision of the owner's newest decision; 0 where admission decided alone. */
  readonly ownerRevision: number;
  /** Its words are gone since. */
  readonly purgedAt?: number;
}

export type Message = AskingMessage | LookingMessage | DecidedMessage;

export interface RunFacts {
  readonly runId: string;
  readonly taskId: string;
  /** False for a child run, which no message is ever about by default. */
  readonly root: boolean;
  readonly title: string | null;
  readonly state: string;
  readonly cause: string | null;
  /** JSON text of what it waits for. */
  readonly waitingFor: string;
  /** 0 = asked for by admission itself, not heard of from the executor yet. */
  readonly stateRevision: number;
  readonly requirementsVersion: number;
  readonly appliedVersion: number;
  readonly turns: number;
  readonly report: ReportRef | null;
  /** The run that admission started this one to interrupt; absent where it did not. */
  readonly interrupts?: string;
}

export interface Question {
  readonly interactionRef: string;
  readonly requestRevision: number;
  readonly runId: string;
  /** Revision of the interaction. */
  readonly revision: number;
  readonly open: boolean;
}

/** The conversation as far as admission has seen it; proposes and enriches, never the reason of an owner's refusal. */
export interface Conversation {
  readonly active: readonly RunFacts[];
  /** Oldest first, the newest few. */
  readonly ended: readonly RunFacts[];
  readonly questions: readonly Question[];
}

export const emptyConversation: Conversation = { active: [], ended: [], questions: [] };

const terminalStates: ReadonlySet<string> = new Set(['completed', 'partial', 'failed', 'cancelled', 'interrupted']);
export const isTerminal = (state: string): boolean => terminalStates.has(state);
