import Ajv2020 from 'ajv/dist/2020';
import { Compile } from 'typebox/compile';
import type { TurnFor } from '../../../schemas/turn-protocol/input';
import { TurnOutputSchema, type Ask, type TurnOutput } from '../../../schemas/turn-protocol/output';
import {
  bytesOfBody,
  reportBodyMaxBytes,
  requestMaxBytes,
  schemaMaxBytes,
  stateMaxBytes,
  textMaxBytes,
  toolInputMaxBytes,
} from '../../../schemas/turn-protocol/limits';
import { mismatch } from '../../platform/json-schema';
import { findValueFault, memberPath } from './values';
import { findCombinationFault } from './combinations';

export interface OutputRefusal {
  ok: false;
  field: string;
  code: 'malformed_output' | 'wrong_owner';
  message: string;
}
export type CheckedOutput = { ok: true; output: TurnOutput } | OutputRefusal;

type Fault = { field: string; message: string };

const shape = Compile(TurnOutputSchema);

/** Checks one answer of an agent against the protocol and against the turn it is for. Pure; the first fault is named. */
export const checkOutput = (raw: unknown, sealedFor: TurnFor): CheckedOutput => {
  const malformed = ({ field, message }: Fault): CheckedOutput => ({
    ok: false,
    field,
    code: 'malformed_output',
    message: `${field} ${message}`,
  });
  if (!isRecord(raw)) return malformed({ field: 'output', message: 'must be a JSON object' });
  const unkeepable = findValueFault(raw);
  if (unkeepable !== null) return malformed(unkeepable);
  const foreign = isRecord(raw.for) ? findForeignEcho(raw.for, sealedFor) : null;
  if (foreign !== null) {
    return { ok: false, field: foreign, code: 'wrong_owner', message: `${foreign} is not that of the turn` };
  }
  const output: unknown = withoutNulls(raw);
  if (!shape.Check(output)) return malformed(firstShapeFault(output));
  const fault = findCombinationFault(output) ?? findOversize(output) ?? findRuleFault(output) ?? findDuplicate(output);
  return fault === null ? { ok: true, output } : malformed(fault);
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In these, null is a value of the agent's own; anywhere else it is how some languages write "not given". */
const ownValues: ReadonlySet<string> = new Set(['state', 'input', 'params', 'default', 'value', 'schema', 'for']);

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([key, member]) => member !== null || ownValues.has(key));
  return Object.fromEntries(members.map(([key, member]) => [key, ownValues.has(key) ? member : withoutNulls(member)]));
};

const pointerToPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : memberPath(path, part)), '');

const firstShapeFault = (output: unknown): Fault => {
  const error = shape.Errors(output)[0];
  if (error === undefined) return { field: 'output', message: 'does not have the shape of a turn output' };
  const at = pointerToPath(error.instancePath);
  switch (error.keyword) {
    case 'required':
      return { field: memberPath(at, error.params.requiredProperties[0] ?? ''), message: 'is missing' };
    case 'additionalProperties':
      return { field: memberPath(at, error.params.additionalProperties[0] ?? ''), message: 'is not a field here' };
    case 'boolean':
      return { field: at, message: 'is not a field here' };
    case 'pattern':
      return { field: at, message: `must match ${String(error.params.pattern)}` };
    default:
      return { field: at === '' ? 'output' : at, message: error.message };
  }
};

const echoed = ['conversationId', 'taskId', 'runId', 'turn', 'requirementsVersion'] as const;

const findForeignEcho = (echo: Readonly<Record<string, unknown>>, sealedFor: TurnFor): string | null => {
  const field = echoed.find((name) => echo[name] !== sealedFor[name]);
  return field === undefined ? null : `for.${field}`;
};

const findOversize = (output: TurnOutput): Fault | null => {
  const texts = (field: string, text: string | undefined, limit = textMaxBytes): [string, string, number][] =>
    text === undefined ? [] : [[field, text, limit]];
  const values = (field: string, value: unknown, limit: number) => texts(field, JSON.stringify(value), limit);
  const measured = [
    ...values('state', output.state, stateMaxBytes),
    ...texts('understood', output.understood),
    ...texts('summary', output.summary),
    ...texts('fail.message', output.fail?.message),
    ...texts('publish.body', output.publish?.body, reportBodyMaxBytes),
    ...texts('report.body', output.report?.body, reportBodyMaxBytes),
    ...(output.openQuestions ?? []).flatMap((question, i) => texts(`openQuestions[${i}]`, question)),
    ...(output.toolCalls ?? []).flatMap((call, i) => values(`toolCalls[${i}].input`, call.input, toolInputMaxBytes)),
    ...(output.spawn ?? []).flatMap((child, i) => texts(`spawn[${i}].text`, child.text)),
    ...(output.actions ?? []).flatMap((action, i) => [
      ...values(`actions[${i}].params`, action.params, requestMaxBytes),
      ...texts(`actions[${i}].body`, action.body, requestMaxBytes),
      ...texts(`actions[${i}].note`, action.note),
    ]),
    ...(output.answerChildren ?? []).flatMap((answer, i) => [
      ...texts(`answerChildren[${i}].text`, answer.text),
      ...values(`answerChildren[${i}].value`, answer.value, textMaxBytes),
    ]),
    ...(output.ask ?? []).flatMap((ask, i) => [
      ...texts(`ask[${i}].question`, ask.question),
      ...(ask.choices ?? []).flatMap((choice, c) => texts(`ask[${i}].choices[${c}].label`, choice.label)),
      ...values(`ask[${i}].schema`, ask.schema, schemaMaxBytes),
      ...values(`ask[${i}].default`, ask.default, textMaxBytes),
    ]),
  ];
  const oversize = measured.find(([, text, limit]) => bytesOfBody(text) > limit);
  return oversize === undefined ? null : { field: oversize[0], message: `is larger than ${oversize[2]} bytes` };
};

