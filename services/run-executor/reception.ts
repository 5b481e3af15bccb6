import type { Run } from './state';

/** The table of the docs: what an update meets in each state (R3). */
export type UpdateReception = 'accept' | 'follow_up' | 'run_ended' | 'run_not_accepting';

export const receptionOf = (run: Run): UpdateReception => {
  switch (run.status) {
    case 'queued':
    case 'running':
    case 'waiting':
    case 'parked':
    case 'pausing':
    case 'paused':
      return 'accept';
    case 'publishing':
    case 'completed':
    case 'partial':
      return 'follow_up';
    case 'closing':
      return run.ending?.to === 'completed' || run.ending?.to === 'partial' ? 'follow_up' : 'run_not_accepting';
    case 'cancelling':
      return 'run_not_accepting';
    case 'failed':
    case 'cancelled':
    case 'interrupted':
      return 'run_ended';
  }
};
