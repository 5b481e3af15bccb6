import type { Material } from '../../schemas/turn-protocol/input';
import type { View } from '../platform/decision';
import { readKept } from './continuation';
import { isRun, type Run, type RunRow } from './state';
import { at } from './times';
import type { Kept } from './turn-state';

const maxSavedResults = 100;
const maxPublished = 5;

export const rowOf = (view: View, runId: string | null): Run | undefined => {
  const row = runId === null ? undefined : view.get<RunRow>('run', runId);
  return isRun(row) ? row : undefined;
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

export type RequestKinds = { readonly initial: Material['kind']; readonly later: Material['kind'] };

/** The request of a run with its accepted amendments; what is still in force is not historical. */
export const requestsOf = (view: View, source: Run, kinds: RequestKinds): Material[] => {
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
export const structuredOf = (view: View, source: Run, kind: Material['kind']): Material[] =>
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

export const publishedOf = (view: View, source: Run): Material[] =>
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

export const leadsOf = (view: View, source: Run): Material[] => {
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

export const resultsOf = (view: View, source: Run): Material[] => {
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
export const lateAnswerOf = (view: View, source: Run, interactionRef: string | null): Material[] => {
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

export const dependencyOf = (view: View, run: Run): Material[] => {
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
