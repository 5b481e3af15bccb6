import type { ObserveRun } from '../../schemas/generated/records';
import type { Context, Decision, View } from '../platform/decision';
import { advance } from './advance';
import { decideFate, draftOf, keep, newFate, say, type Intent } from './draft';
import { aboutOf, entityAt, entityIdOf, entityPut, eventKeyOf, withEvent, withRun, type Entity } from './entity';
import { choose, type Proposal, type Scene } from './event-policy';
import { askWhetherItBelongs } from './event-question';
import { ownRun } from './event-run';
import { finish } from './finish';
import { conversationIdOf, type Message } from './messages';
import { refuse, sayWithoutRun } from './refusal';
import type { Settings } from './settings';
import { isRun, type Run, type RunRow } from './state';

/** How long a model may take to propose; after that the policy decides as if there were none. */
export const triageMs = 5_000;

/** An event about an entity, or what a model proposed about it, or that it did not answer in time. */
export const decideEntityEvent = (
  view: View,
  record: ObserveRun,
  context: Context,
  settings: Settings,
  proposal: Proposal | 'not asked',
): Decision<Message, Intent> => {
  const about = aboutOf(record);
  if (about === null) throw new Error('an entity event without an entity');
  const scene: Scene = { view, record, context, settings, entity: entityAt(view, about) };
  const decision = decideIn(scene, about.type, proposal);
  const asked = scene.entity.asked.some((one) => one.record.messageId === record.messageId);
  // Whatever was decided, the model is not waited for any more.
  return asked && proposal !== 'not asked' && !(decision.put ?? []).some(({ key }) => key.kind === 'entity')
    ? { ...decision, put: [...(decision.put ?? []), entityPut(withEvent(scene.entity, record, null))] }
    : decision;
};

const decideIn = (scene: Scene, type: string, proposal: Proposal | 'not asked'): Decision<Message, Intent> => {
  const { record, context, settings } = scene;
  const told = toldBefore(scene);
  if (told !== null) return told;
  const policy = settings.events(record.tenant, type);
  if (policy === undefined)
    return refuse(
      record,
      {
        code: 'not_granted',
        field: 'entityType',
        detail: `events of ${type} are not taken for this tenant`,
      },
      context,
    );
  const key = eventKeyOf(record);
  const same = scene.entity.events.find((one) => one.key === key && one.messageId !== record.messageId);
  if (same !== undefined) return ignore(record, same.runId);
  const choice = choose(scene, policy, proposal);
  switch (choice.does) {
    case 'merge':
    case 'attach':
      return attach(scene, choice.run, choice.does === 'merge');
    case 'own_run':
      return ownRun(scene, policy);
    case 'ask_model':
      return askModel(scene, choice.url, choice.candidates);
  }
};

/** The same message again gets the fate it has (R25). */
const toldBefore = (scene: Scene): Decision<Message, Intent> | null => {
  const { view, record, context, settings, entity } = scene;
  const own = view.get<RunRow>('run', record.runId);
  if (own?.status === 'refused') return { emit: [sayWithoutRun(record, own.fate)] };
  const ids = [record.runId, ...entity.runs.map((one) => one.runId), ...eventRuns(entity, record.messageId)];
  for (const runId of ids) {
    const row = view.get<RunRow>('run', runId);
    const fate = isRun(row) ? row.fates.find((one) => one.messageId === record.messageId) : undefined;
    if (!isRun(row) || fate === undefined) continue;
    const draft = draftOf(row, row, conversationIdOf(row), view, context, settings);
    say(draft, fate, record.attempt);
    return { emit: draft.emits };
  }
  return null;
};

/** The run that took a message as an event. */
export const eventRuns = (entity: Entity, messageId: string): string[] =>
  entity.events.flatMap((one) => (one.messageId === messageId && one.runId !== null ? [one.runId] : []));

const ignore = (record: ObserveRun, runId: string | null): Decision<Message, Intent> => ({
  emit: [
    sayWithoutRun(
      record,
      newFate(record, { status: 'event_ignored', detail: 'this event is known under another message' }),
      runId,
    ),
  ],
});

const attach = (scene: Scene, into: Run, confirmed: boolean): Decision<Message, Intent> => {
  const { view, record, context, settings, entity } = scene;
  const conversation = conversationIdOf(into);
  const draft = draftOf(into, into, conversation, view, context, settings);
  const { run } = draft;
  run.pending.push({
    kind: 'entity_event',
    messageId: record.messageId,
    clientMessageId: record.clientMessageId,
    text: keep(draft, record.content),
    receivedAt: record.receivedAt,
    version: null,
    amendKind: null,
    structured: null,
    followUp: { runId: record.runId, taskId: record.taskId },
    event: {
      eventKind: record.eventKind ?? '',
      eventAt: record.eventAt ?? record.receivedAt,
      correlationId: record.correlationId,
      confirmed,
    },
  });
  decideFate(draft, record, {
    status: confirmed ? 'event_merged' : 'event_unconfirmed',
    version: run.requirements.version,
  });
  if (!confirmed) askWhetherItBelongs(draft, record);
  advance(draft);
  const known = withRun(
    entity,
    { runId: run.runId, conversation },
    confirmed ? record.correlationId : null,
    context.now,
  );
  return finish(draft, { put: [entityPut(withEvent(known, record, run.runId))] });
};

/** Stored first, asked after the commit: no remote call is ever inside a transaction. */
const askModel = (scene: Scene, url: string, candidates: readonly Run[]): Decision<Message, Intent> => {
  const { record, context, entity } = scene;
  const known = entity.asked.find((one) => one.record.messageId === record.messageId);
  if (known !== undefined) return {};
  const waiting = withEvent(entity, record, null);
  const state: Entity = { ...waiting, asked: [...waiting.asked, { record, until: context.now + triageMs }] };
  return {
    put: [entityPut(state)],
    perform: [
      {
        type: 'triage',
        url,
        entity: entityIdOf(entity),
        messageId: record.messageId,
        question: {
          entity: { type: entity.type, id: entity.id },
          event: {
            kind: record.eventKind ?? '',
            at: new Date(record.eventAt ?? record.receivedAt).toISOString(),
            correlationId: record.correlationId,
            text: record.content,
          },
          candidates: candidates.map((run) => ({
            runId: run.runId,
            title: run.title,
            state: run.status,
            requirementsVersion: run.requirements.version,
            startedAt: run.startedAt === null ? null : new Date(run.startedAt).toISOString(),
          })),
        },
      },
    ],
  };
};

/** Nobody has proposed anything in time, or the process that asked is gone. */
export const tickEntity = (view: View, id: string, context: Context, settings: Settings): Decision<Message, Intent> => {
  const overdue = view.get<Entity>('entity', id)?.asked.find((one) => one.until <= context.now);
  return overdue === undefined ? {} : decideEntityEvent(view, overdue.record, context, settings, null);
};

export const decideTriaged = (
  view: View,
  message: Extract<Message, { type: 'triaged' }>,
  context: Context,
  settings: Settings,
): Decision<Message, Intent> => {
  const waiting = view
    .get<Entity>('entity', message.entity)
    ?.asked.find((one) => one.record.messageId === message.messageId);
  return waiting === undefined ? {} : decideEntityEvent(view, waiting.record, context, settings, message.proposal);
};
