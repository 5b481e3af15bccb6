import { layoutOf } from '../../schemas/apply';
import { diffTopics, planOf, prevailing, wantedSubjects, wantedTopics, type FoundTopic } from '../../schemas/plan';
import { ingressTopic, receiptsTopic, topics } from '../../schemas/topics';

const layout = layoutOf({ prefix: 't1.', replicationFactor: 1, minInsyncReplicas: 1 });

const asWanted = (): Map<string, FoundTopic> => new Map(wantedTopics(layout).map((topic) => [topic.name, topic]));
const allRegistered = new Map(
  wantedSubjects(layout).map(({ subject }) => [subject, { level: 'FULL_TRANSITIVE', registered: true }]),
);

test('on an empty cluster everything is made: topics, a dead-letter topic a group, schemas with their level', () => {
  const plan = planOf(layout, new Map(), new Map());
  expect(plan.create.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['t1.run.events.v1', 't1.run.events.v1.t1.hil.events.dlt']),
  );
  expect(plan.create).toHaveLength(topics.length + topics.flatMap((topic) => topic.consumers).length);
  expect(plan.setLevel).toEqual(plan.register.map(({ subject }) => subject));
  expect(plan.drift).toEqual([]);
  expect(diffTopics(plan)).toHaveLength(plan.create.length + plan.register.length + plan.setLevel.length);
});

test('a second time there is nothing to do', () => {
  const plan = planOf(layout, asWanted(), allRegistered);
  expect(diffTopics(plan)).toEqual([]);
});

test('X2: a dead-letter topic has the partitions of its topic and is kept longer', () => {
  const wanted = new Map(wantedTopics(layout).map((topic) => [topic.name, topic]));
  const original = wanted.get('t1.ingress.messages.v1');
  const letters = wanted.get('t1.ingress.messages.v1.t1.admission.dlt');
  expect(letters?.partitions).toBe(original?.partitions);
  expect(Number(letters?.config['retention.ms'])).toBeGreaterThan(Number(original?.config['retention.ms']));
});

test('what exists otherwise is reported and not changed', () => {
  const found = asWanted();
  found.set('t1.run.events.v1', {
    partitions: 3,
    replicationFactor: 1,
    config: { 'cleanup.policy': 'compact', 'min.insync.replicas': '1' },
  });
  const plan = planOf(layout, found, allRegistered);
  expect(plan.create).toEqual([]);
  expect(diffTopics(plan)).toEqual([
    { what: 't1.run.events.v1 partitions', expected: '6', actual: '3' },
    { what: 't1.run.events.v1 retention.ms', expected: '604800000', actual: 'not set' },
    { what: 't1.run.events.v1 cleanup.policy', expected: 'delete', actual: 'compact' },
  ]);
});

test('a subject of another level gets ours, an unregistered version is registered', () => {
  const subjects = new Map(allRegistered);
  subjects.set('t1.hil.responses.v1-fairlead.SubmitClarification', { level: 'BACKWARD', registered: true });
  subjects.set('t1.ingress.messages.v1-value', { level: 'FULL_TRANSITIVE', registered: false });
  const plan = planOf(layout, asWanted(), subjects);
  expect(plan.setLevel).toEqual(['t1.hil.responses.v1-fairlead.SubmitClarification']);
  expect(plan.register).toEqual([{ subject: 't1.ingress.messages.v1-value', record: 'MessageSubmitted' }]);
});

test('an installation can have further ingress and receipts topics; naming a known one again adds nothing', () => {
  const extra = [
    ingressTopic('ingress.mobile.v1'),
    receiptsTopic('receipts.mobile.v1'),
    ingressTopic('ingress.messages.v1'),
  ];
  const more = layoutOf({ prefix: 't1.', replicationFactor: 1, minInsyncReplicas: 1, extra });
  const known = new Set(wantedTopics(layout).map(({ name }) => name));
  expect(
    wantedTopics(more)
      .map(({ name }) => name)
      .filter((name) => !known.has(name)),
  ).toEqual(['t1.ingress.mobile.v1', 't1.ingress.mobile.v1.t1.admission.dlt', 't1.receipts.mobile.v1']);
});

test('the copies of a cluster are what most of its topics have; a topic that has others is drift', () => {
  const three = layoutOf({ prefix: 't1.', replicationFactor: 3, minInsyncReplicas: 2 });
  const found: Map<string, FoundTopic> = new Map(wantedTopics(three).map((topic) => [topic.name, topic]));
  const odd = wantedTopics(layout).find(({ name }) => name === 't1.run.events.v1') as FoundTopic;
  found.set('t1.run.events.v1', odd);
  expect(prevailing(found.values())).toEqual({ replicationFactor: 3, minInsyncReplicas: 2 });
  expect(diffTopics(planOf({ ...layout, ...prevailing(found.values()) }, found, allRegistered))).toEqual([
    { what: 't1.run.events.v1 replication factor', expected: '3', actual: '1' },
    { what: 't1.run.events.v1 min.insync.replicas', expected: '2', actual: '1' },
  ]);
  expect(prevailing([])).toEqual({ replicationFactor: 1, minInsyncReplicas: 1 });
});
