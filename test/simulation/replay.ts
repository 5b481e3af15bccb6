import { allWatches, Violation } from './invariants';
import { openSimulation } from './simulation';
import type { Options } from './world';

/** What of a seed's history is shown after a failure. */
const shownSteps = 120;

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

/** Words of the test's name. */
const kindOf = (options: Options): string =>
  options.inbox === false ? 'forgotten' : options.redriven === false ? 'redrives' : 'remembered';

/** The failure with the way there: the same seed lived through once more, this time with notes. */
export const story = (broken: Broken, options: Options = {}): string => {
  const notes: string[] = [];
  const again = tryOut(broken.seed, { ...options, onNote: (line) => void notes.push(line) });
  const { error } = again ?? broken;
  return [
    `seed ${broken.seed}: ${error instanceof Violation ? error.message : (error.stack ?? error.message)}`,
    `replay it with FAIRLEAD_SEED=${broken.seed} npx jest --selectProjects simulation -t ${kindOf(options)}`,
    `the last of ${notes.length} steps:`,
    ...notes.slice(-shownSteps),
  ].join('\n');
};
