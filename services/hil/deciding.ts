import type { AggregateKey, Decision, Emit, View } from '../platform/decision';
import { factsOf } from './answer';
import type { Message } from './messages';
import { clarificationKey, interactionChanged, interactionKey, messageDecided } from './records';
import type { Closed, DecidedClarification, Published } from './state';

/** After the commit: whoever watches an inbox looks again. */
export interface Wake {
  readonly refs: readonly string[];
}

export type Decided = Decision<Message, Wake>;

export const closed = (state: Published, code: string, now: number): Closed => ({
  ...factsOf(state),
  status: 'closed',
  code,
  changedAt: now,
});

/** Collects what one decision changes; a changed interaction or clarification always tells its owner so. */
export interface Deciding {
  put(key: AggregateKey, state: unknown): Deciding;
  interaction(state: Published): Deciding;
  clarification(state: DecidedClarification): Deciding;
  done(more?: Pick<Decided, 'rows' | 'reply' | 'tell'>): Decided;
}

export const deciding = (view: View): Deciding => {
  const puts: { key: AggregateKey; state: unknown }[] = [];
  const emits: Emit[] = [];
  const refs: string[] = [];
  const self: Deciding = {
    put: (key, state) => {
      puts.push({ key, state });
      return self;
    },
    interaction: (state) => {
      const key = interactionKey(state.asked.interactionRef);
      refs.push(key.id);
      emits.push(interactionChanged(state, view.revision(key.kind, key.id) + 1));
      return self.put(key, state);
    },
    clarification: (state) => {
      const key = clarificationKey(state.submitted.messageId);
      emits.push(messageDecided(state, view.revision(key.kind, key.id) + 1));
      return self.put(key, state);
    },
    done: (more = {}) => ({ put: puts, emit: emits, ...(refs.length > 0 ? { perform: [{ refs }] } : {}), ...more }),
  };
  return self;
};
