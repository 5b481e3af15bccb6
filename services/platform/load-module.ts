import { createRequire } from 'node:module';
import { extname, resolve } from 'node:path';

const requireHere = createRequire(__filename);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A module compiled from ESM and required from CommonJS may carry its default export one level deeper. */
const defaultExport = (loaded: unknown): unknown => {
  const once = isRecord(loaded) && 'default' in loaded ? loaded.default : loaded;
  return isRecord(once) && 'default' in once ? once.default : once;
};

interface CompilableModule {
  _compile: (code: string, file: string) => void;
}
type Extensions = Record<string, (module: CompilableModule, file: string) => void>;

/** Lets people point at their TypeScript as it is, and at what it imports; swc is loaded only when somebody does. */
const allowTypeScript = (): void => {
  const extensions = requireHere.extensions as unknown as Extensions;
  if (extensions['.ts'] !== undefined) return;
  const { transformFileSync } = requireHere('@swc/core') as typeof import('@swc/core');
  extensions['.ts'] = (module, file) => {
    const jsc = { target: 'es2023', parser: { syntax: 'typescript' } } as const;
    const { code } = transformFileSync(file, { jsc, module: { type: 'commonjs' }, sourceMaps: 'inline', swcrc: false });
    module._compile(code, file);
  };
};

/** Loads what a configured module exports by default: TypeScript, CommonJS, or ESM without top-level await. */
export const loadDefault = (path: string, baseDir: string): unknown => {
  const file = resolve(baseDir, path);
  if (extname(file) === '.ts') allowTypeScript();
  return defaultExport(requireHere(file));
};

/** Loads the function that a configured module exports by default. */
export const loadFunction = (path: string, baseDir: string): ((...args: never[]) => unknown) => {
  const loaded = loadDefault(path, baseDir);
  if (typeof loaded !== 'function') throw new Error(`module ${path}: the default export must be a function`);
  return loaded as (...args: never[]) => unknown;
};
