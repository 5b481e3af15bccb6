import type { ReceiptIssued } from '../../schemas/generated/records';
import { emit, type AggregateKey, type Emit } from '../platform/decision';
import { codes, type Code } from '../platform/errors';
import type { Policy } from './policy';
import type { KeptOutcome, Message, Speaker } from './state';

export const receiptsTopic = 'admission.receipts.v1';

/** Leaves out what does not apply: most of a receipt's fields are null, and every message keeps one. */
export const sparse = <T extends object>(value: T): Partial<T> => {
  const kept: Partial<T> = {};
  for (const name of Object.keys(value) as (keyof T)[]) {
    const one = value[name];
    if (one !== null && !(Array.isArray(one) && one.length === 0)) kept[name] = one;
  }
  return kept;
};

/**
 * How far a status is: 0 undecided, 1 decided and may still move, 2 final. A status of a newer version counts as 1, so
 * that it is shown and may be followed by one that is known.
 */
const stages: Readonly<Record<string, 0 | 1 | 2>> = {
  admitted: 0,
  run_queued: 1,
  update_received: 1,
  event_merged: 1,
  event_unconfirmed: 1,
  response_received: 1,
  control_requested: 1,
  run_started: 2,
  cancelled_before_start: 2,
  update_applied: 2,
  update_superseded: 2,
  update_not_applied: 2,
  follow_up_created: 2,
  version_conflict: 2,
  event_ignored: 2,
  response_adopted: 2,
  response_void: 2,
  response_late: 2,
  control_confirmed: 2,
  control_superseded: 2,
  too_late: 2,
  progress_reported: 2,
  refused: 2,
  conflict: 2,
};

export const statuses: readonly string[] = Object.keys(stages);

export const stageOf = (status: string): 0 | 1 | 2 => stages[status] ?? 1;

/** Settled = there is something to tell beyond "stored"; a POST waits for it. */
export const isSettled = (status: string): boolean => stageOf(status) > 0;

/** The status only moves forward; what may still move may also be told again with more in it. */
export const movesForward = (from: string, to: string): boolean =>
  stageOf(to) > stageOf(from) || (stageOf(from) === 1 && stageOf(to) === 1);

const created: ReadonlySet<string> = new Set(['run_queued', 'run_started', 'follow_up_created']);

export const isCode = (code: string | null | undefined): code is Code =>
  code !== null && code !== undefined && Object.hasOwn(codes, code);

/** HTTP status of a receipt, by the table of statuses. */
export const httpOf = ({ status, code }: { readonly status: string; readonly code?: string | null }): number => {
  if (status === 'refused' || status === 'conflict') return isCode(code) ? codes[code].http : 422;
  if (status === 'version_conflict') return codes.version_conflict.http;
  if (!isSettled(status)) return 202;
  return created.has(status) ? 201 : 200;
};

/** The event id of a stored receipt, the same in every copy of it and in every answer that shows it. */
export const receiptEventId = (messageId: string, revision: number): string => `${messageId}/receipt/${revision}`;

interface About {
  readonly requestEventId: string | null;
  readonly revision: number;
  readonly duplicate: boolean;
}

/** Written out: one of these is made for every receipt, and merging defaults into a wide object is slow. */
const record = (
  speaker: Speaker,
  about: About,
  outcome: KeptOutcome,
): Omit<ReceiptIssued, 'eventId' | 'occurredAt'> => ({
  requestEventId: about.requestEventId,
  tenant: speaker.tenant,
  app: speaker.app,
  account: speaker.account,
  conversationId: speaker.conversationId,
  clientMessageId: speaker.clientMessageId,
  revision: about.revision,
  status: outcome.status,
  duplicate: about.duplicate,
  relation: outcome.relation ?? null,
  messageId: outcome.messageId ?? null,
  runId: outcome.runId ?? null,
  taskId: outcome.taskId ?? null,
  targetRunId: outcome.targetRunId ?? null,
  parentRunId: outcome.parentRunId ?? null,
  continuationOfRunId: outcome.continuationOfRunId ?? null,
  requirementsVersion: outcome.requirementsVersion ?? null,
  effectiveRequirements: outcome.effectiveRequirements ?? null,
  interactionRef: outcome.interactionRef ?? null,
  adoption: outcome.adoption ?? null,
  progress: outcome.progress ?? null,
  result: outcome.result ?? null,
  code: outcome.code ?? null,
  field: outcome.field ?? null,
  detail: outcome.detail ?? null,
  candidates: outcome.candidates ?? [],
  contentSha256: outcome.contentSha256 ?? null,
});

/** A stored receipt in its full form. */
export const storedReceipt = (messageId: string, message: Message): ReceiptIssued => ({
  eventId: receiptEventId(messageId, message.receipt.revision),
  occurredAt: message.receipt.at,
  ...record(
    message,
    { requestEventId: message.requestEventId, revision: message.receipt.revision, duplicate: false },
    message.receipt,
  ),
});

/** The newest stored receipt, told once more to who submitted the same message again (A2). */
export const repeatedReceipt = (
  message: Message,
  requestEventId: string | null,
  eventId: string,
  now: number,
): ReceiptIssued => ({
  eventId,
  occurredAt: now,
  ...record(message, { requestEventId, revision: message.receipt.revision, duplicate: true }, message.receipt),
});

/** A submission that stored nothing: refused before admission, or in conflict with what is stored (A3, A6). */
export const unstoredReceipt = (
  speaker: Speaker,
  requestEventId: string | null,
  eventId: string,
  now: number,
  outcome: KeptOutcome,
): ReceiptIssued => ({
  eventId,
  occurredAt: now,
  ...record(speaker, { requestEventId, revision: 0, duplicate: false }, outcome),
});

/** To everyone, and a copy of the same fact to the app's own topics. */
export const tell = (about: AggregateKey, receipt: ReceiptIssued, policy: Policy): Emit[] => {
  const { eventId, occurredAt: _occurredAt, ...value } = receipt;
  return [receiptsTopic, ...policy.receiptsTopics(receipt.tenant, receipt.app)].map((topic) =>
    emit(about, topic, 'ReceiptIssued', receipt.conversationId, value, eventId),
  );
};
