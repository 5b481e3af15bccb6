import { Refusal } from './errors';

/** PostgreSQL keeps no NUL and UTF-8 no lone surrogate; both are refused by field (A17). */
const unkeepable = (value: string): boolean => /\u0000|\p{Surrogate}/u.test(value);

export const checkText = (value: string, field: string, maxBytes: number): void => {
  if (unkeepable(value)) throw new Refusal('field_invalid', `${field} holds a NUL or half a character`, field);
  if (Buffer.byteLength(value) > maxBytes)
    throw new Refusal('content_too_large', `${field} may have ${maxBytes} bytes`, field);
};

/** The same for a JSON value: its texts, names, numbers and depth. */
export const checkValue = (value: unknown, field: string, maxBytes: number, maxDepth: number, depth = 0): void => {
  if (depth > maxDepth) throw new Refusal('field_invalid', `${field} may be ${maxDepth} levels deep`, field);
  if (typeof value === 'string') checkText(value, field, maxBytes);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Refusal('field_invalid', `${field} holds a number that is too large`, field);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    checkText(name, field, maxBytes);
    checkValue(member, field, maxBytes, maxDepth, depth + 1);
  }
};
