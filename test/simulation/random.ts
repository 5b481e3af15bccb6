/** Everything that is left to chance in a simulated world, drawn from one seed so that the seed replays it. */
export interface Random {
  /** From 0 up to 1. */
  readonly next: () => number;
  /** A whole number from `low` to `high`, both included. */
  readonly whole: (low: number, high: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  /** A stream of its own for what this names: what else happens in the world does not change what it gives. */
  readonly of: (name: string) => Random;
  /** Picks by weight. */
  readonly weighed: <T>(list: readonly (readonly [weight: number, value: T])[]) => T;
}

/** FNV-1a. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
};

/** mulberry32: small, quick, and the same on every machine. */
export const randomOf = (seed: number): Random => {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <T>(list: readonly T[]): T => {
    const one = list[Math.floor(next() * list.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  };
  return {
    next,
    pick,
    of: (name) => randomOf(hashOf(`${seed} ${name}`)),
    whole: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    weighed: (list) => {
      let left = next() * list.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of list) {
        left -= weight;
        if (left < 0) return value;
      }
      return pick(list)[1];
    },
  };
};
