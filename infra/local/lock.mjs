// A lock between processes of one machine, kept as a file that names its holder.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { plainError } from './plain-error.mjs';
import { startedAfter, isAlive } from './processes.mjs';

const pollMs = 100;
const sayAfterMs = 1_000;
const giveUpAfterMs = 600_000;

const holderOf = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
};

const isStale = (path, holder) => {
  const pid = Number(holder.split(' ')[0]);
  return !isAlive(pid) || startedAfter(pid, path);
};

/** link() fails when the target exists, and the linked file is complete from its first moment. */
const tryTake = (path, token) => {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, token);
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
};

/** Moves a dead holder's lock away; puts it back if somebody else had been quicker and the lock is alive again. */
const clear = (path, holder) => {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (holderOf(aside) !== holder) {
    try {
      linkSync(aside, path);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
  }
  rmSync(aside, { force: true });
};

let count = 0;

/** A command that exits in the middle, on Ctrl-C, leaves no lock behind. */
const held = new Set();
process.once('exit', () => held.forEach((release) => release()));

export const takeLock = async (path, what) => {
  mkdirSync(dirname(path), { recursive: true });
  const token = `${process.pid} ${Date.now()} ${(count += 1)}`;
  const startedAt = Date.now();
  let said = false;
  while (!tryTake(path, token)) {
    const holder = holderOf(path);
    if (holder === undefined) continue;
    if (isStale(path, holder)) {
      clear(path, holder);
      continue;
    }
    const waitedMs = Date.now() - startedAt;
    const pid = holder.split(' ')[0];
    if (waitedMs > giveUpAfterMs) throw plainError(`gave up waiting for ${what} of process ${pid} (${path})`);
    if (!said && waitedMs > sayAfterMs) {
      said = true;
      console.error(`waiting for ${what} of process ${pid} to finish`);
    }
    await pause(pollMs);
  }
  const release = () => {
    held.delete(release);
    if (holderOf(path) === token) rmSync(path, { force: true });
  };
  held.add(release);
  return release;
};

export const withLock = async (path, what, work) => {
  const release = await takeLock(path, what);
  try {
    return await work();
  } finally {
    release();
  }
};
