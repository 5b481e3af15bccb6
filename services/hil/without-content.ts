import type { Clarification, Interaction } from './state';

/**
 * An interaction that is over, without what was asked and what was said: who was asked, when, under which contract of
 * the agent's, the decision, and the hash of the answer stay. Null: nothing to be done, or it is still open.
 */
export const withoutContent = (state: Interaction, purgedAt: number): Interaction | null => {
  if (state.status === 'awaited' || state.status === 'open' || state.purgedAt !== undefined) return null;
  const asked = { ...state.asked, question: '', choices: [], schema: null, defaultAnswer: null };
  if (state.status === 'closed') return { ...state, asked, purgedAt };
  return { ...state, asked, purgedAt, response: { ...state.response, text: null, choice: null, value: null } };
};

/** Whether it has to wait: a person may still answer it, as one may approve a compensation of an ended run. */
export const isLive = (state: Interaction): boolean => state.status === 'awaited' || state.status === 'open';

/** The words of an answer by chat; what became of it stays. Null: nothing to be done. */
export const withoutWords = (state: Clarification): Clarification | null =>
  state.status === 'waiting' || state.submitted.content === ''
    ? null
    : { ...state, submitted: { ...state.submitted, content: '' } };
