import type { Ask } from '../../schemas/turn-protocol/output';
import { interactionRefOf } from '../platform/identity';
import type { Draft } from './draft';
import { parkFor } from './park';
import { askParent, isAskedOfParent } from './child';
import { answered, ask, requestOf } from './requests';
import type { OpenTurn, QuestionState } from './turn-state';
import { at } from './times';

const isOpen = (question: QuestionState): boolean => question.status === 'asking' || question.status === 'open';

export const withdrawQuestion = (draft: Draft, questionId: string): void => {
  for (const question of draft.run.questions) {
    if (question.questionId !== questionId || !isOpen(question)) continue;
    answered(draft, requestOf(question));
    if (isAskedOfParent(question)) question.status = 'closed';
    else ask(draft, `withdraw/${question.interactionRef}`);
  }
};

const recipientOf = (draft: Draft, one: Ask): QuestionState['recipient'] => {
  const { run } = draft;
  if (one.to?.startsWith('role:') === true) return { kind: 'role', name: one.to.slice('role:'.length) };
  if (one.to?.startsWith('account:') === true) return { kind: 'account', name: one.to.slice('account:'.length) };
  // A permission is for a person to give, whoever is named; a run without a parent asks its user either way.
  if (one.to === 'parent' && one.kind === 'question' && run.spawned !== null && run.parentRunId !== null)
    return { kind: 'parent', name: run.parentRunId };
  return { kind: 'account', name: run.account };
};

export const openQuestion = (draft: Draft, turn: OpenTurn, one: Ask): void => {
  const { run, context } = draft;
  const earlier =
    one.revises === undefined ? undefined : run.questions.find((known) => known.questionId === one.revises);
  // An answer that is there already is not asked away: it stands under the id it was given to (H10).
  if (earlier !== undefined && !isOpen(earlier)) {
    if (earlier.answer !== null)
      run.changes.push({
        kind: 'answered',
        at: at(context.now),
        questionId: earlier.questionId,
        interactionRef: earlier.interactionRef,
      });
    return;
  }
  if (run.questions.some((known) => known !== earlier && known.questionId === one.questionId)) return;
  if (one.kind === 'permission' && !grantable(draft, one.grant ?? '')) {
    run.changes.push({ kind: 'grant_refused', at: at(context.now), grant: one.grant ?? '', code: 'not_granted' });
    return;
  }
  const question: QuestionState = {
    questionId: one.questionId,
    interactionRef: earlier?.interactionRef ?? interactionRefOf(run.runId, one.questionId),
    kind: one.kind,
    mode: one.mode ?? 'non_blocking',
    revision: (earlier?.revision ?? 0) + 1,
    turn: turn.number,
    version: turn.version,
    question: one.question,
    choices: one.choices ?? [],
    schema: one.schema === undefined ? null : JSON.stringify(one.schema),
    defaultAnswer: one.default == null ? null : JSON.stringify(one.default),
    grant: one.grant ?? null,
    recipient: recipientOf(draft, one),
    expiresAt: one.expiresInSec === undefined ? null : context.now + one.expiresInSec * 1_000,
    remindAfterSec: one.remindAfterSec ?? null,
    escalateTo: one.escalateTo ?? null,
    holdsReport: one.holdsReport === true,
    status: 'asking',
    code: null,
    seen: earlier?.seen ?? 0,
    answer: null,
    adoption: 'none',
  };
  if (earlier !== undefined) answered(draft, requestOf(earlier));
  run.questions = [...run.questions.filter((known) => known !== earlier), question];
  if (question.mode === 'blocking') parkFor(draft, question);
  if (isAskedOfParent(question)) askParent(draft, question);
  else ask(draft, requestOf(question));
};

/** Outside the tenant's ceiling no interaction is made at all (H7). */
export const grantable = (draft: Draft, grant: string): boolean => {
  const [kind = '', name = ''] = grant.split(/:(.*)/s);
  const ceiling = draft.settings.ceiling(draft.run.tenant);
  if (kind === 'tool') return ceiling.tools.includes(name);
  if (kind === 'connector') return ceiling.connectors.includes(name);
  if (kind === 'source') return ceiling.sources.includes(name);
  return kind === 'consent' && name !== '';
};
