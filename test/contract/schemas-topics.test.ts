import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../schemas/avro';
import { schemaText } from '../../schemas/generated/records';
import { topicTable } from '../../schemas/page';
import {
  deadLetterTopic,
  defaultTopicPrefix,
  groupName,
  groupNames,
  recordFullName,
  subjectName,
  subjectsOf,
  topicName,
  topics,
  topicsOf,
} from '../../schemas/topics';

const names = topics.map((topic) => topic.name);

test('every topic is described once, with records that exist', () => {
  expect(new Set(names).size).toBe(names.length);
  for (const topic of topics) {
    expect(topic.records.length).toBeGreaterThan(0);
    for (const record of topic.records) expect(schemaText).toHaveProperty([record]);
    expect(topic.partitions).toBe(6);
    expect(topic.retentionMs).toBeGreaterThan(0);
  }
});

test('only the receipt topics are keyed by action, and their records have that key', () => {
  expect(topics.filter((topic) => topic.key === 'actionKey').map((topic) => topic.name)).toEqual([
    'effect.receipt-queries.v1',
    'effect.receipt-answers.v1',
  ]);
  for (const topic of topics) {
    for (const record of topic.records) {
      const { fields } = JSON.parse(schemaText[record]) as { fields: { name: string; default?: unknown }[] };
      expect(fields.find((field) => field.name === topic.key)).not.toHaveProperty('default');
    }
  }
});

test('every topic is read, and every group reads something', () => {
  for (const topic of topics) expect(topic.consumers).not.toEqual([]);
  for (const group of groupNames) expect(topicsOf(group)).not.toEqual([]);
});

test('the groups read what their services need', () => {
  expect(Object.fromEntries(groupNames.map((group) => [group, topicsOf(group).sort()]))).toEqual({
    admission: ['ingress.messages.v1'],
    'admission.events': ['content.purges.v1', 'hil.events.v1', 'run.events.v1'],
    'run-executor.commands': ['run.commands.v1'],
    'run-executor': ['effect.events.v1', 'hil.events.v1', 'publication.events.v1'],
    hil: ['hil.requests.v1', 'hil.responses.v1'],
    'hil.events': ['content.purges.v1', 'effect.events.v1', 'run.events.v1'],
    'effect-ledger': ['content.purges.v1', 'effect.commands.v1', 'effect.receipt-answers.v1', 'hil.events.v1'],
    'effect-ledger.receipt-query': ['effect.receipt-queries.v1'],
    publication: ['publication.commands.v1'],
    'publication.events': [
      'admission.messages.v1',
      'admission.receipts.v1',
      'content.purges.v1',
      'effect.events.v1',
      'hil.events.v1',
      'publication.events.v1',
      'run.events.v1',
    ],
  });
});

test('names are the promised ones', () => {
  expect(topicName(defaultTopicPrefix, 'run.events.v1')).toBe('fairlead.run.events.v1');
  expect(groupName(defaultTopicPrefix, 'run-executor.commands')).toBe('fairlead.run-executor.commands');
  expect(deadLetterTopic(defaultTopicPrefix, 'ingress.messages.v1', 'admission')).toBe(
    'fairlead.ingress.messages.v1.fairlead.admission.dlt',
  );
  expect(recordFullName('ReceiptIssued')).toBe('fairlead.ReceiptIssued');
  expect(subjectName('x.', 'admission.receipts.v1', 'ReceiptIssued')).toBe(
    'x.admission.receipts.v1-fairlead.ReceiptIssued',
  );
});

test('the ingress has the subject of a default producer as well, no other topic has', () => {
  const subjects = topics.flatMap((topic) => subjectsOf(defaultTopicPrefix, topic));
  expect(subjects.filter(({ subject }) => subject.endsWith('-value'))).toEqual([
    { subject: 'fairlead.ingress.messages.v1-value', record: 'MessageSubmitted' },
  ]);
  expect(new Set(subjects.map(({ subject }) => subject)).size).toBe(subjects.length);
});

test('the page for people says what the code says', () => {
  const page = readFileSync(join(packageRoot(__dirname), 'schemas', 'README.md'), 'utf8');
  expect(page).toContain(`\n${topicTable()}\n`);
  for (const topic of topics) expect(topicTable()).toContain(`| \`${topic.name}\` `);
});

test('the records of the topics everybody reads carry what was promised', () => {
  const fieldsOf = (record: keyof typeof schemaText): string[] =>
    (JSON.parse(schemaText[record]) as { fields: { name: string }[] }).fields.map((field) => field.name);
  const common = 'eventId occurredAt tenant app account conversationId taskId runId revision'.split(' ');
  const promised = {
    RunStateChanged: ['state', 'cause', 'requirementsVersion', 'appliedVersion'],
    InteractionChanged: ['interactionRef', 'requestRevision', 'kind', 'state', 'adoption'],
    ActionStateChanged: ['actionKey', 'state', 'attempts'],
    ReportPublished: ['version', 'seq', 'reportStatus', 'sha256', 'contentType'],
  } as const;
  for (const [record, own] of Object.entries(promised)) {
    expect(fieldsOf(record as keyof typeof promised)).toEqual(expect.arrayContaining([...common, ...own]));
  }
});
