import { settle } from './decide-evidence';
import { actionOf, putAction, type Draft } from './draft';
import type { Callback } from './messages';

/** Events kept per action to tell a repeat; an older one is past the time in which a signature is taken. */
const keptCallbacks = 64;

export type CallbackAnswer = 'unknown_action' | 'taken' | 'repeated';

/** The remote's own word, once per event; it settles the action it names and no other (E10). */
export const onCallback = (draft: Draft, message: Callback): CallbackAnswer => {
  const action = actionOf(draft, message.actionKey);
  if (action === undefined || action.tenant !== message.tenant || action.connector !== message.connector)
    return 'unknown_action';
  const known = action.callbacks ?? [];
  if (known.includes(message.eventId)) return 'repeated';
  const noted = putAction(draft, { ...action, callbacks: [...known, message.eventId].slice(-keptCallbacks) });
  if (message.state === 'pending') return 'taken';
  settle(draft, noted, {
    by: 'callback',
    outcome: message.state,
    code: message.state === 'failed' ? 'callback_failed' : null,
    status: null,
    body: message.receipt,
    account: null,
  });
  return 'taken';
};
