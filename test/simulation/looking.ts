import type { Document } from '../../services/publication/document';
import { isRun, type Run, type RunRow } from '../../services/run-executor/state';
import type { Commit } from './process';
import type { ServiceName } from './services';
import type { World } from './world';

interface Changed<S> {
  readonly id: string;
  readonly before: S | undefined;
  readonly after: S;
}

export const changes = <S>(commit: Commit, service: ServiceName, kind: string): Changed<S>[] =>
  commit.service !== service
    ? []
    : commit.changes.flatMap(({ key, before, after }) =>
        key.kind === kind ? [{ id: key.id, before: before() as S | undefined, after: after as S }] : [],
      );

export const runChanges = (commit: Commit): { before: Run | undefined; after: Run }[] =>
  changes<RunRow>(commit, 'run-executor', 'run').flatMap(({ before, after }) =>
    isRun(after) ? [{ before: isRun(before) ? before : undefined, after }] : [],
  );

export const facts = <R>(commit: Commit, type: string): (R & { readonly eventId: string })[] =>
  commit.facts.filter((fact) => fact.type === type).map((fact) => ({ ...fact.value, eventId: fact.eventId }) as never);

export const all = <S>(
  world: World,
  service: ServiceName,
  kind: string,
): { readonly id: string; readonly state: S }[] => {
  const { store } = world.services[service];
  return store.ids(kind).map((id) => ({ id, state: store.state<S>(kind, id) as S }));
};

export const runsOf = (world: World): Run[] =>
  all<RunRow>(world, 'run-executor', 'run').flatMap(({ state }) => (isRun(state) ? [state] : []));
export const stateOf = <S>(world: World, service: ServiceName, kind: string, id: string): S | undefined =>
  world.services[service].store.state<S>(kind, id);

/** Hashes of all texts that any document has or had. */
export const textsOf = (world: World): string[] =>
  all<Document>(world, 'publication', 'document').flatMap(({ state }) => state.texts.map((text) => text.sha256));
