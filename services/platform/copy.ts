/** A copy of plain data, as documents are: arrays, objects and values. `structuredClone` takes five times as long. */
export const copyOf = <T>(value: T): T => copied(value) as T;

const copied = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copied);
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copy[name] = copied(member);
  return copy;
};
