import { purgedText } from '../../services/cli/dead-letters';
import {
  judgeApis,
  judgeClocks,
  judgeConnections,
  judgeCopies,
  judgeDurability,
  judgeWork,
  neededApis,
  releaseOf,
  type ApiRanges,
} from '../../services/cli/doctor-judge';
import { apiVersionsAnswer, apiVersionsRequest } from '../../services/cli/doctor-kafka';
import { lagRows } from '../../services/cli/lag';

/** What the pinned client speaks, from its own tables. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { requests } = require('kafkajs/src/protocol/requests') as {
  requests?: Record<string, { versions: readonly (string | number)[] }>;
};
// eslint-disable-next-line @typescript-eslint/no-require-imports
const apiKeys = require('kafkajs/src/protocol/requests/apiKeys') as Record<string, number>;

const kafka39: ApiRanges = new Map(neededApis.map(({ key, max }) => [key, { min: 0, max: max + 6 }]));
const without = (key: number, range?: { min: number; max: number }): ApiRanges =>
  new Map([...kafka39].filter(([one]) => one !== key).concat(range === undefined ? [] : [[key, range]]));

describe('versions of brokers', () => {
  test('the table says what the client at hand speaks', () => {
    for (const { key, name, min, max } of neededApis) {
      const versions = (requests?.[name]?.versions ?? []).map(Number);
      expect([name, apiKeys[name], Math.max(...versions), versions.includes(min)]).toEqual([name, key, max, true]);
    }
  });

  test.each([
    ['a newer broker', kafka39, null],
    ['one that dropped the oldest versions', without(1, { min: 4, max: 17 }), null],
    ['one without an API', without(11), 'b:1 has no JoinGroup'],
    ['one too old', without(0, { min: 0, max: 2 }), 'b:1 speaks Produce 0 to 2, needed is one of 3 to 7'],
    ['one too new', without(3, { min: 7, max: 13 }), 'b:1 speaks Metadata 7 to 13, needed is one of 1 to 6'],
  ])('%s', (_name, ranges, wrong) => {
    expect(judgeApis(new Map([['b:1', ranges]])).wrong).toBe(wrong);
  });

  test.each([
    [18, '4.1 or newer'],
    [17, '3.9 or 4.0'],
    [15, '3.5 or 3.6'],
    [11, '2.3 to 2.6'],
    [5, 'older than 2.3'],
  ])('Fetch %i tells the release %s', (max, release) => {
    expect(releaseOf(new Map([[1, { min: 0, max }]]))).toBe(release);
  });

  test('an answer is read once it is whole, and what is not Kafka is named', () => {
    const answer = Buffer.alloc(26);
    answer.writeInt32BE(22, 0);
    answer.writeInt32BE(1, 4);
    answer.writeInt32BE(2, 10);
    [0, 3, 9, 18, 0, 4].forEach((value, index) => answer.writeInt16BE(value, 14 + index * 2));
    expect(apiVersionsAnswer(answer.subarray(0, 3))).toBeNull();
    expect(apiVersionsAnswer(answer.subarray(0, 25))).toBeNull();
    expect([...(apiVersionsAnswer(answer) ?? [])]).toEqual([
      [0, { min: 3, max: 9 }],
      [18, { min: 0, max: 4 }],
    ]);
    expect(() => apiVersionsAnswer(Buffer.from('HTTP/1.1 400 Bad Request'))).toThrow('not Kafka');
    expect(apiVersionsRequest().readInt32BE(0)).toBe(apiVersionsRequest().length - 4);
  });
});

test.each([
  ['in step', [{ name: 'PostgreSQL', aheadMs: 20, unsureMs: 1 }], [], null],
  ['not to be told', [{ name: 'hil', aheadMs: -1_400, unsureMs: 600 }], [], null],
  ['behind', [{ name: 'hil', aheadMs: -5_000, unsureMs: 600 }], [], "the clock of hil is 5.0 s behind this machine's"],
  [
    'ahead',
    [{ name: 'PostgreSQL', aheadMs: 1_600, unsureMs: 1 }],
    [],
    "the clock of PostgreSQL is 1.6 s ahead of this machine's",
  ],
  ['on records', [], ['run.events.v1'], 'records are dated in the future on run.events.v1'],
] as const)('clocks %s', (_name, readings, future, wrong) => {
  expect(judgeClocks(readings, future).wrong).toBe(wrong);
});

test.each([
  [1, 1, 1, null],
  [3, 3, 2, null],
  [3, 1, 1, /one copy/],
  [3, 3, 1, /min.insync.replicas is 1/],
  [3, 3, 3, /nothing is written/],
] as const)('%i brokers, %i copies, %i acknowledge', (brokers, replicationFactor, minInsyncReplicas, wrong) => {
  const judgement = judgeCopies({ replicationFactor, minInsyncReplicas }, brokers);
  if (wrong === null) expect(judgement.wrong).toBeNull();
  else expect(judgement.wrong).toMatch(wrong);
});

const settings = { fsync: 'on', synchronousCommit: 'on', maxConnections: 103, reserved: 3, used: 30 };
test('PostgreSQL: durability and room for connections', () => {
  expect(judgeDurability(settings).wrong).toBeNull();
  expect(judgeDurability({ ...settings, fsync: 'off' }).wrong).toMatch(/fsync is off/);
  expect(judgeDurability({ ...settings, synchronousCommit: 'off' }).wrong).toMatch(/synchronous_commit is off/);
  expect(judgeConnections(settings, 5)).toEqual({ wrong: null, note: '30 of 100 in use' });
  expect(judgeConnections({ ...settings, used: 81 }, 5).wrong).toBe('81 of 100 connections are in use');
  expect(judgeConnections(settings, 17).wrong).toBe('17 instances may take 102 connections, and 100 can be had');
});

const waits = { group: 'g', topic: 't', partition: 2, lag: 4, timeLagSeconds: 10, progressAgeSeconds: 10 };
test('stuck work: what stands still, is far behind, waits for Kafka, or is watched by nobody', () => {
  const hil = { service: 'hil', instances: 1, outbox: { pending: 3, oldestSeconds: 2 }, lag: [waits] };
  expect(judgeWork([hil]).wrong).toBeNull();
  expect(judgeWork([{ ...hil, instances: 0 }]).wrong).toBeNull();
  expect(judgeWork([{ ...hil, instances: 0, lag: [] }]).wrong).toMatch(/^hil: no instance/);
  expect(judgeWork([{ ...hil, outbox: { pending: 3, oldestSeconds: 61 } }]).wrong).toMatch(/the oldest for 61 s$/);
  expect(judgeWork([{ ...hil, lag: [{ ...waits, progressAgeSeconds: 121 }] }]).wrong).toMatch(/no progress for 121 s$/);
  expect(judgeWork([{ ...hil, lag: [{ ...waits, timeLagSeconds: 301 }] }]).wrong).toMatch(/the oldest for 301 s/);
});

test('lag by group and topic: records add up, each age is that of the worst partition', () => {
  const rows = lagRows([
    { ...waits, topic: 'u' },
    { ...waits, partition: 0, timeLagSeconds: 50, progressAgeSeconds: 1 },
    { ...waits, partition: 1, timeLagSeconds: 20, progressAgeSeconds: 300 },
  ]);
  expect(rows).toEqual([
    { group: 'g', topic: 't', records: 8, seconds: 50, stillSeconds: 300 },
    { group: 'g', topic: 'u', records: 4, seconds: 10, stillSeconds: 10 },
  ]);
});

test.each([
  [{ matched: 3, waiting: 1, purged: 0, dryRun: true }, '3 match, 1 of them still waiting to be handled'],
  [{ matched: 3, waiting: 1, purged: 3, dryRun: false }, '3 purged'],
  [{ matched: 3, waiting: 1, purged: 2, dryRun: false }, /^2 purged; .*run it again for the rest$/],
])('a purge says what it did: %j', (purged, text) => {
  expect(purgedText(purged)).toMatch(text);
});
