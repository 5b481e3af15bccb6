#!/usr/bin/env node
// Makes the npm package of the client in dist/sdk (or the folder named): JavaScript and types of what its face reaches,
// with a package.json of its own. `npm publish dist/sdk` is what a release does with it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const face = 'services/client/index';
const target = resolve(process.argv[2] ?? join(root, 'dist/sdk'));

const whole = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const options = [
  ...['--outDir', target, '--rootDir', root, '--declaration', '--stripInternal', '--target', 'es2023'],
  ...['--module', 'nodenext', '--moduleResolution', 'nodenext', '--lib', 'es2023,dom.asynciterable'],
  ...['--types', 'node', '--strict', '--esModuleInterop', '--skipLibCheck', '--ignoreConfig'],
];
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, ...options, join(root, `${face}.ts`)], {
  stdio: 'inherit',
  cwd: root,
});
if (status !== 0) process.exit(1);

const filesOf = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const namesIn = (path) =>
  [...readFileSync(path, 'utf8').matchAll(/(?:from |require\(|import\()["']([^"']+)["']/g)].map(([, name]) => name);

/** What runs; files that are there for their types alone leave only those. */
const running = new Set();
const reach = (path) => {
  if (running.has(path)) return;
  running.add(path);
  for (const name of namesIn(path)) if (name.startsWith('.')) reach(`${resolve(dirname(path), name)}.js`);
};
reach(join(target, `${face}.js`));
for (const path of filesOf(target)) if (path.endsWith('.js') && !running.has(path)) rmSync(path);

const needed = new Set(
  filesOf(target)
    .flatMap(namesIn)
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:')),
);
const manifest = {
  name: '@fairlead/sdk',
  version: whole.version,
  description: 'Client, agents and connectors for Fairlead',
  license: whole.license,
  engines: whole.engines,
  main: `./${face}.js`,
  types: `./${face}.d.ts`,
  exports: { '.': { types: `./${face}.d.ts`, default: `./${face}.js` }, './package.json': './package.json' },
  files: ['schemas', 'services'],
  dependencies: Object.fromEntries([...needed].sort().map((name) => [name, whole.dependencies[name]])),
  peerDependencies: { '@types/node': '>=20' },
  peerDependenciesMeta: { '@types/node': { optional: true } },
};

writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
copyFileSync(join(root, 'services/client/README.md'), join(target, 'README.md'));
