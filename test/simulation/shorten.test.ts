import { watchOf } from './invariants';
import { mutate, mutations } from './mutations';
import { ruleOf, story, tryOut } from './replay';
import { shorten } from './shorten';
import type { Options } from './world';

const fewLives = 60;
const timeoutMs = 120_000;

const [mutation] = mutations.filter(({ breaks }) => breaks === 'R9 each change of version is written down');
if (mutation === undefined) throw new Error('no such mutation');
const options: Options = { watches: () => [watchOf(mutation.breaks)], mutate: mutate(mutation) };

/** The first seed in which it shows. */
const firstBroken = () => {
  for (let seed = 1; seed < 200; seed += 1) {
    const broken = tryOut(seed, options);
    if (broken !== null) return broken;
  }
  throw new Error('no seed fails');
};

describe('a failure is shown by the shortest history that was found', () => {
  const broken = firstBroken();
  const short = shorten(broken, options, fewLives);

  test(
    'what is left breaks the same rule, and replays it',
    () => {
      expect(short.keep.size).toBeLessThan(short.offered / 2);
      const again = tryOut(broken.seed, { ...options, keep: short.keep });
      expect(again === null ? null : ruleOf(again)).toBe(mutation.breaks);
      expect(again?.error.message).toBe(short.failed.error.message);
    },
    timeoutMs,
  );

  test(
    'its story says the seed, what is left and the command',
    () => {
      const told = story(broken, { ...options, keep: short.keep });
      expect(told).toContain(`FAIRLEAD_SEED=${broken.seed} FAIRLEAD_KEEP='`);
      expect(told).toContain(mutation.breaks);
      expect(told).toContain('says ReceiptIssued');
    },
    timeoutMs,
  );
});
