import type { ActionView, TurnInput } from '../../../../schemas/turn-protocol/input';
import type { ActionProposal } from '../../../../schemas/turn-protocol/output';
import { sha256Hex } from '../../../platform/canonical';
import { percent, type Figures } from './figures';
import type { Memory } from './memory';
import type { Period } from './months';

export const shareConnector = 'contact-api';
export const shareOperation = 'share';
const idMaxCharacters = 128;
const hashCharacters = 8;

export type ShareState =
  | { kind: 'propose' }
  | { kind: 'wait' }
  | { kind: 'settled'; action: ActionView }
  | { kind: 'refused'; code: string; actionKey: string | null };

export interface Share {
  recipient: string;
  proposalId: string;
  subject: string;
  state: ShareState;
}

/** Two recipients never share an id: where letters had to be replaced or cut, a hash of the whole is added. */
const idOf = (recipient: string, roomCharacters: number): string => {
  const plain = recipient.replace(/[^A-Za-z0-9._-]/g, '-');
  if (plain === recipient && plain.length <= roomCharacters) return plain;
  return `${plain.slice(0, roomCharacters - hashCharacters - 1)}-${sha256Hex(recipient).slice(0, hashCharacters)}`;
};

/** The subject names the business thing for ever: this task's result, to this person; whatever version asks for it. */
export const planShares = (input: TurnInput, memory: Memory, recipients: readonly string[]): Share[] =>
  recipients.map((recipient) => {
    const task = idOf(input.for.taskId, idMaxCharacters / 2);
    const subject = `${task}.${idOf(recipient, idMaxCharacters - task.length - 1)}`;
    const version = input.requirements.version;
    const proposalId = `share.${idOf(recipient, idMaxCharacters / 2)}.v${version}`;
    return { recipient, proposalId, subject, state: stateOf(input, memory, subject, proposalId) };
  });

const revisionOf = (action: ActionView): number => Number(/:v(\d+)$/.exec(action.actionKey)?.[1] ?? 0);

const stateOf = (input: TurnInput, memory: Memory, subject: string, proposalId: string): ShareState => {
  const refusal = memory.refused[proposalId];
  if (refusal !== undefined) return { kind: 'refused', ...refusal };
  const latest = input.actions
    .filter((action) => action.connector === shareConnector && action.operation === shareOperation)
    .filter((action) => action.subject === subject)
    .sort((a, b) => revisionOf(a) - revisionOf(b))
    .at(-1);
  const proposed = memory.proposed.includes(proposalId);
  if (latest === undefined) return proposed ? { kind: 'wait' } : { kind: 'propose' };
  const older = latest.requirementsVersion < input.requirements.version;
  switch (latest.state) {
    case 'proposed':
    case 'awaiting_approval':
      return older && !proposed ? { kind: 'propose' } : { kind: 'wait' };
    case 'withdrawn':
      // Withdrawn because the requirements changed: the wish stands, under the new version and with its figures.
      if (older) return proposed ? { kind: 'wait' } : { kind: 'propose' };
      return { kind: 'settled', action: latest };
    case 'admitted':
    case 'sending':
    case 'unknown':
      return { kind: 'wait' };
    case 'denied':
    case 'failed':
    case 'succeeded':
    case 'blocked':
    case 'disputed':
      return { kind: 'settled', action: latest };
  }
};

/** Both ways to count are in it, so that a later answer to the question does not make it another request. */
export const proposalOf = (
  share: Share,
  title: string,
  period: Period,
  figures: readonly Figures[],
): ActionProposal => ({
  proposalId: share.proposalId,
  connector: shareConnector,
  operation: shareOperation,
  subject: share.subject,
  params: {
    recipient: share.recipient,
    title,
    summary: figures
      .map(({ symbol, change, annualised }) => `${symbol} ${percent(change)}, ${percent(annualised)} a year`)
      .join('; '),
    period: { from: period.from, to: period.to },
    symbols: figures.map(({ symbol }) => symbol),
  },
  approval: true,
  note: `You asked to share this comparison with ${share.recipient}. Nothing is sent before you approve.`,
});

const settledWords: Readonly<Record<string, string>> = {
  succeeded: 'done',
  denied: 'not sent: the approval was denied',
  failed: 'not done: the other side confirmed that it failed',
  withdrawn: 'not sent: it was withdrawn',
  blocked: 'unsettled: whether it was sent cannot be found out automatically',
  disputed: 'unsettled: the evidence about it contradicts itself',
};

/** What became of a wish to share, for people. */
export const shareWords = (share: Share, version: number): string => {
  const { state } = share;
  switch (state.kind) {
    case 'settled': {
      const { action } = state;
      const by = action.receipt === null ? '' : `, known by ${action.receipt.by}`;
      const older =
        action.state === 'succeeded' && action.requirementsVersion < version
          ? `; it was sent for version ${action.requirementsVersion}, before your change, and is not sent twice`
          : '';
      const code = action.code === null ? '' : ` (${action.code})`;
      return `${settledWords[action.state] ?? action.state}${code}${by}${older} — \`${action.actionKey}\``;
    }
    case 'refused':
      if (state.code === 'already_done') return `had been done before, not sent again — \`${state.actionKey ?? ''}\``;
      if (state.code === 'earlier_action_unsettled') {
        return `not sent: an earlier try is not settled yet — \`${state.actionKey ?? ''}\``;
      }
      return `not sent: refused (${state.code})`;
    case 'propose':
    case 'wait':
      return 'not settled yet';
  }
};
