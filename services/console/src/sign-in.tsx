import { useState } from 'react';
import { post } from './api';
import type { Session } from './facts';
import { Problem } from './parts';

export const SignIn = ({ onSignedIn }: { readonly onSignedIn: (session: Session) => void }) => {
  const [token, setToken] = useState('');
  const [error, setError] = useState<unknown>(null);
  return (
    <main className="sign-in">
      <h1>Fairlead</h1>
      <p>Sign in with a token. On a local stack this prints one:</p>
      <pre tabIndex={0}>npx fairlead token --account alice --role operator --role platform-operator</pre>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setError(null);
          post<Session>('/session', { token: token.trim() }).then(onSignedIn, setError);
        }}
      >
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit" className="primary" disabled={token.trim() === ''}>
          Sign in
        </button>
      </form>
      {error === null ? null : <Problem error={error} />}
      <p className="quiet">It is kept in a cookie that only this address gets and no script can read.</p>
    </main>
  );
};
