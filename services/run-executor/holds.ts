import type { StartRun } from '../../schemas/generated/records';
import type { View } from '../platform/decision';
import type { Draft } from './draft';
import { startEnding } from './ending';
import { conversationIdOf, type EndedRun, runKey } from './messages';
import { isRun, isTerminal, type Run, type RunRow } from './state';

const seen = (row: RunRow | undefined, record: StartRun): row is Run =>
  isRun(row) && row.tenant === record.tenant && row.account === record.account;

/** What this run must wait for, or why it can never start. */
export const findHolds = (
  view: View,
  record: StartRun,
):
  | { readonly holds: Run['holds']; readonly puts: Run[] }
  | { readonly code: string; readonly field: string; readonly detail: string } => {
  const holds: Run['holds'] = [];
  const puts: Run[] = [];
  // It gives no right and carries no limit, but what it names is shown to the agent: only the account's own (A9).
  if (record.parentRunId !== null && !seen(view.get<RunRow>('run', record.parentRunId), record))
    return { code: 'unknown_run', field: 'parentRunId', detail: 'no such run of this account' };
  if (record.dependsOnRunId !== null) {
    const other = view.get<RunRow>('run', record.dependsOnRunId);
    if (!seen(other, record))
      return { code: 'unknown_run', field: 'dependsOnRunId', detail: 'no such run of this account' };
    holds.push({ runId: other.runId, kind: 'dependency' });
    if (!isTerminal(other.status)) puts.push({ ...other, dependents: [...other.dependents, record.runId] });
  }
  return { holds, puts };
};

/** Never ahead of a queued run whose report it needs: each would wait for the other for ever (R19, case 60). */
export const orderAfter = (run: Run, needed: readonly Run[]): number =>
  Math.max(run.order, ...needed.filter((other) => other.startedAt === null).map((other) => other.order + 1));

export const endedOf = (view: View, runId: string): EndedRun | null => {
  const other = view.get<RunRow>('run', runId);
  if (!isRun(other) || !isTerminal(other.status)) return null;
  return {
    runId,
    state: other.status,
    report: other.report === null ? null : { version: other.report.version, sha256: other.report.sha256 },
  };
};

/** The run this one waited for has ended: take its report's reference, or fail where there is none (A14). */
export const settleHold = (draft: Draft, ended: EndedRun | null): void => {
  const { run } = draft;
  const hold = ended === null ? undefined : run.holds.find((one) => one.runId === ended.runId);
  if (hold === undefined || ended === null) return;
  run.holds = run.holds.filter((one) => one !== hold);
  if (hold.kind !== 'dependency') return;
  if (ended.report === null)
    return startEnding(
      draft,
      'failed',
      'dependency_failed',
      `run ${ended.runId} ended ${ended.state} without a report`,
    );
  run.dependency = { runId: ended.runId, version: ended.report.version, sha256: ended.report.sha256 };
};

/** The old run is told to end; it decides that by itself, under its own row, and its end wakes the one that waits (A13). */
export const interrupt = (draft: Draft, runId: string): { key: ReturnType<typeof runKey>; state: unknown }[] => {
  const { run, view } = draft;
  const other = view.get<RunRow>('run', runId);
  if (!isRun(other) || other.account !== run.account || other.tenant !== run.tenant || isTerminal(other.status))
    return [];
  run.holds.push({ runId, kind: 'interrupt' });
  run.interrupts = runId;
  draft.tells.push({
    type: 'steer',
    runId,
    conversation: conversationIdOf(other),
    verb: 'interrupt',
    reason: run.messageId,
  });
  return [{ key: runKey(runId), state: { ...other, dependents: [...other.dependents, run.runId] } }];
};
