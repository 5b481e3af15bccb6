import type {
  ContentPurged,
  InteractionChanged,
  MessageDecided,
  RunStateChanged,
} from '../../schemas/generated/records';
import type { Decoded } from '../platform/codec';
import type { Inbound } from './messages';

/** What admission takes notice of among the owners' events; the rest of their topics is for others. */
export const eventReader = (decoded: Decoded): Inbound | undefined => {
  switch (decoded.name) {
    case 'MessageDecided':
      return { type: 'decided', record: decoded.value as MessageDecided };
    case 'RunStateChanged':
      return { type: 'run', record: decoded.value as RunStateChanged };
    case 'InteractionChanged': {
      const record = decoded.value as InteractionChanged;
      const own = record.recipientKind === 'account' && record.recipient === record.account;
      return record.kind === 'question' && own ? { type: 'question', record } : undefined;
    }
    case 'ContentPurged':
      return { type: 'purged', record: decoded.value as ContentPurged };
    default:
      return undefined;
  }
};
