/** Waiting, always bounded and never on a timer that keeps a finished process alive. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, ms));
  });

/** Exponential back-off with full jitter on its upper half, so that a crowd does not come back in step. */
export const backoffMs = (tries: number, firstMs: number, maxMs: number): number => {
  const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(tries, 20));
  return Math.floor(ceiling / 2 + (Math.random() * ceiling) / 2);
};

/** The work's outcome, or the error of the deadline; the timer goes with whichever comes first. */
export const within = async <T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
};
