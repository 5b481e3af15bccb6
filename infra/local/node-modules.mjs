// Makes sure of node_modules before anything of it is imported, so that every command works on a fresh clone.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { plainError } from './plain-error.mjs';
import { repoRoot, stateDir } from './ports.mjs';

const minNode = [20, 19];

const packagesOf = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
};

/** npm keeps what it installed in a lock of its own inside node_modules; packages for other systems are left out. */
const isInstalled = () => {
  const wanted = packagesOf(join(repoRoot(), 'package-lock.json'));
  const installed = packagesOf(join(repoRoot(), 'node_modules', '.package-lock.json'));
  if (installed === undefined) return false;
  return Object.entries(wanted ?? {}).every(([path, { version, optional, devOptional, peer, link }]) => {
    if (path === '' || link) return true;
    const found = installed[path];
    return found ? found.version === version : Boolean(optional || devOptional || peer);
  });
};

export const ensureNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > minNode[0] || (major === minNode[0] && minor >= minNode[1])) return;
  throw plainError(`Node ${minNode.join('.')} or newer is needed, this is ${process.versions.node}`);
};

export const ensureNodeModules = async () => {
  ensureNode();
  if (isInstalled()) return;
  await withLock(join(stateDir(), 'install.lock'), 'npm ci', async () => {
    if (isInstalled()) return;
    console.error('installing node_modules with npm ci');
    const npm = process.env.npm_execpath?.endsWith('npm-cli.js')
      ? [process.execPath, process.env.npm_execpath]
      : ['npm'];
    // Test and build tools are needed too, whatever NODE_ENV says.
    const args = [...npm.slice(1), 'ci', '--include=dev', '--no-audit', '--no-fund'];
    const { status, error } = spawnSync(npm[0], args, { cwd: repoRoot(), stdio: ['ignore', 2, 2] });
    if (status !== 0) throw plainError(`npm ci failed${error ? `: ${error.message}` : ''}`);
  });
};

/** node_modules and dist/ as they should be. */
export const prepare = async () => {
  await ensureNodeModules();
  const { build } = await import('../../scripts/build.mjs');
  const changed = await build();
  if (changed > 0) console.error(`built ${changed} changed files`);
};
