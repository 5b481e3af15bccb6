import { createHash } from 'node:crypto';
import { Role, TaskState, type Message, type Part } from '@a2a-js/sdk';
import { isV1JsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { eventsBetween } from '../../services/gateway/a2a/follow';
import { contentOf, derivedContext, submissionOf, taskOfRepeat, type About } from '../../services/gateway/a2a/message';
import type { OpenRequest, Receipt, ReportItem, RunView } from '../../services/gateway/a2a/owners';
import { errorOf } from '../../services/gateway/a2a/send';
import { artifactOf, cut, hasEnded, historyOf, newestOfEach, statusOf, taskOf } from '../../services/gateway/a2a/task';
import { liveStatuses } from '../../services/run-executor/state';
import { terminalStatuses } from '../../services/run-executor/run-status';
import { codes } from '../../services/platform/errors';

const run = (state: string, more: Partial<RunView> = {}): RunView => ({
  runId: 'run_1',
  taskId: 'task_1',
  conversationId: 'c',
  state,
  cause: null,
  detail: null,
  title: null,
  requirementsVersion: 3,
  continuationOfRunId: null,
  enqueuedAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:01.000Z',
  endedAt: '2026-01-01T00:00:02.000Z',
  ...more,
});

const request = (kind: string): OpenRequest => ({
  interactionRef: `int_${kind}`,
  requestRevision: 2,
  kind,
  runId: 'run_1',
  question: 'Which?',
  choices: null,
  publishedAt: '2026-01-01T00:00:01.500Z',
});

const text = (value: string, mediaType = ''): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType,
});

const message = (more: Partial<Message> = {}): Message => ({
  messageId: 'm1',
  contextId: '',
  taskId: '',
  role: Role.ROLE_USER,
  parts: [text('words')],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...more,
});

const nothing: About = { task: null, questions: [], references: [], relation: null };

const thrown = (act: () => unknown): string => {
  try {
    return `no error but ${JSON.stringify(act())}`;
  } catch (error) {
    return (error as Error).name;
  }
};

const expected: Readonly<Record<string, TaskState>> = {
  queued: TaskState.TASK_STATE_SUBMITTED,
  completed: TaskState.TASK_STATE_COMPLETED,
  partial: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  interrupted: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
};

