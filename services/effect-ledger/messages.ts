import type {
  ContentPurged,
  InteractionChanged,
  ProposeEffect,
  RaiseFence,
  ReceiptAnswered,
} from '../../schemas/generated/records';
import type { AggregateKey, Tick, View } from '../platform/decision';
import type { AttemptOutcome } from './outcome';
import {
  actionKeyOf,
  compensationFenceId,
  effectIdOf,
  effectIdOfKey,
  effectKey,
  fenceKey,
  numberedKey,
  type Effect,
  type Fence,
} from './state';

/** How one attempt ended, as the process that made it says. */
export interface Attempted {
  readonly type: 'attempted';
  readonly actionKey: string;
  readonly runId: string;
  readonly number: number;
  readonly outcome: AttemptOutcome;
  readonly code: string | null;
  readonly httpStatus: number | null;
  readonly body: string | null;
  readonly headers?: Readonly<Record<string, string>> | null;
}

/** What the remote said to its own cancel; it settles nothing, only a receipt does (E9). */
export interface CancelAnswered {
  readonly type: 'cancel_answered';
  readonly actionKey: string;
  readonly outcome: 'accepted' | 'refused' | 'lost';
  readonly httpStatus: number | null;
}

/** An operator wants the effect of a confirmed success answered by another action (E9). */
export interface Compensate {
  readonly type: 'compensate';
  readonly actionKey: string;
  readonly tenant: string;
  readonly account: string;
  readonly operation: string;
  readonly subject: string;
  /** JSON text. */
  readonly params: string;
}

/** The remote reports by itself; that it is the remote was proved by its signature (E10). */
export interface Callback {
  readonly type: 'callback';
  readonly connector: string;
  readonly tenant: string;
  readonly eventId: string;
  readonly actionKey: string;
  readonly state: 'succeeded' | 'failed' | 'pending';
  readonly receipt: string | null;
}

export type Message =
  | { readonly type: 'propose'; readonly record: ProposeEffect; readonly replayed: boolean }
  | { readonly type: 'raise_fence'; readonly record: RaiseFence }
  | { readonly type: 'interaction'; readonly record: InteractionChanged }
  | { readonly type: 'purged'; readonly record: ContentPurged }
  | { readonly type: 'receipt'; readonly record: ReceiptAnswered }
  /** The action may be sent now, or sent again: decided under its run's fence. */
  | { readonly type: 'start'; readonly actionKey: string; readonly runId: string }
  /** Its connector was resumed: what waits for that starts now. */
  | { readonly type: 'released'; readonly actionKey: string; readonly runId: string }
  | Attempted
  | CancelAnswered
  | Compensate
  | Callback
  | {
      readonly type: 'attest';
      readonly actionKey: string;
      readonly tenant: string;
      readonly account: string;
      readonly outcome: 'succeeded' | 'failed';
      readonly evidence: string;
    }
  | { readonly type: 'ask_again'; readonly actionKey: string; readonly tenant: string }
  /** The same for many at once: when the pace of their connector allows. */
  | { readonly type: 'ask_soon'; readonly actionKey: string; readonly tenant: string }
  | Tick;

/**
 * Locks come in two steps, and the order holds across both: fences and effects first, actions second, whoever the
 * writer is. That is why no message locks an action in the first step, although most know its key.
 */
export const keysOf = (message: Message): readonly AggregateKey[] => {
  switch (message.type) {
    case 'propose':
      return [fenceKey(message.record.runId), effectKey(effectIdOf(message.record))];
    case 'raise_fence':
      return [fenceKey(message.record.runId)];
    case 'interaction':
    case 'receipt':
      return fencesOf(message.record);
    case 'start':
    case 'released':
    case 'attempted':
      return [fenceKey(message.runId)];
    case 'compensate': {
      const effectId = compensationEffectId(message);
      return [fenceKey(compensationFenceId(effectId)), effectKey(effectId)];
    }
    case 'cancel_answered':
    case 'callback':
    case 'attest':
    case 'ask_again':
    case 'ask_soon':
    case 'purged':
    case 'tick':
      return [];
  }
};

/**
 * Proposals for one effect that one batch can turn into actions: their keys are not known before the batch is decided,
 * so this many next ones are locked. What comes on top is told again and decided by the next batch.
 */
export const spareKeys = 8;

export const moreKeysOf = (message: Message, view: View): readonly AggregateKey[] => {
  switch (message.type) {
    case 'propose': {
      const before = proposalsOf(view, message.record.runId)[message.record.proposalId]?.actionKey ?? null;
      return [...nextKeys(view, effectIdOf(message.record)), ...(before === null ? [] : [before])].map(actionKeyOf);
    }
    case 'raise_fence':
      return (view.get<Fence>('fence', message.record.runId)?.actions ?? []).map(actionKeyOf);
    case 'compensate': {
      const effectId = compensationEffectId(message);
      return [...nextKeys(view, effectId), message.actionKey].map(actionKeyOf);
    }
    case 'interaction':
      return message.record.actionKey === null ? [] : [actionKeyOf(message.record.actionKey)];
    case 'receipt':
      return [actionKeyOf(message.record.actionKey)];
    case 'start':
    case 'released':
    case 'attempted':
    case 'cancel_answered':
    case 'callback':
    case 'attest':
    case 'ask_again':
    case 'ask_soon':
      return [actionKeyOf(message.actionKey)];
    case 'purged':
      return [];
    case 'tick':
      return [actionKeyOf(message.id)];
  }
};

/** All actions of an effect, and the keys its next ones would have. */
const nextKeys = (view: View, effectId: string): string[] => {
  const known = view.get<Effect>('effect', effectId)?.actions ?? [];
  const spare = Array.from({ length: spareKeys }, (_, index) => numberedKey(effectId, known.length + index + 1));
  return [...known.map((one) => one.actionKey), ...spare];
};

/** A compensation goes to the remote that did what it answers to. */
export const compensationEffectId = (message: Compensate): string =>
  effectIdOf({
    connector: message.actionKey.slice(0, message.actionKey.indexOf(':')),
    operation: message.operation,
    subject: message.subject,
  });

/** Whether the action is a compensation is only known once it is loaded, so both fences it may stand under are locked. */
const fencesOf = (record: { readonly runId: string; readonly actionKey: string | null }): AggregateKey[] => [
  fenceKey(record.runId),
  ...(record.actionKey === null ? [] : [fenceKey(compensationFenceId(effectIdOfKey(record.actionKey)))]),
];

const proposalsOf = (view: View, runId: string): Fence['proposals'] => view.get<Fence>('fence', runId)?.proposals ?? {};
