import type { RaiseFence } from '../../schemas/generated/records';
import { emit } from '../platform/decision';
import { withdraw } from './approval';
import { requestCancel } from './decide-cancel';
import { startAction } from './decide-start';
import { actionOf, ownerOf, type Draft } from './draft';
import { fenceKey, isOpen, isUnattempted, newFence, type Action, type Fence, type Status } from './state';

const open: ReadonlySet<Status> = new Set(['unknown', 'blocked', 'disputed']);

const keysIn = (actions: readonly Action[], statuses: ReadonlySet<Status>): string[] =>
  actions.filter((action) => statuses.has(action.standing.status)).map((action) => action.actionKey);

const acknowledge = (draft: Draft, record: RaiseFence, fence: Fence, actions: readonly Action[]): void => {
  draft.emits.push(
    emit(fenceKey(fence.runId), 'effect.events.v1', 'FenceAcknowledged', record.conversationId, {
      ...ownerOf(record),
      revision: draft.view.revision('fence', fence.runId) + 1,
      number: fence.number,
      minVersion: fence.minVersion,
      mode: fence.mode,
      inFlight: keysIn(actions, new Set(['sending'])),
      unknown: keysIn(actions, open),
      withdrawn: [...fence.withdrawn],
    }),
  );
};

/** A fence only ever narrows what of the past may start: versions do not come back, and closed stays closed. */
const raised = (fence: Fence, record: RaiseFence & { readonly mode: Fence['mode'] }): Fence => ({
  ...fence,
  number: record.number,
  minVersion: Math.max(fence.minVersion, record.minVersion),
  mode: fence.mode === 'closed' ? 'closed' : record.mode,
  withdrawn: [],
});

/**
 * One transaction under the fence's row: older actions of which nothing went out are withdrawn, what is in flight or
 * unknown is listed. Every attempt is recorded under the same row, so nothing older starts after this (E7).
 */
export const onRaiseFence = (draft: Draft, record: RaiseFence): void => {
  const fence = draft.view.get<Fence>('fence', record.runId) ?? newFence(record.tenant, record.runId);
  const before = fence.actions.flatMap((key) => actionOf(draft, key) ?? []);
  if (record.number <= fence.number || record.mode === 'UNKNOWN') {
    draft.fence = fence;
    return acknowledge(draft, record, fence, before);
  }
  const next = raised(fence, { ...record, mode: record.mode });
  draft.fence = next;
  const withdrawn: string[] = [];
  for (const action of before) {
    if (!isUnattempted(action)) {
      if (next.mode === 'closed' && record.reason === 'cancel') requestCancel(draft, action);
      continue;
    }
    if (next.mode === 'closed' || action.requirementsVersion < next.minVersion) {
      withdraw(draft, action, 'fenced');
      withdrawn.push(action.actionKey);
    } else if (next.mode === 'open' && action.standing.status === 'admitted' && action.standing.notBefore === null) {
      startAction(draft, action);
    }
  }
  const after = before.map((action) => actionOf(draft, action.actionKey) ?? action);
  // What is over needs no fence any more, and the row stays small however long the run lasts.
  draft.fence = { ...next, withdrawn, actions: after.filter(isOpen).map((action) => action.actionKey) };
  acknowledge(draft, record, draft.fence, after);
};
