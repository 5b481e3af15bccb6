import type { Action, Interaction, Message, Receipt, Report, Run, Turn, LiveEvent } from './facts';

/** What is known of a conversation, each thing by its name and in its newest form, in the order things first came. */
export interface Known {
  readonly messages: ReadonlyMap<string, Message>;
  /** By the message they are about. */
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly runs: ReadonlyMap<string, Run>;
  readonly turns: ReadonlyMap<string, Turn>;
  readonly interactions: ReadonlyMap<string, Interaction>;
  readonly actions: ReadonlyMap<string, Action>;
  readonly reports: ReadonlyMap<string, Report>;
}

export const nothingKnown: Known = {
  messages: new Map(),
  receipts: new Map(),
  runs: new Map(),
  turns: new Map(),
  interactions: new Map(),
  actions: new Map(),
  reports: new Map(),
};

const put = <T>(map: ReadonlyMap<string, T>, key: string, item: T): ReadonlyMap<string, T> =>
  new Map(map).set(key, item);

const turnKey = (turn: Turn): string => `${turn.runId ?? ''}/${turn.number}`;
export const reportKey = (report: Report): string => `${report.runId}/${report.version}.${report.seq}`;

const add = (known: Known, kind: string, item: unknown): Known => {
  switch (kind) {
    case 'message': {
      const one = item as Message;
      return { ...known, messages: put(known.messages, one.messageId, one) };
    }
    case 'receipt': {
      const one = item as Receipt & { readonly revision: number };
      // Revision 0 tells about one submission only; it is no fate of a stored message.
      return one.messageId === null || one.revision === 0
        ? known
        : { ...known, receipts: put(known.receipts, one.messageId, one) };
    }
    case 'run': {
      const one = item as Run;
      return { ...known, runs: put(known.runs, one.runId, one) };
    }
    case 'turn': {
      const one = item as Turn;
      return { ...known, turns: put(known.turns, turnKey(one), one) };
    }
    case 'interaction': {
      const one = item as Interaction;
      const before = known.interactions.get(one.interactionRef);
      return { ...known, interactions: put(known.interactions, one.interactionRef, { ...before, ...one }) };
    }
    case 'action': {
      const one = item as Action;
      return { ...known, actions: put(known.actions, one.actionKey, one) };
    }
    case 'report': {
      const one = item as Report;
      return { ...known, reports: put(known.reports, reportKey(one), one) };
    }
    default:
      return known;
  }
};

interface Snapshot {
  readonly messages?: readonly Message[];
  readonly receipts?: readonly Receipt[];
  readonly runs?: readonly Run[];
  readonly interactions?: readonly Interaction[];
  readonly actions?: readonly Action[];
  readonly reports?: readonly Report[];
}

const ofSnapshot = (snapshot: Snapshot): Known => {
  const lists: readonly (readonly [string, readonly unknown[] | undefined])[] = [
    ['message', snapshot.messages],
    ['receipt', snapshot.receipts],
    ['run', snapshot.runs],
    ['interaction', snapshot.interactions],
    ['action', snapshot.actions],
    ['report', snapshot.reports],
  ];
  return lists.reduce<Known>(
    (known, [kind, items]) => (items ?? []).reduce<Known>((before, item) => add(before, kind, item), known),
    nothingKnown,
  );
};

/** A snapshot replaces everything but turns, which it does not carry. */
export const withEvent = (known: Known, { kind, item }: LiveEvent): Known =>
  kind === 'snapshot' ? { ...ofSnapshot(item as Snapshot), turns: known.turns } : add(known, kind, item);
