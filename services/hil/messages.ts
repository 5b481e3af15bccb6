import type {
  AnswerAdopted,
  ContentPurged,
  RecordByName,
  RecordName,
  RequestInteraction,
  RunStateChanged,
  SubmitClarification,
  WithdrawInteraction,
} from '../../schemas/generated/records';
import type { Tick } from '../platform/decision';
import { terminalStates } from './state';

/** Who acts over HTTP, as the verified token says (A7). */
export interface Actor {
  readonly tenant: string;
  readonly account: string;
  readonly roles: readonly string[];
}

export interface Answer {
  readonly requestRevision: number;
  readonly clientResponseId: string;
  readonly text: string | null;
  readonly choice: string | null;
  /** JSON text. */
  readonly value: string | null;
  readonly decision: 'approve' | 'deny' | null;
  readonly previewSha256: string | null;
}

export type Message =
  | { readonly type: 'request'; readonly record: RequestInteraction }
  | { readonly type: 'withdraw'; readonly record: WithdrawInteraction }
  | { readonly type: 'clarify'; readonly record: SubmitClarification }
  | { readonly type: 'run'; readonly record: RunStateChanged }
  | { readonly type: 'purged'; readonly record: ContentPurged }
  | { readonly type: 'adopted'; readonly record: AnswerAdopted }
  | { readonly type: 'respond'; readonly ref: string; readonly actor: Actor; readonly answer: Answer }
  | { readonly type: 'seen'; readonly ref: string; readonly actor: Actor }
  | { readonly type: 'claim'; readonly ref: string; readonly actor: Actor }
  /** From the end of a run to one of its answers that nobody adopted. */
  | { readonly type: 'void'; readonly ref: string };

export type AnyMessage = Message | Tick;

/** Undefined = not this service's concern. */
export const messageOf = (name: RecordName, value: RecordByName[RecordName]): Message | undefined => {
  switch (name) {
    case 'RequestInteraction':
      return { type: 'request', record: value as RequestInteraction };
    case 'WithdrawInteraction':
      return { type: 'withdraw', record: value as WithdrawInteraction };
    case 'SubmitClarification':
      return { type: 'clarify', record: value as SubmitClarification };
    case 'RunStateChanged':
      // Only ends matter here; a commit for every step of every run would be the most of this service's work.
      return terminalStates.has((value as RunStateChanged).state)
        ? { type: 'run', record: value as RunStateChanged }
        : undefined;
    case 'AnswerAdopted':
      return { type: 'adopted', record: value as AnswerAdopted };
    case 'ContentPurged':
      // Answers belong to runs; of messages and conversations nothing is kept here.
      return (value as ContentPurged).runId === null ? undefined : { type: 'purged', record: value as ContentPurged };
    default:
      return undefined;
  }
};
