import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A module compiled from ESM and required from CommonJS may carry its default export one level deeper. */
const defaultExport = (loaded: unknown): unknown => {
  const once = isRecord(loaded) && 'default' in loaded ? loaded.default : loaded;
  return isRecord(once) && 'default' in once ? once.default : once;
};

/** Loads the function that a configured module exports by default, CommonJS or ESM without top-level await. */
export const loadFunction = (path: string, baseDir: string): ((...args: never[]) => unknown) => {
  const file = resolve(baseDir, path);
  const loaded: unknown = defaultExport(createRequire(__filename)(file));
  if (typeof loaded !== 'function') throw new Error(`module ${path}: the default export must be a function`);
  return loaded as (...args: never[]) => unknown;
};
