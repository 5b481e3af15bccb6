import { allWatches, Violation } from './invariants';
import { shorten } from './shorten';
import { openSimulation } from './simulation';
import type { Options } from './world';

/** What of a history is shown after a failure; one that was shortened is mostly shown whole. */
const shownSteps = 400;

export type Broken = { readonly seed: number; readonly error: Error };

/** Null: the whole life of this world broke no rule. */
export const tryOut = (seed: number, options: Options = {}): Broken | null => {
  try {
    openSimulation(seed, { watches: allWatches, ...options }).run();
    return null;
  } catch (error) {
    return { seed, error: error as Error };
  }
};

/** Two failures of one kind: the same invariant, or a throw that is no violation at all. */
export const ruleOf = ({ error }: Broken): string =>
  error instanceof Violation ? error.invariant : `throws ${error.name}`;

/** Words of the test's name. */
const kindOf = (options: Options): string =>
  options.inbox === false ? 'forgotten' : options.redriven === false ? 'redrives' : 'remembered';

/**
 * The failure with the shortest way there that was found: of everything that was said and went wrong in this seed only
 * what the failure needs, lived through once more with notes.
 */
export const story = (broken: Broken, options: Options = {}): string => {
  const { keep, notes, failed, offered } = shorten(broken, options);
  const { error } = failed;
  return [
    `seed ${broken.seed}: ${error instanceof Violation ? error.message : (error.stack ?? error.message)}`,
    `replay it with FAIRLEAD_SEED=${broken.seed} FAIRLEAD_KEEP='${[...keep].join(';')}' npx jest --selectProjects simulation -t ${kindOf(options)}`,
    `${keep.size} of ${offered} things that were said or went wrong are left; its ${Math.min(notes.length, shownSteps)} last of ${notes.length} steps:`,
    ...notes.slice(-shownSteps),
  ].join('\n');
};
