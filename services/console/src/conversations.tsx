import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { newId, part } from './api';
import type { Conversation, List } from './facts';
import { useLive } from './live';
import { useLoaded } from './load';
import { Empty, Lost, Problem } from './parts';
import { When } from './time';

const namePattern = '[A-Za-z0-9._:\\-]{1,128}';

export const ConversationsPage = () => {
  const { value, error, reload } = useLoaded<List<Conversation>>('/v1/conversations?limit=100');
  // What is older is in the list; only what follows is of interest.
  const connection = useLive('/v1/account/events', reload, { start: 'now' });
  const [name, setName] = useState('');
  const [, go] = useLocation();
  return (
    <>
      <h1>Conversations</h1>
      <Lost connection={connection} />
      {error === null ? null : <Problem error={error} />}
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          go(`/conversations/${part(name === '' ? newId('c') : name)}`);
        }}
      >
        <label htmlFor="name">Name of a conversation</label>
        <input
          id="name"
          value={name}
          pattern={namePattern}
          placeholder="a new one"
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit">Open</button>
      </form>
      {value !== null && value.items.length === 0 ? (
        <Empty command='npx fairlead send --conversation first "Compare MSFT and AAPL over the last year"'>
          Your conversations appear here, the one with news first. This starts one:
        </Empty>
      ) : null}
      <ul className="list">
        {value?.items.map((one) => (
          <li key={one.conversationId} data-item={one.conversationId} tabIndex={-1}>
            <Link href={`/conversations/${part(one.conversationId)}`}>{one.title ?? one.conversationId}</Link>{' '}
            <span className="quiet">
              {one.title === null ? '' : one.conversationId} <When at={one.updatedAt} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
};
