import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/documents';

const files = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? entry.name === 'node_modules'
        ? []
        : files(`${folder}/${entry.name}`)
      : entry.name.endsWith('.ts')
        ? [`${folder}/${entry.name}`]
        : [],
  );
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Where a process may be made to die, fail or hold. */
const defined = files('services').flatMap((file) =>
  [...textOf(file).matchAll(/await failpoint\('([a-z.]+)'\)/g)].map(([, name = '']) => name),
);
const quoted = files('test/fault').flatMap((file) =>
  [...textOf(file).matchAll(/'([a-z]+\.[a-z]+)(?:=(\w+)[^']*)?'/g)].map(([, name = '']) => name),
);

test('X3: each failpoint there is has its fault test, and none is named twice', () => {
  expect(defined.length).toBeGreaterThan(8);
  expect([...defined].sort()).toEqual([...new Set(defined)].sort());
  expect(defined.filter((name) => !quoted.includes(name))).toEqual([]);
});
