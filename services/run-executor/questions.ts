import type { Ask } from '../../schemas/turn-protocol/output';
import { interactionRefOf } from '../platform/identity';
import type { Draft } from './draft';
import { parkFor } from './park';
import { answered, ask, requestOf } from './requests';
import type { OpenTurn, QuestionState } from './turn-state';
import { at } from './times';

const isOpen = (question: QuestionState): boolean => question.status === 'asking' || question.status === 'open';

export const withdrawQuestion = (draft: Draft, questionId: string): void => {
  for (const question of draft.run.questions) {
    if (question.questionId !== questionId || !isOpen(question)) continue;
    answered(draft, requestOf(question));
    ask(draft, `withdraw/${question.interactionRef}`);
  }
};

const recipientOf = (draft: Draft, to: string | undefined): QuestionState['recipient'] => {
  if (to?.startsWith('role:') === true) return { kind: 'role', name: to.slice('role:'.length) };
  if (to?.startsWith('account:') === true) return { kind: 'account', name: to.slice('account:'.length) };
  // A run without a parent asks its user either way.
  return { kind: 'account', name: draft.run.account };
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
    defaultAnswer: one.default === undefined ? null : JSON.stringify(one.default),
    grant: one.grant ?? null,
    recipient: recipientOf(draft, one.to),
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
  ask(draft, requestOf(question));
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
