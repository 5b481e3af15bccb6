import type { AggregateKey, Context, Decision, View } from '../platform/decision';
import type { Draft } from './draft';
import type { Work } from './messages';
import { leaseMs } from './seal';
import { isRun, type RunRow } from './state';

/** The last sign of life of a work that outlasted its first lease, beside the run so that the run is not written for it. */
export interface LeaseRow {
  readonly epoch: number;
  readonly owner: string;
  /** Null = nobody lives by it any more. */
  readonly until: number | null;
}

export const leaseKey = (runId: string): AggregateKey => ({ kind: 'lease', id: runId });

/** Says nothing about whose the run is: that is looked up where the lease is asked for. A later claim is never undone. */
export const renewLease = (view: View, work: Work, context: Context): Decision<never, never> => {
  const known = view.get<LeaseRow>('lease', work.runId);
  if (known !== undefined && known.epoch > work.epoch) return { reply: null };
  const state: LeaseRow = { epoch: work.epoch, owner: context.instance, until: context.now + leaseMs };
  return { put: [{ key: leaseKey(work.runId), state }], reply: null };
};

const renewedUntil = ({ run, view }: Draft): number => {
  const row = view.get<LeaseRow>('lease', run.runId);
  return row?.epoch === run.epoch && row.owner === run.lease?.owner ? (row.until ?? 0) : 0;
};

/**
 * Whether the owner gave no sign of life for too long. One that outlasts the lease in the run's document lives by its
 * renewals from then on, and the run is not looked at for it again.
 */
export const isLeaseOver = (draft: Draft): boolean => {
  const { run, context } = draft;
  if (run.lease === null || run.lease.until > context.now) return false;
  if (renewedUntil(draft) <= context.now) return true;
  run.lease = { ...run.lease, renewed: true };
  return false;
};

/** A look at renewals that ended: with the run taken over, or owned by somebody else, nobody lives by them any more. */
export const leaseEnded = (view: View, runId: string, context: Context): NonNullable<Decision['put']> => {
  const row = view.get<LeaseRow>('lease', runId);
  return row === undefined || row.until === null || row.until > context.now
    ? []
    : [{ key: leaseKey(runId), state: { ...row, until: null } satisfies LeaseRow }];
};

/** Others look at a lease in the run's own document, and at that in their own time. */
export const livesByRenewals = (row: RunRow | undefined): boolean => isRun(row) && row.lease?.renewed === true;

export const leaseDueAt = (row: LeaseRow): number | null => row.until;

export const isLeased = (row: RunRow | undefined): boolean => isRun(row) && row.lease !== null;
