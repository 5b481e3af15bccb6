import type {
  ContentPurged,
  InteractionChanged,
  MessageDecided,
  ReceiptIssued,
  RunStateChanged,
} from '../../schemas/generated/records';
import type { AggregateKey, Decision, View } from '../platform/decision';
import { runIn } from './conversation';
import { emptyConversation, type Conversation, type Message, type RunFacts } from './state';
import type { Submit } from './submission';

/** Everything that admission decides about, besides ticks. */
export type Inbound =
  | Submit
  | { readonly type: 'decided'; readonly record: MessageDecided }
  | { readonly type: 'run'; readonly record: RunStateChanged }
  | { readonly type: 'question'; readonly record: InteractionChanged }
  /** The words of a decided message go. */
  | { readonly type: 'purge'; readonly messageId: string; readonly reason: 'age' | 'request' }
  /** The owner of runs says what else goes: a run's title, or all messages of a conversation. */
  | { readonly type: 'purged'; readonly record: ContentPurged };

/** After the commit: whoever waits here for this message's first settled receipt is told. */
export interface Settlement {
  readonly type: 'settled';
  readonly receipt: ReceiptIssued;
  readonly http: number;
  /** From the message's admission to its first settled receipt. */
  readonly seconds: number;
}

/** What a POST gets back from the decision about it. */
export interface Answer {
  readonly receipt: ReceiptIssued;
  /** HTTP status; 202 while the owner has not decided. */
  readonly http: number;
  /** With `rate_limited`: when it may come again. */
  readonly retryAfterSec?: number;
}

export type Outcome = Decision<Inbound, Settlement>;

export const messageKey = (id: string): AggregateKey => ({ kind: 'message', id });
export const conversationKey = (id: string): AggregateKey => ({ kind: 'conversation', id });

export const messageAt = (view: View, id: string): Message | undefined => view.get<Message>('message', id);
export const conversationAt = (view: View, id: string): Conversation =>
  view.get<Conversation>('conversation', id) ?? emptyConversation;

/** Where the last facts of a run are kept once its conversation has forgotten it; found from that conversation only. */
export const pastRunRef = (conversationId: string, runId: string): string => `run/${conversationId}/${runId}`;

export const runKnown = (view: View, conversationId: string, runId: string): RunFacts | undefined => {
  const known = runIn(conversationAt(view, conversationId), runId);
  if (known !== undefined) return known;
  const past = view.blob(pastRunRef(conversationId, runId));
  return past === undefined ? undefined : (JSON.parse(past.toString('utf8')) as RunFacts);
};

/** Seldom decided upon, so kept without taking room in the row that every message of the conversation rewrites. */
export const pastRunRows = (conversationId: string, runs: readonly RunFacts[]): NonNullable<Outcome['rows']> =>
  runs.map((run) => ({
    table: 'blobs',
    values: {
      ref: pastRunRef(conversationId, run.runId),
      bytes: Buffer.from(JSON.stringify(run), 'utf8'),
      tenant: null,
      account: null,
      conversation_id: null,
    },
  }));
