// What the public compatibility kit of A2A expects of an agent: the beginning of a message's id says what is to happen.
// An agent is not told the ids that clients gave their messages, so this one looks its message up, as a client would.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from '../../services/cli/remote';
import { defineAgent, type TurnAnswer, type TurnInput } from '../../services/client/define-agent';

// Of the local stack, whose key is no business of its services otherwise.
process.env['AUTH_PRIVATE_KEY_FILE'] ??= join(process.env['FAIRLEAD_HOME'] ?? '.fairlead', 'auth/private.pem');

const lookEveryMs = 50;
const looks = 100;

interface Snapshot {
  readonly messages: readonly { readonly messageId: string; readonly clientMessageId: string }[];
}

/** The id that the client gave the message which began this run. */
const clientMessageId = async ({ for: { conversationId }, requirements, run }: TurnInput): Promise<string> => {
  const remote = connect([], run.account);
  const mine = requirements.texts[0]?.messageId;
  for (let look = 0; look < looks; look += 1) {
    const snapshot = await remote
      .get<Snapshot>(`/v1/conversations/${encodeURIComponent(conversationId)}/snapshot`)
      .catch(() => null);
    const found = snapshot?.messages.find(({ messageId }) => messageId === mine);
    if (found !== undefined) return found.clientMessageId;
    await wait(lookEveryMs);
  }
  return '';
};

const says = (body: string, contentType: 'text/plain' | 'application/json' = 'text/plain'): TurnAnswer => ({
  report: { contentType, body },
});

const behaviours: readonly (readonly [string, (input: TurnInput) => TurnAnswer | Promise<TurnAnswer>])[] = [
  ['tck-input-required', () => ({ ask: [{ questionId: 'more', kind: 'question', question: 'What else?' }] })],
  [
    'tck-auth-required',
    () => ({ ask: [{ questionId: 'may', kind: 'permission', grant: 'consent:kit', question: 'May it go on?' }] }),
  ],
  ['tck-delayed-complete', () => wait(2_000, says('Done after delay'))],
  ['test-resubscribe-message-id', () => wait(4_000, says('Done after delay'))],
  ['tck-artifact-data', () => says('{"key":"value","count":42}', 'application/json')],
  ['tck-artifact-text', () => says('Generated text content')],
  ['tck-reject-task', () => ({ fail: { code: 'rejected', message: 'rejected' } })],
];

export default defineAgent(async (input) => {
  // What was asked has been answered, or amended: that is the end of it.
  if (input.answers.length > 0 || input.requirements.version > 1) return says('Hello from TCK');
  const id = await clientMessageId(input);
  const behaviour = behaviours.find(([prefix]) => id.startsWith(prefix));
  return behaviour === undefined ? says('Hello from TCK') : behaviour[1](input);
});
