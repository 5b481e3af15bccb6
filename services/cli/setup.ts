import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { applyTopics, layoutOf, planAsFound, planTopics } from '../../schemas/apply';
import { diffTopics } from '../../schemas/plan';
import { registryAt } from '../../schemas/registry';
import { openConfiguration } from '../platform/live-configuration';
import { BadSetting, kafkaSettings, topicPrefixOf } from '../platform/environment';
import { kafkaClient } from '../platform/kafka-client';
import { openLog } from '../platform/log';
import { ensureDatabase, migrate, migrationFolders, serviceNames, type ServiceName } from '../platform/migrate';
import { ingressTopic, receiptsTopic, topics, type TopicSpec } from '../../schemas/topics';

/** Folder that holds services/ beside this build. */
const root = join(__dirname, '..', '..');

const urlVariable = (service: ServiceName): string => `${service.replaceAll('-', '_').toUpperCase()}_DATABASE_URL`;

/** Role, database and tables of each service, under a lock; what is there already stays as it is. */
export const migrateAll = async (only: ServiceName | null, say: (line: string) => void): Promise<void> => {
  const admin = process.env['DATABASE_ADMIN_URL'];
  for (const service of only === null ? serviceNames : [only]) {
    const given = process.env[urlVariable(service)];
    if (given === undefined && admin === undefined)
      throw new BadSetting('DATABASE_ADMIN_URL', `is not set, nor ${urlVariable(service)}`);
    const url = given ?? (await ensureDatabase(admin as string, service));
    const folders = migrationFolders(root, service).filter((folder) => existsSync(folder.path));
    const applied = await migrate(url, folders);
    say(applied.length === 0 ? `${service}: up to date` : `${service}: applied ${applied.join(', ')}`);
  }
};

/** Topics that only this configuration names. */
const bindingTopics = (): TopicSpec[] => {
  const configuration = openConfiguration(process.env['FAIRLEAD_CONFIG'] ?? null, openLog('cli', 'cli', 'silent'));
  const config = configuration.current();
  configuration.close();
  const known = new Set(topics.map((topic) => topic.name));
  const bindings = config.ingress ?? [];
  return [
    ...bindings.map((binding) => binding.topic).map(ingressTopic),
    ...bindings.flatMap((binding) =>
      binding.receiptsTopic === undefined ? [] : [receiptsTopic(binding.receiptsTopic)],
    ),
  ].filter((topic, index, all) => !known.has(topic.name) && all.findIndex((one) => one.name === topic.name) === index);
};

export const setupSettings = () => {
  const registryUrl = process.env['SCHEMA_REGISTRY_URL'];
  if (registryUrl === undefined) throw new BadSetting('SCHEMA_REGISTRY_URL', 'is not set');
  return {
    kafka: kafkaClient(kafkaSettings(process.env), 'fairlead-setup', openLog('cli', 'cli', 'silent')),
    registryUrl,
    prefix: topicPrefixOf(process.env),
    extra: bindingTopics(),
  };
};

export const applyAllTopics = async (
  replicationFactor: number,
  minInsyncReplicas: number,
  say: (line: string) => void,
): Promise<void> => {
  const result = await applyTopics({ ...setupSettings(), replicationFactor, minInsyncReplicas, log: say });
  for (const drift of result.drift) say(`differs: ${drift.what}: expected ${drift.expected}, found ${drift.actual}`);
};

/** Copies that are not given are what most topics here have: the cluster's own choice is no drift. */
export const topicDrift = async (
  replicationFactor?: number,
  minInsyncReplicas?: number,
): Promise<ReturnType<typeof diffTopics>> => {
  const { kafka, registryUrl, ...rest } = setupSettings();
  const admin = kafka.admin();
  await admin.connect();
  try {
    const registry = registryAt(registryUrl);
    const layout = layoutOf({
      ...rest,
      replicationFactor: replicationFactor ?? 1,
      minInsyncReplicas: minInsyncReplicas ?? 1,
    });
    const asFound = replicationFactor === undefined && minInsyncReplicas === undefined;
    return diffTopics(
      asFound ? (await planAsFound(admin, registry, layout)).plan : await planTopics(admin, registry, layout),
    );
  } finally {
    await admin.disconnect();
  }
};
