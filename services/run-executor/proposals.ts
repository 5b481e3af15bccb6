import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { type Draft, keep } from './draft';
import { isGranted } from './grants';
import { ask } from './requests';
import type { ActionState, OpenTurn } from './turn-state';
import { at } from './times';

export const proposalIdOf = (action: NonNullable<TurnOutput['actions']>[number], turn: number, index: number): string =>
  action.proposalId ?? `t${turn}.${index + 1}`;

export const propose = (
  draft: Draft,
  turn: OpenTurn,
  action: NonNullable<TurnOutput['actions']>[number],
  proposalId: string,
): void => {
  const { run, context } = draft;
  if (run.actions.some((known) => known.proposalId === proposalId)) return;
  const granted = isGranted(run, 'connector', action.connector, context.now);
  const state: ActionState = {
    proposalId,
    connector: action.connector,
    operation: action.operation,
    subject: action.subject,
    request: {
      params: action.params === undefined ? null : keep(draft, JSON.stringify(action.params)),
      body: action.body === undefined ? null : keep(draft, action.body),
    },
    note: action.note ?? null,
    approval: action.approval === true,
    repeat: action.repeat === true,
    turn: turn.number,
    version: turn.version,
    actionKey: null,
    seen: 0,
    status: granted ? 'proposing' : 'refused',
    code: granted ? null : 'not_granted',
    receipt: null,
  };
  run.actions.push(state);
  if (granted) ask(draft, `propose/${proposalId}`);
  else
    run.changes.push({ kind: 'action_refused', at: at(context.now), proposalId, code: 'not_granted', actionKey: null });
};
