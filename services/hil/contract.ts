import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { createContext, Script } from 'node:vm';
import type { Answer } from './messages';
import type { Asked } from './state';

/** A schema beyond this is not compiled; the value is then taken as it comes. */
const maxSchemaCharacters = 16 * 1024;
/** A schema's pattern may be of the kind that never ends; V8 stops it, and the answer counts as not fitting. */
const checkTimeoutMs = 250;
/** Far beyond what a schema of that size takes, even on a busy machine. */
const compileTimeoutMs = 2_000;
const keptSchemas = 200;

// Schemas are not added to the instance, so that two of them may carry the same $id. Nothing remote is ever loaded.
const ajv = new Ajv2020({ strict: false, allErrors: false, addUsedSchema: false, logger: false });
addFormats(ajv);
// The meta-schema is compiled with the first schema; better now than under the locks of the first answer.
ajv.compile({});

const room = createContext({ work: null }) as { work: (() => unknown) | null };
const enter = new Script('work()');

const bounded = <T>(timeout: number, work: () => T): T => {
  room.work = work;
  try {
    return enter.runInContext(room, { timeout }) as T;
  } finally {
    room.work = null;
  }
};

/** Null = the schema says nothing that can be checked: too large, broken, or it points outside itself. */
const compile = (schema: string): ValidateFunction | null => {
  if (schema.length > maxSchemaCharacters) return null;
  try {
    const parsed = JSON.parse(schema) as object;
    try {
      return bounded(compileTimeoutMs, () => ajv.compile(parsed));
    } finally {
      ajv.removeSchema(parsed);
    }
  } catch {
    return null;
  }
};

const compiled = new Map<string, ValidateFunction | null>();

const validatorOf = (schema: string): ValidateFunction | null => {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const oldest = compiled.keys().next().value;
  if (compiled.size >= keptSchemas && oldest !== undefined) compiled.delete(oldest);
  const validator = compile(schema);
  compiled.set(schema, validator);
  return validator;
};

/** Why a value does not fit, or null. */
const mismatch = (schema: string | null, value: string): string | null => {
  const validator = schema === null ? null : validatorOf(schema);
  if (validator === null) return null;
  try {
    if (bounded(checkTimeoutMs, () => validator(JSON.parse(value) as unknown))) return null;
    const issue = validator.errors?.[0];
    return `value${issue?.instancePath ?? ''} ${issue?.message ?? 'does not fit the schema'}`;
  } catch {
    return 'value could not be checked against the schema in time';
  }
};

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
