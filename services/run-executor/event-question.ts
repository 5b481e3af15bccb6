import type { ObserveRun } from '../../schemas/generated/records';
import { interactionRefOf } from '../platform/identity';
import { changeOfEvent } from './entity';
import { keep, textOf, type Draft } from './draft';
import { ask } from './requests';
import type { Run } from './state';
import type { QuestionState } from './turn-state';

const belongs = 'same';
const doesNot = 'other';
const maxWords = 500;

/** An event that fits by entity and time only is attached, and the user is asked whether it belongs (A15). */
export const askWhetherItBelongs = (draft: Draft, record: ObserveRun): void => {
  const { run } = draft;
  const questionId = `event.${record.messageId}`;
  const interactionRef = interactionRefOf(run.runId, questionId);
  const words = record.content === '' ? '' : `: “${record.content.slice(0, maxWords)}”`;
  run.questions.push({
    questionId,
    interactionRef,
    kind: 'question',
    mode: 'non_blocking',
    revision: 1,
    turn: run.turn?.number ?? run.turns,
    version: run.requirements.version,
    question:
      `${record.entityType ?? ''} ${record.entityId ?? ''} reported ${record.eventKind ?? ''}${words}. ` +
      `Does it belong to “${run.title ?? run.runId}”?`,
    choices: [
      { id: belongs, label: 'Yes, it belongs to it' },
      { id: doesNot, label: 'No, it is something of its own' },
    ],
    schema: null,
    defaultAnswer: null,
    grant: null,
    recipient: { kind: 'account', name: run.account },
    expiresAt: null,
    remindAfterSec: null,
    escalateTo: null,
    holdsReport: false,
    status: 'asking',
    code: null,
    seen: 0,
    answer: null,
    adoption: 'none',
    event: { ...record, content: '', text: keep(draft, record.content) },
  });
  ask(draft, `interaction/${interactionRef}`);
};

/** Correlations a person has confirmed for this run: their next events join without a question. */
export const confirmedCorrelations = (run: Run): string[] =>
  run.questions.flatMap((one) =>
    one.event !== undefined && one.event.correlationId !== null && one.answer?.choice === belongs
      ? [one.event.correlationId]
      : [],
  );

/** What was seen before a merged event is to be looked at again (R7). */
export const recheckResults = (run: Run): void => {
  for (const call of run.calls) if (call.status === 'done') call.needsRecheck = true;
};

/** The person has said whether the event belongs: it is merged, or becomes a run of its own. */
export const takeEventAnswer = (draft: Draft, question: QuestionState): void => {
  const { run } = draft;
  if (question.event === undefined || question.answer === null) return;
  const { text, ...event } = question.event;
  const content = textOf(draft, text);
  if (question.answer.choice === doesNot) {
    const fate = run.fates.find((one) => one.messageId === event.messageId);
    if (fate !== undefined) draft.tells.push({ type: 'own_run', record: { ...event, content }, fate });
    return;
  }
  if (question.answer.choice !== belongs) return;
  recheckResults(run);
  run.changes.push(changeOfEvent(event, true, content));
};
