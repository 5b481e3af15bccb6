import { unreachable, type Decision, type Service, type View } from '../platform/decision';
import { purgeRow } from '../platform/purges';
import { approvalTick, withdrawalTick } from './approval';
import { onCallback } from './decide-callback';
import { cancelTick, onCancelAnswered } from './decide-cancel';
import { onCompensate } from './decide-compensate';
import { onAttempted, onAttest, sendingTick } from './decide-evidence';
import { onRaiseFence } from './decide-fence';
import { onInteraction } from './decide-approval';
import { onPropose } from './decide-propose';
import { onReleased, onStart } from './decide-start';
import { onAskAgain, onAskSoon, onReceipt, unknownTick, wantedTick } from './decide-unknown';
import { actionOf, finish, openDraft, type Draft, type Outside, type World } from './draft';
import type { Message } from './messages';
import { fenceIdOf, previewRef, type Action } from './state';

/** When an action needs a look although nobody said anything about it. */
export const actionDueAt = (action: Action): number | null => {
  const times = [
    standingDueAt(action),
    action.withdrawal?.askAt ?? null,
    action.cancel?.nextAt ?? null,
    action.wantedAt ?? null,
  ].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
};

const standingDueAt = (action: Action): number | null => {
  const { standing } = action;
  switch (standing.status) {
    case 'proposed':
    case 'awaiting_approval':
      return action.approval?.askAt ?? null;
    case 'admitted':
      return standing.notBefore;
    case 'sending':
      return standing.lease.until;
    case 'unknown':
      return standing.nextAt;
    default:
      return null;
  }
};

const onTick = (draft: Draft, id: string): void => {
  withdrawalTick(draft, id);
  cancelTick(draft, id);
  wantedTick(draft, id);
  const action = actionOf(draft, id);
  if (action === undefined) return;
  const { standing } = action;
  switch (standing.status) {
    case 'proposed':
    case 'awaiting_approval':
      return approvalTick(draft, action);
    case 'admitted':
      // Only the run's fence may let it start, and that row ranks before this one: so it is told, not done here.
      if (standing.notBefore !== null && standing.notBefore <= draft.now)
        draft.tells.push({ type: 'start', actionKey: action.actionKey, runId: fenceIdOf(action) });
      return;
    case 'sending':
      return sendingTick(draft, action);
    case 'unknown':
      return unknownTick(draft, action);
    default:
      return;
  }
};

/** Bytes a decision reads again: the preview of an approval that has to be requested once more. */
export const blobsOf = (message: Message, view: View): readonly string[] => {
  const action = message.type === 'tick' ? view.get<Action>('action', message.id) : undefined;
  const status = action?.standing.status;
  return action !== undefined && (status === 'proposed' || status === 'awaiting_approval')
    ? [previewRef(action.actionKey)]
    : [];
};

/** The ledger's decider: locked rows and one message in, what is recorded and what follows out. */
export const decider =
  (world: World): Service<Message, Outside>['decide'] =>
  (view, message, context): Decision<Message, Outside> => {
    const draft = openDraft(view, context, world);
    switch (message.type) {
      case 'propose':
        onPropose(draft, message.record, message.replayed);
        return finish(draft);
      case 'raise_fence':
        onRaiseFence(draft, message.record);
        return finish(draft);
      case 'interaction':
        onInteraction(draft, message.record);
        return finish(draft);
      case 'receipt':
        onReceipt(draft, message.record);
        return finish(draft);
      case 'start':
        onStart(draft, actionOf(draft, message.actionKey));
        return finish(draft);
      case 'released':
        onReleased(draft, actionOf(draft, message.actionKey));
        return finish(draft);
      case 'attempted':
        onAttempted(draft, message);
        return finish(draft);
      case 'cancel_answered':
        onCancelAnswered(draft, message);
        return finish(draft);
      case 'callback':
        return finish(draft, onCallback(draft, message));
      case 'compensate':
        return finish(draft, onCompensate(draft, message));
      case 'attest':
        return finish(draft, onAttest(draft, message));
      case 'ask_again':
        return finish(draft, onAskAgain(draft, actionOf(draft, message.actionKey), message.tenant));
      case 'ask_soon':
        onAskSoon(draft, actionOf(draft, message.actionKey), message.tenant);
        return finish(draft);
      case 'purged':
        return { rows: [purgeRow(message.record)] };
      case 'tick':
        onTick(draft, message.id);
        return finish(draft);
      default:
        return unreachable(message);
    }
  };
