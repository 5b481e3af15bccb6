import type { Item } from './items';
import type { ReportRun, TimelineKind } from './state';

type Bodied = Readonly<Record<string, unknown>>;

/** What of an item is somebody's words goes; names, states, hashes and times stay. */
const stripped = (kind: TimelineKind, item: Item): Item => {
  switch (kind) {
    case 'message':
      return { ...item, content: null, title: null };
    case 'receipt':
      return { ...item, effectiveRequirements: null, candidates: [] };
    case 'run':
      return { ...item, title: null };
    case 'turn':
      return { ...item, understood: null };
    case 'interaction': {
      const response = item['response'] as Bodied | null;
      return {
        ...item,
        question: null,
        choices: [],
        response: response === null ? null : { ...response, text: null, choice: null, value: null },
      };
    }
    case 'action':
      return { ...item, evidence: (item['evidence'] as readonly Bodied[]).map((one) => ({ ...one, body: null })) };
    case 'report':
      return item;
  }
};

/** Null: it is so already. */
export const withoutContent = (kind: TimelineKind, item: Item, purgedAt: number): Item | null =>
  item['purgedAt'] === undefined ? { ...stripped(kind, item), purgedAt: new Date(purgedAt).toISOString() } : null;

export const purgedRun = (run: ReportRun, purgedAt: number): ReportRun | null =>
  run.purgedAt === undefined ? { ...run, purgedAt } : null;
