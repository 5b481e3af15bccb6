export interface CutShort<T> {
  signal: AbortSignal;
  timeoutMs: number;
  aborted: T;
  timedOut: T;
}

/**
 * Runs `work` until it is done, the time is up or the signal fires, whichever comes first. A signal alone would not
 * do: work that ignores it must not hold the caller. What is cut short is told so, and its later result is dropped.
 */
export const cutShort = <T>(work: (signal: AbortSignal) => Promise<T>, options: CutShort<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    if (options.signal.aborted) return resolve(options.aborted);
    const inner = new AbortController();
    const end = (settle: () => void) => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
      settle();
      inner.abort();
    };
    const onAbort = () => end(() => resolve(options.aborted));
    const timer = setTimeout(() => end(() => resolve(options.timedOut)), options.timeoutMs);
    options.signal.addEventListener('abort', onAbort);
    work(inner.signal).then(
      (result) => end(() => resolve(result)),
      (error: unknown) => end(() => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
