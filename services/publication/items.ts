import type {
  ActionStateChanged,
  InteractionChanged,
  MessageStored,
  ReceiptIssued,
  RunStateChanged,
  TurnCommitted,
} from '../../schemas/generated/records';
import { shownStatus, type Report, type ReportRun } from './state';

/** What a timeline shows of each record, in the shape of its owner's route as far as the record carries it. */
export type Item = Readonly<Record<string, unknown>>;

export const time = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** JSON kept as text by its owner; what is not JSON is shown as the text it is. */
const json = (text: string | null): unknown => {
  if (text === null || text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

export const messageItem = (record: MessageStored): Item => ({
  messageId: record.messageId,
  clientMessageId: record.clientMessageId,
  conversationId: record.conversationId,
  account: record.account,
  app: record.app,
  relation: record.relation.toLowerCase(),
  content: record.content,
  contentSha256: record.contentSha256,
  title: record.title,
  targetRunId: record.targetRunId,
  receivedAt: time(record.receivedAt),
  revision: record.revision,
});

export const receiptItem = (record: ReceiptIssued): Item => {
  const { eventId, occurredAt, relation, effectiveRequirements, progress, ...rest } = record;
  return {
    ...rest,
    relation: relation?.toLowerCase() ?? null,
    effectiveRequirements:
      effectiveRequirements === null
        ? null
        : { ...effectiveRequirements, structured: json(effectiveRequirements.structured) },
    progress: progress === null ? null : { ...progress, waitingFor: json(progress.waitingFor) },
    at: time(occurredAt),
  };
};

export const runItem = (record: RunStateChanged): Item => ({
  runId: record.runId,
  taskId: record.taskId,
  conversationId: record.conversationId,
  messageId: record.messageId,
  rootRunId: record.rootRunId,
  parentRunId: record.parentRunId,
  continuation: record.continuationOfRunId === null ? null : { ofRunId: record.continuationOfRunId },
  agent: record.agent,
  title: record.title,
  state: record.state,
  waitingFor: json(record.waitingFor) ?? [],
  cause: record.cause,
  stateRevision: record.revision,
  requirementsVersion: record.requirementsVersion,
  appliedVersion: record.appliedVersion,
  turns: record.turns,
  budget: { turnsLeft: record.turnsLeft },
  report: record.report,
  unsettledActions: record.unsettledActions,
  transition: json(record.transition),
  acceptsUpdates: record.acceptsUpdates,
  startedAt: time(record.startedAt),
});

export const turnItem = (record: TurnCommitted): Item => ({
  runId: record.runId,
  number: record.turn,
  attempts: record.attempts,
  requirementsVersion: record.requirementsVersion,
  inputSha256: record.inputSha256,
  outcome: record.outcome,
  toolCalls: record.toolCalls,
  actions: record.actions,
  asks: record.questions,
  understood: record.understood,
  startedAt: time(record.startedAt),
  endedAt: time(record.endedAt),
  stale: record.stale,
});

export const interactionItem = (record: InteractionChanged): Item => ({
  interactionRef: record.interactionRef,
  requestRevision: record.requestRevision,
  revision: record.revision,
  kind: record.kind,
  mode: record.mode,
  state: record.state,
  code: record.code,
  conversationId: record.conversationId,
  taskId: record.taskId,
  runId: record.runId,
  rootRunId: record.rootRunId,
  requirementsVersion: record.requirementsVersion,
  turn: record.turn,
  questionId: record.questionId,
  actionKey: record.actionKey,
  recipient: record.recipientKind === 'role' ? `role:${record.recipient}` : record.recipient,
  claimedBy: record.claimedBy,
  question: record.question,
  choices: record.choices,
  reminders: record.reminders,
  remindedAt: time(record.remindedAt),
  escalatedTo: record.escalatedTo,
  escalatedAt: time(record.escalatedAt),
  expiresAt: time(record.expiresAt),
  publishedAt: time(record.publishedAt),
  seenAt: time(record.seenAt),
  answeredAt: time(record.answeredAt),
  adoptedAt: time(record.adoptedAt),
  adoption: record.adoption,
  late: record.response?.late ?? false,
  response: record.response === null ? null : { ...record.response, value: json(record.response.value) },
});

export const actionItem = (record: ActionStateChanged): Item => ({
  actionKey: record.actionKey,
  connector: record.connector,
  operation: record.operation,
  subject: record.subject,
  revision: record.revision,
  state: record.state,
  code: record.code,
  conversationId: record.conversationId,
  runId: record.runId,
  proposalId: record.proposalId,
  requirementsVersion: record.requirementsVersion,
  requestSha256: record.requestSha256,
  interactionRef: record.interactionRef,
  previewSha256: record.previewSha256,
  attemptCount: record.attempts,
  evidence: record.receipt === null ? [] : [{ ...record.receipt, at: time(record.receipt.at) }],
  unsettled: record.unsettled,
});

export const reportItem = (run: ReportRun, report: Report): Item => ({
  runId: run.runId,
  taskId: run.taskId,
  conversationId: run.conversationId,
  version: report.version,
  seq: report.seq,
  status: shownStatus(run, report),
  current: run.current?.version === report.version && run.current.seq === report.seq,
  sha256: report.sha256,
  contentType: report.contentType,
  sizeBytes: report.sizeBytes,
  sources: json(report.sources) ?? [],
  actions: json(report.actions) ?? [],
  unsettledActions: report.unsettledActions,
  turn: report.turn,
  publishedAt: time(report.publishedAt),
  ...(run.purgedAt === undefined ? {} : { purgedAt: time(run.purgedAt) }),
});
