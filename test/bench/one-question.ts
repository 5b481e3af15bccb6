import type { TurnInput } from '../../schemas/turn-protocol/input';

const body = 'r'.repeat(500);

/** Asks one thing and reports once it is answered: the work of the human-wait workload. */
export default (input: TurnInput): Promise<unknown> =>
  Promise.resolve(
    input.answers.length === 0
      ? { for: input.for, ask: [{ questionId: 'q', kind: 'question', mode: 'blocking', question: 'Shall I?' }] }
      : { for: input.for, report: { body, contentType: 'text/plain' } },
  );
