import type { RecordName } from './generated/records';
import type { Owner } from './avro';

/** The one page about topics: who owns each, what is on it, how it is keyed and kept, and which groups read it. */
export interface TopicSpec {
  /** Without the prefix. */
  name: string;
  owner: Owner;
  /** What the record key holds; order is promised per key. */
  key: 'conversationId' | 'actionKey';
  records: readonly RecordName[];
  partitions: number;
  retentionMs: number;
  cleanup: 'delete';
  /** Consumer groups, without the prefix. */
  consumers: readonly GroupName[];
  /** Upstream producers that configure nothing register under `<topic>-value`, so that subject exists as well. */
  defaultSubject?: RecordName;
}

export const groupNames = [
  'admission',
  'admission.events',
  'run-executor.commands',
  'run-executor',
  'hil',
  'hil.events',
  'effect-ledger',
  'effect-ledger.receipt-query',
  'publication',
  'publication.events',
] as const;
export type GroupName = (typeof groupNames)[number];

export const defaultTopicPrefix = 'fairlead.';
export const recordNamespace = 'fairlead';

const dayMs = 86_400_000;
/** Inbox rows have to outlive this plus the longest redrive. */
export const topicRetentionMs = 7 * dayMs;
/** Longer than a topic's: an operator may come to a dead letter weeks later. */
export const deadLetterRetentionMs = 30 * dayMs;
/** Never changed on a topic in use: the same key would move to another partition and lose its order. */
const partitions = 6;

const topic = (
  name: string,
  owner: Owner,
  records: readonly RecordName[],
  consumers: readonly GroupName[],
  more: Partial<Pick<TopicSpec, 'key' | 'defaultSubject'>> = {},
): TopicSpec => ({
  name,
  owner,
  key: 'conversationId',
  records,
  partitions,
  retentionMs: topicRetentionMs,
  cleanup: 'delete',
  consumers,
  ...more,
});

/** An ingress topic; a binding of the configuration may add one of another name. */
export const ingressTopic = (name: string): TopicSpec =>
  topic(name, 'ingress', ['MessageSubmitted'], ['admission'], { defaultSubject: 'MessageSubmitted' });

/** A receipts topic of one binding, with copies of its app's receipts; nothing in here reads it. */
export const receiptsTopic = (name: string): TopicSpec => topic(name, 'admission', ['ReceiptIssued'], []);

export const topics: readonly TopicSpec[] = [
  ingressTopic('ingress.messages.v1'),
  topic('admission.receipts.v1', 'admission', ['ReceiptIssued'], ['publication.events']),
  topic('admission.messages.v1', 'admission', ['MessageStored'], ['publication.events']),
  topic(
    'run.commands.v1',
    'admission',
    ['StartRun', 'AmendRun', 'ObserveRun', 'ControlRun'],
    ['run-executor.commands'],
  ),
  topic(
    'run.events.v1',
    'run-executor',
    ['RunStateChanged', 'MessageDecided', 'TurnCommitted', 'AnswerAdopted'],
    ['admission.events', 'hil.events', 'publication.events'],
  ),
  topic('hil.requests.v1', 'run-executor', ['RequestInteraction', 'WithdrawInteraction'], ['hil']),
  topic('hil.responses.v1', 'admission', ['SubmitClarification'], ['hil']),
  topic(
    'hil.events.v1',
    'hil',
    ['InteractionChanged', 'MessageDecided'],
    ['admission.events', 'run-executor', 'effect-ledger', 'publication.events'],
  ),
  topic('effect.commands.v1', 'run-executor', ['ProposeEffect', 'RaiseFence'], ['effect-ledger']),
  topic(
    'effect.events.v1',
    'effect-ledger',
    ['ActionStateChanged', 'ProposalDecided', 'FenceAcknowledged', 'AnswerAdopted'],
    ['run-executor', 'hil.events', 'publication.events'],
  ),
  topic('effect.receipt-queries.v1', 'effect-ledger', ['AskReceipt'], ['effect-ledger.receipt-query'], {
    key: 'actionKey',
  }),
  topic('effect.receipt-answers.v1', 'effect-ledger', ['ReceiptAnswered'], ['effect-ledger'], { key: 'actionKey' }),
  // A topic of its own: a reader of an earlier release takes a record it does not know for a dead letter.
  topic(
    'content.purges.v1',
    'run-executor',
    ['ContentPurged'],
    ['admission.events', 'hil.events', 'effect-ledger', 'publication.events'],
  ),
  topic('publication.commands.v1', 'run-executor', ['PublishReport', 'SupersedeVersion'], ['publication']),
  topic(
    'publication.events.v1',
    'publication',
    ['ReportPublished', 'VersionSuperseded', 'DocumentConflicted'],
    ['run-executor', 'publication.events'],
  ),
];

export const topicName = (prefix: string, name: string): string => `${prefix}${name}`;

export const groupName = (prefix: string, group: GroupName): string => `${prefix}${group}`;

/** Where a group puts the records of a topic it cannot handle; `name` is without the prefix. */
export const deadLetterTopic = (prefix: string, name: string, group: GroupName): string =>
  `${topicName(prefix, name)}.${groupName(prefix, group)}.dlt`;

/** Full name, as in `ce_type` and in the writer's schema. */
export const recordFullName = (record: RecordName): string => `${recordNamespace}.${record}`;

/** The subject a record is registered under when it goes to a topic; `name` is without the prefix. */
export const subjectName = (prefix: string, name: string, record: RecordName): string =>
  `${topicName(prefix, name)}-${recordFullName(record)}`;

export interface Subject {
  subject: string;
  record: RecordName;
}

export const subjectsOf = (prefix: string, spec: TopicSpec): Subject[] => [
  ...spec.records.map((record) => ({ subject: subjectName(prefix, spec.name, record), record })),
  ...(spec.defaultSubject === undefined
    ? []
    : [{ subject: `${topicName(prefix, spec.name)}-value`, record: spec.defaultSubject }]),
];

/** What a consumer group subscribes to, without the prefix. */
export const topicsOf = (group: GroupName): string[] =>
  topics.filter((spec) => spec.consumers.includes(group)).map((spec) => spec.name);
