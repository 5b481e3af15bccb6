import { worstByTopic } from '../../services/platform/watchdog';

const lagOf = (topic: string, partition: number, timeLagSeconds: number, progressAgeSeconds: number) => ({
  ...{ group: 'g', topic, partition, lag: 1 },
  ...{ timeLagSeconds, progressAgeSeconds },
});

test('the worst of a topic is taken of each figure by itself, whatever partition has it', () => {
  const worst = worstByTopic([lagOf('a', 0, 50, 1), lagOf('a', 1, 20, 300), lagOf('a', 2, 0, 0), lagOf('b', 0, 3, 2)]);
  expect([...worst]).toEqual([
    ['a', { timeLagSeconds: 50, progressAgeSeconds: 300 }],
    ['b', { timeLagSeconds: 3, progressAgeSeconds: 2 }],
  ]);
});
