import { useCallback, useEffect, useState, type MouseEvent } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { get, send, signedOut, Refused } from './api';
import { ConversationPage } from './conversation';
import { ConversationsPage } from './conversations';
import type { Session } from './facts';
import { InboxPage } from './inbox';
import { Keys } from './keys';
import { ActionPage, LedgerPage } from './ledger';
import { OperationsPage } from './operations';
import { Problem } from './parts';
import { ReportPage } from './report';
import { RunPage } from './run';
import { SignIn } from './sign-in';
import { Clock } from './time';

const places = [
  ['/', 'Inbox'],
  ['/conversations', 'Conversations'],
  ['/ledger', 'Ledger'],
  ['/operations', 'Operations'],
] as const;

const isHere = (place: string, location: string): boolean =>
  place === '/' ? location === '/' : location.startsWith(place);

/** By hand, so that the address stays what it is. */
const skip = (event: MouseEvent): void => {
  event.preventDefault();
  document.getElementById('main')?.focus();
};

const Shell = ({ session, signOut }: { readonly session: Session; readonly signOut: () => void }) => {
  const [location] = useLocation();
  useEffect(() => {
    document.title = `${places.find(([place]) => isHere(place, location))?.[1] ?? 'Run'} · Fairlead`;
  }, [location]);
  return (
    <>
      <a className="skip" href="#main" onClick={skip}>
        Skip to the page
      </a>
      <header className="top">
        <span className="name">Fairlead</span>
        <nav aria-label="Pages">
          {places.map(([place, name]) => (
            <Link key={place} href={place} aria-current={isHere(place, location) ? 'page' : undefined}>
              {name}
            </Link>
          ))}
        </nav>
        <span className="who">
          {session.account}
          {session.roles.length > 0 ? ` (${session.roles.join(', ')})` : ''}{' '}
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        <Switch>
          <Route path="/">
            <InboxPage />
          </Route>
          <Route path="/conversations">
            <ConversationsPage />
          </Route>
          <Route path="/conversations/:id">
            {({ id }) => <ConversationPage key={id} id={decodeURIComponent(id)} />}
          </Route>
          <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={decodeURIComponent(id)} />}</Route>
          <Route path="/runs/:id/reports">{({ id }) => <ReportPage key={id} id={decodeURIComponent(id)} />}</Route>
          <Route path="/ledger">
            <LedgerPage session={session} />
          </Route>
          <Route path="/ledger/:key">
            {({ key }) => <ActionPage key={key} actionKey={decodeURIComponent(key)} session={session} />}
          </Route>
          <Route path="/operations">
            <OperationsPage session={session} />
          </Route>
          <Route>
            <h1>No such page</h1>
            <p>
              The <Link href="/">inbox</Link> is the start.
            </p>
          </Route>
        </Switch>
      </main>
      <Keys />
    </>
  );
};

export const App = () => {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [error, setError] = useState<unknown>(null);
  const look = useCallback(() => {
    setError(null);
    get<Session>('/session').then(setSession, (no: unknown) => {
      if (no instanceof Refused && no.status === 401) setSession(null);
      else setError(no);
    });
  }, []);
  useEffect(() => {
    look();
    const out = (): void => setSession(null);
    signedOut.addEventListener('out', out);
    return () => signedOut.removeEventListener('out', out);
  }, [look]);
  const signOut = (): void => {
    send('DELETE', '/session').then(() => setSession(null), setError);
  };
  if (error !== null)
    return (
      <main>
        <h1>Fairlead</h1>
        <Problem error={error} />
        <button type="button" onClick={look}>
          Try again
        </button>
      </main>
    );
  if (session === undefined) return null;
  if (session === null) return <SignIn onSignedIn={setSession} />;
  return (
    <Clock>
      <Shell session={session} signOut={signOut} />
    </Clock>
  );
};
