import { ruleOf, tryOut, type Broken } from './replay';
import type { Options } from './world';

/** Lives that are spent on making one failure's history shorter. */
const maxLives = 250;

export interface Short {
  /** What has to happen for the failure. */
  readonly keep: ReadonlySet<string>;
  /** How many things could have been left out at first. */
  readonly offered: number;
  readonly notes: readonly string[];
  readonly failed: Broken;
}

/**
 * Leaves out what was said and what went wrong, large parts first, as long as the same rule is broken. Every such thing
 * has a name and chances of its own, so that the rest of the world stays as it was where it can.
 */
export const shorten = (broken: Broken, options: Options, lives = maxLives): Short => {
  const rule = ruleOf(broken);
  const live = (keep: ReadonlySet<string> | undefined): Short | null => {
    const offered = new Set<string>();
    const notes: string[] = [];
    const failed = tryOut(broken.seed, {
      ...options,
      ...(keep === undefined ? {} : { keep }),
      onNote: (line) => void notes.push(line),
      onOffered: (name) => void offered.add(name),
    });
    if (failed === null || ruleOf(failed) !== rule) return null;
    const kept = keep === undefined ? offered : new Set([...offered].filter((name) => keep.has(name)));
    return { keep: kept, offered: offered.size, notes, failed };
  };

  const first = live(options.keep);
  if (first === null) return { keep: options.keep ?? new Set(), offered: 0, notes: [], failed: broken };
  let best = first;
  let left = lives;
  let parts = 1;
  while (left > 0 && best.keep.size > 0) {
    const names = [...best.keep];
    const size = Math.ceil(names.length / parts);
    let shorter: Short | null = null;
    for (let from = 0; from < names.length && shorter === null && left > 0; from += size) {
      left -= 1;
      const rest = new Set([...names.slice(0, from), ...names.slice(from + size)]);
      const found = live(rest);
      if (found !== null && found.keep.size < best.keep.size) shorter = found;
    }
    if (shorter !== null) best = shorter;
    else if (size === 1) break;
    else parts = Math.min(names.length, parts * 2);
  }
  return { ...best, offered: first.offered };
};
