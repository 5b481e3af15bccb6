import { amendChildren } from './children';
import { takeDefault } from './default-answer';
import { textOf, type Draft } from './draft';
import type { Message } from './messages';
import { unpark } from './park';
import { receptionOf } from './reception';
import { ask, requestOf } from './requests';
import type { Terminal } from './run-status';
import type { Run } from './state';
import { at } from './times';
import type { QuestionState } from './turn-state';

/** A child's ordinary question to its parent stays between the two runs until the parent passes it on. */
export const isAskedOfParent = (question: QuestionState): boolean => question.recipient.kind === 'parent';

export const askParent = (draft: Draft, question: QuestionState): void => {
  const { run } = draft;
  if (run.spawned === null || run.parentRunId === null) return;
  question.status = 'open';
  draft.tells.push({
    type: 'child_asks',
    runId: run.parentRunId,
    childId: run.spawned.childId,
    questionId: question.questionId,
    question: question.question,
    choices: question.choices.map((choice) => choice.id),
  });
};

const openOf = (run: Run, questionId: string): QuestionState | undefined =>
  run.questions.find((one) => one.questionId === questionId && one.status === 'open' && isAskedOfParent(one));

export const parentAnswers = (draft: Draft, message: Extract<Message, { type: 'parent_answers' }>): void => {
  const { run, context } = draft;
  const question = openOf(run, message.questionId);
  if (question === undefined) return;
  if (message.answer === null) {
    // The user is asked by the child itself, so that the answer reaches it in the user's own words (H9).
    question.recipient = { kind: 'account', name: run.account };
    question.status = 'asking';
    ask(draft, requestOf(question));
    return;
  }
  question.status = 'answered';
  question.answer = { ...message.answer, decision: null, late: false };
  const { questionId, interactionRef } = question;
  run.changes.push({ kind: 'answered', at: at(context.now), questionId, interactionRef });
  if (run.park?.interactionRef === interactionRef) unpark(draft);
};

/**
 * What its parent is asked for now. The child keeps its own task and version, learns of it at its next boundary, and
 * whatever it began before stays marked by the version it knew.
 */
export const parentAmended = (draft: Draft, message: Extract<Message, { type: 'parent_amended' }>): void => {
  const { run, context } = draft;
  const { version, amendKind, text, messageId } = message;
  if (run.spawned === null || receptionOf(run) !== 'accept') return;
  const { heard, committed } = run.ofParent ?? { heard: run.spawned.version, committed: run.spawned.version };
  run.ofParent = { heard: Math.max(heard, version), committed };
  run.changes.push({ kind: 'observed', at: at(context.now), text, messageId, ofParent: { version, amendKind } });
  amendChildren(draft, { version: run.requirements.version, amendKind, text, messageId });
};

/** Nobody else keeps time for a question between two runs. */
export const expireAskedOfParent = (draft: Draft): void => {
  const { run, context } = draft;
  for (const question of run.questions) {
    if (question.status !== 'open' || !isAskedOfParent(question) || (question.expiresAt ?? Infinity) > context.now)
      continue;
    question.status = 'closed';
    question.code = 'expired';
    takeDefault(question);
    const { questionId, interactionRef } = question;
    run.changes.push({ kind: 'expired', at: at(context.now), questionId, interactionRef });
    if (run.park?.interactionRef === interactionRef) unpark(draft);
  }
};

/** The run's own record of its end, told to whoever spawned it. */
export const tellParent = (draft: Draft, state: Terminal): void => {
  const { run } = draft;
  if (run.spawned === null || run.parentRunId === null) return;
  const published = run.published?.find((one) => one.version === run.report?.version && one.seq === run.report.seq);
  draft.tells.push({
    type: 'child_ended',
    runId: run.parentRunId,
    childId: run.spawned.childId,
    childRunId: run.runId,
    state,
    detail: run.detail,
    ...(run.ofParent === undefined ? {} : { version: run.ofParent.committed }),
    report:
      run.report === null || published === undefined
        ? null
        : { ...run.report, contentType: published.contentType, body: textOf(draft, published.body) },
    unused: { turns: Math.max(0, run.budget.turnsLeft), cost: run.budget.costLeft },
  });
};
