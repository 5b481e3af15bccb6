import type { AggregateKey, Tick, View } from '../platform/decision';
import { entityIdIn, entityKeys, entityMoreKeys, entityRunIds, type EntityMessage } from './decide-entity';
import { aboutOf, entityIdOf, entityKey } from './entity';
import { isLeased, leaseKey } from './lease';
import { sourceRefs, sourceRunIds } from './materials';
import { conversationIdOf, conversationKey, runKey, slotsKey, treeKey, type ExecutorMessage } from './messages';
import { isRun, isTerminal, type RunRow } from './state';

/** About one run; the others are about an entity, which leads to runs, or about a whole conversation. */
export type RunMessage = Exclude<ExecutorMessage, EntityMessage | { type: 'purge_conversation' }>;

const isConversationMessage = (
  message: ExecutorMessage,
): message is Extract<ExecutorMessage, { type: 'purge_conversation' }> => message.type === 'purge_conversation';

export const isRunMessage = (message: ExecutorMessage): message is RunMessage =>
  !isConversationMessage(message) && entityIdIn(message) === null;

/** The run a message is about. */
export const runIdOf = (message: Exclude<RunMessage, Tick>): string => {
  switch (message.type) {
    case 'start':
    case 'proposal':
    case 'action':
    case 'fence':
    case 'interaction':
    case 'published':
    case 'superseded':
      return message.record.runId;
    case 'amend':
    case 'observe':
    case 'control':
      return message.record.targetRunId;
    default:
      return message.runId;
  }
};

/** Null: the message names its run only. */
export const conversationOf = (message: RunMessage): string | null => {
  if ('record' in message) return conversationIdOf(message.record);
  return 'conversation' in message ? message.conversation : null;
};

/** Runs rank before conversations; where only the run is named, its conversation follows in `moreKeys`. */
export const keys = (message: ExecutorMessage): readonly AggregateKey[] => {
  if (isConversationMessage(message)) return [conversationKey(message.conversation)];
  if (!isRunMessage(message)) return entityKeys(message);
  if (message.type === 'renew') return [leaseKey(message.runId)];
  if (message.type === 'purge') return [runKey(message.runId)];
  const conversation = conversationOf(message);
  if (message.type === 'tick') return message.kind === 'run' || message.kind === 'lease' ? [runKey(message.id)] : [];
  if (conversation === null) return [runKey(runIdOf(message))];
  const own = [runKey(runIdOf(message)), conversationKey(conversation)];
  if (message.type !== 'start') return own;
  const { dependsOnRunId, interruptRunId, parentRunId, continuationOfRunId } = message.record;
  const others = [dependsOnRunId, interruptRunId, parentRunId, continuationOfRunId];
  const about = aboutOf(message.record);
  return [
    ...own,
    ...others.filter((id): id is string => id !== null).map(runKey),
    ...(about === null ? [] : [entityKey(entityIdOf(about))]),
  ];
};

const rowOf = (message: RunMessage, view: View): RunRow | undefined =>
  view.get<RunRow>('run', message.type === 'tick' ? message.id : runIdOf(message));

/** Runs whose record this message's run may read: at its start, what it goes on from. */
const sourcesOf = (message: RunMessage, view: View): string[] => {
  if (message.type === 'start') {
    const { dependsOnRunId, parentRunId, continuationOfRunId } = message.record;
    return [dependsOnRunId, parentRunId, continuationOfRunId].filter((id): id is string => id !== null);
  }
  const row = rowOf(message, view);
  return isRun(row) && row.status === 'queued' ? sourceRunIds(row) : [];
};

/** A continued run is about its parent's entity, which its message does not name. */
const inheritedEntity = (message: RunMessage, view: View): AggregateKey[] => {
  if (message.type !== 'start' || message.record.relation !== 'continue') return [];
  const parent = view.get<RunRow>('run', message.record.continuationOfRunId ?? '');
  if (!isRun(parent) || parent.entity === null) return [];
  const { tenant, account, entity } = parent;
  return [entityKey(entityIdOf({ tenant, account, ...entity }))];
};

/** The tree of a run that is part of one, or that this message may make the root of one. */
const treeOf = (message: RunMessage, row: RunRow | undefined): readonly AggregateKey[] => {
  if (message.type === 'start') return message.child === undefined ? [] : [treeKey(message.child.rootRunId)];
  if (!isRun(row)) return [];
  const spawns =
    message.type === 'answered' && message.outcome.kind === 'output' && asksFor(message.outcome.raw, 'spawn');
  return spawns || (row.children ?? []).length > 0 || (row.spawned ?? null) !== null ? [treeKey(row.rootRunId)] : [];
};

/** Slots change hands only in a message of their own, so that nothing else waits for the tenant's row. */
const slotsOf = (message: RunMessage, row: RunRow | undefined): readonly AggregateKey[] =>
  message.type === 'wake' && isRun(row) && (row.slot ?? null) !== null ? [slotsKey(row.tenant)] : [];

const asksFor = (raw: unknown, field: string): boolean =>
  typeof raw === 'object' && raw !== null && Array.isArray((raw as Record<string, unknown>)[field]);

/** Whether an owner still lives is asked by ticks only. */
const leaseOf = (message: RunMessage, row: RunRow | undefined): readonly AggregateKey[] =>
  message.type === 'tick' && (message.kind === 'lease' || isLeased(row)) ? [leaseKey(message.id)] : [];

export const moreKeys = (message: ExecutorMessage, view: View): readonly AggregateKey[] => {
  if (isConversationMessage(message)) return [];
  if (!isRunMessage(message)) return entityMoreKeys(message, view);
  if (message.type === 'renew' || message.type === 'purge') return [];
  const row = rowOf(message, view);
  const conversation =
    conversationOf(message) !== null || row === undefined ? [] : [conversationKey(conversationIdOf(row))];
  return [
    ...conversation,
    ...sourcesOf(message, view).map(runKey),
    ...inheritedEntity(message, view),
    ...treeOf(message, row),
    ...slotsOf(message, row),
    ...leaseOf(message, row),
  ];
};

/** Texts too large for the document that a decision about this run may need: to seal a turn or to ask again. */
export const blobs = (message: ExecutorMessage, view: View): readonly string[] => {
  if (isConversationMessage(message) || message.type === 'purge') return [];
  if (!isRunMessage(message))
    return entityRunIds(message, view).flatMap((runId) => ownRefs(view.get<RunRow>('run', runId)));
  const sources = sourcesOf(message, view).flatMap((runId) => {
    const source = view.get<RunRow>('run', runId);
    return sourceRefs(isRun(source) ? source : undefined);
  });
  return [...sources, ...ownRefs(rowOf(message, view))];
};

const ownRefs = (row: RunRow | undefined): string[] => {
  if (!isRun(row)) return [];
  // An ended run only tells again what it told before, the texts in force among it.
  const kept = isTerminal(row.status)
    ? row.requirements.texts.map((one) => one.text)
    : [
        ...row.requirements.history.map((one) => one.text),
        ...row.pending.map((one) => one.text),
        ...row.calls.flatMap((call) => (call.output === null ? [call.input] : [call.input, call.output])),
        ...row.actions.flatMap((action) => [action.request.params, action.request.body]),
        ...row.publications.map((one) => one.body),
        ...row.questions.map((one) => one.event?.text),
        row.agentState?.value,
        ...(row.children ?? []).map((child) => child.report?.body),
        ...((row.spawned ?? null) === null ? [] : (row.published ?? []).map((one) => one.body)),
        row.materials,
      ];
  return kept.flatMap((one) => (one === null || one === undefined || one.inline !== null ? [] : [one.ref]));
};
