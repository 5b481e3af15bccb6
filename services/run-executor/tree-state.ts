import type { Terminal } from './run-status';
import type { Kept } from './turn-state';

export interface Grants {
  readonly tools: readonly string[];
  readonly connectors: readonly string[];
  readonly sources: readonly string[];
  /** Permissions of a person to disclose something once; never carried to another run. */
  readonly consents: readonly string[];
}

/** A grant that a person gave to a run that had already begun; all others are the run's from its start. */
export interface GivenGrant {
  readonly grant: string;
  readonly from: string;
  readonly until: number;
}

/** What a spawned run is given by its parent: where it stands in the tree, and its share of budget and grants (R21). */
export interface ChildStart {
  readonly rootRunId: string;
  readonly childId: string;
  readonly depth: number;
  /** The parent's requirements version it was spawned under. */
  readonly version: number;
  readonly budget: { readonly turns: number; readonly cost: number | null; readonly hardDeadline: number };
  readonly grants: Grants;
}

export interface ChildReport {
  readonly version: number;
  readonly seq: number;
  readonly sha256: string;
  readonly contentType: string;
  readonly body: string;
}

export interface ChildState {
  readonly childId: string;
  readonly runId: string;
  readonly agent: string;
  /** This run's version that the child is known to work under; with its end, the one its result is of. */
  version: number;
  /** Null while it lives. */
  state: Terminal | null;
  report: (Omit<ChildReport, 'body'> & { readonly body: Kept }) | null;
  /** Taken from this run's budget for it; no more than that comes back. */
  readonly lent: { readonly turns: number; readonly cost: number | null };
  asks: { readonly questionId: string; readonly choices: readonly string[]; open: boolean }[];
}

/** What the runs of one root share: who of them lives below it, and which of all of them is parked (H5). */
export interface Tree {
  readonly tenant: string;
  live: string[];
  parked: string | null;
}
