import type { ObserveRun, StartRun } from '../../schemas/generated/records';
import type { Context, Decision, View } from '../platform/decision';
import type { Intent } from './draft';
import type { Scene } from './event-policy';
import type { Message } from './messages';
import { defaultPriority, type EventPolicy, type Settings } from './settings';
import { decideStart } from './start';

/** The start of the run that an event gets for itself. */
const startOfEvent = (record: ObserveRun, policy: Pick<EventPolicy, 'agent' | 'priority'>, now: number): StartRun => ({
  eventId: `${record.messageId}/own-run`,
  occurredAt: now,
  tenant: record.tenant,
  app: record.app,
  account: record.account,
  conversationId: record.conversationId,
  messageId: record.messageId,
  clientMessageId: record.clientMessageId,
  runId: record.runId,
  taskId: record.taskId,
  relation: 'entity_event',
  content: record.content,
  contentSha256: record.contentSha256,
  receivedAt: record.receivedAt,
  agent: record.agent ?? policy.agent,
  title: null,
  priority: record.priority ?? policy.priority,
  scheduled: false,
  requirements: null,
  // What an entity reports does not stand in line behind what people talk about.
  mode: 'parallel',
  dependsOnRunId: null,
  parentRunId: null,
  continuationOfRunId: null,
  parentFacts: null,
  interactionRef: null,
  requestRevision: null,
  entityType: record.entityType,
  entityId: record.entityId,
  interruptRunId: null,
  attempt: record.attempt,
});

export const ownRun = ({ view, record, context, settings }: Scene, policy: EventPolicy): Decision<Message, Intent> => {
  const start = startOfEvent(record, policy, context.now);
  return decideStart(view, { type: 'start', record: start, event: record }, context, settings);
};

/** A person said that an attached event is something of its own. */
export const decideOwnRun = (
  view: View,
  { record, fate }: Extract<Message, { type: 'own_run' }>,
  context: Context,
  settings: Settings,
): Decision<Message, Intent> => {
  const policy = settings.events(record.tenant, record.entityType ?? '') ?? { agent: null, priority: defaultPriority };
  const start = startOfEvent(record, policy, context.now);
  return decideStart(view, { type: 'start', record: start, event: record, fate }, context, settings);
};
