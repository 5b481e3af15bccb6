import { deadLetterRetentionMs, deadLetterTopic, subjectsOf, topicName, type Subject, type TopicSpec } from './topics';

export const compatibilityLevel = 'FULL_TRANSITIVE';

/** How the topics shall be laid out on the cluster at hand. */
export interface Layout {
  prefix: string;
  replicationFactor: number;
  minInsyncReplicas: number;
  topics: readonly TopicSpec[];
}

export interface WantedTopic {
  name: string;
  partitions: number;
  replicationFactor: number;
  config: Readonly<Record<string, string>>;
}

export interface FoundTopic {
  partitions: number;
  replicationFactor: number;
  config: Readonly<Record<string, string>>;
}

export interface FoundSubject {
  level: string | null;
  registered: boolean;
}

export interface Drift {
  what: string;
  expected: string;
  actual: string;
}

export interface TopicPlan {
  create: WantedTopic[];
  register: Subject[];
  setLevel: string[];
  /** What exists and is otherwise than it should be; nothing here changes it, since a change could hurt a running system. */
  drift: Drift[];
}

export const wantedTopics = (layout: Layout): WantedTopic[] =>
  layout.topics.flatMap((spec) => [
    wanted(layout, topicName(layout.prefix, spec.name), spec, spec.retentionMs),
    ...spec.consumers.map((group) =>
      wanted(layout, deadLetterTopic(layout.prefix, spec.name, group), spec, deadLetterRetentionMs, {
        'max.message.bytes': String(deadLetterMaxBytes),
      }),
    ),
  ]);

/** Larger than what any topic lets in, so that a record too large to be understood still has a place to go. */
const deadLetterMaxBytes = 16 * 1024 * 1024;

/** A dead-letter topic has as many partitions as the topic, because a dead letter keeps its partition. */
const wanted = (
  layout: Layout,
  name: string,
  spec: TopicSpec,
  retentionMs: number,
  more: Readonly<Record<string, string>> = {},
): WantedTopic => ({
  name,
  partitions: spec.partitions,
  replicationFactor: layout.replicationFactor,
  config: {
    'retention.ms': String(retentionMs),
    'cleanup.policy': spec.cleanup,
    'min.insync.replicas': String(layout.minInsyncReplicas),
    ...more,
  },
});

export const wantedSubjects = (layout: Layout): Subject[] =>
  layout.topics.flatMap((spec) => subjectsOf(layout.prefix, spec));

/** The copies that most topics of a cluster have: what an installation chose when it was set up. */
export const prevailing = (found: Iterable<FoundTopic>): Pick<Layout, 'replicationFactor' | 'minInsyncReplicas'> => {
  const topics = [...found];
  return {
    replicationFactor: mostFrequent(topics.map(({ replicationFactor }) => replicationFactor)),
    minInsyncReplicas: mostFrequent(topics.map(({ config }) => Number(config['min.insync.replicas'] ?? 1))),
  };
};

const mostFrequent = (values: readonly number[]): number => {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [1, 0] as [number, number])[0];
};

export const planOf = (
  layout: Layout,
  topics: ReadonlyMap<string, FoundTopic>,
  subjects: ReadonlyMap<string, FoundSubject>,
): TopicPlan => ({
  create: wantedTopics(layout).filter(({ name }) => !topics.has(name)),
  register: wantedSubjects(layout).filter(({ subject }) => subjects.get(subject)?.registered !== true),
  setLevel: wantedSubjects(layout)
    .map(({ subject }) => subject)
    .filter((subject) => subjects.get(subject)?.level !== compatibilityLevel),
  drift: wantedTopics(layout).flatMap((topic) => {
    const found = topics.get(topic.name);
    return found === undefined ? [] : topicDrift(topic, found);
  }),
});

const topicDrift = (topic: WantedTopic, found: FoundTopic): Drift[] =>
  [
    drift(`${topic.name} partitions`, String(topic.partitions), String(found.partitions)),
    drift(`${topic.name} replication factor`, String(topic.replicationFactor), String(found.replicationFactor)),
    ...Object.entries(topic.config).map(([key, value]) =>
      drift(`${topic.name} ${key}`, value, found.config[key] ?? 'not set'),
    ),
  ].filter(({ expected, actual }) => expected !== actual);

const drift = (what: string, expected: string, actual: string): Drift => ({ what, expected, actual });

/** Everything that is not as it should be, missing things included; empty means nothing to do. */
export const diffTopics = (plan: TopicPlan): Drift[] => [
  ...plan.create.map(({ name }) => drift(`topic ${name}`, 'present', 'missing')),
  ...plan.register.map(({ subject }) => drift(`schema of ${subject}`, 'registered', 'missing')),
  ...plan.setLevel.map((subject) => drift(`compatibility of ${subject}`, compatibilityLevel, 'something else')),
  ...plan.drift,
];
