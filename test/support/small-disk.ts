import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const chunkBytes = 1024 * 1024;

/** A file system of its own, so that a disk can really be full. */
export interface SmallDisk {
  /** Where PostgreSQL may put a tablespace. */
  readonly folder: string;
  /** Takes every byte that is left. */
  fill(): void;
  free(): void;
  remove(): void;
}

/** Null where this user may not mount anything. `owner`: a folder whose owner the disk gets. */
export const smallDisk = (path: string, owner: string, megabytes: number): SmallDisk | null => {
  mkdirSync(path, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'pipe' });
  } catch (error) {
    process.stderr.write(`no disk can be filled here: ${String((error as { stderr?: Buffer }).stderr)}`);
    return null;
  }
  const folder = join(path, 'tablespace');
  mkdirSync(folder, { mode: 0o700 });
  const { uid, gid } = statSync(owner);
  chownSync(folder, uid, gid);
  chmodSync(path, 0o755);
  const filler = join(path, 'filler');
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'a');
      try {
        for (let bytes = chunkBytes; bytes >= 1;) {
          try {
            // What is written in part is written; the disk is full when not even one byte fits.
            if (writeSync(file, Buffer.alloc(bytes, 1)) < bytes) bytes = Math.floor(bytes / 2);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
            bytes = Math.floor(bytes / 2);
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => void execFileSync('umount', ['--lazy', path], { stdio: 'pipe' }),
  };
};
