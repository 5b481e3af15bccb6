import { liveChildren, gateActions, openActions, openCalls, openQuestions } from './open-work';
import type { Run } from './state';
import { at } from './times';

export interface WaitingFor {
  readonly kind:
    'slot' | 'tools' | 'action' | 'answer' | 'child' | 'dependency' | 'fence' | 'publication' | 'retry' | 'cancel';
  readonly ref: string;
  readonly since: string;
  readonly deadline: string | null;
}

/** What a run that does not run is waiting for; each entry names something that exists. */
export const waitingFor = (run: Run): WaitingFor[] => {
  const since = at(run.turn?.sealedAt ?? run.startedAt ?? run.enqueuedAt);
  const entry = (kind: WaitingFor['kind'], ref: string, deadline: number | null = null): WaitingFor => ({
    kind,
    ref,
    since,
    deadline: deadline === null ? null : at(deadline),
  });
  const fence = run.fence.acknowledged ? [] : [entry('fence', String(run.fence.number))];
  const publications = run.publications.map((one) => entry('publication', `${one.version}.${one.seq}`));
  const children = liveChildren(run).map((child) => entry('child', child.runId));
  switch (run.status) {
    case 'queued':
      return run.holds.length === 0
        ? [entry('slot', run.behind ?? run.slot?.blockedBy ?? run.agent)]
        : run.holds.map((hold) =>
            entry(
              hold.kind === 'dependency' ? 'dependency' : hold.kind === 'interrupt' ? 'cancel' : 'slot',
              hold.runId,
            ),
          );
    case 'running':
      return [
        ...openCalls(run).map((call) => entry('tools', call.callId)),
        ...(run.turn !== null && run.turn.retryAt !== null
          ? [entry('retry', String(run.turn.number), run.turn.retryAt)]
          : []),
        ...(run.turn === null ? [...fence, ...publications] : []),
      ];
    case 'parked':
      return openQuestions(run)
        .filter((one) => one.interactionRef === run.park?.interactionRef)
        .map((one) => ({ ...entry('answer', one.interactionRef, one.expiresAt), since: at(run.park?.since ?? 0) }));
    case 'pausing':
      return [
        ...openCalls(run).map((call) => entry('tools', call.callId)),
        ...(run.turn === null ? [] : [entry('answer', `turn/${run.turn.number}`, run.turn.deadline)]),
        ...fence,
      ];
    case 'paused':
      // A person's resume is what moves it; the hard deadline runs on.
      return [
        { ...entry('answer', 'resume', run.budget.hardDeadline), since: at(run.pause?.requestedAt ?? run.enqueuedAt) },
      ];
    case 'waiting':
      return [
        ...(run.slot !== null && (run.slot.state === 'waiting' || run.slot.state === 'wanted' || run.slot.offered)
          ? [entry('slot', run.slot.blockedBy ?? run.agent)]
          : []),
        ...openQuestions(run).map((one) => entry('answer', one.interactionRef, one.expiresAt)),
        ...[...gateActions(run), ...openActions(run)].map((action) =>
          entry('action', action.actionKey ?? action.proposalId),
        ),
        ...children,
        ...fence,
        ...publications,
      ];
    case 'cancelling':
      return [
        ...fence,
        ...children,
        ...run.actions
          .filter((action) => action.status === 'sending' || action.status === 'unknown')
          .map((action) => entry('action', action.actionKey ?? action.proposalId, run.cancel?.settleBy ?? null)),
      ];
    case 'publishing':
      return publications;
    case 'closing':
      return [...fence, ...children, ...publications];
    case 'completed':
    case 'partial':
    case 'failed':
    case 'cancelled':
    case 'interrupted':
      return [];
  }
};
