import { canonicalBytes } from '../platform/canonical';
import type { Code } from '../platform/errors';

const maxBytes = 64 * 1024;
const maxDepth = 32;

export type ReadRequirements =
  | { readonly ok: true; readonly text: string; readonly canonical: Buffer }
  | { readonly ok: false; readonly code: Code; readonly detail: string };

const no = (detail: string, code: Code = 'field_invalid'): ReadRequirements => ({ ok: false, code, detail });

/** Why a parsed value cannot be kept; looks no deeper than the limit, so a hostile depth costs nothing. */
const fault = (value: unknown, depth: number): string | null => {
  if (typeof value === 'string') return /[\0\p{Surrogate}]/u.test(value) ? 'holds NUL or a lone surrogate' : null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'holds a number that is too large';
  if (typeof value !== 'object' || value === null) return null;
  if (depth > maxDepth) return `is nested deeper than ${maxDepth} levels`;
  for (const [key, member] of Object.entries(value)) {
    const found = fault(key, depth) ?? fault(member, depth + 1);
    if (found !== null) return found;
  }
  return null;
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Structured requirements as JSON text or, over HTTP, as an object; both forms of one value read the same. */
export const readRequirements = (given: unknown): ReadRequirements => {
  let value = given;
  if (typeof given === 'string') {
    if (Buffer.byteLength(given) > maxBytes) return no(`exceeds ${maxBytes} bytes`, 'content_too_large');
    try {
      value = JSON.parse(given);
    } catch {
      return no('is not JSON');
    }
  }
  if (!isObject(value)) return no('must be a JSON object');
  const found = fault(value, 1);
  if (found !== null) return no(found);
  const text = typeof given === 'string' ? given : JSON.stringify(value);
  if (Buffer.byteLength(text) > maxBytes) return no(`exceeds ${maxBytes} bytes`, 'content_too_large');
  return { ok: true, text, canonical: canonicalBytes(value) };
};
