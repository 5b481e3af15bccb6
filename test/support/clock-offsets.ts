import { join } from 'node:path';

const preload = join(__dirname, '..', '..', 'dist', 'test', 'support', 'odd-clock.js');

/** The environment of a process whose clock is off by so much; each SIGUSR2 sets it to the next offset. */
export const clockOff = (...offsetsMs: readonly number[]): Record<string, string> => ({
  NODE_OPTIONS: `--require ${preload}`,
  CLOCK_OFFSETS_MS: offsetsMs.join(','),
});

export const hourMs = 3_600_000;
