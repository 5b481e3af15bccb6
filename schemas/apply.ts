import { setTimeout as pause } from 'node:timers/promises';
import { schemaText } from './generated/records';
import {
  compatibilityLevel,
  planOf,
  prevailing,
  wantedSubjects,
  wantedTopics,
  type Drift,
  type FoundSubject,
  type FoundTopic,
  type Layout,
  type TopicPlan,
} from './plan';
import { registryAt, SetupError, type RegistryApi } from './registry';
import { topics, type Subject, type TopicSpec } from './topics';

/** The part of a kafkajs admin client that is used here; the client itself is made in platform. */
export interface TopicAdmin {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  fetchTopicMetadata(): Promise<{ topics: { name: string; partitions: { leader: number; replicas: number[] }[] }[] }>;
  describeConfigs(query: {
    resources: { type: number; name: string; configNames: string[] }[];
    includeSynonyms: boolean;
  }): Promise<{ resources: { resourceName: string; configEntries: { configName: string; configValue: string }[] }[] }>;
  createTopics(request: {
    topics: {
      topic: string;
      numPartitions: number;
      replicationFactor: number;
      configEntries: { name: string; value: string }[];
    }[];
    timeout: number;
    waitForLeaders: boolean;
  }): Promise<boolean>;
}

export interface ApplyOptions {
  kafka: { admin(): TopicAdmin };
  registryUrl: string;
  prefix: string;
  replicationFactor: number;
  minInsyncReplicas: number;
  /** Topics that only this installation has: further ingress topics, receipts topics of bindings. */
  extra?: readonly TopicSpec[];
  /** Only these of the topics, by name without the prefix, say for one service alone. */
  only?: readonly string[];
  log: (line: string) => void;
}

export interface ApplyResult {
  created: string[];
  registered: string[];
  levelsSet: string[];
  drift: Drift[];
}

const topicResource = 2;
const createTimeoutMs = 30_000;
const createPollMs = 50;
/** Many small requests to one registry: some at a time are quick, all at once only queue up there. */
const registryConcurrency = 8;

export const layoutOf = (options: Omit<ApplyOptions, 'kafka' | 'registryUrl' | 'log'>): Layout => ({
  prefix: options.prefix,
  replicationFactor: options.replicationFactor,
  minInsyncReplicas: options.minInsyncReplicas,
  topics: [...topics, ...(options.extra ?? []).filter((spec) => !topics.some(({ name }) => name === spec.name))].filter(
    ({ name }) => options.only?.includes(name) ?? true,
  ),
});

/** Looks, changes nothing. */
export const planTopics = async (admin: TopicAdmin, registry: RegistryApi, layout: Layout): Promise<TopicPlan> => {
  const [foundTopics, foundSubjects] = await Promise.all([findTopics(admin, layout), findSubjects(registry, layout)]);
  return planOf(layout, foundTopics, foundSubjects);
};

/** The same where the number of copies is the installation's own choice: only what differs from its other topics is drift. */
export const planAsFound = async (
  admin: TopicAdmin,
  registry: RegistryApi,
  layout: Layout,
): Promise<{ readonly plan: TopicPlan; readonly layout: Layout }> => {
  const [foundTopics, foundSubjects] = await Promise.all([findTopics(admin, layout), findSubjects(registry, layout)]);
  const chosen = { ...layout, ...prevailing(foundTopics.values()) };
  return { plan: planOf(chosen, foundTopics, foundSubjects), layout: chosen };
};

/** Makes what is missing, leaves what exists, and says what exists otherwise than it should. Safe to repeat. */
export const applyTopics = async (options: ApplyOptions): Promise<ApplyResult> => {
  const layout = layoutOf(options);
  const registry = registryAt(options.registryUrl);
  const admin = options.kafka.admin();
  await broker('connecting', () => admin.connect());
  try {
    const plan = await planTopics(admin, registry, layout);
    const outcomes = await Promise.allSettled([createTopics(admin, plan), registerAll(registry, plan)]);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const result = {
      created: plan.create.map(({ name }) => name),
      registered: plan.register.map(({ subject }) => subject),
      levelsSet: plan.setLevel,
      drift: plan.drift,
    };
    options.log(`topics: ${result.created.length} created; schemas: ${result.registered.length} registered`);
    for (const { what, expected, actual } of result.drift) options.log(`${what}: expected ${expected}, is ${actual}`);
    return result;
  } finally {
    await admin.disconnect();
  }
};

