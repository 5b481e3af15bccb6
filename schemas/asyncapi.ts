import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { packageRoot, readSchemas } from './avro';
import { defaultTopicPrefix, groupName, recordFullName, topicName, topics, type TopicSpec } from './topics';

const bindingVersion = '0.5.0';
const contentType = 'application/vnd.confluent.avro';
const avroFormat = 'application/vnd.apache.avro+json;version=1.11.0';

/** CloudEvents, Kafka binding in binary mode; upstream producers may leave all of them out. */
const headers = {
  type: 'object',
  properties: {
    ce_specversion: { type: 'string', const: '1.0' },
    ce_id: { type: 'string', description: 'the eventId' },
    ce_source: { type: 'string' },
    ce_type: { type: 'string', description: 'full name of the record' },
    ce_subject: { type: 'string' },
    ce_time: { type: 'string', format: 'date-time' },
    ce_causationid: { type: 'string' },
    ce_correlationid: { type: 'string' },
    traceparent: { type: 'string' },
  },
};

const channelOf = (spec: TopicSpec): object => ({
  address: topicName(defaultTopicPrefix, spec.name),
  description: `Written by ${spec.owner === 'ingress' ? 'upstream apps' : spec.owner}; the record key is the ${spec.key}.`,
  messages: Object.fromEntries(spec.records.map((record) => [record, { $ref: `#/components/messages/${record}` }])),
  bindings: {
    kafka: {
      topic: topicName(defaultTopicPrefix, spec.name),
      partitions: spec.partitions,
      topicConfiguration: { 'cleanup.policy': [spec.cleanup], 'retention.ms': spec.retentionMs },
      bindingVersion,
    },
  },
});

const operationsOf = (spec: TopicSpec): [string, object][] => {
  const channel = { $ref: `#/channels/${spec.name}` };
  return [
    // Upstream apps write the ingress; their sending is no operation of this system.
    ...(spec.owner === 'ingress'
      ? []
      : [[`${spec.owner}.sends.${spec.name}`, { action: 'send', channel }] as [string, object]]),
    ...spec.consumers.map((group): [string, object] => [
      `${group}.reads.${spec.name}`,
      {
        action: 'receive',
        channel,
        bindings: {
          kafka: { groupId: { type: 'string', const: groupName(defaultTopicPrefix, group) }, bindingVersion },
        },
      },
    ]),
  ];
};

/** The topics as an AsyncAPI 3.0 document; `schemasFromDocs` leads from the document's folder to the schemas. */
export const asyncapiOf = (schemasDir: string, schemasFromDocs: string): string => {
  const files = new Map(readSchemas(schemasDir).map((file) => [file.record.name, file]));
  const messageOf = (record: string, key: TopicSpec['key']): object => {
    const file = files.get(record);
    if (file === undefined) throw new Error(`no schema file of ${record}`);
    return {
      name: recordFullName(record as TopicSpec['records'][number]),
      summary: file.record.doc ?? '',
      contentType,
      headers: { $ref: '#/components/schemas/headers' },
      bindings: { kafka: { key: { type: 'string', description: key }, bindingVersion } },
      payload: { schemaFormat: avroFormat, schema: { $ref: `${schemasFromDocs}/${file.path}` } },
    };
  };
  const messages = new Map(
    topics.flatMap((spec) => spec.records.map((record) => [record, messageOf(record, spec.key)] as const)),
  );
  const document = {
    asyncapi: '3.0.0',
    info: {
      title: 'Fairlead topics',
      version: '1',
      description:
        'Names carry the default prefix; TOPIC_PREFIX changes it. Values are Avro in the Confluent wire format.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: contentType,
    channels: Object.fromEntries(topics.map((spec) => [spec.name, channelOf(spec)])),
    operations: Object.fromEntries(topics.flatMap(operationsOf)),
    components: {
      messages: Object.fromEntries([...messages].sort(([a], [b]) => (a < b ? -1 : 1))),
      schemas: { headers },
    },
  };
  const mark = '# Written by schemas/asyncapi.ts from topics.ts and the .avsc files: node dist/schemas/asyncapi.js\n';
  return mark + stringify(document, { lineWidth: 120, aliasDuplicateObjects: false });
};

export const asyncapiFile = join('docs', 'asyncapi.yaml');

if (require.main === module) {
  const root = packageRoot(__dirname);
  writeFileSync(join(root, asyncapiFile), asyncapiOf(join(root, 'schemas'), '../schemas'));
}
