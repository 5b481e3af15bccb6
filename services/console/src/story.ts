import type { Action, Interaction, Report, RunRecord, Transition, Turn, LiveEvent } from './facts';

/** One entry of a run's timeline; `at` is when the fact happened, as its owner says. */
export type Entry =
  | { readonly kind: 'version'; readonly at: string; readonly version: RunRecord['versions'][number] }
  | { readonly kind: 'turn'; readonly at: string; readonly turn: Turn }
  | { readonly kind: 'question'; readonly at: string; readonly item: Interaction }
  | { readonly kind: 'action'; readonly at: string; readonly action: Action }
  | { readonly kind: 'report'; readonly at: string; readonly report: Report }
  | { readonly kind: 'transition'; readonly at: string; readonly transition: Transition }
  | { readonly kind: 'state'; readonly at: string; readonly state: string; readonly cause: string | null };

/** A state and when it began, told by the run's own events. */
export interface StateChange {
  readonly at: string;
  readonly state: string;
  readonly cause: string | null;
  readonly revision: number;
}

export const withState = (states: readonly StateChange[], { kind, at, item }: LiveEvent): readonly StateChange[] => {
  if (kind !== 'run') return states;
  const run = item as { state: string; cause: string | null; stateRevision: number };
  const last = states.at(-1);
  if (last !== undefined && (last.state === run.state || last.revision >= run.stateRevision)) return states;
  return [...states, { at, state: run.state, cause: run.cause, revision: run.stateRevision }];
};

const worthTelling: ReadonlySet<string> = new Set([
  'parked',
  'pausing',
  'paused',
  'cancelling',
  'completed',
  'partial',
  'failed',
  'cancelled',
  'interrupted',
]);

export const storyOf = (facts: {
  readonly run: RunRecord | null;
  readonly turns: Iterable<Turn>;
  readonly interactions: Iterable<Interaction>;
  readonly actions: Iterable<{ readonly action: Action; readonly at: string }>;
  readonly reports: Iterable<Report>;
  readonly states: readonly StateChange[];
}): readonly Entry[] => {
  const entries: Entry[] = [
    ...(facts.run?.versions ?? []).map((version) => ({ kind: 'version' as const, at: version.receivedAt, version })),
    ...[...facts.turns].map((turn) => ({ kind: 'turn' as const, at: turn.startedAt, turn })),
    ...[...facts.interactions].map((item) => ({ kind: 'question' as const, at: item.publishedAt ?? '', item })),
    ...[...facts.actions].map(({ action, at }) => ({ kind: 'action' as const, at: action.openedAt ?? at, action })),
    ...[...facts.reports].map((report) => ({ kind: 'report' as const, at: report.publishedAt, report })),
    ...(facts.run?.transitions ?? []).map((transition) => ({
      kind: 'transition' as const,
      at: transition.at,
      transition,
    })),
    ...facts.states
      .filter(({ state }) => worthTelling.has(state))
      .map(({ at, state, cause }) => ({ kind: 'state' as const, at, state, cause })),
  ];
  return entries.sort((a, b) => a.at.localeCompare(b.at));
};
