import type { InteractionChanged, ProposeEffect, RaiseFence, ReceiptAnswered } from '../../schemas/generated/records';
import type { AggregateKey, Tick, View } from '../platform/decision';
import type { AttemptOutcome } from './outcome';
import { actionKeyOf, effectIdOf, effectKey, fenceKey, numberedKey, type Effect, type Fence } from './state';

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
}

export type Message =
  | { readonly type: 'propose'; readonly record: ProposeEffect; readonly replayed: boolean }
  | { readonly type: 'raise_fence'; readonly record: RaiseFence }
  | { readonly type: 'interaction'; readonly record: InteractionChanged }
  | { readonly type: 'receipt'; readonly record: ReceiptAnswered }
  /** The action may be sent now, or sent again: decided under its run's fence. */
  | { readonly type: 'start'; readonly actionKey: string; readonly runId: string }
  | Attempted
  | {
      readonly type: 'attest';
      readonly actionKey: string;
      readonly tenant: string;
      readonly account: string;
      readonly outcome: 'succeeded' | 'failed';
      readonly evidence: string;
    }
  | { readonly type: 'ask_again'; readonly actionKey: string; readonly tenant: string }
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
    case 'interaction':
    case 'receipt':
      return [fenceKey(message.record.runId)];
    case 'start':
    case 'attempted':
      return [fenceKey(message.runId)];
    case 'attest':
    case 'ask_again':
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
      const effectId = effectIdOf(message.record);
      const known = view.get<Effect>('effect', effectId)?.actions ?? [];
      const spare = Array.from({ length: spareKeys }, (_, index) => numberedKey(effectId, known.length + index + 1));
      const before = proposalsOf(view, message.record.runId)[message.record.proposalId]?.actionKey ?? null;
      return [...known.map((one) => one.actionKey), ...spare, ...(before === null ? [] : [before])].map(actionKeyOf);
    }
    case 'raise_fence':
      return (view.get<Fence>('fence', message.record.runId)?.actions ?? []).map(actionKeyOf);
    case 'interaction':
      return message.record.actionKey === null ? [] : [actionKeyOf(message.record.actionKey)];
    case 'receipt':
      return [actionKeyOf(message.record.actionKey)];
    case 'start':
    case 'attempted':
    case 'attest':
    case 'ask_again':
      return [actionKeyOf(message.actionKey)];
    case 'tick':
      return [actionKeyOf(message.id)];
  }
};

const proposalsOf = (view: View, runId: string): Fence['proposals'] => view.get<Fence>('fence', runId)?.proposals ?? {};
