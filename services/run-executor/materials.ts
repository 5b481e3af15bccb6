import type { Material } from '../../schemas/turn-protocol/input';
import type { View } from '../platform/decision';
import { readKept } from './continuation';
import { keep, textOf, type Draft } from './draft';
import { boundedOthers, boundedRequests } from './material-bounds';
import {
  dependencyOf,
  lateAnswerOf,
  leadsOf,
  publishedOf,
  requestsOf,
  resultsOf,
  rowOf,
  structuredOf,
  type RequestKinds,
} from './material-pieces';
import type { Run } from './state';
import { transitionOf } from './transition';
import type { Kept } from './turn-state';

/** Runs whose record a queued run reads when it starts: its material is that of then, not of its enqueuing (A14). */
export const sourceRunIds = (run: Run): string[] => [
  ...new Set(
    [
      run.relation === 'continue' ? run.continuationOfRunId : null,
      run.relation === 'follow_up' ? run.parentRunId : null,
      run.dependency?.runId ?? null,
      run.interrupts ?? null,
      ...run.holds.map((hold) => hold.runId),
    ].filter((runId): runId is string => runId !== null),
  ),
];

const keptOf = (run: Run): (Kept | null | undefined)[] => [
  ...run.requirements.history.map((entry) => entry.text),
  ...(run.published ?? []).map((one) => one.body),
  ...run.calls.map((call) => call.output),
  run.summary,
  run.materials,
];

/** Bytes kept aside that a run made from this one may carry along or verify. */
export const sourceRefs = (run: Run | undefined): string[] =>
  run === undefined
    ? []
    : keptOf(run).flatMap((kept) => (kept === null || kept === undefined || kept.inline !== null ? [] : [kept.ref]));

export const isRequest = ({ kind }: Material): boolean => kind === 'original_request' || kind === 'amendment';

/** Requests of the runs before, which a continued run carries itself. */
const chainOf = (view: View, source: Run): Material[] => {
  const text = source.materials === undefined || source.materials === null ? null : readKept(view, source.materials);
  return text === null ? [] : (JSON.parse(text) as Material[]).filter(isRequest);
};

const collected = (view: View, run: Run): Material[] => {
  const dependency = dependencyOf(view, run);
  const parent = rowOf(view, run.relation === 'continue' ? run.continuationOfRunId : run.parentRunId);
  if (parent === undefined || (run.relation !== 'continue' && run.relation !== 'follow_up'))
    return boundedOthers(dependency);
  if (run.relation === 'continue')
    return [
      ...boundedRequests([
        ...chainOf(view, parent),
        ...requestsOf(view, parent, { initial: 'original_request', later: 'amendment' }),
      ]),
      ...boundedOthers([
        ...lateAnswerOf(view, parent, run.continuation?.lateAnswerRef ?? null),
        ...publishedOf(view, parent),
        ...leadsOf(view, parent),
        ...resultsOf(view, parent),
      ]),
    ];
  // An amendment that came too late brings the requirements it was meant for; a follow-up of its own, only history.
  const kinds: RequestKinds =
    run.amends === true
      ? { initial: 'original_request', later: 'amendment' }
      : { initial: 'history_message', later: 'history_message' };
  return [
    ...boundedRequests([...requestsOf(view, parent, kinds), ...structuredOf(view, parent, kinds.later)]),
    ...boundedOthers([...publishedOf(view, parent), ...leadsOf(view, parent), ...dependency]),
  ];
};

/**
 * What a run gets of the runs before it, fixed once at its start with hash, origin and worth of each piece; and the
 * transition that says what it finds (R9). None of it is a right, and nothing of it is executed again (A9, A12).
 */
export const takeMaterials = (draft: Draft): void => {
  const { run, view, context } = draft;
  const materials = collected(view, run);
  run.materials = materials.length === 0 ? null : keep(draft, JSON.stringify(materials));
  const from = rowOf(
    view,
    run.interrupts ??
      (run.relation === 'continue' ? run.continuationOfRunId : run.relation === 'follow_up' ? run.parentRunId : null),
  );
  if (from === undefined) return;
  run.transition = {
    ...transitionOf(
      from,
      { runId: from.runId, state: from.status, cause: from.cause, version: from.requirements.version },
      { runId: run.runId, relation: run.relation, version: run.requirements.version },
    ),
    budgetLeft: transitionOf(run, null, null).budgetLeft,
  };
  run.transitions = [...run.transitions, { ...run.transition, at: context.now }];
};

export const materialsOf = (draft: Draft): Material[] =>
  draft.run.materials === undefined || draft.run.materials === null
    ? []
    : (JSON.parse(textOf(draft, draft.run.materials)) as Material[]);
