import type { Change, TurnInput } from '../../../../schemas/turn-protocol/input';
import { canonicalBytes, sha256Hex } from '../../../platform/canonical';

/**
 * What the agent keeps between turns, in `state`. Everything else it reads from the input. Changes are told once, so
 * what they say about a question or a proposal is kept here.
 */
export interface Memory {
  called: readonly string[];
  asked: readonly string[];
  closed: Readonly<Record<string, 'expired' | 'interaction_withdrawn'>>;
  proposed: readonly string[];
  refused: Readonly<Record<string, { code: string; actionKey: string | null }>>;
  notes: readonly { kind: string; text: string }[];
  /** Refused reports of this version, and whether one was refused for a result of an earlier one. */
  refusals: { version: number; count: number; stale: boolean };
  /** What was to be seen when the agent last chose to wait; null when it did not. */
  waitedOn: string | null;
  /** The agent was asked again although nothing it waits for has moved: nobody will answer. */
  idle: boolean;
}

const notesMax = 20;
const noteMaxCharacters = 500;
const idsMax = 500;

const empty = (version: number): Memory => ({
  called: [],
  asked: [],
  closed: {},
  proposed: [],
  refused: {},
  notes: [],
  refusals: { version, count: 0, stale: false },
  waitedOn: null,
  idle: false,
});

export const recall = (input: TurnInput): Memory => {
  const version = input.requirements.version;
  // The state is this agent's own answer of an earlier turn, kept by the executor as it was given.
  const kept = (input.state?.value ?? {}) as Partial<Memory>;
  const base: Memory = { ...empty(version), ...kept };
  const fresh = base.refusals.version === version ? base : { ...base, refusals: empty(version).refusals };
  const memory = input.changes.reduce(heed, fresh);
  const idle = memory.waitedOn !== null && input.changes.length === 0 && memory.waitedOn === sightOf(input);
  return { ...memory, idle };
};

/** A digest of all that a waiting turn waits for. */
export const sightOf = (input: TurnInput): string =>
  sha256Hex(
    canonicalBytes({
      version: input.requirements.version,
      actions: input.actions.map(({ actionKey, state }) => ({ actionKey, state })),
      answers: input.answers.map(({ questionId, interactionRef }) => ({ questionId, interactionRef })),
      results: input.toolResults.length,
    }),
  );

export const withIds = (kept: readonly string[], added: readonly string[]): readonly string[] =>
  [...new Set([...kept, ...added])].slice(-idsMax);

const withNote = (memory: Memory, kind: string, text: string): Memory => {
  const cut = text.length > noteMaxCharacters ? `${[...text].slice(0, noteMaxCharacters).join('')} …` : text;
  return { ...memory, notes: [...memory.notes, { kind, text: cut }].slice(-notesMax) };
};

const without = (kept: readonly string[], ids: readonly string[]): readonly string[] =>
  kept.filter((id) => !ids.includes(id));

const heed = (memory: Memory, change: Change): Memory => {
  switch (change.kind) {
    case 'expired':
    case 'interaction_withdrawn':
      return { ...memory, closed: { ...memory.closed, [change.questionId]: change.kind } };
    case 'withheld':
      return {
        ...memory,
        called: without(memory.called, change.ids),
        asked: without(memory.asked, change.ids),
        proposed: without(memory.proposed, change.ids),
      };
    case 'action_refused':
      return change.proposalId === null
        ? memory
        : {
            ...memory,
            refused: { ...memory.refused, [change.proposalId]: { code: change.code, actionKey: change.actionKey } },
          };
    case 'report_refused':
      return {
        ...memory,
        refusals: {
          ...memory.refusals,
          count: memory.refusals.count + 1,
          stale: memory.refusals.stale || change.code === 'stale_source',
        },
      };
    case 'observed':
      return withNote(memory, 'Observation', change.text);
    case 'entity_event': {
      const sure = change.confirmed ? 'Event' : 'Event, unconfirmed';
      return withNote(memory, `${sure} (${change.eventKind})`, change.text);
    }
    case 'grant_refused':
      return withNote(
        memory,
        'Permission refused',
        `${change.grant}${change.code === null ? '' : ` (${change.code})`}`,
      );
    // The rest can be read from the lists of the input, or concerns children, which this agent has none of.
    case 'amended':
    case 'answered':
    case 'park_refused':
    case 'action_proposed':
    case 'action_awaiting_approval':
    case 'action_denied':
    case 'action_withdrawn':
    case 'action_succeeded':
    case 'action_failed':
    case 'action_unknown':
    case 'action_blocked':
    case 'action_disputed':
    case 'child_ended':
    case 'child_asks':
    case 'grant_added':
    case 'resumed':
      return memory;
  }
};
