import type { MessageSubmitted, Relation } from '../../schemas/generated/records';

/** A submission before it is checked: the names of the interface, whatever their values are. */
export type Fields = { readonly [Name in keyof MessageSubmitted]?: unknown };

type BodyName = Exclude<keyof MessageSubmitted, 'eventId' | 'occurredAt' | 'account' | 'conversationId'>;

/** How a field travels over HTTP where that differs from the record. */
const overHttp: Record<BodyName, 'as it is' | 'enum' | 'time'> = {
  clientMessageId: 'as it is',
  content: 'as it is',
  relation: 'enum',
  targetRunId: 'as it is',
  targetClientMessageId: 'as it is',
  expectedVersion: 'as it is',
  amendKind: 'enum',
  continuationOfRunId: 'as it is',
  parentRunId: 'as it is',
  interactionRef: 'as it is',
  requestRevision: 'as it is',
  control: 'enum',
  mode: 'enum',
  dependsOnRunId: 'as it is',
  entityType: 'as it is',
  entityId: 'as it is',
  eventKind: 'as it is',
  eventAt: 'time',
  correlationId: 'as it is',
  agent: 'as it is',
  title: 'as it is',
  priority: 'as it is',
  scheduled: 'as it is',
  requirements: 'as it is',
};

export const bodyNames = Object.keys(overHttp) as BodyName[];

const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

/** Lower case is the form of HTTP; anything else becomes a value that no check accepts. */
const fromHttp = (how: 'as it is' | 'enum' | 'time', value: unknown): unknown => {
  if (value === null || value === undefined || how === 'as it is') return value ?? null;
  if (how === 'enum')
    return typeof value === 'string' && value === value.toLowerCase() ? value.toUpperCase() : { not: 'an enum value' };
  const ms = typeof value === 'string' && dateTime.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? { not: 'a time' } : ms;
};

/** The body of a POST in the names and values of the record; null and absent are the same. */
export const fieldsOfBody = (
  conversationId: string,
  body: Readonly<Record<string, unknown>>,
): { readonly fields: Fields; readonly unknownField: string | null } => {
  const fields: Record<string, unknown> = { conversationId };
  let unknownField: string | null = null;
  for (const [name, value] of Object.entries(body)) {
    if (Object.hasOwn(overHttp, name)) fields[name] = fromHttp(overHttp[name as BodyName], value);
    else unknownField ??= name;
  }
  return { fields, unknownField };
};

const relations: ReadonlySet<unknown> = new Set<Relation>([
  'UNSPECIFIED',
  'NEW_TASK',
  'FOLLOW_UP',
  'CLARIFICATION',
  'CONTINUE',
  'AMEND',
  'OBSERVE',
  'CONTROL',
  'ENTITY_EVENT',
]);

/** For receipts: null when the relation could not be read. */
export const relationOf = (fields: Fields): Relation | null => {
  const relation = fields.relation ?? 'UNSPECIFIED';
  return relations.has(relation) ? (relation as Relation) : null;
};
