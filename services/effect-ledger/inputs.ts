import type {
  ContentPurged,
  InteractionChanged,
  ProposeEffect,
  RaiseFence,
  ReceiptAnswered,
  RecordByName,
  RecordName,
} from '../../schemas/generated/records';
import { Malformed } from '../platform/errors';
import type { Message } from './messages';

/** The name approvals are asked under. */
export const name = 'effect-ledger';

/** Undefined = not the ledger's concern. */
export const messageOf = (type: RecordName, value: RecordByName[RecordName], replayed = false): Message | undefined => {
  switch (type) {
    case 'ProposeEffect':
      return { type: 'propose', record: value as ProposeEffect, replayed };
    case 'RaiseFence': {
      const record = value as RaiseFence;
      if (record.mode === 'UNKNOWN') throw new Malformed('unknown_symbol', 'mode is a symbol this build does not know');
      return { type: 'raise_fence', record };
    }
    case 'InteractionChanged': {
      const record = value as InteractionChanged;
      return record.owner === name ? { type: 'interaction', record } : undefined;
    }
    case 'ReceiptAnswered':
      return { type: 'receipt', record: value as ReceiptAnswered };
    case 'ContentPurged':
      // Actions belong to runs; of messages and conversations nothing is kept here.
      return (value as ContentPurged).runId === null ? undefined : { type: 'purged', record: value as ContentPurged };
    default:
      return undefined;
  }
};
