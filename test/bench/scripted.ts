import type { TurnInput } from '../../schemas/turn-protocol/input';

const report = { body: 'done', contentType: 'text/plain' };
/** Texts whose first asking is never answered: the run of one of them stands for what a killed process had in its hands. */
const held = new Set<string>();

/** Does what the text says: `turns 50`, `park`, or `hold <name>` (once); everything at once and without an effect. */
export default (input: TurnInput): Promise<unknown> => {
  const text = input.requirements.texts[0]?.text ?? '';
  const [verb = '', word = ''] = text.split(' ');
  const answer = (output: object): Promise<unknown> => Promise.resolve({ for: input.for, ...output });
  switch (verb) {
    case 'turns':
      return answer(input.for.turn < Number(word) ? { again: true } : { report });
    case 'park':
      return input.answers.length > 0
        ? answer({ report })
        : answer({ ask: [{ questionId: 'q', kind: 'question', mode: 'blocking', question: 'Go on?' }] });
    case 'hold':
      if (held.has(text)) return answer({ report });
      held.add(text);
      return new Promise(() => undefined);
    default:
      return answer({ fail: { code: 'text', message: `nothing is known of ${verb}` } });
  }
};
