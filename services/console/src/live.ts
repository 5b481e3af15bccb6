import { useEffect, useRef, useState } from 'react';
import type { LiveEvent } from './facts';

const firstRetryMs = 500;
const maxRetryMs = 8_000;

export type Connection =
  | { readonly status: 'connecting' }
  | { readonly status: 'open' }
  | { readonly status: 'lost'; readonly since: string }
  | { readonly status: 'ended' };

const kinds = ['snapshot', 'message', 'receipt', 'run', 'turn', 'interaction', 'action', 'report'];

/**
 * Follows an event stream for as long as the page is seen. A hidden tab lets go, because browsers allow only a few
 * connections to one address; it comes back with its cursor and misses nothing.
 */
export const useLive = (
  path: string | null,
  onEvent: (event: LiveEvent) => void,
  options: { readonly start?: string; readonly endsWhen?: () => boolean } = {},
): Connection => {
  const [connection, setConnection] = useState<Connection>({ status: 'connecting' });
  const latest = useRef({ onEvent, endsWhen: options.endsWhen });
  latest.current = { onEvent, endsWhen: options.endsWhen };
  const { start } = options;

  useEffect(() => {
    if (path === null) return;
    let source: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let cursor = start ?? null;
    let retryMs = firstRetryMs;
    let stopped = false;
    const lost = (): void =>
      setConnection((now) => (now.status === 'lost' ? now : { status: 'lost', since: new Date().toISOString() }));
    const close = (): void => {
      clearTimeout(timer);
      source?.close();
      source = null;
    };
    const open = (): void => {
      close();
      if (stopped || document.hidden) return;
      const opened = new EventSource(cursor === null ? path : `${path}?after=${encodeURIComponent(cursor)}`);
      source = opened;
      opened.onopen = () => {
        retryMs = firstRetryMs;
        setConnection({ status: 'open' });
      };
      for (const kind of kinds)
        opened.addEventListener(kind, (message) => {
          const { data, lastEventId } = message as MessageEvent<string>;
          if (lastEventId !== '' && lastEventId !== 'snapshot') cursor = lastEventId;
          latest.current.onEvent({ kind, ...(JSON.parse(data) as Omit<LiveEvent, 'kind'>) });
        });
      opened.onerror = () => {
        // A stream that has told its end is closed by the service; nothing is lost then.
        if (latest.current.endsWhen?.() === true) {
          close();
          setConnection({ status: 'ended' });
          return;
        }
        lost();
        close();
        timer = setTimeout(open, retryMs);
        retryMs = Math.min(retryMs * 2, maxRetryMs);
      };
    };
    const onVisibility = (): void => (document.hidden ? close() : open());
    document.addEventListener('visibilitychange', onVisibility);
    setConnection({ status: 'connecting' });
    open();
    return () => {
      stopped = true;
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    };
  }, [path, start]);

  return connection;
};
