import { useCallback, useEffect, useRef, useState } from 'react';
import { get } from './api';

export interface Loaded<T> {
  readonly value: T | null;
  readonly error: unknown;
  readonly at: string | null;
  readonly reload: () => void;
}

/** Changes in a burst are one look. */
const gatherMs = 60;

/** A fact of a service, read again when asked; what was read before stays until the new one is there. */
export const useLoaded = <T>(path: string | null, everyMs: number | null = null): Loaded<T> => {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ value: null, error: null, at: null });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const turn = useRef(0);

  const load = useCallback(() => {
    if (path === null || document.hidden) return;
    const mine = (turn.current += 1);
    get<T>(path).then(
      (value) => {
        if (mine === turn.current) setState({ value, error: null, at: new Date().toISOString() });
      },
      (error: unknown) => {
        if (mine === turn.current) setState((before) => ({ ...before, error }));
      },
    );
  }, [path]);
  const reload = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(load, gatherMs);
  }, [load]);

  useEffect(() => {
    setState({ value: null, error: null, at: null });
    load();
    document.addEventListener('visibilitychange', load);
    const every = everyMs === null ? undefined : setInterval(load, everyMs);
    return () => {
      turn.current += 1;
      document.removeEventListener('visibilitychange', load);
      clearTimeout(timer.current);
      clearInterval(every);
    };
  }, [load, everyMs]);

  return { ...state, reload };
};
