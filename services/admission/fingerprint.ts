import { sha256Hex } from '../platform/canonical';
import type { Code } from '../platform/errors';
import type { Fields } from './fields';
import { readRequirements } from './requirements';

/** What two submissions of one identity are compared by (A2), in four parts so that A3 can say what differs. */
export interface Fingerprint {
  readonly content: string;
  readonly conversation: string;
  readonly relation: string;
  readonly target: string;
}

/** A value of a type that no stored submission has; what exactly it is does not matter. */
const odd = 'odd';

const plain = (value: unknown): unknown =>
  value === null || value === undefined
    ? null
    : typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
      ? value
      : [odd];

/** UTF-8 would turn a lone surrogate into another character; such a text equals no stored one. */
const wellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

export const contentSha256 = (content: unknown): string | null =>
  typeof content === 'string' && wellFormed(content) ? sha256Hex(content) : null;

const contentPart = (fields: Fields, contentHash: string | null): string => {
  const content = contentHash ?? odd;
  const { requirements } = fields;
  if (requirements === null || requirements === undefined) return content;
  const read = readRequirements(requirements);
  // Unreadable requirements are never stored, so their exact value need not be told apart from other unreadable ones.
  return `${content}/${read.ok ? sha256Hex(read.canonical) : odd}`;
};

/** Every intent field after the fixed defaults; computable whatever else is wrong with the submission (A3). */
export const fingerprintOf = (
  fields: Fields,
  contentHash: string | null,
  unknownField: string | null = null,
): Fingerprint => ({
  content: contentPart(fields, contentHash),
  conversation: typeof fields.conversationId === 'string' ? fields.conversationId : odd,
  relation: JSON.stringify([
    plain(fields.relation ?? 'UNSPECIFIED'),
    plain(fields.control),
    plain(fields.mode ?? 'QUEUE'),
    plain(fields.amendKind ?? 'SUPPLEMENT'),
  ]),
  target: sha256Hex(
    JSON.stringify([
      plain(fields.targetRunId),
      plain(fields.targetClientMessageId),
      plain(fields.expectedVersion),
      plain(fields.continuationOfRunId),
      plain(fields.parentRunId),
      plain(fields.interactionRef),
      plain(fields.requestRevision),
      plain(fields.dependsOnRunId),
      plain(fields.entityType),
      plain(fields.entityId),
      plain(fields.eventKind),
      plain(fields.eventAt),
      plain(fields.correlationId),
      plain(fields.agent),
      plain(fields.title),
      plain(fields.priority ?? 5),
      plain(fields.scheduled ?? false),
      ...(unknownField === null ? [] : [odd]),
    ]),
  ),
});

const order = [
  ['content', 'content_conflict'],
  ['conversation', 'conversation_conflict'],
  ['relation', 'relation_conflict'],
  ['target', 'target_conflict'],
] as const satisfies readonly (readonly [keyof Fingerprint, Code])[];

/** The first part that differs, in A3's order of looking; null = the same submission again. */
export const conflictOf = (stored: Fingerprint, came: Fingerprint): (typeof order)[number][1] | null =>
  order.find(([part]) => stored[part] !== came[part])?.[1] ?? null;
