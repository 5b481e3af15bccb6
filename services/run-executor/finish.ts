import { emit, type Decision } from '../platform/decision';
import { slotsPut } from './claim-slot';
import { conversationPut } from './conversation';
import { ofRun, type Draft, type Intent } from './draft';
import { runKey, type Message } from './messages';
import { answeredIncidents } from './requests';
import { treePut } from './tree';
import { waitingFor } from './waiting-for';

const stateChanged = (draft: Draft): boolean => {
  const { run, before } = draft;
  if (before === null) return true;
  return (
    run.status !== before.status ||
    run.requirements.version !== before.requirements.version ||
    run.appliedVersion !== before.appliedVersion ||
    run.report?.sha256 !== before.report?.sha256 ||
    run.lastPublished?.sha256 !== before.lastPublished?.sha256
  );
};

const sayState = (draft: Draft): void => {
  const { run, before } = draft;
  run.toldRevision = draft.view.revision('run', run.runId) + 1;
  const accepts =
    run.status === 'queued' ||
    run.status === 'running' ||
    run.status === 'waiting' ||
    run.status === 'parked' ||
    run.status === 'pausing' ||
    run.status === 'paused';
  const transition =
    run.transitions.length > (before?.transitions.length ?? 0) ? (run.transitions.at(-1) ?? null) : null;
  draft.emits.push(
    emit(runKey(run.runId), 'run.events.v1', 'RunStateChanged', run.conversationId, {
      ...ofRun(draft),
      messageId: run.messageId,
      rootRunId: run.rootRunId,
      parentRunId: run.parentRunId,
      continuationOfRunId: run.continuationOfRunId,
      agent: run.agent,
      title: run.title,
      state: run.status,
      cause: run.cause,
      waitingFor: JSON.stringify(waitingFor(run)),
      requirementsVersion: run.requirements.version,
      appliedVersion: run.appliedVersion,
      turns: run.turns,
      turnsLeft: run.budget.turnsLeft,
      report: run.report ?? run.lastPublished,
      unsettledActions: [...run.unsettledActions],
      transition: transition === null ? null : JSON.stringify(transition),
      acceptsUpdates: accepts,
      startedAt: run.startedAt,
    }),
  );
};

/** What the decision amounts to. A state change is told once, with where the run stands at the end of the decision. */
export const finish = (
  draft: Draft,
  more: { readonly put?: Decision['put']; readonly reply?: unknown } = {},
): Decision<Message, Intent> => {
  if (stateChanged(draft)) sayState(draft);
  const places = conversationPut(draft);
  const slots = slotsPut(draft);
  return {
    put: [
      { key: runKey(draft.run.runId), state: draft.run },
      ...(more.put ?? []),
      ...places,
      ...treePut(draft),
      ...slots,
    ],
    emit: draft.emits,
    rows: draft.rows,
    close: answeredIncidents(draft.before, draft.run),
    tell: draft.tells.map((message) => ({ message })),
    perform: draft.performs,
    reply: more.reply,
  };
};
