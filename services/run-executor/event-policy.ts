import type { ObserveRun } from '../../schemas/generated/records';
import type { Context, View } from '../platform/decision';
import type { Entity, EntityRun } from './entity';
import { confirmedCorrelations } from './event-question';
import type { EventPolicy, Settings } from './settings';
import { isRun, type Run, type RunRow } from './state';
import { receptionOf } from './reception';

const maxCandidates = 20;
/** Events of one entity that wait for a model at a time; the next ones are decided without it. */
const maxAsked = 20;

/** What a model proposed: one of the candidates it was shown, or none of them. Null = nothing usable. */
export type Proposal = { readonly runId: string | null } | null;

/** Everything that is looked at, locked together: a merge is a compare-and-set on the run (A15). */
export interface Scene {
  readonly view: View;
  readonly record: ObserveRun;
  readonly context: Context;
  readonly settings: Settings;
  readonly entity: Entity;
}

/** Runs of this entity that can still take an event, the newest last. */
const candidatesOf = ({ view, entity }: Scene): { readonly known: EntityRun; readonly run: Run }[] =>
  entity.runs.flatMap((known) => {
    const row = view.get<RunRow>('run', known.runId);
    return isRun(row) && receptionOf(row) === 'accept' ? [{ known, run: row }] : [];
  });

type Choice =
  | { readonly does: 'merge' | 'attach'; readonly run: Run }
  | { readonly does: 'own_run' }
  | { readonly does: 'ask_model'; readonly url: string; readonly candidates: readonly Run[] };

/**
 * The policy, deterministic (A15): the same correlation joins; the same entity within the window is a matter of the
 * configuration; all else is a run of its own. What a model proposes can only choose among what the policy allows.
 */
export const choose = (scene: Scene, policy: EventPolicy, proposal: Proposal | 'not asked'): Choice => {
  const { record, context } = scene;
  const candidates = candidatesOf(scene);
  const correlated = candidates.findLast(
    ({ known, run }) =>
      record.correlationId !== null &&
      (known.correlationIds.includes(record.correlationId) ||
        confirmedCorrelations(run).includes(record.correlationId)),
  );
  if (correlated !== undefined) return { does: 'merge', run: correlated.run };
  const near = candidates.filter(({ known }) => context.now - known.at <= policy.windowMs).map(({ run }) => run);
  const newest = near.at(-1);
  if (newest === undefined || policy.uncorrelated === 'own_run') return { does: 'own_run' };
  if (policy.triageUrl !== null && proposal === 'not asked' && scene.entity.asked.length < maxAsked)
    return { does: 'ask_model', url: policy.triageUrl, candidates: near.slice(-maxCandidates) };
  if (proposal === null || proposal === 'not asked') return { does: 'attach', run: newest };
  if (proposal.runId === null) return { does: 'own_run' };
  return { does: 'attach', run: near.find((run) => run.runId === proposal.runId) ?? newest };
};
