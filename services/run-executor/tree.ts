import type { AggregateKey } from '../platform/decision';
import type { Draft } from './draft';
import { treeKey } from './messages';
import type { Tree } from './tree-state';

/** What this run's tree holds; empty for a run that stands alone, whose tree nobody has locked. */
export const treeOf = (draft: Draft): Tree =>
  draft.changed.tree ??
  draft.view.get<Tree>('tree', draft.run.rootRunId) ?? { tenant: draft.run.tenant, live: [], parked: null };

export const isInTree = (draft: Draft): boolean => draft.run.spawned !== null || draft.run.children.length > 0;

export const changeTree = (draft: Draft, change: Partial<Tree>): void => {
  draft.changed.tree = { ...treeOf(draft), ...change };
};

export const treePut = (draft: Draft): { key: AggregateKey; state: Tree }[] =>
  draft.changed.tree === null ? [] : [{ key: treeKey(draft.run.rootRunId), state: draft.changed.tree }];
