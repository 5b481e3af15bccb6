import { keep, type Draft } from './draft';
import { startEnding } from './ending';
import { dropPause } from './pause';
import { materialsOf } from './materials';
import { ask } from './requests';

import { liveChildren, gateActions, openActions, openQuestions } from './open-work';
import type { OpenTurn, Publication } from './turn-state';
import type { ReportOutput, Source } from '../../schemas/turn-protocol/output';
import { at } from './times';

/** Reports whose bytes stay with the run. */
const maxPublished = 5;

interface Refusal {
  readonly code: string;
  readonly detail: string | null;
}

/** What a report rests on is something this run has; a result of an earlier version counts only once it was taken over. */
const faultOf = (draft: Draft, { callId, materialRef, actionKey }: Source): Refusal | null => {
  const { run } = draft;
  if (callId !== undefined) {
    const call = run.calls.find((one) => one.callId === callId);
    if (call === undefined || call.status !== 'done') return { code: 'unknown_source', detail: callId };
    return call.needsRecheck ? { code: 'stale_source', detail: callId } : null;
  }
  // One that came without its bytes was never read.
  if (materialRef !== undefined && !materialsOf(draft).some((one) => one.ref === materialRef && one.available))
    return { code: 'unknown_source', detail: materialRef };
  // A refused proposal names the earlier action it met, which may be another run's: that is a source like its own. What its
  // children did is theirs, and not known here by key.
  const mayBeOfChild = run.children.length > 0;
  if (actionKey !== undefined && !mayBeOfChild && !run.actions.some((one) => one.actionKey === actionKey))
    return { code: 'unknown_source', detail: actionKey };
  return null;
};

/** Why the gate stays closed, in the order of looking; null = passed. Looked at under the run's lock (R3, R22). */
const reasonToRefuse = (draft: Draft, report: ReportOutput): Refusal | null => {
  const { run } = draft;
  for (const source of report.sources ?? []) {
    const fault = faultOf(draft, source);
    if (fault !== null) return fault;
  }
  const holding = openQuestions(run).find((question) => question.holdsReport);
  if (holding !== undefined) return { code: 'question_open', detail: holding.questionId };
  const child = liveChildren(run)[0];
  if (child !== undefined) return { code: 'child_open', detail: child.childId };
  const action = gateActions(run)[0];
  if (action !== undefined) return { code: 'action_open', detail: action.actionKey ?? action.proposalId };
  if (run.pending.length > 0 && run.budget.turnsLeft > 0)
    return { code: 'update_pending', detail: run.pending[0]?.messageId ?? null };
  return null;
};

const nextSeq = (draft: Draft, version: number): number => {
  const seq = (draft.run.seqs[String(version)] ?? 0) + 1;
  draft.run.seqs = { ...draft.run.seqs, [String(version)]: seq };
  return seq;
};

const publication = (
  draft: Draft,
  turn: OpenTurn,
  body: { readonly body: string; readonly contentType: string },
  more: Pick<Publication, 'status'> & Partial<Publication>,
): Publication => ({
  version: turn.version,
  seq: nextSeq(draft, turn.version),
  body: keep(draft, body.body),
  contentType: body.contentType,
  sources: '[]',
  unsettledActions: [],
  document: null,
  basedOn: null,
  turn: turn.number,
  ...more,
});

const send = (draft: Draft, one: Publication): void => {
  draft.run.publications.push(one);
  ask(draft, `publish/${one.version}.${one.seq}`);
};

/** A candidate that can never become current is kept as labelled history (P2). */
export const publishHistory = (
  draft: Draft,
  turn: OpenTurn,
  body: { readonly body: string; readonly contentType: string },
): void => send(draft, publication(draft, turn, body, { status: 'late' }));

/** Ordered and acknowledged before the next input is sealed (P6, R12). */
export const publishPartial = (
  draft: Draft,
  turn: OpenTurn,
  body: { readonly body: string; readonly contentType: string },
): void => send(draft, publication(draft, turn, body, { status: 'partial' }));

/** The report gate: refused with the reason for the next turn, or passed, which is the point of no return (R22). */
export const gate = (draft: Draft, turn: OpenTurn, report: ReportOutput): void => {
  const { run, context } = draft;
  const refused = reasonToRefuse(draft, report);
  if (refused !== null) {
    run.changes.push({ kind: 'report_refused', at: at(context.now), ...refused });
    publishHistory(draft, turn, report);
    // The next turn is told why at the first change of what refused it; what waits on nothing outside goes on at once.
    run.holdChanges = ['question_open', 'action_open', 'child_open'].includes(refused.code) ? run.changes.length : null;
    return;
  }
  const unsettled = openActions(run).map((action) => action.actionKey ?? action.proposalId);
  const one = publication(draft, turn, report, {
    status: unsettled.length === 0 ? 'final' : 'partial',
    sources: JSON.stringify(report.sources ?? []),
    unsettledActions: unsettled,
    document: report.document ?? null,
    basedOn: report.basedOn ?? null,
  });
  dropPause(draft, 'publishing');
  run.status = 'publishing';
  run.again = false;
  run.gated = { version: one.version, seq: one.seq };
  send(draft, one);
};

/** Publication's acknowledgement: only now is the run as good as complete (R23, P4). */
export const acknowledged = (
  draft: Draft,
  record: { readonly version: number; readonly seq: number; readonly sha256: string; readonly current: boolean },
): void => {
  const { run } = draft;
  const one = run.publications.find((known) => known.version === record.version && known.seq === record.seq);
  if (one === undefined) return;
  run.publications = run.publications.filter((known) => known !== one);
  if (one.status === 'late') return;
  const reference = { version: one.version, seq: one.seq, sha256: record.sha256 };
  if (record.current) {
    run.lastPublished = reference;
    const { version, seq, body, contentType } = one;
    run.published = [...(run.published ?? []), { version, seq, body, contentType, at: draft.context.now }].slice(
      -maxPublished,
    );
  }
  if (run.status !== 'publishing' || run.gated?.version !== one.version || run.gated.seq !== one.seq) return;
  if (!record.current)
    return startEnding(draft, 'failed', 'defect', 'publication refused a report that had passed the gate');
  run.report = reference;
  const partial = one.unsettledActions.length > 0;
  startEnding(draft, partial ? 'partial' : 'completed', partial ? 'unsettled_actions' : null);
};
