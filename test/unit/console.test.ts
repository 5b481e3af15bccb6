import { differenceOf } from '../../services/console/src/difference';
import type { Interaction, Receipt, Run } from '../../services/console/src/facts';
import { htmlOf } from '../../services/console/src/markdown-text';
import { choicesOf } from '../../services/console/src/send-choices';
import { storyOf, withState } from '../../services/console/src/story';
import { fateOf, standOf } from '../../services/console/src/words';

const run = (runId: string, state: string, version = 1): Run => ({
  runId,
  messageId: `msg_${runId}`,
  conversationId: 'c1',
  title: runId,
  agent: 'market-report',
  state,
  waitingFor: [],
  cause: null,
  requirementsVersion: version,
  appliedVersion: version,
  turns: 1,
  parentRunId: null,
  continuation: null,
  report: null,
  unsettledActions: [],
  startedAt: null,
});

const question: Interaction = {
  interactionRef: 'int_1',
  requestRevision: 2,
  kind: 'question',
  mode: 'non_blocking',
  state: 'open',
  code: null,
  conversationId: 'c1',
  runId: 'r1',
  requirementsVersion: 1,
  questionId: 'q',
  actionKey: null,
  recipient: 'alice',
  claimedBy: null,
  question: 'Which?',
  choices: [],
  expiresAt: null,
  publishedAt: null,
  seenAt: null,
  answeredAt: null,
  adoptedAt: null,
  adoption: null,
  late: false,
  response: null,
};

const choices = (runs: readonly Run[], open: readonly Interaction[] = []) =>
  new Map(choicesOf(runs, open, (one) => one.runId).map((choice) => [choice.id, choice.fields]));

describe('the send box: each choice says what the message will be, with target and expected version filled in', () => {
  test('nothing there: a new task, or Fairlead decides', () => {
    expect([...choices([]).keys()]).toEqual(['new', 'unspecified']);
  });

  test('A4: a running run can be changed under the version that is seen, observed, paused, stopped', () => {
    const found = choices([run('r1', 'running', 3)]);
    expect(found.get('amend-r1')).toEqual({ relation: 'amend', targetRunId: 'r1', expectedVersion: 3 });
    expect(found.get('observe-r1')).toEqual({ relation: 'observe', targetRunId: 'r1' });
    expect(found.get('pause-r1')).toEqual({ relation: 'control', control: 'pause', targetRunId: 'r1' });
    expect(found.get('beside')).toEqual({ relation: 'new_task', mode: 'parallel' });
    expect(found.has('continue-r1')).toBe(false);
  });

  test('a paused run is resumed, not paused', () => {
    const found = choices([run('r1', 'paused')]);
    expect([found.has('resume-r1'), found.has('pause-r1')]).toEqual([true, false]);
  });

  test('A11: an ended run can be continued and nothing else', () => {
    const found = choices([run('r1', 'completed')]);
    expect(found.get('continue-r1')).toEqual({ relation: 'continue', continuationOfRunId: 'r1' });
    expect([...found.keys()].filter((id) => id.endsWith('r1'))).toEqual(['continue-r1']);
  });

  test('an open question is answered under its revision; one with choices has its buttons instead', () => {
    expect(choices([], [question]).get('answer-int_1')).toEqual({
      relation: 'clarification',
      interactionRef: 'int_1',
      requestRevision: 2,
    });
    expect(choices([], [{ ...question, choices: [{ id: 'a', label: 'A' }] }]).has('answer-int_1')).toBe(false);
  });
});

const receipt = (status: string, more: Partial<Receipt> = {}): Receipt => ({
  messageId: 'm',
  clientMessageId: 'x',
  status,
  duplicate: false,
  relation: 'amend',
  runId: null,
  targetRunId: null,
  requirementsVersion: 2,
  code: null,
  field: null,
  detail: null,
  adoption: null,
  result: null,
  progress: null,
  ...more,
});

