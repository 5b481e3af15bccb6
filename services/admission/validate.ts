import type { MessageSubmitted, Relation } from '../../schemas/generated/records';
import type { Code } from '../platform/errors';
import { relationOf, type Fields } from './fields';
import { readRequirements } from './requirements';

/** A "no" before admission: what is wrong, and where. */
export interface Issue {
  readonly code: Code;
  readonly field: string | null;
  readonly detail: string;
}

/** A submission whose fields all have their types, and nothing that its relation does not allow. */
export type Submission = Omit<MessageSubmitted, 'eventId' | 'occurredAt' | 'account' | 'relation'> & {
  readonly relation: Exclude<Relation, 'UNKNOWN'>;
};

export type Checked = { readonly ok: true; readonly value: Submission } | { readonly ok: false; readonly issue: Issue };

export const issue = (code: Code, field: string | null, detail: string): Issue => ({ code, field, detail });

const maxContentBytes = 256 * 1024;
const maxTitleCharacters = 200;
const maxLabelCharacters = 128;
const maxEventIdCharacters = 256;
const maxInt = 2_147_483_647;
/** Bounds of what a date can be in JavaScript. */
const maxTimeMs = 8_640_000_000_000_000;

type Option = Exclude<keyof Submission, 'conversationId' | 'clientMessageId' | 'content' | 'relation'>;

interface Rule {
  readonly target: boolean;
  readonly required: readonly Option[];
  readonly optional: readonly Option[];
  readonly emptyContent: boolean;
}

const rule = (
  required: readonly Option[],
  optional: readonly Option[],
  more: { readonly target?: true; readonly emptyContent?: true } = {},
): Rule => ({ required, optional, target: more.target === true, emptyContent: more.emptyContent === true });

const about = ['agent', 'title', 'priority'] as const;

/** Which fields each relation needs and allows; everything else set is refused (A8, A17). */
export const rules: Readonly<Record<Submission['relation'], Rule>> = {
  UNSPECIFIED: rule([], [...about, 'scheduled', 'requirements', 'expectedVersion']),
  NEW_TASK: rule([], [...about, 'scheduled', 'requirements', 'mode', 'dependsOnRunId', 'entityType', 'entityId']),
  FOLLOW_UP: rule([], [...about, 'scheduled', 'requirements', 'parentRunId']),
  CLARIFICATION: rule(['interactionRef', 'requestRevision'], []),
  CONTINUE: rule(['continuationOfRunId'], [...about, 'requirements', 'interactionRef', 'requestRevision']),
  AMEND: rule(['expectedVersion'], ['amendKind', 'requirements'], { target: true }),
  OBSERVE: rule([], [], { target: true }),
  CONTROL: rule(['control'], [], { target: true, emptyContent: true }),
  ENTITY_EVENT: rule(['entityType', 'entityId', 'eventKind', 'eventAt'], ['correlationId', 'agent', 'priority'], {
    emptyContent: true,
  }),
};

/** Fields that only make sense together. */
const pairs: readonly (readonly [Option, Option])[] = [
  ['entityType', 'entityId'],
  ['interactionRef', 'requestRevision'],
];

/** Why a value is not acceptable; null = it is. */
type Check = (value: unknown) => string | null;

const idPattern = /^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/;
const unkeepable = /[\0\p{Surrogate}]/u;
const controls = /[\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u;

const id: Check = (value) =>
  typeof value === 'string' && idPattern.test(value) ? null : 'must be 1 to 128 characters of A-Z a-z 0-9 . _ : -';
export const isId = (value: unknown): value is string => id(value) === null;

const whole =
  (min: number, max: number): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max
      ? null
      : `must be a whole number from ${min}${max === maxInt ? '' : ` to ${max}`}`;
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string) ? null : `must be one of ${values.join(', ').toLowerCase()}`;
const label: Check = (value) =>
  typeof value === 'string' && value.length >= 1 && value.length <= maxLabelCharacters && !controls.test(value)
    ? null
    : `must be 1 to ${maxLabelCharacters} characters, without control characters`;
const title: Check = (value) =>
  typeof value !== 'string'
    ? 'must be a text'
    : unkeepable.test(value)
      ? 'holds NUL or a lone surrogate'
      : [...value.slice(0, 2 * maxTitleCharacters + 2)].length > maxTitleCharacters
        ? `exceeds ${maxTitleCharacters} characters`
        : null;

const checks: Readonly<Record<Exclude<Option, 'requirements'>, Check>> = {
  targetRunId: id,
  targetClientMessageId: id,
  expectedVersion: whole(1, maxInt),
  amendKind: oneOf('SUPPLEMENT', 'REPLACE'),
  continuationOfRunId: id,
  parentRunId: id,
  interactionRef: id,
  requestRevision: whole(1, maxInt),
  control: oneOf('PROGRESS', 'PAUSE', 'RESUME', 'CANCEL'),
  mode: oneOf('QUEUE', 'PARALLEL'),
  dependsOnRunId: id,
  entityType: label,
  entityId: label,
  eventKind: label,
  eventAt: whole(-maxTimeMs, maxTimeMs),
  correlationId: label,
  agent: label,
  title,
  priority: whole(0, 9),
  scheduled: (value) => (typeof value === 'boolean' ? null : 'must be true or false'),
};

const checkList = Object.entries(checks) as [Exclude<Option, 'requirements'>, Check][];
const targets: readonly Option[] = ['targetRunId', 'targetClientMessageId'];

