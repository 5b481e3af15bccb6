import type { ActionReceipt } from '../../schemas/generated/records';
import type { Context, Decision, Emit, Row, View } from '../platform/decision';
import { emit } from '../platform/decision';
import { incidentRow } from '../platform/incidents';
import type { ApprovalPolicy, Contract } from './contract';
import type { Message } from './messages';
import {
  actionKeyOf,
  effectKey,
  fenceKey,
  isUnsettled,
  type Action,
  type Effect,
  type Fence,
  type Owner,
  type Standing,
} from './state';

/** An attempt that this process is to make now; its bytes may be at hand already. */
export interface Send {
  readonly kind: 'send';
  readonly actionKey: string;
  /** Id of the fence it started under: its run, or the fence of a compensation. */
  readonly runId: string;
  readonly tenant: string;
  readonly connector: string;
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  readonly sha256: string;
  readonly number: number;
  readonly sendBy: number;
  readonly timeoutMs: number;
  readonly bytes: Buffer | null;
}

/** The remote's own cancel of an action, asked for by this process now. */
export interface SendCancel {
  readonly kind: 'cancel';
  readonly actionKey: string;
  readonly runId: string;
  readonly tenant: string;
  readonly connector: string;
  readonly operation: string;
  readonly subject: string;
  readonly number: number;
  readonly sendBy: number;
}

export type Outside = Send | SendCancel;

/** What decisions may ask besides the locked rows; configuration and pace come in, nothing is read. */
export interface World {
  readonly contract: (tenant: string, connector: string) => Contract | null;
  readonly policy: (tenant: string) => ApprovalPolicy;
  /** 0 = one submit or query may go now, and is counted; else ms until it is worth asking again. */
  /** An operator has stopped what is sent to it. */
  readonly paused: (connector: string) => boolean;
  readonly pace: (contract: Contract, what: 'submit' | 'query', now: number) => number;
}

/** One decision being made: what it changes, and what follows from that. */
export interface Draft {
  readonly view: View;
  readonly context: Context;
  readonly now: number;
  readonly world: World;
  readonly before: Map<string, Action>;
  readonly actions: Map<string, Action>;
  fence: Fence | null;
  effect: { readonly id: string; readonly state: Effect } | null;
  readonly emits: Emit[];
  readonly rows: Row[];
  readonly tells: Message[];
  readonly sends: Outside[];
  /** Incidents this decision ends. */
  readonly closes: string[];
  /** Request bytes sealed by this very decision. */
  readonly sealed: Map<string, Buffer>;
}

export const openDraft = (view: View, context: Context, world: World): Draft => ({
  view,
  context,
  now: context.now,
  world,
  before: new Map(),
  actions: new Map(),
  fence: null,
  effect: null,
  emits: [],
  rows: [],
  tells: [],
  sends: [],
  closes: [],
  sealed: new Map(),
});

export const actionOf = (draft: Draft, actionKey: string): Action | undefined =>
  draft.actions.get(actionKey) ?? draft.view.get<Action>('action', actionKey);

export const putAction = (draft: Draft, action: Action): Action => {
  const stored = draft.view.get<Action>('action', action.actionKey);
  if (stored !== undefined) draft.before.set(action.actionKey, stored);
  draft.actions.set(action.actionKey, action);
  return action;
};

/** Moves an action on; its code says why it stands there. */
export const stand = (draft: Draft, action: Action, standing: Standing, code: string | null): Action =>
  putAction(draft, {
    ...action,
    standing,
    code,
    unknownSince: isUnsettled({ ...action, standing }) ? action.unknownSince : null,
  });

export const ownerOf = (of: Omit<Owner, 'proposalId' | 'requirementsVersion'>) => ({
  tenant: of.tenant,
  app: of.app,
  account: of.account,
  conversationId: of.conversationId,
  taskId: of.taskId,
  runId: of.runId,
});

/** Revision the action will have once this decision is saved. */
export const nextRevision = (draft: Draft, actionKey: string): number => draft.view.revision('action', actionKey) + 1;

const receiptOf = (action: Action): ActionReceipt | null => {
  const last = action.evidence.at(-1);
  return last === undefined ? null : { by: last.by, status: last.status, body: last.body, at: last.at };
};

const stateChanged = (draft: Draft, action: Action, owner: Owner): Emit =>
  emit(actionKeyOf(action.actionKey), 'effect.events.v1', 'ActionStateChanged', owner.conversationId, {
    ...ownerOf(owner),
    revision: nextRevision(draft, action.actionKey),
    actionKey: action.actionKey,
    connector: action.connector,
    operation: action.operation,
    subject: action.subject,
    actionRevision: 1,
    proposalId: owner.proposalId,
    requirementsVersion: owner.requirementsVersion,
    state: action.standing.status,
    code: action.code,
    attempts: action.attempts.length,
    requestSha256: action.request.sha256,
    interactionRef: action.approval?.interactionRef ?? null,
    previewSha256: action.approval?.previewSha256 ?? null,
    receipt: receiptOf(action),
    unsettled: isUnsettled(action),
  });

