import { invariants, watchOf, Violation, type InvariantName } from './invariants';
import { read } from '../support/documents';
import { mutate, mutations } from './mutations';
import { tryOut } from './replay';

const maxSeeds = 800;
const timeoutMs = 240_000;

const firstBroken = (mutation: (typeof mutations)[number]): { seed: number; named: boolean } | null => {
  for (let seed = 1; seed <= maxSeeds; seed += 1) {
    const broken = tryOut(seed, { watches: () => [watchOf(mutation.breaks)], mutate: mutate(mutation) });
    if (broken?.error instanceof Violation) return { seed, named: broken.error.invariant === mutation.breaks };
  }
  return null;
};

describe('each invariant fails when the rule that guards it is taken away', () => {
  test.each(mutations)(
    '$breaks: $how',
    (mutation) => {
      expect(firstBroken(mutation)).toMatchObject({ named: true });
    },
    timeoutMs,
  );

  test('docs/proof.md names every invariant with its rule, and no other', () => {
    const rows = [...read('docs/proof.md').matchAll(/^\| ([A-Z]\d+) +\| (.+?) +\|$/gm)];
    expect(rows.map(([, rule, words]) => `${rule} ${words}`).sort()).toEqual(Object.keys(invariants).sort());
  });

  test('no invariant is without a mutation', () => {
    const broken = new Set<InvariantName>(mutations.map((mutation) => mutation.breaks));
    expect(Object.keys(invariants).filter((name) => !broken.has(name as InvariantName))).toEqual([]);
  });
});
