import type { Logger } from './log';
import { pause } from './pause';
import { steadyMs } from './clocks';

const lookEveryMs = 20;

/** What this process does in the outside world; each work brings its result back as a message, under its lease. */
export interface OutsideWork<I> {
  readonly start: (intent: I) => void;
  readonly active: () => number;
  /** Resolves when nothing is left, or after the grace; what is left then its lease hands to another process. */
  readonly ended: (graceMs: number) => Promise<void>;
}

export const outsideWork = <I>(perform: ((intent: I) => Promise<void>) | undefined, log: Logger): OutsideWork<I> => {
  let active = 0;
  const run = async (work: (intent: I) => Promise<void>, intent: I): Promise<void> => {
    active += 1;
    try {
      await work(intent);
    } catch (error) {
      log.error({ err: error }, 'outside work ended without a result; its lease will say so');
    } finally {
      active -= 1;
    }
  };
  return {
    start: (intent) => {
      if (perform !== undefined) void run(perform, intent);
    },
    active: () => active,
    ended: async (graceMs) => {
      const deadline = steadyMs() + graceMs;
      while (active > 0 && steadyMs() < deadline) await pause(lookEveryMs);
    },
  };
};
