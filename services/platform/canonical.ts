import { hash } from 'node:crypto';

/**
 * RFC 8785 (JSON Canonicalization Scheme). Written here because the `canonicalize` package is published for ESM only,
 * without an entry that CommonJS can require. ECMAScript's own number and string forms are the ones the RFC asks for,
 * so what remains is the order of the keys and refusing what JSON cannot say.
 */
const canonicalText = (value: unknown): string => {
  switch (typeof value) {
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`a canonical JSON number must be finite, not ${value}`);
      return JSON.stringify(value);
    case 'string':
      return canonicalString(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
    default:
      throw new TypeError(`a ${typeof value} has no canonical JSON form`);
  }
};

const canonicalString = (text: string): string => {
  // JSON.stringify would escape a lone surrogate and so give bytes to a text that has none.
  if (/\p{Surrogate}/u.test(text)) throw new TypeError('a lone surrogate has no canonical JSON form');
  return JSON.stringify(text);
};

const canonicalArray = (items: readonly unknown[]): string => `[${items.map(canonicalText).join(',')}]`;

/** The default sort compares UTF-16 code units, which is the RFC's order; members that are undefined do not exist. */
const canonicalObject = (value: object): string => {
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${canonicalString(key)}:${canonicalText(member)}`).join(',')}}`;
};

export const canonicalBytes = (value: unknown): Buffer => Buffer.from(canonicalText(value), 'utf8');

export const sha256Hex = (bytes: Uint8Array | string): string => hash('sha256', bytes);

export type SealableRequest = { params: unknown } | { body: string };

/**
 * The bytes of an action's request, made once (H8): they are previewed, hashed and sent as they are. `params` become
 * RFC 8785 bytes, so that two proposals that mean the same are the same request; a `body` is taken as it is.
 */
export const sealRequest = (request: SealableRequest): Buffer =>
  'body' in request ? Buffer.from(request.body, 'utf8') : canonicalBytes(request.params);
