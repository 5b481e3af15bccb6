import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir } from '../../infra/local/ports.mjs';
import { read, root } from './documents';
import type { Tool } from './tools';

const buildTimeoutMs = 240_000;
const { tag, commit } = JSON.parse(read('infra/release.json')) as { tag: string; commit: string };

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();

const known = (name: string): string | null => {
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  } catch {
    return null;
  }
};

/** A folder with the release before this one, built once; or why it cannot be had, as in a clone without history. */
export const previousRelease = (): Tool => {
  const found = known(tag) ?? known(commit);
  if (found === null) return { missing: `neither ${tag} nor ${commit.slice(0, 12)} is in this clone` };
  const folder = join(cacheDir(), `release-${found.slice(0, 12)}`);
  const modules = join(folder, 'node_modules');
  if (!existsSync(folder)) {
    mkdirSync(cacheDir(), { recursive: true });
    const draft = mkdtempSync(`${folder}-`);
    try {
      execFileSync('bash', ['-c', 'git -C "$1" archive "$2" | tar x -C "$3"', 'bash', root, found, draft]);
      symlinkSync(join(root, 'node_modules'), join(draft, 'node_modules'));
      execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: draft, stdio: 'pipe', timeout: buildTimeoutMs });
      renameSync(draft, folder);
    } catch (error) {
      rmSync(draft, { recursive: true, force: true });
      throw error;
    }
  }
  // The cache may have been filled by another clone, whose packages may be gone.
  rmSync(modules, { force: true });
  symlinkSync(join(root, 'node_modules'), modules);
  return { path: folder };
};
