/** One piece of work; resolves with its own time in ms where that is not the time from its start. */
export type Work = (n: number) => Promise<number | void>;

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Closed loop: `inFlight` callers, each sends its next message when the last one is done. Times in ms. */
export const closedLoop = async (inFlight: number, messages: number, work: Work): Promise<number[]> => {
  const times: number[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(inFlight, messages) }, async () => {
      for (let n = next++; n < messages; n = next++) {
        const started = performance.now();
        const own = await work(n);
        times.push(own ?? performance.now() - started);
      }
    }),
  );
  return times;
};

/**
 * Open loop: each message has its time, and its latency counts from then, so that a stall is not hidden by what it kept
 * from being sent. Times in ms.
 */
export const openLoop = async (perSec: number, messages: number, work: Work): Promise<number[]> => {
  const times: number[] = [];
  const all: Promise<void>[] = [];
  const started = performance.now();
  for (let n = 0; n < messages; n += 1) {
    const dueAt = started + (n * 1_000) / perSec;
    const waitMs = dueAt - performance.now();
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
    all.push(work(n).then((own) => void times.push(own ?? performance.now() - dueAt)));
  }
  await Promise.all(all);
  return times;
};
