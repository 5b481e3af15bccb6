import type { Material } from '../../schemas/turn-protocol/input';
import type { View } from '../platform/decision';
import { readKept } from './continuation';
import { keep, textOf, type Draft } from './draft';
import { isRun, type Run, type RunRow } from './state';
import { at } from './times';
import { transitionOf } from './transition';
import type { Kept } from './turn-state';

/** Requests and amendments together; the first of a chain and the newest come before what lies between. */
const maxRequestBytes = 512 * 1024;
/** Everything else: one text, and all of them together. */
const maxTextBytes = 64 * 1024;
const maxOtherBytes = 192 * 1024;
const maxSavedResults = 100;
const maxPublished = 5;

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

/** Cut at a character, never inside one. */
const cut = (text: string, maxBytes: number): string => {
  const bytes = Buffer.from(text).subarray(0, maxBytes);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
};

const fitted = (material: Material, maxBytes: number): Material => {
  const size = Buffer.byteLength(material.text ?? '');
  return material.text === null || size <= maxBytes
    ? material
    : {
        ...material,
        text: cut(material.text, maxBytes),
        truncatedFromBytes: material.truncatedFromBytes ?? size,
      };
};

const bytesOf = (material: Material): number => Buffer.byteLength(material.text ?? '');

/** Requests are never left out: the first one, then the newest, keep their whole text as long as there is room. */
const boundedRequests = (requests: readonly Material[]): Material[] => {
  const result = [...requests];
  let left = maxRequestBytes;
  const order = [
    0,
    ...requests
      .map((_, index) => index)
      .slice(1)
      .reverse(),
  ];
  for (const index of order) {
    const material = result[index];
    if (material === undefined) continue;
    result[index] = fitted(material, left);
    left -= bytesOf(result[index]);
  }
  return result;
};

/** The other kinds may be unavailable, which is said instead of leaving them out. */
const boundedOthers = (others: readonly Material[]): Material[] => {
  let left = maxOtherBytes;
  return others.map((material) => {
    const one = fitted(material, maxTextBytes);
    if (bytesOf(one) > left)
      return {
        ...one,
        text: null,
        available: false,
        unavailableReason: 'does not fit the bounds of materials',
        truncatedFromBytes: material.truncatedFromBytes ?? bytesOf(material),
      };
    left -= bytesOf(one);
    return one;
  });
};

const piece = (
  view: View,
  kept: Kept | null,
  about: Pick<Material, 'kind' | 'ref' | 'trust' | 'fromRunId'> & Partial<Material>,
): Material => {
  const text = kept === null ? null : readKept(view, kept);
  return {
    text,
    sha256: kept?.sha256 ?? null,
    available: text !== null,
    unavailableReason: text !== null ? null : 'its bytes are gone or do not have the recorded hash',
    historical: true,
    requirementsVersion: null,
    producedAt: null,
    truncatedFromBytes: null,
    ...about,
  };
};

type RequestKinds = { readonly initial: Material['kind']; readonly later: Material['kind'] };

/** The request of a run with its accepted amendments; what is still in force is not historical. */
const requestsOf = (view: View, source: Run, kinds: RequestKinds): Material[] => {
  const inForce = new Set(source.requirements.texts.map((one) => one.version));
  return source.requirements.history.map((entry) =>
    piece(view, entry.text, {
      kind: entry.kind === 'initial' ? kinds.initial : kinds.later,
      ref: `${source.runId}/v${entry.version}`,
      trust: 'verified',
      fromRunId: source.runId,
      historical: !inForce.has(entry.version),
      requirementsVersion: entry.version,
      producedAt: at(entry.receivedAt),
    }),
  );
};

