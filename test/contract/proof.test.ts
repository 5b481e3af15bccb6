import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { read, root } from '../support/documents';

const lastCase = 61;

/** The numbers in the titles of one file: `case 7 R11: …`, `case 35, 39: …`. */
const casesIn = (path: string): readonly string[] =>
  [...read(path).matchAll(/['`][^'`\n]*?\bcases? (\d+(?:(?:, | and )\d+)*)/g)].flatMap(
    ([, numbers = '']) => numbers.match(/\d+/g) ?? [],
  );

const rows = [...read('docs/proof.md').matchAll(/^\| (\d+) +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, number = '', , tests = '']) => ({
    number,
    paths: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  }),
);

test('every case is in the title of a test', () => {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const shown = new Set(
    files
      .filter((file) => file.endsWith('.test.ts') && file !== 'contract/proof.test.ts')
      .flatMap((file) => casesIn(`test/${file}`)),
  );
  const numbers = Array.from({ length: lastCase }, (_, index) => String(index + 1));
  expect(numbers.filter((number) => !shown.has(number))).toEqual([]);
});

test('docs/proof.md tells every case once, in order, with tests that carry its number', () => {
  expect(rows.map(({ number }) => Number(number))).toEqual(Array.from({ length: lastCase }, (_, index) => index + 1));
  for (const { number, paths } of rows) {
    expect([number, paths.length > 0]).toEqual([number, true]);
    for (const path of paths)
      expect([path, casesIn(`test/${path}.test.ts`)]).toEqual([path, expect.arrayContaining([number])]);
  }
});
