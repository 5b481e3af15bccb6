import { valueMaxDepth } from '../../../schemas/turn-protocol/limits';

export interface ValueFault {
  field: string;
  message: string;
}

const faultOfText = (text: string): string | null => {
  if (text.includes('\u0000')) return 'contains NUL';
  return /\p{Surrogate}/u.test(text) ? 'contains a lone surrogate' : null;
};

export const memberPath = (path: string, key: string): string => {
  const plain = /^[A-Za-z_$][\w$]*$/.test(key) ? key : `[${JSON.stringify(key)}]`;
  return path === '' || plain.startsWith('[') ? `${path}${plain}` : `${path}.${plain}`;
};

/**
 * A17: the first text in a JSON value that no store or page could keep as it is, or the place where the value goes
 * deeper than anything that reads it later can bear. It stops at that depth, so it cannot overflow the stack itself.
 */
export const findValueFault = (value: unknown, path = '', depth = 0): ValueFault | null => {
  if (typeof value === 'string') {
    const message = faultOfText(value);
    return message === null ? null : { field: path, message };
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? null : { field: path, message: 'is not a finite number' };
  }
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= valueMaxDepth) return { field: path, message: `is nested deeper than ${valueMaxDepth} levels` };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const fault = findValueFault(item, `${path}[${index}]`, depth + 1);
      if (fault !== null) return fault;
    }
    return null;
  }
  for (const [key, member] of Object.entries(value)) {
    const at = memberPath(path, key);
    const message = faultOfText(key);
    if (message !== null) return { field: at, message: `has a name that ${message}` };
    const fault = findValueFault(member, at, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
};
