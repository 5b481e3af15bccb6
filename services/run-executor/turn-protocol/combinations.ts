import type { TurnOutput } from '../../../schemas/turn-protocol/output';

/** R13: what may not stand beside what. A field that is an empty list or `false` counts as not given. */
const excludes: Readonly<Record<'report' | 'fail', readonly (keyof TurnOutput)[]>> = {
  report: ['toolCalls', 'spawn', 'fail', 'again'],
  fail: [
    'understood',
    'toolCalls',
    'actions',
    'ask',
    'withdraw',
    'spawn',
    'answerChildren',
    'results',
    'publish',
    'report',
    'openQuestions',
    'again',
  ],
};

const says = (output: TurnOutput, field: keyof TurnOutput): boolean => {
  const value = output[field];
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
};

export const findCombinationFault = (output: TurnOutput): { field: string; message: string } | null => {
  for (const field of ['report', 'fail'] as const) {
    const other = says(output, field) ? excludes[field].find((candidate) => says(output, candidate)) : undefined;
    if (other !== undefined) return { field: other, message: `may not stand beside ${field}` };
  }
  const blocking = (output.ask ?? []).findIndex((ask) => ask.mode === 'blocking');
  if (says(output, 'report') && blocking >= 0) {
    return { field: `ask[${blocking}].mode`, message: 'may not be blocking beside report' };
  }
  return null;
};
