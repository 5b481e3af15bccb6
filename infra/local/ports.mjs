// Where the local stack keeps its files and which ports it uses.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plainError } from './plain-error.mjs';

const defaultPorts = {
  gateway: 7400,
  admission: 7401,
  'run-executor': 7402,
  hil: 7403,
  'effect-ledger': 7404,
  publication: 7405,
  'demo-remote': 7410,
  kafka: 19092,
  registry: 18081,
  postgres: 15432,
  redis: 16379,
};

const offsets = {
  gateway: 0,
  admission: 1,
  'run-executor': 2,
  hil: 3,
  'effect-ledger': 4,
  publication: 5,
  'demo-remote': 10,
  kafka: 20,
  registry: 21,
  postgres: 22,
  redis: 23,
};

/** A port base needs this many ports in a row. */
export const portSpan = 24;

/** The folder with package.json; found upwards, because a copy of this file also lives in dist/. */
export const repoRoot = () => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw plainError('package.json not found above infra/local');
    folder = parent;
  }
  return folder;
};

/** State of this clone that belongs to no stack: locks of the build and of npm ci. */
export const stateDir = () => join(repoRoot(), '.fairlead');

export const home = (env = process.env) =>
  env.FAIRLEAD_HOME ? resolve(env.FAIRLEAD_HOME) : join(repoRoot(), '.fairlead');

/** Jars and server binaries; shared between homes when FAIRLEAD_CACHE says so. */
export const cacheDir = (env = process.env) =>
  env.FAIRLEAD_CACHE ? resolve(env.FAIRLEAD_CACHE) : join(home(env), 'cache');

export const portBase = (env = process.env) => {
  const text = env.FAIRLEAD_PORT_BASE;
  if (!text) return undefined;
  const base = Number(text);
  if (!Number.isInteger(base) || base < 1024 || base + portSpan > 65536) {
    throw plainError(`FAIRLEAD_PORT_BASE must be a number from 1024 to ${65536 - portSpan}, got "${text}"`);
  }
  return base;
};

export const ports = (env = process.env) => {
  const base = portBase(env);
  if (base === undefined) return { ...defaultPorts };
  return Object.fromEntries(Object.entries(offsets).map(([name, offset]) => [name, base + offset]));
};

export const runDir = (base = home()) => join(base, 'run');

/** The port a process of this home announced, whatever FAIRLEAD_PORT_BASE says now; undefined when none did. */
export const announcedPort = (name, base = home()) => {
  try {
    const port = Number(readFileSync(join(runDir(base), `${name}.port`), 'utf8'));
    return Number.isInteger(port) && port > 0 ? port : undefined;
  } catch {
    return undefined;
  }
};
