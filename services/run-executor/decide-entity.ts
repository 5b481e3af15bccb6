import type { AggregateKey, Context, Decision, Tick, View } from '../platform/decision';
import { unreachable } from '../platform/decision';
import type { Intent } from './draft';
import { aboutOf, entityIdOf, entityKey, type Entity } from './entity';
import { decideEntityEvent, decideTriaged, eventRuns, tickEntity } from './entity-events';
import { decideOwnRun } from './event-run';
import { conversationIdOf, conversationKey, runKey, type Message } from './messages';
import type { Settings } from './settings';

/** Messages that find their run through an entity. */
export type EntityMessage = Extract<Message, { type: 'entity_event' | 'triaged' | 'own_run' }>;

type MaybeEntity = EntityMessage | Tick;

/** Null: the message is about a run. */
export const entityIdIn = (message: Message | Tick): string | null => {
  switch (message.type) {
    case 'entity_event':
    case 'own_run': {
      const about = aboutOf(message.record);
      return about === null ? '' : entityIdOf(about);
    }
    case 'triaged':
      return message.entity;
    case 'tick':
      return message.kind === 'entity' ? message.id : null;
    default:
      return null;
  }
};

const recordsOf = (message: MaybeEntity, view: View) => {
  if (message.type === 'entity_event' || message.type === 'own_run') return [message.record];
  const asked = view.get<Entity>('entity', entityIdIn(message) ?? '')?.asked ?? [];
  return asked
    .map((one) => one.record)
    .filter((record) => message.type === 'tick' || record.messageId === message.messageId);
};

export const entityKeys = (message: MaybeEntity): AggregateKey[] => [entityKey(entityIdIn(message) ?? '')];

/** Runs that the event may be merged into, the one it may become, and the one that took it before. */
export const entityRunIds = (message: MaybeEntity, view: View): string[] => {
  const entity = view.get<Entity>('entity', entityIdIn(message) ?? '');
  const records = recordsOf(message, view);
  return [
    ...(entity?.runs.map((one) => one.runId) ?? []),
    ...records.map((record) => record.runId),
    ...records.flatMap((record) => (entity === undefined ? [] : eventRuns(entity, record.messageId))),
  ];
};

export const entityMoreKeys = (message: MaybeEntity, view: View): AggregateKey[] => [
  ...entityRunIds(message, view).map(runKey),
  ...(view.get<Entity>('entity', entityIdIn(message) ?? '')?.runs ?? []).map((one) =>
    conversationKey(one.conversation),
  ),
  ...recordsOf(message, view).map((record) => conversationKey(conversationIdOf(record))),
];

export const decideAboutEntity = (
  view: View,
  message: MaybeEntity,
  context: Context,
  settings: Settings,
): Decision<Message, Intent> => {
  switch (message.type) {
    case 'entity_event':
      return decideEntityEvent(view, message.record, context, settings, 'not asked');
    case 'triaged':
      return decideTriaged(view, message, context, settings);
    case 'own_run':
      return decideOwnRun(view, message, context, settings);
    case 'tick':
      return tickEntity(view, message.id, context, settings);
    default:
      return unreachable(message);
  }
};
