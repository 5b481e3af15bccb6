import type { RecordByName } from '../../schemas/generated/records';
import type { Decoded } from '../platform/codec';
import type { Input } from '../platform/intake';
import { groupTopics } from '../platform/service';
import type { ExecutorMessage } from './messages';

const record = <R extends keyof RecordByName>(decoded: Decoded): RecordByName[R] => decoded.value as RecordByName[R];

const messageOf = (decoded: Decoded): ExecutorMessage | undefined => {
  switch (decoded.name) {
    case 'StartRun':
      return { type: 'start', record: record<'StartRun'>(decoded) };
    case 'AmendRun':
      return { type: 'amend', record: record<'AmendRun'>(decoded) };
    case 'ObserveRun': {
      const observed = record<'ObserveRun'>(decoded);
      return { type: observed.kind === 'entity_event' ? 'entity_event' : 'observe', record: observed };
    }
    case 'ControlRun':
      return { type: 'control', record: record<'ControlRun'>(decoded) };
    case 'ProposalDecided':
      return { type: 'proposal', record: record<'ProposalDecided'>(decoded) };
    case 'ActionStateChanged':
      return { type: 'action', record: record<'ActionStateChanged'>(decoded) };
    case 'FenceAcknowledged':
      return { type: 'fence', record: record<'FenceAcknowledged'>(decoded) };
    case 'InteractionChanged': {
      const interaction = record<'InteractionChanged'>(decoded);
      return interaction.owner === 'run-executor' ? { type: 'interaction', record: interaction } : undefined;
    }
    case 'ReportPublished':
      return { type: 'published', record: record<'ReportPublished'>(decoded) };
    case 'VersionSuperseded':
      return { type: 'superseded', record: record<'VersionSuperseded'>(decoded) };
    default:
      return undefined;
  }
};

/** Commands have a group of their own: a slow partition of events must not hold up what people ask for. */
export const inputs: readonly Input<ExecutorMessage>[] = [
  {
    group: 'run-executor.commands',
    topics: groupTopics('run-executor.commands'),
    urgent: true,
    inbox: true,
    message: messageOf,
  },
  { group: 'run-executor', topics: groupTopics('run-executor'), urgent: true, inbox: true, message: messageOf },
];
