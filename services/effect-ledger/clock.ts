import { steadyMs, wallMs } from '../platform/clocks';

/** How long one reading of the database's clock is carried on by the process's own. */
const anchorMs = 5_000;

/**
 * The database's clock inside this process, for `sendBy`: never behind it. Carried on by whichever of the process's two
 * clocks ran further, because one stands still while the machine sleeps and the other may be set back.
 */
export interface Clock {
  readonly now: (read: () => Promise<number>) => Promise<number>;
  /** Null before the first reading. */
  readonly peek: () => number | null;
}

export const openClock = (): Clock => {
  let anchor: { readonly database: number; readonly steady: number; readonly wall: number } | null = null;
  const since = (): number => (anchor === null ? 0 : Math.max(0, steadyMs() - anchor.steady, wallMs() - anchor.wall));
  const peek = (): number | null => (anchor === null ? null : anchor.database + since());
  return {
    peek,
    now: async (read) => {
      if (anchor === null || since() > anchorMs) {
        // Taken before the question, so that its way there and back only makes the estimate later.
        const before = { steady: steadyMs(), wall: wallMs() };
        anchor = { database: await read(), ...before };
      }
      return peek() ?? 0;
    },
  };
};
