import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { createContext, Script } from 'node:vm';

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

/** Why a value, given as JSON text, does not fit a schema of somebody else's; null = it does. */
export const mismatch = (schema: string | null, value: string): string | null => {
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
