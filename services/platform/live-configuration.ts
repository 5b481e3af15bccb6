import { readFileSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseConfiguration, type Configuration } from './configuration';
import { BadSetting } from './environment';
import type { Logger } from './log';

export interface LiveConfiguration {
  readonly path: string | null;
  readonly current: () => Configuration;
  /** Why the newest file was not taken, null when it was. */
  readonly problem: () => string | null;
  /** Calls with the problem now and after every reload. */
  readonly follow: (on: (problem: string | null) => void) => void;
  readonly close: () => void;
}

const builtInPath = join(__dirname, 'default-configuration.yaml');
/** A file is written in several steps; it is read when it has been left alone this long. */
const settleMs = 200;

/**
 * Reads the file and follows its changes; a bad change keeps the old configuration as a whole and says why. `accept` is
 * the service's own part of that: it makes what it needs of the file, and throws when it cannot.
 */
export const openConfiguration = (
  path: string | null,
  log: Logger,
  accept: (config: Configuration) => void = () => undefined,
): LiveConfiguration => {
  const file = path ?? builtInPath;
  const read = (): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      throw new BadSetting('FAIRLEAD_CONFIG', `cannot be read: ${file}`);
    }
  };
  const parse = (text: string): Configuration => {
    // The built-in file alone names an address that depends on FAIRLEAD_PORT_BASE.
    const parsed = parseConfiguration(
      path === null
        ? text.replaceAll('${DEMO_REMOTE_URL}', process.env['DEMO_REMOTE_URL'] ?? 'http://127.0.0.1:7410')
        : text,
    );
    accept(parsed);
    return parsed;
  };
  let text: string | null = read();
  let config = parse(text);
  let problem: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  const followers: ((problem: string | null) => void)[] = [];
  const reload = (): void => {
    const before = text;
    try {
      text = null;
      text = read();
      if (text === before) return;
      config = parse(text);
      problem = null;
      log.info({ file }, 'configuration reloaded');
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      log.error({ file, problem }, 'the changed configuration is not taken; the old one stays');
    }
    for (const on of followers) on(problem);
  };
  // The folder, because editors and mounted volumes put a new file in the place of the old one.
  const watcher =
    path === null
      ? null
      : watch(dirname(file), () => {
          clearTimeout(timer);
          timer = setTimeout(reload, settleMs);
        });
  watcher?.on('error', (error) => log.warn({ err: error, file }, 'changes of the configuration are not seen any more'));
  return {
    path,
    current: () => config,
    problem: () => problem,
    follow: (on) => {
      followers.push(on);
      on(problem);
    },
    close: () => {
      clearTimeout(timer);
      watcher?.close();
    },
  };
};