test.each([
  ['update_received', 'received as v2, applies at the next step'],
  ['update_applied', 'became v2, received and applied'],
  ['response_late', 'answer stored, not applied: it came too late'],
  ['control_requested', 'requested, not confirmed yet'],
  ['a_status_of_tomorrow', 'a status of tomorrow'],
])('a fate never runs ahead of its receipt: %s', (status, words) => {
  expect(fateOf(receipt(status)).text).toBe(words);
});

test.each([
  ['open, with a default', { default: 'x' }, 'The run goes on meanwhile with: "x".'],
  ['open, blocking', { mode: 'blocking' }, 'The run waits for this answer.'],
  ['answered, not taken yet', { state: 'answered' as const }, 'Answered; received, waiting to be taken.'],
  [
    'late',
    { state: 'answered' as const, late: true },
    'Answered too late: the answer is stored, not applied. It can come along with a Continue.',
  ],
  ['expired', { state: 'closed' as const, code: 'expired' }, 'Expired without an answer.'],
])('a request in plain words: %s', (_name, more, words) => {
  expect(standOf({ ...question, ...more })).toBe(words);
});

describe('the difference of two reports', () => {
  const of = (older: string, newer: string): string =>
    differenceOf(older, newer)
      .map(({ kind, text }) => (kind === 'same' ? text : kind === 'gone' ? `[-${text}-]` : `{+${text}+}`))
      .join('');

  test.each([
    ['same\n', 'same\n', 'same\n'],
    ['a b c\n', 'a x c\n', 'a [-b-]{+x+} c\n'],
    ['one\n', 'one\ntwo\n', 'one\n{+two\n+}'],
    ['one\ntwo\n', 'two\n', '[-one\n-]two\n'],
    ['', 'new', '{+new+}'],
  ])('%j and %j', (older, newer, expected) => {
    expect(of(older, newer)).toBe(expected);
  });

  test('both texts can be read back from it, however they differ', () => {
    const [older, newer] = ['# A\n\nfirst 1 %\nsame\nlast', '# A b\n\nfirst 2 %\nsame\n\nend'];
    const pieces = differenceOf(older, newer);
    const only = (kind: string) =>
      pieces.flatMap((one) => (one.kind === kind || one.kind === 'same' ? one.text : [])).join('');
    expect([only('gone'), only('new')]).toEqual([older, newer]);
  });
});

test.each([
  ['<script>alert(1)</script>', '<script'],
  ['<img src=x onerror=alert(1)>', '<img'],
  ['![x](https://example.com/pixel.png)', '<img'],
  ['[x](javascript:alert(1))', 'href="javascript'],
  ['[x](data:text/html,<b>1</b>)', 'href="data'],
  ['<a href="https://example.com" onclick="x()">x</a>', '<a '],
])('untrusted Markdown stays text: %s', (text, never) => {
  expect(htmlOf(text)).not.toContain(never);
});

test('a story is in the order of its facts, and a state that is told twice stands once', () => {
  const event = (state: string, stateRevision: number, at: string) => ({
    kind: 'run',
    eventId: at,
    at,
    item: { state, cause: null, stateRevision },
  });
  const states = [
    event('running', 1, '2026-01-01T00:00:00Z'),
    event('parked', 3, '2026-01-01T00:00:02Z'),
    event('parked', 4, '2026-01-01T00:00:03Z'),
    event('running', 2, '2026-01-01T00:00:01Z'),
    event('completed', 5, '2026-01-01T00:00:05Z'),
  ].reduce(withState, []);
  const story = storyOf({
    run: null,
    turns: [],
    interactions: [{ ...question, publishedAt: '2026-01-01T00:00:04Z' }],
    actions: [],
    reports: [],
    states,
  });
  expect(story.map(({ kind, at }) => [kind, at.slice(17, 19)])).toEqual([
    ['state', '02'],
    ['question', '04'],
    ['state', '05'],
  ]);
});
