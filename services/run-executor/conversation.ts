import type { AggregateKey } from '../platform/decision';
import type { Draft } from './draft';
import { conversationKey } from './messages';
import type { ConversationRuns, Run } from './state';

const holdsPlace = (run: Run): boolean => {
  switch (run.status) {
    case 'running':
    case 'waiting':
    case 'pausing':
    case 'cancelling':
    case 'publishing':
    case 'closing':
      return true;
    default:
      return false;
  }
};

const runsOf = (draft: Draft): ConversationRuns =>
  draft.view.get<ConversationRuns>('conversation', draft.conversation) ?? {
    tenant: draft.run.tenant,
    account: draft.run.account,
    conversationId: draft.run.conversationId,
    active: [],
    waiting: [],
  };

/** The earlier run that holds the conversation's place, or waits before this one in the fixed order; null = its turn. */
export const waitsBehind = (draft: Draft): string | null => {
  const { run } = draft;
  if (run.mode === 'parallel') return null;
  const runs = runsOf(draft);
  const before = runs.waiting.find(
    (one) => one.runId !== run.runId && (one.order < run.order || (one.order === run.order && one.runId < run.runId)),
  );
  return runs.active.find((runId) => runId !== run.runId) ?? before?.runId ?? null;
};

/** The conversation's list after this decision; a freed place wakes whoever is first in line. */
export const conversationPut = (draft: Draft): { key: AggregateKey; state: ConversationRuns }[] => {
  const { run } = draft;
  // A child has no place of its own: its root's is theirs.
  if (run.spawned !== null) return [];
  const runs = runsOf(draft);
  const active = holdsPlace(run)
    ? [...new Set([...runs.active, run.runId])]
    : runs.active.filter((id) => id !== run.runId);
  const others = runs.waiting.filter((one) => one.runId !== run.runId);
  // One that waits for nobody here may still wait for a slot, and holds those behind it meanwhile (A13).
  const waiting =
    run.status === 'queued'
      ? [...others, { runId: run.runId, order: run.order }].sort(
          (a, b) => a.order - b.order || (a.runId < b.runId ? -1 : 1),
        )
      : others;
  const unchanged = active.length === runs.active.length && waiting.length === runs.waiting.length;
  if (unchanged && draft.view.revision('conversation', draft.conversation) > 0) return [];
  const first = waiting[0];
  if (active.length === 0 && first !== undefined && first.runId !== run.runId)
    draft.tells.push({ type: 'wake', runId: first.runId, ended: null });
  return [{ key: conversationKey(draft.conversation), state: { ...runs, active, waiting } }];
};
