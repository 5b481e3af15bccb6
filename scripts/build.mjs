#!/usr/bin/env node
// Compiles the TypeScript sources to dist/, file by file and only what changed since the last build. A build with
// nothing to do must stay cheap, because every command starts with one; so swc is loaded only when there is work.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { withLock } from '../infra/local/lock.mjs';
import { stateDir } from '../infra/local/ports.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const manifestPath = join(dist, '.build.json');

const sourceFolders = ['services', 'schemas', 'examples', 'infra', 'test/support', 'test/bench'];
const assetPattern = /\.(avsc|sql|json|csv|md|yaml|yml|html|mjs)$/;
/** The console is bundled for the browser, not compiled for Node. */
const consoleFolder = 'services/console';
const notForNode = new Set([consoleFolder]);
const isSource = (name) => name.endsWith('.ts') && !name.endsWith('.d.ts');

const walk = (folder, found) => {
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && !notForNode.has(path)) walk(path, found);
    } else if (isSource(entry.name) || assetPattern.test(entry.name)) {
      const { mtimeMs, size } = statSync(join(root, path));
      found[path] = `${mtimeMs}:${size}`;
    }
  }
};

const sources = () => {
  const found = {};
  for (const folder of sourceFolders) walk(folder, found);
  return found;
};

/** All files the bundle of the console is made of, and what makes it. */
const consoleSources = () => {
  const found = {};
  const look = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) look(path);
      else {
        const { mtimeMs, size } = statSync(join(root, path));
        found[path] = `${mtimeMs}:${size}`;
      }
    }
  };
  look(consoleFolder);
  for (const name of ['vite', 'react-dom', 'wouter', 'markdown-it']) {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    found[`node_modules/${name}`] = version;
  }
  return JSON.stringify(found);
};

/** A changed compiler or setting rebuilds everything. */
const toolchain = () => {
  const hash = createHash('sha256');
  for (const path of ['scripts/swc.json', 'scripts/build.mjs', 'node_modules/@swc/core/package.json']) {
    hash.update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
};

const readManifest = () => {
  try {
    return JSON.parse(readFileSync(manifestPath, 'utf8'));
  } catch {
    return { toolchain: '', files: {} };
  }
};

const outputOf = (path) => join(dist, isSource(path) ? path.replace(/\.ts$/, '.js') : path);

/** Written beside and renamed, so that a service starting right now never reads half a file. */
const write = (path, content) => {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
};

const compile = async (swc, options, path) => {
  const output = outputOf(path);
  const { code, map } = await swc.transformFile(join(root, path), {
    ...options,
    // Node's own import() stays, as with tsc: agents and tools are loaded by file URL.
    module: { ...options.module, ignoreDynamic: true },
    sourceFileName: relative(dirname(output), join(root, path)),
    swcrc: false,
  });
  const name = output.slice(output.lastIndexOf('/') + 1);
  write(`${output}.map`, map);
  write(output, `${code}//# sourceMappingURL=${name}.map\n`);
};

const plan = () => {
  const before = readManifest();
  const tool = toolchain();
  const files = sources();
  const known = before.toolchain === tool ? before.files : {};
  const changed = Object.keys(files).filter((path) => known[path] !== files[path] || !existsSync(outputOf(path)));
  const vanished = Object.keys(before.files).filter((path) => !(path in files));
  const page = consoleSources();
  const isBundled =
    known === before.files && before.page === page && existsSync(join(dist, consoleFolder, 'index.html'));
  return { tool, files, changed, vanished, page: { sources: page, changed: !isBundled } };
};

/** Vite is loaded only when there is something to bundle: it costs more than a build with nothing to do. */
const bundleConsole = async () => {
  const vite = await import('vite');
  await vite.build({
    configFile: false,
    root: join(root, consoleFolder),
    logLevel: 'warn',
    publicDir: false,
    // No inlined assets: the content security policy names none but files of this address.
    build: {
      outDir: join(dist, consoleFolder),
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  compress(join(dist, consoleFolder, 'assets'));
};

/** Compressed once here, so that the gateway only sends. */
const compress = (folder) => {
  for (const name of readdirSync(folder).filter((each) => /\.(js|css)$/.test(each)))
    write(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
};

const runPlan = async ({ tool, files, changed, vanished, page }) => {
  for (const path of vanished) {
    rmSync(outputOf(path), { force: true });
    rmSync(`${outputOf(path)}.map`, { force: true });
  }
  const toCompile = changed.filter(isSource);
  for (const path of changed.filter((each) => !isSource(each))) write(outputOf(path), readFileSync(join(root, path)));
  const failures = [];
  if (toCompile.length > 0) {
    const swc = (await import('@swc/core')).default;
    const options = JSON.parse(readFileSync(join(root, 'scripts/swc.json'), 'utf8'));
    const outcomes = await Promise.allSettled(toCompile.map((path) => compile(swc, options, path)));
    outcomes.forEach((outcome, index) => {
      if (outcome.status === 'rejected')
        failures.push(`${toCompile[index]}: ${outcome.reason?.message ?? outcome.reason}`);
    });
  }
  const failed = new Set(failures.map((line) => line.slice(0, line.indexOf(':'))));
  const done = Object.fromEntries(Object.entries(files).filter(([path]) => !failed.has(path)));
  if (page.changed) {
    try {
      await bundleConsole();
    } catch (error) {
      failures.push(`${consoleFolder}: ${error.message}`);
    }
  }
  const isBundled = !failures.some((line) => line.startsWith(`${consoleFolder}:`));
  write(manifestPath, JSON.stringify({ toolchain: tool, files: done, page: isBundled ? page.sources : '' }));
  if (failures.length > 0) throw new Error(`the build failed:\n${failures.join('\n')}`);
};

/** Brings dist/ up to date and tells how many files had changed. Two builds at once take turns. */
export const build = async () => {
  const first = plan();
  if (first.changed.length === 0 && first.vanished.length === 0 && !first.page.changed) return 0;
  return withLock(join(stateDir(), 'build.lock'), 'a build', async () => {
    const now = plan();
    await runPlan(now);
    return now.changed.length + now.vanished.length + (now.page.changed ? 1 : 0);
  });
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const startedAt = performance.now();
    const count = await build();
    console.log(`built ${count} changed files in ${Math.round(performance.now() - startedAt)} ms`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
