import type { QuestionState } from './turn-state';

/** Nobody answered in time: the run goes on with the answer that its agent gave for that case (H5). */
export const takeDefault = (question: QuestionState): void => {
  if (question.defaultAnswer === null || question.kind !== 'question') return;
  const given: unknown = JSON.parse(question.defaultAnswer);
  const isText = typeof given === 'string';
  const isChoice = isText && question.choices.some((choice) => choice.id === given);
  question.answer = {
    text: isText && !isChoice ? given : null,
    choice: isChoice ? given : null,
    // Words for a schema are its string value, as they are when a person says them.
    value: isText && question.schema === null ? null : question.defaultAnswer,
    decision: 'default',
    late: false,
  };
};
