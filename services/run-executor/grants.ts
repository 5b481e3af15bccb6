import type { GivenGrant, Grants } from './tree-state';
import type { Run } from './state';

type GrantKind = 'tool' | 'connector' | 'source' | 'consent';

const lists = {
  tool: 'tools',
  connector: 'connectors',
  source: 'sources',
  consent: 'consents',
} as const satisfies Record<GrantKind, keyof Grants>;

const isKind = (kind: string): kind is GrantKind => Object.hasOwn(lists, kind);

export interface GrantView {
  readonly grant: string;
  /** Nothing a run may use reaches beyond it (R24). */
  readonly scope: { readonly tenant: string; readonly runId: string };
  readonly from: string;
  readonly until: number;
}

/** Where a grant comes from and when it ends: with the run's hard deadline at the latest. */
export const grantOf = (run: Run, kind: GrantKind, name: string): GrantView => {
  const grant = `${kind}:${name}`;
  const { tenant, runId } = run;
  const given = run.given?.find((one) => one.grant === grant);
  const from =
    (run.spawned ?? null) !== null
      ? `run:${run.parentRunId ?? ''}`
      : (run.continuation ?? null) !== null
        ? `run:${run.continuation?.ofRunId ?? ''}`
        : `agent:${run.agent}`;
  return {
    grant,
    scope: { tenant, runId },
    from: given?.from ?? from,
    until: given?.until ?? run.budget.hardDeadline,
  };
};

export const isGranted = (run: Run, kind: GrantKind, name: string, now: number): boolean =>
  run.grants[lists[kind]].includes(name) && grantOf(run, kind, name).until > now;

export const allGrants = (run: Run): GrantView[] =>
  (Object.keys(lists) as GrantKind[]).flatMap((kind) =>
    run.grants[lists[kind]].map((name) => grantOf(run, kind, name)),
  );

/** A permission that was given, on the run's own record with the interaction it came by. */
export const give = (run: Run, grant: string, interactionRef: string): void => {
  const [kind = '', name = ''] = grant.split(/:(.*)/s);
  const list = lists[isKind(kind) ? kind : 'consent'];
  if (run.grants[list].includes(name)) return;
  run.grants = { ...run.grants, [list]: [...run.grants[list], name] };
  const given: GivenGrant = { grant, from: `permission:${interactionRef}`, until: run.budget.hardDeadline };
  run.given = [...(run.given ?? []), given];
};
