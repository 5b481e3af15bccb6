import type { AmendRun, ObserveRun } from '../../schemas/generated/records';
import { amendChildren } from './children';
import { decideFate, keep, say, type Draft } from './draft';
import { moveToFollowUp } from './ending';
import { mergePatch } from './merge-patch';
import { unpark } from './park';
import { ask, raiseFence } from './requests';
import type { MessageFate, PendingUpdate } from './requirements-state';
import { receptionOf } from './reception';
import type { Run } from './state';

/** All texts in force together; what a turn input and a receipt can carry whole. */
const maxEffectiveBytes = 512 * 1024;

/** A message delivered again gets the fate it already has (R25, A2). */
export const repeated = (draft: Draft, messageId: string): MessageFate | undefined => {
  const fate = draft.run.fates.find((one) => one.messageId === messageId);
  if (fate !== undefined) say(draft, fate, 1);
  return fate;
};

const parseStructured = (text: string | null): Record<string, unknown> | null =>
  text === null ? null : (JSON.parse(text) as Record<string, unknown>);

/** R1: version check, link, dedup, version + 1 and pending update, or none of it. */
export const amend = (draft: Draft, record: AmendRun): void => {
  const { run, context } = draft;
  if (repeated(draft, record.messageId) !== undefined) return;
  const pending = (version: number): PendingUpdate => ({
    kind: 'amendment',
    messageId: record.messageId,
    clientMessageId: record.clientMessageId,
    text: keep(draft, record.content),
    receivedAt: record.receivedAt,
    version,
    amendKind: record.amendKind === 'replace' ? 'replace' : 'supplement',
    structured: parseStructured(record.requirements),
    followUp: { runId: record.runId, taskId: record.taskId },
  });
  const reception = receptionOf(run);
  if (reception === 'follow_up') return moveToFollowUp(draft, pending(1));
  if (reception !== 'accept') return decideFate(draft, record, refusal(run, reception));
  if (record.expectedVersion !== run.requirements.version)
    return decideFate(draft, record, {
      status: 'version_conflict',
      code: 'version_conflict',
      field: 'expectedVersion',
      detail: `the current version is ${run.requirements.version}`,
      version: run.requirements.version,
      withEffective: true,
    });
  const update = pending(run.requirements.version + 1);
  const replaces = update.amendKind === 'replace';
  const texts = replaces ? [] : run.requirements.texts;
  const size = texts.reduce((sum, one) => sum + one.text.bytes, update.text.bytes);
  if (size > maxEffectiveBytes)
    return decideFate(draft, record, {
      status: 'refused',
      code: 'content_too_large',
      field: 'content',
      detail: `the texts in force may have ${maxEffectiveBytes} bytes together; replace instead of supplementing`,
    });
  const version = run.requirements.version + 1;
  run.requirements = {
    version,
    texts: [...texts, { version, text: update.text, messageId: record.messageId, receivedAt: record.receivedAt }],
    structured:
      update.structured === null
        ? replaces
          ? null
          : run.requirements.structured
        : mergePatch(replaces ? null : run.requirements.structured, update.structured),
    history: [
      ...run.requirements.history,
      {
        version,
        kind: update.amendKind ?? 'supplement',
        text: update.text,
        messageId: record.messageId,
        receivedAt: context.now,
        appliedAt: null,
        understood: null,
      },
    ],
  };
  run.pending.push(update);
  const { content, messageId } = record;
  amendChildren(draft, { version, amendKind: replaces ? 'replace' : 'supplement', text: content, messageId });
  decideFate(draft, record, { status: 'update_received', version, withEffective: true });
  // From received on no report of an older version may become current; publication hears it in the order of reports (R4).
  ask(draft, `supersede/${version}`);
  raiseFence(draft, run.pause === null ? 'open' : 'hold', version);
  // Whoever changes a parked run's task wakes it; the question stays open beside it (H5).
  unpark(draft);
};

const refusal = (run: Run, reception: 'run_ended' | 'run_not_accepting') => ({
  status: 'refused',
  code: reception,
  field: 'targetRunId',
  detail:
    reception === 'run_ended'
      ? `the run is ${run.status}${run.cause === null ? '' : ` (${run.cause})`}; start a new_task or a follow_up${run.status === 'interrupted' ? ', or continue it' : ''}`
      : `the run is ${run.status} and takes no updates any more`,
});

/** Appended, without a version; the next boundary tells the agent. */
export const observe = (draft: Draft, record: ObserveRun): void => {
  const { run } = draft;
  if (repeated(draft, record.messageId) !== undefined) return;
  const reception = receptionOf(run);
  if (reception !== 'accept')
    return decideFate(draft, record, refusal(run, reception === 'follow_up' ? 'run_ended' : reception));
  run.pending.push({
    kind: 'observation',
    messageId: record.messageId,
    clientMessageId: record.clientMessageId,
    text: keep(draft, record.content),
    receivedAt: record.receivedAt,
    version: null,
    amendKind: null,
    structured: null,
    followUp: { runId: record.runId, taskId: record.taskId },
  });
  decideFate(draft, record, { status: 'update_received', version: run.requirements.version });
};