describe('A2A: how a run is told as a task', () => {
  test.each([...liveStatuses, ...terminalStatuses])(
    'run %s has its state, and ends where the run has ended',
    (state) => {
      const status = statusOf(run(state), []);
      expect(status.state).toBe(expected[state] ?? TaskState.TASK_STATE_WORKING);
      const ended = (terminalStatuses as readonly string[]).includes(state);
      expect(hasEnded(taskOf(run(state), [], [], []))).toBe(ended);
    },
  );

  test.each([
    ['waiting', ['question'], TaskState.TASK_STATE_INPUT_REQUIRED],
    ['parked', ['question'], TaskState.TASK_STATE_INPUT_REQUIRED],
    ['waiting', ['approval', 'question'], TaskState.TASK_STATE_INPUT_REQUIRED],
    ['waiting', ['approval'], TaskState.TASK_STATE_AUTH_REQUIRED],
    ['parked', ['permission'], TaskState.TASK_STATE_AUTH_REQUIRED],
    ['running', ['question'], TaskState.TASK_STATE_WORKING],
    ['completed', ['question'], TaskState.TASK_STATE_COMPLETED],
  ] as const)('run %s with %j open', (state, kinds, told) => {
    expect(statusOf(run(state), kinds.map(request)).state).toBe(told);
  });

  test('the question is the status message, with what an answer by other routes needs', () => {
    const { message: asked } = statusOf(run('parked'), [request('question')]);
    expect(asked).toMatchObject({
      role: Role.ROLE_AGENT,
      parts: [{ content: { value: 'Which?' } }],
      metadata: { fairlead: { interactionRef: 'int_question', requestRevision: 2 } },
    });
  });

  test('history: what began, amended or answered this run, and what it asked, in order; controls are none', () => {
    const stored = (clientMessageId: string, second: number, relation = 'new_task') => ({
      clientMessageId,
      relation,
      content: clientMessageId,
      receivedAt: `2026-01-01T00:00:0${second}.000Z`,
    });
    const history = historyOf(run('running'), {
      messages: [
        stored('answer', 5, 'clarification'),
        stored('first', 1),
        stored('other', 2),
        stored('stop', 6, 'control'),
      ],
      receipts: [
        receipt({ clientMessageId: 'first', runId: 'run_1' }),
        receipt({ clientMessageId: 'other', runId: 'run_2' }),
        receipt({ clientMessageId: 'answer', interactionRef: 'int_question' }),
        receipt({ clientMessageId: 'stop', targetRunId: 'run_1' }),
      ],
      interactions: [{ ...request('question'), publishedAt: '2026-01-01T00:00:03.000Z' }],
    });
    expect(history.map(({ messageId }) => messageId)).toEqual(['first', 'int_question', 'answer']);
    expect(cut(history, 1).map(({ messageId }) => messageId)).toEqual(['answer']);
    expect([cut(history, 0).length, cut(history, undefined).length, cut(history, 9).length]).toEqual([0, 3, 3]);
  });

  test('artifacts: of each version the newest text; a changed one is told before the status', () => {
    const report = (version: number, seq: number): ReportItem => ({
      version,
      seq,
      status: 'final',
      sha256: `${version}.${seq}`,
      contentType: 'text/markdown',
      publishedAt: null,
    });
    const newest = newestOfEach([report(1, 1), report(2, 1), report(1, 2)]);
    expect(newest.map(({ sha256 }) => sha256)).toEqual(['2.1', '1.2']);
    const task = (state: string, reports: readonly ReportItem[]) =>
      taskOf(
        run(state),
        [],
        reports.map((one) => artifactOf(one, 'x')),
        [],
      );
    const told = eventsBetween(task('running', [report(1, 1)]), task('completed', [report(1, 2), report(2, 1)]));
    expect(told.map(({ payload }) => payload?.$case)).toEqual(['artifactUpdate', 'artifactUpdate', 'statusUpdate']);
    expect(eventsBetween(task('running', newest), task('waiting', newest))).toEqual([]);
  });
});

const receipt = (more: Partial<Receipt> = {}): Receipt => ({
  status: 'run_started',
  clientMessageId: 'm1',
  relation: 'new_task',
  runId: null,
  targetRunId: null,
  continuationOfRunId: null,
  interactionRef: null,
  code: null,
  detail: null,
  contentSha256: null,
  ...more,
});