const findTopics = async (admin: TopicAdmin, layout: Layout): Promise<Map<string, FoundTopic>> => {
  const wanted = new Map(wantedTopics(layout).map((topic) => [topic.name, topic]));
  const metadata = await broker('listing the topics', () => admin.fetchTopicMetadata());
  const present = metadata.topics.filter(({ name }) => wanted.has(name));
  if (present.length === 0) return new Map();
  const { resources } = await broker('reading the settings of topics', () =>
    admin.describeConfigs({
      resources: present.map(({ name }) => ({
        type: topicResource,
        name,
        configNames: Object.keys(wanted.get(name)?.config ?? {}),
      })),
      includeSynonyms: false,
    }),
  );
  const configs = new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      Object.fromEntries(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
  return new Map(
    present.map(({ name, partitions }) => [
      name,
      {
        partitions: partitions.length,
        replicationFactor: partitions[0]?.replicas.length ?? 0,
        config: configs.get(name) ?? {},
      },
    ]),
  );
};

const findSubjects = async (registry: RegistryApi, layout: Layout): Promise<Map<string, FoundSubject>> => {
  const found = new Map<string, FoundSubject>();
  await eachBounded(wantedSubjects(layout), async ({ subject, record }) => {
    const [level, registered] = await Promise.all([registry.level(subject), registry.has(subject, schemaText[record])]);
    found.set(subject, { level, registered });
  });
  return found;
};

const createTopics = async (admin: TopicAdmin, plan: TopicPlan): Promise<void> => {
  if (plan.create.length === 0) return;
  await broker('creating topics', () =>
    admin.createTopics({
      topics: plan.create.map(({ name, partitions, replicationFactor, config }) => ({
        topic: name,
        numPartitions: partitions,
        replicationFactor,
        configEntries: Object.entries(config).map(([key, value]) => ({ name: key, value })),
      })),
      timeout: createTimeoutMs,
      waitForLeaders: false,
    }),
  );
  await waitForTopics(admin, new Set(plan.create.map(({ name }) => name)));
};

/** The controller answers before the brokers know; kafkajs's own waiting takes that moment for an error. */
const waitForTopics = async (admin: TopicAdmin, names: ReadonlySet<string>): Promise<void> => {
  const deadline = performance.now() + createTimeoutMs;
  while (performance.now() < deadline) {
    const ready = await topicsWithLeaders(admin);
    if ([...names].every((name) => ready.has(name))) return;
    await pause(createPollMs);
  }
  throw new SetupError(`Kafka: the new topics have no leaders after ${createTimeoutMs / 1000} s`);
};

const topicsWithLeaders = async (admin: TopicAdmin): Promise<Set<string>> => {
  try {
    const metadata = await admin.fetchTopicMetadata();
    const ready = metadata.topics.filter(({ partitions }) => partitions.every(({ leader }) => leader >= 0));
    return new Set(ready.map(({ name }) => name));
  } catch (error) {
    if (isNotYetKnown(error)) return new Set();
    throw new SetupError(`Kafka: waiting for the new topics: ${String(error)}`);
  }
};

const isNotYetKnown = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'type' in error &&
  (error.type === 'LEADER_NOT_AVAILABLE' || error.type === 'UNKNOWN_TOPIC_OR_PARTITION');

const registerAll = async (registry: RegistryApi, plan: TopicPlan): Promise<void> => {
  const missing = new Map(plan.register.map((entry) => [entry.subject, entry]));
  const subjects = [...new Set([...missing.keys(), ...plan.setLevel])];
  await eachBounded(subjects, (subject) =>
    settleSubject(registry, subject, missing.get(subject), plan.setLevel.includes(subject)),
  );
};

/** The level comes first, so that a registered schema was checked against it; a subject without versions may refuse one. */
const settleSubject = async (
  registry: RegistryApi,
  subject: string,
  missing: Subject | undefined,
  needsLevel: boolean,
): Promise<void> => {
  const levelSet = needsLevel ? await registry.setLevel(subject, compatibilityLevel) : true;
  if (missing !== undefined) await registry.register(subject, schemaText[missing.record]);
  if (levelSet || (await registry.setLevel(subject, compatibilityLevel))) return;
  throw new SetupError(`schema registry: ${subject} takes no compatibility level`);
};

const eachBounded = async <T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> => {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await task(item);
  };
  await Promise.all(Array.from({ length: registryConcurrency }, worker));
};

const broker = async <T>(what: string, action: () => Promise<T>): Promise<T> => {
  try {
    return await action();
  } catch (error) {
    const reasons = error instanceof AggregateError || hasErrors(error) ? error.errors : [error];
    const text = [...new Set(reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))))];
    throw new SetupError(`Kafka: ${what}: ${text.join('; ').replaceAll(/\s+/g, ' ')}`);
  }
};

/** kafkajs has an aggregate error of its own, which is not the language's. */
const hasErrors = (error: unknown): error is { errors: unknown[] } =>
  typeof error === 'object' && error !== null && 'errors' in error && Array.isArray(error.errors);
