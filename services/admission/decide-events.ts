import type { InteractionChanged, MessageDecided, RunStateChanged } from '../../schemas/generated/records';
import type { Context, Emit, View } from '../platform/decision';
import { incidentRow } from '../platform/incidents';
import { askAgainAfterMs, attemptsUntilIncident, carriesContent, commandOf, ownerOf } from './commands';
import { factsOf, withoutUnborn, withQuestion, withRun } from './conversation';
import { settlement } from './decide-submission';
import {
  conversationAt,
  conversationKey,
  messageAt,
  messageKey,
  pastRunRef,
  pastRunRows,
  type Outcome,
} from './messages';
import type { Policy } from './policy';
import { httpOf, isSettled, movesForward, sparse, storedReceipt, tell } from './receipts';
import { isTerminal, type AskingMessage, type Message, type Receipt } from './state';
import { conversationId } from './submission';

/** Decisions that leave no run behind, so that the projection has to forget the one it expected. */
const unbornStatuses: ReadonlySet<string> = new Set(['refused', 'cancelled_before_start']);

export const endsUnborn = (record: MessageDecided): boolean => unbornStatuses.has(record.status);

const receiptFrom = (record: MessageDecided, before: Receipt, revision: number, at: number): Receipt => {
  const { runId, taskId, targetRunId, parentRunId, continuationOfRunId, requirementsVersion } = record;
  const { effectiveRequirements, interactionRef, adoption, result, code, field, detail, candidates } = record;
  const { runId: oldRun, taskId: oldTask, code: _code, field: _field, detail: _detail, ...kept } = before;
  const refused = record.status === 'refused';
  const news = sparse({
    // A refused message has no run, whatever it hoped for.
    runId: runId ?? (refused ? null : (oldRun ?? null)),
    taskId: taskId ?? (refused ? null : (oldTask ?? null)),
    targetRunId,
    parentRunId,
    continuationOfRunId,
    requirementsVersion,
    effectiveRequirements,
    interactionRef,
    adoption,
    result,
    code: code ?? (record.status === 'version_conflict' ? record.status : null),
    field,
    detail,
    candidates,
  });
  return { ...kept, ...news, status: record.status, revision, at };
};

/** The owner has decided, or decided further: one more receipt, never a step back. */
export const decideDecided = (view: View, record: MessageDecided, context: Context, policy: Policy): Outcome => {
  const known = messageAt(view, record.messageId);
  if (known === undefined) return {};
  if (known.status === 'decided' && known.ownerRevision >= record.revision) return {};
  if (!isSettled(record.status) || !movesForward(known.receipt.status, record.status)) return {};
  const key = messageKey(record.messageId);
  const revision = known.receipt.revision + 1;
  const receipt = receiptFrom(record, known.receipt, revision, context.now);
  const { tenant, app, account, clientMessageId, fingerprint, requestEventId, receivedAt } = known;
  const state: Message = {
    status: 'decided',
    tenant,
    app,
    account,
    conversationId: known.conversationId,
    clientMessageId,
    fingerprint,
    requestEventId,
    receivedAt,
    receipt,
    http: known.http ?? httpOf(receipt),
    ownerRevision: record.revision,
    ...(known.status === 'decided' && known.purgedAt !== undefined ? { purgedAt: known.purgedAt } : {}),
  };
  const told = storedReceipt(record.messageId, state);
  const conversation = conversationId(record.tenant, record.account, record.conversationId);
  const forgotten =
    endsUnborn(record) && known.receipt.runId !== undefined && known.receipt.runId !== null
      ? withoutUnborn(conversationAt(view, conversation), known.receipt.runId)
      : null;
  return {
    ...(known.status === 'asking' ? { close: incidentIds(record.messageId, known) } : {}),
    put: [{ key, state }, ...(forgotten === null ? [] : [{ key: conversationKey(conversation), state: forgotten }])],
    emit: tell(key, told, policy),
    ...(known.http === null ? { perform: [settlement(told, state, context.now)] } : {}),
  };
};

export const decideRun = (view: View, record: RunStateChanged): Outcome => {
  const id = conversationId(record.tenant, record.account, record.conversationId);
  const conversation = conversationAt(view, id);
  // Old news of a run that ended long ago must not make it active again.
  if (!isTerminal(record.state) && view.blob(pastRunRef(id, record.runId)) !== undefined) return {};
  const changed = withRun(conversation, factsOf(record));
  return changed === null
    ? {}
    : { put: [{ key: conversationKey(id), state: changed.conversation }], rows: pastRunRows(id, changed.dropped) };
};

export const decideQuestion = (view: View, record: InteractionChanged): Outcome => {
  const id = conversationId(record.tenant, record.account, record.conversationId);
  const changed = withQuestion(conversationAt(view, id), record);
  return changed === null ? {} : { put: [{ key: conversationKey(id), state: changed }] };
};

const incidentId = (kind: string, messageId: string): string => `${kind}/${messageId}`;

/** What may have been opened while its owner was silent. */
const incidentIds = (messageId: string, { attempts }: AskingMessage): string[] =>
  attempts > 1 ? ['owner_silent', 'content_missing'].map((kind) => incidentId(kind, messageId)) : [];

/** R25: the owner is asked again under the next event id; it decides by messageId and always answers. */
export const askAgain = (view: View, id: string, state: AskingMessage, context: Context): Outcome => {
  if (state.askAt > context.now) return {};
  const attempt = state.attempts + 1;
  const key = messageKey(id);
  const put = [{ key, state: { ...state, attempts: attempt, askAt: context.now + askAgainAfterMs(attempt) } }];
  const content = carriesContent(state.command) ? view.blob(id) : Buffer.alloc(0);
  const owner = ownerOf(state.command);
  const incident = (kind: string, reason: string): Outcome['rows'] => [
    incidentRow({ id: incidentId(kind, id), kind, ref: id, reason, actions: ['check the owner', 'acknowledge'] }),
  ];
  if (content === undefined)
    return { put, rows: incident('content_missing', `the words of the message are gone; ${owner} cannot be asked`) };
  const again: Emit = commandOf(key, state, state.command, {
    content: content.toString('utf8'),
    contentSha256: state.receipt.contentSha256 ?? '',
    receivedAt: state.receivedAt,
    attempt,
  });
  return {
    put,
    emit: [again],
    ...(attempt > attemptsUntilIncident
      ? { rows: incident('owner_silent', `${owner} has not answered ${state.attempts} requests about this message`) }
      : {}),
  };
};
