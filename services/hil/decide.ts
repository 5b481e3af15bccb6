import { none, unreachable, type AggregateKey, type Context, type View } from '../platform/decision';
import { purgeRow } from '../platform/purges';
import type { Code } from '../platform/errors';
import { answer, isForRole, isRecipient, mayRead } from './answer';
import { clarify, tickClarification } from './decide-clarification';
import { adopted, request, runChanged, tickInteraction, voided, withdraw } from './decide-request';
import { deciding, type Decided } from './deciding';
import { itemOf } from './item';
import type { Actor, AnyMessage } from './messages';
import { clarificationKey, interactionKey, runKey } from './records';
import { refusedRow } from './refused-row';
import type { Interaction, Published, Run } from './state';

export type Reply =
  | { readonly type: 'item'; readonly created: boolean; readonly item: Record<string, unknown> }
  | { readonly type: 'no'; readonly code: Code; readonly why: string; readonly field: string | null };

export const keys = (message: AnyMessage): readonly AggregateKey[] => {
  switch (message.type) {
    case 'request':
      return [runKey(message.record.runId), interactionKey(message.record.interactionRef)];
    case 'withdraw':
    case 'adopted':
      return [interactionKey(message.record.interactionRef)];
    case 'clarify':
      return [interactionKey(message.record.interactionRef), clarificationKey(message.record.messageId)];
    case 'run':
      return [runKey(message.record.runId)];
    case 'respond':
    case 'seen':
    case 'claim':
    case 'void':
      return [interactionKey(message.ref)];
    case 'purged':
      return [];
    case 'tick':
      return [{ kind: message.kind, id: message.id }];
    default:
      return unreachable(message);
  }
};

/** What only the first aggregates name: a run's interactions, and the chat messages that hang on an interaction. */
export const moreKeys = (message: AnyMessage, view: View): readonly AggregateKey[] => {
  switch (message.type) {
    case 'run':
      return (view.get<Run>('run', message.record.runId)?.refs ?? []).map(interactionKey);
    case 'request': {
      const state = view.get<Interaction>('interaction', message.record.interactionRef);
      return state?.status === 'awaited' ? state.clarifications.map(clarificationKey) : [];
    }
    case 'adopted':
    case 'void': {
      const ref = message.type === 'adopted' ? message.record.interactionRef : message.ref;
      const state = view.get<Interaction>('interaction', ref);
      return state?.status === 'answered' && state.messageId !== null ? [clarificationKey(state.messageId)] : [];
    }
    default:
      return [];
  }
};

const no = (code: Code, why: string, field: string | null = null): Decided => ({
  reply: { type: 'no', code, why, field } satisfies Reply,
});

const shown = (state: Published, created = false): Reply => ({ type: 'item', created, item: itemOf(state) });

/** Another account's interaction is answered exactly like one that does not exist (H4). */
const asRecipient = (view: View, ref: string, actor: Actor, then: (state: Published) => Decided): Decided => {
  const state = view.get<Interaction>('interaction', ref);
  if (state === undefined || state.status === 'awaited' || !mayRead(state, actor))
    return no('unknown_interaction', 'no such interaction for this account');
  return isRecipient(state, actor) ? then(state) : no('forbidden', 'only its recipient may do this');
};

export const decide = (view: View, message: AnyMessage, context: Context): Decided => {
  switch (message.type) {
    case 'request':
      return request(view, message.record, context);
    case 'withdraw':
      return withdraw(view, message.record, context);
    case 'clarify':
      return clarify(view, message.record, context);
    case 'run':
      return runChanged(view, message.record, context);
    case 'adopted':
      return adopted(view, message.record, context);
    case 'void':
      return voided(view, message.ref, context);
    case 'respond':
      return asRecipient(view, message.ref, message.actor, (state) => {
        const outcome = answer(state, message.actor, message.answer, context.now, null);
        switch (outcome.type) {
          case 'same':
            return { reply: shown(outcome.state) };
          case 'stored':
            return deciding(view)
              .interaction(outcome.state)
              .done({ reply: shown(outcome.state, !outcome.state.response.late) });
          case 'refused': {
            const draft = deciding(view);
            if (outcome.state !== null) draft.interaction(outcome.state);
            return draft.done({
              rows: [refusedRow(message.ref, message.actor, message.answer, outcome.code, context.now)],
              ...no(outcome.code, outcome.why, outcome.field),
            });
          }
          default:
            return unreachable(outcome);
        }
      });
    case 'seen':
      return asRecipient(view, message.ref, message.actor, (state) => {
        if (state.seenAt !== null) return { reply: shown(state) };
        const next = { ...state, seenAt: context.now, changedAt: context.now };
        return deciding(view)
          .interaction(next)
          .done({ reply: shown(next) });
      });
    case 'claim':
      return asRecipient(view, message.ref, message.actor, (state) => claim(view, state, message.actor, context));
    case 'purged':
      return { rows: [purgeRow(message.record)] };
    case 'tick':
      if (message.kind === 'interaction') return tickInteraction(view, message.id, context);
      return message.kind === 'clarification' ? tickClarification(view, message.id, context) : none;
    default:
      return unreachable(message);
  }
};

const claim = (view: View, state: Published, actor: Actor, context: Context): Decided => {
  if (state.claimedBy === actor.account) return { reply: shown(state) };
  if (state.claimedBy !== null) return no('already_claimed', 'another person of the role has claimed it');
  if (!isForRole(state)) return no('contract_violated', 'only a request to a role can be claimed');
  if (state.status === 'answered') return no('already_answered', 'another response was accepted first');
  if (state.status === 'closed')
    return no(state.code === 'expired' ? 'expired' : 'interaction_closed', `the request is closed: ${state.code}`);
  const next = { ...state, claimedBy: actor.account, changedAt: context.now };
  return deciding(view)
    .interaction(next)
    .done({ reply: shown(next) });
};
