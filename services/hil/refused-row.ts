import type { Code } from '../platform/errors';
import type { Row } from '../platform/decision';
import type { Actor, Answer } from './messages';

/** A refused answer changes nothing and is kept for whoever asks later why (H4). */
export const refusedRow = (ref: string, actor: Actor, answer: Answer, code: Code, now: number): Row => ({
  table: 'refused_responses',
  values: {
    interaction_ref: ref,
    account: actor.account,
    client_response_id: answer.clientResponseId,
    code,
    at: new Date(now).toISOString(),
    answer: JSON.stringify(answer),
  },
});