let ajv: Ajv2020 | null = null;

/** What a person's answer will be held to has to be a JSON Schema; the schema is only read here, never run. */
const findSchemaFault = (schema: Readonly<Record<string, unknown>>): string | null => {
  ajv ??= new Ajv2020({ strict: false, logger: false });
  // A dialect of its own is not for this check to refuse.
  if (typeof schema['$schema'] === 'string' || ajv.validateSchema(schema) === true) return null;
  const [issue] = ajv.errors ?? [];
  return `is no JSON Schema: ${`${issue?.instancePath ?? ''} ${issue?.message ?? 'it cannot be read'}`.trim()}`;
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const faultOfAsk = (ask: Ask, at: string): Fault | null => {
  if (ask.kind === 'permission' && ask.grant === undefined) {
    return { field: `${at}.grant`, message: 'is missing: a permission names what it grants' };
  }
  if (ask.kind === 'question' && ask.grant !== undefined) {
    return { field: `${at}.grant`, message: 'belongs to a permission' };
  }
  const fault = ask.schema === undefined ? null : findSchemaFault(ask.schema);
  if (fault !== null) return { field: `${at}.schema`, message: fault };
  const unfit = ask.kind === 'question' && isGiven(ask.default) ? findDefaultFault(ask) : null;
  return unfit === null ? null : { field: `${at}.default`, message: unfit };
};

/** What a run goes on with when nobody answers is held to what an answer would be held to (H5). */
const findDefaultFault = (ask: Ask): string | null => {
  if ((ask.choices ?? []).length > 0)
    return ask.choices?.some(({ id }) => id === ask.default) === true ? null : 'must be the id of one of the choices';
  const unfit =
    ask.schema === undefined ? null : mismatch(JSON.stringify(ask.schema), JSON.stringify(ask.default ?? null));
  return unfit === null ? null : `does not fit the schema: ${unfit}`;
};

/** What a JSON Schema says badly: exactly one of several members. */
const findRuleFault = (output: TurnOutput): Fault | null => {
  for (const [i, action] of (output.actions ?? []).entries()) {
    const given = Number(isGiven(action.params)) + Number(action.body !== undefined);
    if (given !== 1) return { field: `actions[${i}].params`, message: 'or body: exactly one of them must be given' };
  }
  for (const [i, ask] of (output.ask ?? []).entries()) {
    const fault = faultOfAsk(ask, `ask[${i}]`);
    if (fault !== null) return fault;
  }
  for (const [i, answer] of (output.answerChildren ?? []).entries()) {
    const given = [answer.text, answer.choice, answer.value, answer.escalate === true || undefined].filter(isGiven);
    if (given.length !== 1) {
      return { field: `answerChildren[${i}]`, message: 'must have exactly one of text, choice, value, escalate' };
    }
  }
  for (const [i, source] of (output.report?.sources ?? []).entries()) {
    if (Object.keys(source).length !== 1) {
      return { field: `report.sources[${i}]`, message: 'must have exactly one of callId, materialRef, actionKey' };
    }
  }
  return null;
};

const findDuplicate = (output: TurnOutput): Fault | null => {
  const results = [
    ...(output.results?.reuse ?? []).map((id, i) => [`results.reuse[${i}]`, id] as const),
    ...(output.results?.drop ?? []).map((id, i) => [`results.drop[${i}]`, id] as const),
  ];
  const families: (readonly (readonly [string, string])[])[] = [
    results,
    (output.toolCalls ?? []).map((call, i) => [`toolCalls[${i}].callId`, call.callId]),
    (output.actions ?? []).flatMap(({ proposalId }, i) =>
      proposalId === undefined ? [] : [[`actions[${i}].proposalId`, proposalId] as const],
    ),
    (output.ask ?? []).map((ask, i) => [`ask[${i}].questionId`, ask.questionId]),
    (output.withdraw ?? []).map((id, i) => [`withdraw[${i}]`, id]),
    (output.spawn ?? []).map((child, i) => [`spawn[${i}].childId`, child.childId]),
    ...(output.ask ?? []).map((ask, i) =>
      (ask.choices ?? []).map((choice, c) => [`ask[${i}].choices[${c}].id`, choice.id] as const),
    ),
  ];
  for (const family of families) {
    const seen = new Set<string>();
    for (const [field, id] of family) {
      if (seen.has(id)) return { field, message: `repeats ${id}` };
      seen.add(id);
    }
  }
  return null;
};