/** What each relation does not allow: the other side of the table of rules. */
const strays = Object.fromEntries(
  Object.entries(rules).map(([relation, { required, optional, target }]) => {
    const allowed = new Set<Option>([...required, ...optional, ...(target ? targets : [])]);
    return [relation, ([...Object.keys(checks), 'requirements'] as Option[]).filter((name) => !allowed.has(name))];
  }),
) as Record<Submission['relation'], Option[]>;

/** False is what `scheduled` is when nobody set it. */
const isSet = (value: unknown): boolean => value !== null && value !== undefined && value !== false;

const contentIssue = (content: unknown, emptyAllowed: boolean): Issue | null => {
  if (content === null || content === undefined || content === '')
    return emptyAllowed
      ? null
      : issue('field_missing', 'content', 'content: this relation needs the words of the user');
  if (typeof content !== 'string') return issue('field_invalid', 'content', 'content: must be a text');
  if (Buffer.byteLength(content) > maxContentBytes)
    return issue('content_too_large', 'content', `content: exceeds ${maxContentBytes} bytes of UTF-8`);
  return unkeepable.test(content) ? issue('field_invalid', 'content', 'content: holds NUL or a lone surrogate') : null;
};

const fits = (fields: Fields, relation: Submission['relation']): Issue | null => {
  const { target, required } = rules[relation];
  const stray = strays[relation].find((name) => isSet(fields[name]));
  if (stray !== undefined)
    return issue('field_not_allowed', stray, `${stray}: does not belong to ${relation.toLowerCase()}`);
  if (target && targets.every((name) => isSet(fields[name])))
    return issue('field_not_allowed', 'targetClientMessageId', 'targetClientMessageId: only one of the two targets');
  const missing =
    (target && !targets.some((name) => isSet(fields[name])) ? 'targetRunId' : undefined) ??
    required.find((name) => !isSet(fields[name])) ??
    pairs.flatMap(([a, b]) => (isSet(fields[a]) === isSet(fields[b]) ? [] : [isSet(fields[a]) ? b : a]))[0];
  return missing === undefined
    ? null
    : issue('field_missing', missing, `${missing}: ${relation.toLowerCase()} needs it here`);
};

const valuesIssue = (fields: Fields): Issue | null => {
  for (const [name, check] of checkList) {
    const value = fields[name];
    if (value === null || value === undefined) continue;
    const why = check(value);
    if (why !== null) return issue('field_invalid', name, `${name}: ${why}`);
  }
  return null;
};

/** The account by name; the token or the binding says whether it may be used at all (A7). */
export const accountIssue = (account: unknown): Issue | null => {
  if (account === null || account === undefined || account === '')
    return issue('field_missing', 'account', 'account: this binding needs it');
  const why = label(account);
  return why === null ? null : issue('field_invalid', 'account', `account: ${why}`);
};

export const eventIdIssue = (eventId: string): Issue | null =>
  eventId.length <= maxEventIdCharacters && !controls.test(eventId)
    ? null
    : issue('field_invalid', 'eventId', `eventId: up to ${maxEventIdCharacters} characters, no control characters`);

/** Everything that can be said about a submission from itself alone, in a fixed order. */
export const check = (fields: Fields, first: Issue | null = null): Checked => {
  const no = (found: Issue): Checked => ({ ok: false, issue: found });
  for (const name of ['clientMessageId', 'conversationId'] as const) {
    const value = fields[name];
    if (value === null || value === undefined || value === '')
      return no(issue('field_missing', name, `${name}: is needed`));
    const why = id(value);
    if (why !== null) return no(issue('field_invalid', name, `${name}: ${why}`));
  }
  if (first !== null) return no(first);
  const relation = relationOf(fields);
  if (relation === null || relation === 'UNKNOWN')
    return no(issue('field_invalid', 'relation', 'relation: is none of the relations this version knows'));
  const found =
    fits(fields, relation) ?? valuesIssue(fields) ?? contentIssue(fields.content, rules[relation].emptyContent);
  if (found !== null) return no(found);
  let requirements: string | null = null;
  if (fields.requirements !== null && fields.requirements !== undefined) {
    const read = readRequirements(fields.requirements);
    if (!read.ok) return no(issue(read.code, 'requirements', `requirements: ${read.detail}`));
    requirements = read.text;
  }
  return { ok: true, value: submissionOf(fields, relation, requirements) };
};

const maybe = <T>(value: unknown): T | null => (value ?? null) as T | null;

/** Written out, because this runs once for every message and spreading two wide objects costs more than all checks. */
const submissionOf = (fields: Fields, relation: Submission['relation'], requirements: string | null): Submission => ({
  conversationId: fields.conversationId as string,
  clientMessageId: fields.clientMessageId as string,
  content: (fields.content ?? '') as string,
  relation,
  targetRunId: maybe(fields.targetRunId),
  targetClientMessageId: maybe(fields.targetClientMessageId),
  expectedVersion: maybe(fields.expectedVersion),
  amendKind: maybe(fields.amendKind),
  continuationOfRunId: maybe(fields.continuationOfRunId),
  parentRunId: maybe(fields.parentRunId),
  interactionRef: maybe(fields.interactionRef),
  requestRevision: maybe(fields.requestRevision),
  control: maybe(fields.control),
  mode: maybe(fields.mode),
  dependsOnRunId: maybe(fields.dependsOnRunId),
  entityType: maybe(fields.entityType),
  entityId: maybe(fields.entityId),
  eventKind: maybe(fields.eventKind),
  eventAt: maybe(fields.eventAt),
  correlationId: maybe(fields.correlationId),
  agent: maybe(fields.agent),
  title: maybe(fields.title),
  priority: maybe(fields.priority),
  scheduled: fields.scheduled === true,
  requirements,
});
