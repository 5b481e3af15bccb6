import { unreachable, type AggregateKey, type Context, type Tick, type View } from '../platform/decision';
import { runIn } from './conversation';
import { askAgain, decideDecided, decideQuestion, decideRun, endsUnborn } from './decide-events';
import { decidePurged, purgeMessage } from './decide-purge';
import { decideSubmission, lookAgain, namedRun } from './decide-submission';
import { carriesContent } from './commands';
import {
  conversationAt,
  conversationKey,
  messageAt,
  messageKey,
  pastRunRef,
  type Inbound,
  type Outcome,
} from './messages';
import type { Policy } from './policy';
import { quotaKeys } from './quota';
import { isTerminal } from './state';
import { conversationId } from './submission';

const conversationOf = (of: {
  readonly tenant: string;
  readonly account: string;
  readonly conversationId: string;
}): string => conversationId(of.tenant, of.account, of.conversationId);

export const keys = (message: Inbound | Tick): readonly AggregateKey[] => {
  switch (message.type) {
    case 'submit': {
      const { identity, verdict } = message;
      return [
        ...(identity === null ? [] : [messageKey(identity.ids.messageId)]),
        ...(verdict.ok && verdict.target !== null ? [messageKey(verdict.target.messageId)] : []),
        ...(verdict.ok ? [conversationKey(verdict.conversation)] : []),
        ...quotaKeys(message),
      ];
    }
    case 'decided':
      return [
        messageKey(message.record.messageId),
        ...(endsUnborn(message.record) ? [conversationKey(conversationOf(message.record))] : []),
      ];
    case 'run':
    case 'question':
      return [conversationKey(conversationOf(message.record))];
    case 'purge':
      return [messageKey(message.messageId)];
    case 'purged':
      return message.record.runId === null ? [] : [conversationKey(conversationOf(message.record))];
    case 'tick':
      return [{ kind: message.kind, id: message.id }];
    default:
      return unreachable(message);
  }
};

/** Only a progress request that looks for its run needs its conversation, and only its row says which. */
export const moreKeys = (message: Inbound | Tick, view: View): readonly AggregateKey[] => {
  if (message.type !== 'tick') return [];
  const state = messageAt(view, message.id);
  return state?.status === 'looking' ? [conversationKey(conversationOf(state))] : [];
};

export const blobs = (message: Inbound | Tick, view: View): readonly string[] => {
  const past = (conversation: string, runId: string | null): string[] =>
    runId === null || runIn(conversationAt(view, conversation), runId) !== undefined
      ? []
      : [pastRunRef(conversation, runId)];
  switch (message.type) {
    case 'submit': {
      const { verdict } = message;
      if (!verdict.ok) return [];
      const { relation, control, continuationOfRunId, targetRunId } = verdict.submission;
      if (relation === 'CONTINUE') return past(verdict.conversation, continuationOfRunId);
      if (relation !== 'CONTROL' || control !== 'PROGRESS') return [];
      return past(verdict.conversation, namedRun(view, verdict.target)?.runId ?? targetRunId);
    }
    case 'run':
      return isTerminal(message.record.state) ? [] : past(conversationOf(message.record), message.record.runId);
    case 'tick': {
      const state = messageAt(view, message.id);
      if (state?.status === 'asking') return carriesContent(state.command) ? [message.id] : [];
      return state?.status === 'looking' ? past(conversationOf(state), state.targetRunId) : [];
    }
    case 'decided':
    case 'question':
    case 'purge':
    case 'purged':
      return [];
    default:
      return unreachable(message);
  }
};

export const decide = (view: View, message: Inbound | Tick, context: Context, policy: Policy): Outcome => {
  switch (message.type) {
    case 'submit':
      return decideSubmission(view, message, context, policy);
    case 'decided':
      return decideDecided(view, message.record, context, policy);
    case 'run':
      return decideRun(view, message.record);
    case 'question':
      return decideQuestion(view, message.record);
    case 'purge':
      return purgeMessage(view, message, context);
    case 'purged':
      return decidePurged(view, message.record);
    case 'tick': {
      const state = messageAt(view, message.id);
      if (state === undefined || message.kind !== 'message') return {};
      if (state.status === 'asking') return askAgain(view, message.id, state, context);
      return lookAgain(view, message.id, state, conversationOf(state), context, policy);
    }
    default:
      return unreachable(message);
  }
};
