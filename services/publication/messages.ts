import type {
  ActionStateChanged,
  ContentPurged,
  InteractionChanged,
  MessageStored,
  PublishReport,
  ReceiptIssued,
  RecordByName,
  RecordName,
  RunStateChanged,
  SupersedeVersion,
  TurnCommitted,
} from '../../schemas/generated/records';
import type { Tick } from '../platform/decision';
import { idsOf } from '../platform/identity';
import { actionItem, interactionItem, messageItem, receiptItem, runItem, turnItem, type Item } from './items';
import { terminalStates, type TimelineKind } from './state';

/** One thing that happened in a conversation, as the timeline takes it in. */
export interface Happened {
  readonly kind: TimelineKind;
  /** Names the thing within its kind. */
  readonly entity: string;
  readonly tenant: string;
  readonly account: string;
  readonly conversationId: string;
  readonly runId: string | null;
  readonly revision: number;
  readonly eventId: string;
  readonly at: number;
  readonly item: Item;
  readonly title: string | null;
  readonly ended: boolean;
  /** False: it is told in a conversation that exists, makes none, and is in no snapshot. */
  readonly kept: boolean;
}

/** How far a webhook was told, and what it did not take. */
export interface Told {
  readonly type: 'told';
  readonly stream: string;
  readonly upTo: number;
  readonly failed: {
    readonly seq: number;
    readonly eventId: string;
    readonly at: number;
    readonly why: string;
  } | null;
}

/** An integrator's new text of a document, made from two that contradict each other. */
export interface Resolve {
  readonly type: 'resolve';
  readonly id: string;
  readonly basedOn: readonly string[];
  readonly body: Buffer;
  readonly contentType: string;
  readonly account: string;
}

export type Message =
  | Told
  | Resolve
  | { readonly type: 'publish'; readonly record: PublishReport }
  | { readonly type: 'supersede'; readonly record: SupersedeVersion }
  | { readonly type: 'purged'; readonly record: ContentPurged }
  | { readonly type: 'happened'; readonly event: Happened };

export type AnyMessage = Message | Tick;

type Source = Pick<Happened, 'tenant' | 'account' | 'conversationId' | 'revision' | 'eventId'> & { occurredAt: number };

const happened = (
  record: Source,
  kind: TimelineKind,
  entity: string,
  item: Item,
  more: Partial<Pick<Happened, 'runId' | 'title' | 'ended' | 'kept'>>,
): Message => ({
  type: 'happened',
  event: {
    kind,
    entity,
    item,
    tenant: record.tenant,
    account: record.account,
    conversationId: record.conversationId,
    revision: record.revision,
    eventId: record.eventId,
    at: record.occurredAt,
    runId: null,
    title: null,
    ended: false,
    kept: true,
    ...more,
  },
});

/** A repeat brings no news; what was refused before admission is told and kept nowhere. */
const receipt = (record: ReceiptIssued): Message | undefined => {
  if (record.duplicate || record.account === '') return undefined;
  const kept = record.revision > 0;
  return happened(
    record,
    'receipt',
    kept ? (record.messageId ?? record.eventId) : record.eventId,
    receiptItem(record),
    {
      runId: record.runId ?? record.targetRunId,
      kept,
    },
  );
};

/**
 * Undefined = nothing for a timeline. Reports are put there by the transaction that publishes them, so that a run's
 * stream has its report before its end.
 */
export const messageOf = (name: RecordName, value: RecordByName[RecordName]): Message | undefined => {
  switch (name) {
    case 'PublishReport':
      return { type: 'publish', record: value as PublishReport };
    case 'SupersedeVersion':
      return { type: 'supersede', record: value as SupersedeVersion };
    case 'MessageStored': {
      const record = value as MessageStored;
      // A message that aims at no run names the run it would start.
      const runId = record.targetRunId ?? idsOf(record).runId;
      return happened(record, 'message', record.messageId, messageItem(record), { runId, title: record.title });
    }
    case 'ReceiptIssued':
      return receipt(value as ReceiptIssued);
    case 'RunStateChanged': {
      const record = value as RunStateChanged;
      const { runId, title } = record;
      return happened(record, 'run', runId, runItem(record), { runId, title, ended: terminalStates.has(record.state) });
    }
    case 'TurnCommitted': {
      const record = value as TurnCommitted;
      return happened(record, 'turn', `${record.runId}/${record.turn}`, turnItem(record), { runId: record.runId });
    }
    case 'InteractionChanged': {
      const record = value as InteractionChanged;
      return happened(record, 'interaction', record.interactionRef, interactionItem(record), { runId: record.runId });
    }
    case 'ActionStateChanged': {
      const record = value as ActionStateChanged;
      // Each run that waits for its outcome is told by itself, in its own conversation: one fact for all of them would move.
      return happened(record, 'action', `${record.actionKey}:${record.runId}`, actionItem(record), {
        runId: record.runId,
      });
    }
    case 'ContentPurged':
      return { type: 'purged', record: value as ContentPurged };
    default:
      return undefined;
  }
};