/** A continued run has the structured values among its own requirements; a follow-up only reads them. */
const structuredOf = (view: View, source: Run, kind: Material['kind']): Material[] =>
  source.requirements.structured === null
    ? []
    : [
        {
          ...piece(view, null, {
            kind,
            ref: `${source.runId}/structured`,
            trust: 'verified',
            fromRunId: source.runId,
            historical: false,
            requirementsVersion: source.requirements.version,
          }),
          text: JSON.stringify(source.requirements.structured),
          available: true,
          unavailableReason: null,
        },
      ];

export const isRequest = ({ kind }: Material): boolean => kind === 'original_request' || kind === 'amendment';

/** Requests of the runs before, which a continued run carries itself. */
const chainOf = (view: View, source: Run): Material[] => {
  const text = source.materials === undefined || source.materials === null ? null : readKept(view, source.materials);
  return text === null ? [] : (JSON.parse(text) as Material[]).filter(isRequest);
};

const publishedOf = (view: View, source: Run): Material[] =>
  (source.published ?? []).slice(-maxPublished).map((one) =>
    piece(view, one.body, {
      kind: 'published_answer',
      ref: `${source.runId}/report/${one.version}.${one.seq}`,
      trust: 'published',
      fromRunId: source.runId,
      requirementsVersion: one.version,
      producedAt: at(one.at),
    }),
  );

const leadsOf = (view: View, source: Run): Material[] => {
  const lead = { trust: 'lead', fromRunId: source.runId } as const;
  const spoken = (ref: string, text: string): Material => ({
    ...piece(view, null, { ...lead, kind: 'open_question', ref }),
    text,
    available: true,
    unavailableReason: null,
  });
  return [
    ...(source.summary === null
      ? []
      : [piece(view, source.summary, { ...lead, kind: 'summary', ref: `${source.runId}/summary` })]),
    ...source.openQuestions.map((text, index) => spoken(`${source.runId}/open/${index + 1}`, text)),
    ...source.questions
      .filter((one) => one.kind === 'question' && one.answer === null)
      .map((one) => spoken(one.interactionRef, one.question)),
  ];
};

const resultsOf = (view: View, source: Run): Material[] => {
  const done = source.calls.filter((call) => call.status === 'done' && call.ok);
  return done.slice(-maxSavedResults).map((call) =>
    piece(view, call.output, {
      kind: 'saved_result',
      ref: `${source.runId}/result/${call.callId}`,
      trust: 'verified',
      fromRunId: source.runId,
      requirementsVersion: call.version,
    }),
  );
};

/** Said too late for the parent; the user's own words, labelled as late (H6). */
const lateAnswerOf = (view: View, source: Run, interactionRef: string | null): Material[] => {
  if (interactionRef === null) return [];
  const question = source.questions.find((one) => one.interactionRef === interactionRef);
  const given = question?.late ?? question?.answer ?? null;
  return [
    {
      ...piece(view, null, {
        kind: 'late_answer',
        ref: interactionRef,
        trust: 'lead',
        fromRunId: source.runId,
        requirementsVersion: question?.version ?? null,
      }),
      ...(given === null
        ? { unavailableReason: 'no answer to this question has arrived' }
        : { text: given.text ?? given.choice ?? given.value, available: true, unavailableReason: null }),
    },
  ];
};

const dependencyOf = (view: View, run: Run): Material[] => {
  const { dependency } = run;
  if (dependency === null) return [];
  const source = rowOf(view, dependency.runId);
  const report = source?.published?.find(
    (one) => one.version === dependency.version && one.body.sha256 === dependency.sha256,
  );
  return [
    {
      ...piece(view, report?.body ?? null, {
        kind: 'dependency_report',
        ref: `${dependency.runId}/v${dependency.version}`,
        trust: 'published',
        fromRunId: dependency.runId,
        requirementsVersion: dependency.version,
        producedAt: report === undefined ? null : at(report.at),
      }),
      sha256: dependency.sha256,
    },
  ];
};

const rowOf = (view: View, runId: string | null): Run | undefined => {
  const row = runId === null ? undefined : view.get<RunRow>('run', runId);
  return isRun(row) ? row : undefined;
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
