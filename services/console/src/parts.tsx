import { useState, type ReactNode } from 'react';
import { wordsOf } from './api';
import type { Connection } from './live';
import { At } from './time';
import type { Tone } from './words';

const shapes: Readonly<Record<string, string>> = { needs: '●', wrong: '▲', settled: '✓' };

/** A word with a shape beside its colour, so that nothing is said by colour alone. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={`badge ${tone ?? 'plain'}`}>
    {tone === null ? null : <span aria-hidden="true">{shapes[tone]} </span>}
    {children}
  </span>
);

export const Ids = ({ of }: { readonly of: Readonly<Record<string, string | number | null | undefined>> }) => (
  <details className="ids">
    <summary>ids</summary>
    <dl>
      {Object.entries(of)
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
    </dl>
  </details>
);

export const Empty = ({ children, command }: { readonly children: ReactNode; readonly command: string }) => (
  <div className="empty">
    <p>{children}</p>
    <code>{command}</code>
  </div>
);

export const Lost = ({ connection }: { readonly connection: Connection }) => (
  <div role="status" className={connection.status === 'lost' ? 'lost' : undefined}>
    {connection.status === 'lost' ? (
      <>
        Connection lost since <At at={connection.since} />. What is shown was true then; trying again.
      </>
    ) : null}
  </div>
);

/** A button that says what it is doing, and what came of it when that was a "no". */
export const Act = ({
  act,
  children,
  className,
  shortcut,
  disabled = false,
}: {
  readonly act: () => Promise<unknown>;
  readonly children: ReactNode;
  readonly className?: string;
  readonly shortcut?: string;
  readonly disabled?: boolean;
}) => {
  const [busy, setBusy] = useState(false);
  const [no, setNo] = useState<string | null>(null);
  const run = (): void => {
    setBusy(true);
    setNo(null);
    act()
      .catch((error: unknown) => setNo(wordsOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <span className="act">
      <button type="button" className={className} disabled={busy || disabled} onClick={run} data-key={shortcut}>
        {children}
      </button>
      {no === null ? null : (
        <span role="alert" className="no">
          {no}
        </span>
      )}
    </span>
  );
};

export const Problem = ({ error }: { readonly error: unknown }) => (
  <p role="alert" className="no">
    {wordsOf(error)}
  </p>
);
