import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';

const tickMs = 1_000;
const Now = createContext(Date.now());

/** One clock for the whole page, so that all relative times agree. */
export const Clock = ({ children }: { readonly children: ReactNode }) => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return <Now.Provider value={now}>{children}</Now.Provider>;
};

export const useNow = (): number => useContext(Now);

export const span = (ms: number): string => {
  const sec = Math.round(Math.abs(ms) / 1_000);
  if (sec < 90) return `${sec} s`;
  if (sec < 5_400) return `${Math.round(sec / 60)} min`;
  if (sec < 172_800) return `${Math.round(sec / 3_600)} h`;
  return `${Math.round(sec / 86_400)} days`;
};

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
export const clockOf = (iso: string): string => clock.format(new Date(iso));

/** Relative for reading, exact on hover and in the document. */
export const When = ({ at }: { readonly at: string }) => {
  const now = useNow();
  const ms = now - Date.parse(at);
  const text = Math.abs(ms) < 2_000 ? 'now' : ms > 0 ? `${span(ms)} ago` : `in ${span(ms)}`;
  return (
    <time dateTime={at} title={at}>
      {text}
    </time>
  );
};

/** The clock time, for facts whose order is read. */
export const At = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {clockOf(at)}
  </time>
);
