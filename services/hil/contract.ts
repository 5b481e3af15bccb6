import { mismatch } from '../platform/json-schema';
import type { Answer } from './messages';
import type { Asked } from './state';

export interface Violation {
  readonly field: string;
  readonly why: string;
}

export type Fitted = { readonly fits: true; readonly answer: Answer } | ({ readonly fits: false } & Violation);

const no = (field: string, why: string): Fitted => ({ fits: false, field, why });

/**
 * Whether an answer is one that was asked for. Words equal to a choice's id or label pick that choice, and words for a
 * schema are its string value; anything looser would be guessing.
 */
export const fit = (asked: Asked, answer: Answer): Fitted => {
  if (asked.kind !== 'question') {
    const other = (['text', 'choice', 'value'] as const).find((name) => answer[name] !== null);
    if (other !== undefined) return no(other, `a ${asked.kind} takes a decision, nothing else`);
    return answer.decision === null ? no('decision', 'approve or deny is needed') : { fits: true, answer };
  }
  if (answer.decision !== null) return no('decision', 'a question takes text, choice or value');
  const given = (['text', 'choice', 'value'] as const).filter((name) => answer[name] !== null);
  if (given.length !== 1) return no(given[1] ?? 'text', 'exactly one of text, choice and value is needed');
  if (answer.choice !== null)
    return asked.choices.some((choice) => choice.id === answer.choice)
      ? { fits: true, answer }
      : no('choice', 'no choice has this id');
  if (answer.value !== null) {
    if (asked.choices.length > 0) return no('value', 'one of the choices is needed');
    const why = mismatch(asked.schema, answer.value);
    return why === null ? { fits: true, answer } : no('value', why);
  }
  if (asked.choices.length > 0) {
    const picked = asked.choices.find((choice) => choice.id === answer.text || choice.label === answer.text);
    return picked === undefined
      ? no('text', 'one of the choices is needed')
      : { fits: true, answer: { ...answer, choice: picked.id } };
  }
  if (asked.schema === null) return { fits: true, answer };
  const value = JSON.stringify(answer.text);
  const why = mismatch(asked.schema, value);
  return why === null ? { fits: true, answer: { ...answer, value } } : no('text', why);
};
