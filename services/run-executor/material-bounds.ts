import type { Material } from '../../schemas/turn-protocol/input';

/** Requests and amendments together; the first of a chain and the newest come before what lies between. */
const maxRequestBytes = 512 * 1024;
/** Everything else: one text, and all of them together. */
const maxTextBytes = 64 * 1024;
const maxOtherBytes = 192 * 1024;

/** Cut at a character, never inside one. */
const cut = (text: string, maxBytes: number): string => {
  const bytes = Buffer.from(text).subarray(0, maxBytes);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
};

const fitted = (material: Material, maxBytes: number): Material => {
  const size = Buffer.byteLength(material.text ?? '');
  return material.text === null || size <= maxBytes
    ? material
    : {
        ...material,
        text: cut(material.text, maxBytes),
        truncatedFromBytes: material.truncatedFromBytes ?? size,
      };
};

const bytesOf = (material: Material): number => Buffer.byteLength(material.text ?? '');

/** Requests are never left out: the first one, then the newest, keep their whole text as long as there is room. */
export const boundedRequests = (requests: readonly Material[]): Material[] => {
  const result = [...requests];
  let left = maxRequestBytes;
  const order = [
    0,
    ...requests
      .map((_, index) => index)
      .slice(1)
      .reverse(),
  ];
  for (const index of order) {
    const material = result[index];
    if (material === undefined) continue;
    result[index] = fitted(material, left);
    left -= bytesOf(result[index]);
  }
  return result;
};

/** The other kinds may be unavailable, which is said instead of leaving them out. */
export const boundedOthers = (others: readonly Material[]): Material[] => {
  let left = maxOtherBytes;
  return others.map((material) => {
    const one = fitted(material, maxTextBytes);
    if (bytesOf(one) > left)
      return {
        ...one,
        text: null,
        available: false,
        unavailableReason: 'does not fit the bounds of materials',
        truncatedFromBytes: material.truncatedFromBytes ?? bytesOf(material),
      };
    left -= bytesOf(one);
    return one;
  });
};