describe('A2A: what a message asks admission for', () => {
  test.each([
    ['no task', message(), nothing, { relation: 'new_task' }],
    [
      'a task at work',
      message({ taskId: 'run_1' }),
      { ...nothing, task: run('running') },
      { relation: 'amend', targetRunId: 'run_1', expectedVersion: 3 },
    ],
    [
      'a task that asks',
      message({ taskId: 'run_1' }),
      { ...nothing, task: run('parked'), questions: [request('question')] },
      { relation: 'clarification', interactionRef: 'int_question', requestRevision: 2 },
    ],
    [
      'a reference to an ended task',
      message({ referenceTaskIds: ['run_1'] }),
      { ...nothing, references: [run('completed')] },
      { relation: 'continue', continuationOfRunId: 'run_1' },
    ],
    [
      'a reference to a task at work',
      message({ referenceTaskIds: ['run_1'] }),
      { ...nothing, references: [run('running')] },
      { relation: 'follow_up', parentRunId: 'run_1' },
    ],
    [
      'the same again after that task has ended',
      message({ referenceTaskIds: ['run_1'] }),
      { ...nothing, references: [run('completed')], relation: 'follow_up' },
      { relation: 'follow_up', parentRunId: 'run_1' },
    ],
    [
      'own metadata',
      message({ metadata: { fairlead: { agent: 'chat', title: 't' } } }),
      nothing,
      { relation: 'new_task', agent: 'chat', title: 't' },
    ],
  ] as const)('%s', (_name, said, about, body) => {
    const { conversationId, body: asked } = submissionOf(said, about as About);
    expect(asked).toEqual({ clientMessageId: 'm1', content: 'words', ...body });
    expect(conversationId).toBe(said.taskId === '' && said.referenceTaskIds.length === 0 ? derivedContext('m1') : 'c');
  });

  test.each([...terminalStatuses])('R17: a message naming a task that is %s is refused', (state) => {
    expect(thrown(() => submissionOf(message({ taskId: 'run_1' }), { ...nothing, task: run(state) }))).toBe(
      'UnsupportedOperationError',
    );
  });

  test.each([
    ['a task that is not there', message({ taskId: 'x' }), { ...nothing, task: undefined }, 'TaskNotFoundError'],
    [
      'a reference that is not there',
      message({ referenceTaskIds: ['x'] }),
      { ...nothing, references: [undefined] },
      'TaskNotFoundError',
    ],
    [
      'another context',
      message({ taskId: 'run_1', contextId: 'd' }),
      { ...nothing, task: run('running') },
      'RequestMalformedError',
    ],
    [
      'two references',
      message({ referenceTaskIds: ['a', 'b'] }),
      { ...nothing, references: [run('failed'), run('failed')] },
      'UnsupportedOperationError',
    ],
    [
      'metadata nobody reads',
      message({ metadata: { fairlead: { relation: 'amend' } } }),
      nothing,
      'RequestMalformedError',
    ],
  ] as const)('refused: %s', (_name, said, about, error) => {
    expect(thrown(() => submissionOf(said, about as About))).toBe(error);
  });

  test('A17: texts go on byte for byte, data as JSON; a file or a type that is not read is refused', () => {
    const data: Part = {
      content: { $case: 'data', value: { a: [1] } },
      metadata: undefined,
      filename: '',
      mediaType: '',
    };
    const url: Part = { content: { $case: 'url', value: 'x' }, metadata: undefined, filename: '', mediaType: '' };
    expect(contentOf(message({ parts: [text(' ü\r\n', 'text/plain; charset=utf-8'), data] }))).toBe(
      ' ü\r\n\n\n{"a":[1]}',
    );
    for (const part of [url, text('x', 'image/svg+xml')])
      expect(thrown(() => contentOf(message({ parts: [part] })))).toBe('ContentTypeNotSupportedError');
    expect(thrown(() => contentOf(message({ parts: [] })))).toBe('RequestMalformedError');
  });

  test('A2: a repeat of an answer or an amendment is known by its words and its task, whatever stands now', () => {
    const contentSha256 = createHash('sha256').update('words').digest('hex');
    const amended = receipt({ relation: 'amend', targetRunId: 'run_1', contentSha256 });
    const answered = receipt({ relation: 'clarification', interactionRef: 'i', contentSha256 });
    expect(taskOfRepeat(message({ taskId: 'run_1' }), amended)).toBe('run_1');
    expect(taskOfRepeat(message({ taskId: 'run_1' }), answered)).toBe('run_1');
    for (const [said, stored] of [
      [message({ taskId: 'run_2' }), amended],
      [message(), amended],
      [message({ taskId: 'run_1', parts: [text('other')] }), amended],
      [message({ taskId: 'run_1' }), receipt()],
    ] as const)
      expect(thrown(() => taskOfRepeat(said, stored))).toBe('RequestMalformedError');
    expect(taskOfRepeat(message(), receipt())).toBeNull();
  });
});

test('every code of an owner has an error of the protocol, and an unknown run is an unknown task', () => {
  const names = Object.keys(codes).map((code) => errorOf(code, 'd').name);
  expect(new Set(names)).toEqual(
    new Set(['TaskNotFoundError', 'UnsupportedOperationError', 'RequestMalformedError', 'Error']),
  );
  expect(errorOf('unknown_run', 'd').name).toBe('TaskNotFoundError');
  expect(isV1JsonRpcMethod('SendMessage')).toBe(true);
});