/** Asking once more or renewing a timer is no news to anybody. */
const isNews = (before: Action | undefined, after: Action): boolean =>
  before === undefined ||
  before.standing.status !== after.standing.status ||
  before.code !== after.code ||
  before.attempts.length !== after.attempts.length ||
  before.evidence.length !== after.evidence.length ||
  before.compensatedBy?.length !== after.compensatedBy?.length ||
  before.cancel?.confirmedAt !== after.cancel?.confirmedAt;

interface Stuck {
  readonly reason: string;
  readonly actions: readonly string[];
}

const lookUp = 'look at the remote under this key';
const attest = (key: string): string => `npx fairlead attest ${key} --outcome succeeded|failed --evidence "…"`;
const askAgain = (key: string): string => `ask the remote again: POST /v1/actions/${encodeURIComponent(key)}/queries`;

/** Why a blocked action cannot be found out by asking or resending, and what a person can do about it (E6). */
const blockedBecause = (key: string, code: string | null): Stuck => {
  switch (code) {
    case 'connector_gone':
      return {
        reason: 'its connector is not configured any more',
        actions: ['configure the connector again', askAgain(key), attest(key)],
      };
    case 'no_way_to_verify':
      return {
        reason: 'its connector has no receipt route, and no dedup under which it could be sent again',
        actions: [lookUp, attest(key)],
      };
    case 'fenced':
    case 'grant_ended':
    case 'target_changed':
      return {
        reason: 'its run does not allow it to be sent again, and its connector has no receipt route',
        actions: [lookUp, attest(key)],
      };
    case 'not_answered':
      return {
        reason: 'the remote was asked to the end and did not tell',
        actions: [askAgain(key), lookUp, attest(key)],
      };
    default:
      return { reason: 'it may not be sent again, and nobody can be asked', actions: [lookUp, attest(key)] };
  }
};

const stuck = ({ actionKey, standing, code }: Action): Stuck | null => {
  switch (standing.status) {
    case 'blocked':
      return blockedBecause(actionKey, code);
    case 'disputed':
      return { reason: 'the evidence about it contradicts itself', actions: [lookUp, attest(actionKey)] };
    default:
      return null;
  }
};

const incidentId = ({ actionKey, standing }: Action): string => `action-${standing.status}/${actionKey}`;

const movedFrom = (draft: Draft, action: Action): Action | undefined => {
  const before = draft.before.get(action.actionKey);
  return before?.standing.status === action.standing.status ? undefined : before;
};

/** What an action stood in needed somebody; where it stands now says whether it still does. */
const settledIncident = (draft: Draft, action: Action): string[] => {
  const before = movedFrom(draft, action);
  return before === undefined || stuck(before) === null ? [] : [incidentId(before)];
};

const incidentOf = (draft: Draft, action: Action): Row[] => {
  const why = stuck(action);
  if (why === null || draft.before.get(action.actionKey)?.standing.status === action.standing.status) return [];
  return [
    incidentRow({
      id: incidentId(action),
      kind: `action_${action.standing.status}`,
      ref: action.actionKey,
      reason: `${action.actionKey}: ${why.reason} (${action.code ?? 'no code'})`,
      actions: why.actions,
    }),
  ];
};

export const finish = (draft: Draft, reply?: unknown): Decision<Message, Outside> => {
  const changed = [...draft.actions.values()];
  const puts = [
    ...(draft.fence === null ? [] : [{ key: fenceKey(draft.fence.runId), state: draft.fence }]),
    ...(draft.effect === null ? [] : [{ key: effectKey(draft.effect.id), state: draft.effect.state }]),
    ...changed.map((action) => ({ key: actionKeyOf(action.actionKey), state: action })),
  ];
  const news = changed.filter((action) => isNews(draft.before.get(action.actionKey), action));
  return {
    put: puts,
    emit: [
      ...draft.emits,
      ...news.flatMap((action) => [action, ...action.followers].map((owner) => stateChanged(draft, action, owner))),
    ],
    rows: [...draft.rows, ...changed.flatMap((action) => incidentOf(draft, action))],
    close: [...draft.closes, ...changed.flatMap((action) => settledIncident(draft, action))],
    tell: draft.tells.map((message) => ({ message })),
    perform: draft.sends,
    ...(reply === undefined ? {} : { reply }),
  };
};
