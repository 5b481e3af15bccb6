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
