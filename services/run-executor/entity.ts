import type { Change } from '../../schemas/turn-protocol/input';
import type { ObserveRun } from '../../schemas/generated/records';
import { canonicalBytes, sha256Hex } from '../platform/canonical';
import type { AggregateKey, Context, View } from '../platform/decision';
import { conversationIdOf } from './messages';
import type { Run } from './state';
import { at } from './times';

/** Beyond this many runs of one entity the one longest quiet is no longer a candidate. */
const maxRuns = 20;
const maxCorrelations = 50;
/** Events by which a repeat under another message id is recognised. */
const maxEvents = 200;

/** One run about the entity, as events find it; whether it still takes them is read from the run itself. */
export interface EntityRun {
  readonly runId: string;
  /** Aggregate id of its conversation. */
  readonly conversation: string;
  readonly correlationIds: readonly string[];
  /** When the run was made or last got an event, by this database's clock. */
  readonly at: number;
}

/** Runs about one entity of one account, and the events that were taken; what events are decided by (A15). */
export interface Entity {
  readonly tenant: string;
  readonly account: string;
  readonly type: string;
  readonly id: string;
  /** Newest last. */
  readonly runs: readonly EntityRun[];
  readonly events: readonly { readonly key: string; readonly messageId: string; readonly runId: string | null }[];
  /** Events about which a model is being asked; decided without it when the time is over. */
  readonly asked: readonly { readonly record: ObserveRun; readonly until: number }[];
}

interface About {
  readonly tenant: string;
  readonly account: string;
  readonly type: string;
  readonly id: string;
}

export const entityIdOf = ({ tenant, account, type, id }: About): string =>
  `ent_${sha256Hex(canonicalBytes([tenant, account, type, id])).slice(0, 26)}`;

export const entityKey = (id: string): AggregateKey => ({ kind: 'entity', id });

export const aboutOf = (record: {
  readonly tenant: string;
  readonly account: string;
  readonly entityType: string | null;
  readonly entityId: string | null;
}): About | null =>
  record.entityType === null || record.entityId === null
    ? null
    : { tenant: record.tenant, account: record.account, type: record.entityType, id: record.entityId };

export const entityAt = (view: View, about: About): Entity =>
  view.get<Entity>('entity', entityIdOf(about)) ?? { ...about, runs: [], events: [], asked: [] };

/** The entity's own name for an event: the same under every message id. */
export const eventKeyOf = ({ eventKind, eventAt, correlationId }: ObserveRun): string =>
  sha256Hex(canonicalBytes([eventKind, eventAt, correlationId])).slice(0, 26);

export const withRun = (
  entity: Entity,
  run: Pick<EntityRun, 'runId' | 'conversation'>,
  correlationId: string | null,
  now: number,
): Entity => {
  const known = entity.runs.find((one) => one.runId === run.runId);
  const correlationIds = [
    ...new Set([...(known?.correlationIds ?? []), ...(correlationId === null ? [] : [correlationId])]),
  ];
  const others = entity.runs.filter((one) => one !== known);
  return {
    ...entity,
    runs: [...others, { ...run, correlationIds: correlationIds.slice(-maxCorrelations), at: now }].slice(-maxRuns),
  };
};

export const withEvent = (entity: Entity, record: ObserveRun, runId: string | null): Entity => ({
  ...entity,
  events: [
    ...entity.events.filter((one) => one.messageId !== record.messageId),
    { key: eventKeyOf(record), messageId: record.messageId, runId },
  ].slice(-maxEvents),
  asked: entity.asked.filter((one) => one.record.messageId !== record.messageId),
});

export const entityPut = (entity: Entity) => ({ key: entityKey(entityIdOf(entity)), state: entity });

/** A new run about an entity is found by the entity's next events. */
export const entityPuts = (view: View, run: Run, context: Context, event: ObserveRun | undefined) => {
  if (run.entity === null) return [];
  const about = { tenant: run.tenant, account: run.account, ...run.entity };
  const conversation = conversationIdOf(run);
  const known = withRun(
    entityAt(view, about),
    { runId: run.runId, conversation },
    event?.correlationId ?? null,
    context.now,
  );
  return [entityPut(event === undefined ? known : withEvent(known, event, run.runId))];
};

export const changeOfEvent = (
  event: Pick<ObserveRun, 'eventKind' | 'eventAt' | 'correlationId' | 'receivedAt' | 'messageId'>,
  confirmed: boolean,
  text: string,
): Change => ({
  kind: 'entity_event',
  at: at(event.receivedAt),
  eventKind: event.eventKind ?? '',
  eventAt: at(event.eventAt ?? event.receivedAt),
  correlationId: event.correlationId,
  text,
  messageId: event.messageId,
  confirmed,
});

export const entityDueAt = (entity: Entity): number | null =>
  entity.asked.length === 0 ? null : Math.min(...entity.asked.map((one) => one.until));
