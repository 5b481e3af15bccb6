import { invariants, watchesWithoutRedrive } from './invariants';
import { story, tryOut, type Broken } from './replay';
import type { Options } from './world';

const defaultSeeds = 200;
/** Far more than one seed takes on a busy machine. */
const msPerSeed = 3_000;

/** Failing seeds that are listed before the first one's story is told. */
const maxListed = 20;
const listedLength = 300;

const one = process.env['FAIRLEAD_SEED'];
/** The first seed; a long hunt goes on where another one ended. */
const from = Number(process.env['FAIRLEAD_FROM_SEED'] ?? 1);
/** What is left of a seed that was shortened, as its failure printed it. */
const keep = process.env['FAIRLEAD_KEEP'];
const count = Number(process.env['FAIRLEAD_SEEDS'] ?? defaultSeeds);

const liveThrough = (seeds: number, how: Options): void => {
  const options: Options = keep === undefined ? how : { ...how, keep: new Set(keep.split(';')) };
  const list = one === undefined ? Array.from({ length: seeds }, (_, index) => from + index) : [Number(one)];
  const broken: Broken[] = [];
  for (const seed of list) {
    const failed = tryOut(seed, options);
    if (failed !== null) broken.push(failed);
    if (broken.length >= maxListed) break;
  }
  const [first] = broken;
  if (first === undefined) return;
  const others = broken.map(({ seed, error }) => `seed ${seed}: ${error.message.slice(0, listedLength)}`);
  throw new Error([`${broken.length} seeds fail`, ...others, '', story(first, options)].join('\n'));
};

describe('five services through crashes, repeats, redrives, stalls and a remote that misbehaves', () => {
  test(
    'every invariant holds in every seed, the past remembered by the inbox',
    () => liveThrough(count, {}),
    count * msPerSeed,
  );

  test(
    'X1 every invariant holds without any inbox: the past may be forgotten',
    () => liveThrough(Math.ceil(count / 4), { inbox: false }),
    count * msPerSeed,
  );

  test(
    'R25 no dead letter leaves a run stuck or an effect doubled, although nobody redrives it',
    () => liveThrough(Math.ceil(count / 4), { redriven: false, watches: watchesWithoutRedrive }),
    count * msPerSeed,
  );

  test('its invariants are of these rules: A1 A2 A6 A10 A11 A13 A14 A15 A16 A17 R2 R4 R6 R9 R11 R12 R13 R15 R16 R18 R19 R21 R22 R23 R25 H2 H3 H4 H7 E1 E3 E5 E7 E8 E9 P1 P3 P4 P5 X1 X2 X3', () => {
    const rules = new Set(Object.keys(invariants).map((name) => name.split(' ')[0]));
    const { currentTestName = '' } = expect.getState();
    expect([...rules].sort()).toEqual([...currentTestName.matchAll(/\b[ARHEPX]\d+\b/g)].map(([id]) => id).sort());
  });

  test('the same seed is the same world', () => {
    const told = [1, 2].map(() => {
      const notes: string[] = [];
      tryOut(7, { onNote: (line) => void notes.push(line) });
      return notes;
    });
    expect(told[0]).toEqual(told[1]);
    expect(told[0]?.length).toBeGreaterThan(100);
  });
});
