import type { Answer, TurnInput } from '../../../../schemas/turn-protocol/input';
import type { Ask } from '../../../../schemas/turn-protocol/output';
import type { Memory } from './memory';
import { readReturns, type MarketRequest, type Returns } from './read-request';

export const returnsQuestion = 'returns';
const defaultReturns: Returns = 'cumulative';
const answerWithinSec = 86_400;
export const questionText = 'Should returns be cumulative or annualised?';

/** How the way of counting came about. */
export interface Counting {
  returns: Returns;
  from: 'words' | 'answer' | 'late_answer' | 'default';
  askedUnderVersion: number | null;
  whyDefault: string | null;
}

export const askReturns = (): Ask => ({
  questionId: returnsQuestion,
  kind: 'question',
  mode: 'non_blocking',
  question: questionText,
  choices: [
    { id: 'cumulative', label: 'Cumulative, over the whole period' },
    { id: 'annualised', label: 'Annualised, as if every year had been the same' },
  ],
  default: defaultReturns,
  expiresInSec: answerWithinSec,
});

export const mustAsk = (input: TurnInput, memory: Memory, counting: Counting): boolean =>
  counting.from === 'default' &&
  !input.run.scheduled &&
  !memory.asked.includes(returnsQuestion) &&
  !input.answers.some(({ questionId }) => questionId === returnsQuestion);

const readAnswer = (answer: Answer): Returns | null => {
  const said = [answer.choice, answer.text, answer.value].find((part) => typeof part === 'string');
  return typeof said === 'string' ? readReturns(said) : null;
};

export const countingOf = (input: TurnInput, memory: Memory, request: MarketRequest): Counting => {
  const none = { askedUnderVersion: null, whyDefault: null };
  if (request.returns !== null) return { returns: request.returns, from: 'words', ...none };
  const answers = input.answers.filter(({ questionId }) => questionId === returnsQuestion);
  const answer = answers.findLast((candidate) => readAnswer(candidate) !== null);
  const returns = answer === undefined ? null : readAnswer(answer);
  if (answer !== undefined && returns !== null) {
    const askedUnderVersion = answer.needsRecheck ? answer.requirementsVersion : null;
    return { returns, from: answer.late ? 'late_answer' : 'answer', askedUnderVersion, whyDefault: null };
  }
  const late = input.materials
    .filter(({ kind, available }) => kind === 'late_answer' && available)
    .flatMap(({ text }) => readReturns(text ?? '') ?? [])
    .at(-1);
  if (late !== undefined) return { returns: late, from: 'late_answer', ...none };
  const closed = memory.closed[returnsQuestion];
  const whyDefault =
    answers.length > 0
      ? 'Your answer names neither'
      : closed === 'expired'
        ? 'The question expired'
        : closed === 'interaction_withdrawn'
          ? 'The question was withdrawn'
          : null;
  return { returns: defaultReturns, from: 'default', askedUnderVersion: null, whyDefault };
};
