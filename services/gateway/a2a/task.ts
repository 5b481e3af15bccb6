import { Role, TaskState, type Artifact, type Message, type Part, type Task, type TaskStatus } from '@a2a-js/sdk';
import type { OpenRequest, ReportItem, RunView, Snapshot } from './owners';

const ended: Readonly<Record<string, TaskState>> = {
  completed: TaskState.TASK_STATE_COMPLETED,
  partial: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  cancelled: TaskState.TASK_STATE_CANCELED,
  interrupted: TaskState.TASK_STATE_FAILED,
};

export const isTerminal = (runState: string): boolean => Object.hasOwn(ended, runState);

export const hasEnded = (task: Task): boolean =>
  task.status !== undefined && Object.values(ended).includes(task.status.state);

/** Nothing more comes by itself: the task has ended or waits for the client. */
export const isStill = (task: Task): boolean =>
  hasEnded(task) ||
  task.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED ||
  task.status?.state === TaskState.TASK_STATE_AUTH_REQUIRED;

/** What it waits for is done elsewhere, so a client that looks on is told of it when it has been. */
export const mayGoOn = (task: Task): boolean => task.status?.state === TaskState.TASK_STATE_AUTH_REQUIRED;

const textPart = (text: string, mediaType = ''): Part => ({
  content: { $case: 'text', value: text },
  metadata: undefined,
  filename: '',
  mediaType,
});

const messageOf = (
  run: RunView,
  role: Role,
  messageId: string,
  text: string,
  metadata: Record<string, unknown> | undefined = undefined,
): Message => ({
  messageId,
  contextId: run.conversationId,
  taskId: run.runId,
  role,
  parts: [textPart(text)],
  metadata,
  extensions: [],
  referenceTaskIds: [],
});

const questionOf = (run: RunView, request: OpenRequest): Message =>
  messageOf(run, Role.ROLE_AGENT, request.interactionRef, request.question ?? '', {
    fairlead: {
      interactionRef: request.interactionRef,
      requestRevision: request.requestRevision,
      kind: request.kind,
      choices: request.choices ?? [],
    },
  });

/** A run waits for a person only while it does nothing else. */
const waits: ReadonlySet<string> = new Set(['waiting', 'parked']);

/** `open`: what the caller is asked in this run. A permission or an approval is given where its preview can be read. */
export const statusOf = (run: RunView, open: readonly OpenRequest[]): TaskStatus => {
  const end = ended[run.state];
  if (end !== undefined)
    return {
      state: end,
      message:
        run.detail === null && run.cause === null
          ? undefined
          : messageOf(run, Role.ROLE_AGENT, `${run.runId}-end`, [run.cause, run.detail].filter(Boolean).join(': ')),
      timestamp: run.endedAt ?? undefined,
    };
  const since = run.startedAt ?? run.enqueuedAt ?? undefined;
  if (run.state === 'queued')
    return { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: run.enqueuedAt ?? undefined };
  const question = open.find(({ kind }) => kind === 'question');
  const request = question ?? open[0];
  if (request === undefined || !waits.has(run.state))
    return { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: since };
  return {
    state: question === undefined ? TaskState.TASK_STATE_AUTH_REQUIRED : TaskState.TASK_STATE_INPUT_REQUIRED,
    message: questionOf(run, request),
    timestamp: request.publishedAt ?? since,
  };
};

/** Of each version of the requirements the newest text; the current version first. */
export const newestOfEach = (reports: readonly ReportItem[]): ReportItem[] => {
  const newest = new Map<number, ReportItem>();
  for (const report of reports)
    if (report.seq > (newest.get(report.version)?.seq ?? 0)) newest.set(report.version, report);
  return [...newest.values()].sort((a, b) => b.version - a.version);
};

export const artifactOf = (report: ReportItem, text: string): Artifact => ({
  artifactId: `report-v${report.version}`,
  name: 'report',
  description: '',
  parts: [textPart(text, report.contentType)],
  metadata: {
    version: report.version,
    seq: report.seq,
    status: report.status,
    sha256: report.sha256,
    contentType: report.contentType,
    publishedAt: report.publishedAt,
  },
  extensions: [],
});

/** What was said about this run: messages that began, amended or answered it, and what it asked. */
export const historyOf = (run: RunView, { messages, receipts, interactions }: Snapshot): Message[] => {
  const asked = interactions.filter((one) => one.runId === run.runId && one.kind === 'question');
  const refs = new Set(asked.map(({ interactionRef }) => interactionRef));
  const about = new Set(
    receipts
      .filter(
        ({ runId, targetRunId, interactionRef }) =>
          runId === run.runId || targetRunId === run.runId || (interactionRef !== null && refs.has(interactionRef)),
      )
      .map(({ clientMessageId }) => clientMessageId),
  );
  const said = messages
    .filter(({ clientMessageId, relation }) => about.has(clientMessageId) && relation !== 'control')
    .map((one) => ({
      at: one.receivedAt,
      message: messageOf(run, Role.ROLE_USER, one.clientMessageId, one.content ?? ''),
    }));
  const questions = asked.map((one) => ({
    at: one.publishedAt ?? '',
    message: messageOf(run, Role.ROLE_AGENT, one.interactionRef, one.question ?? ''),
  }));
  return [...said, ...questions].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ message }) => message);
};

/** `length`: undefined = all, 0 = none, else the newest so many. */
export const cut = (history: readonly Message[], length: number | undefined): Message[] =>
  length === undefined ? [...history] : length === 0 ? [] : history.slice(-length);

export const taskOf = (
  run: RunView,
  open: readonly OpenRequest[],
  artifacts: readonly Artifact[],
  history: readonly Message[],
): Task => ({
  id: run.runId,
  contextId: run.conversationId,
  status: statusOf(run, open),
  artifacts: [...artifacts],
  history: [...history],
  metadata: {
    fairlead: {
      state: run.state,
      cause: run.cause,
      taskId: run.taskId,
      requirementsVersion: run.requirementsVersion,
      continuationOfRunId: run.continuationOfRunId,
      title: run.title,
    },
  },
});
