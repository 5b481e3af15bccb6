import type { MessageSubmitted } from './generated/records';

/** A message that says nothing beyond its words: every field after `content` at its schema default. */
export const unsaid: Omit<
  MessageSubmitted,
  'eventId' | 'occurredAt' | 'conversationId' | 'clientMessageId' | 'content'
> = {
  account: null,
  relation: 'UNSPECIFIED',
  targetRunId: null,
  targetClientMessageId: null,
  expectedVersion: null,
  amendKind: null,
  continuationOfRunId: null,
  parentRunId: null,
  interactionRef: null,
  requestRevision: null,
  control: null,
  mode: null,
  dependsOnRunId: null,
  entityType: null,
  entityId: null,
  eventKind: null,
  eventAt: null,
  correlationId: null,
  agent: null,
  title: null,
  priority: null,
  scheduled: false,
  requirements: null,
};
