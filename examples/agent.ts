// An agent of two turns: asks whether to write to the customer, and goes on meanwhile; once there is an answer, it proposes
// the letter, waits for what became of it, and reports. In the configuration:
//   agents: { letters: { module: ./agent.ts, connectors: [letters] } }
import { defineAgent, type TurnAnswer, type TurnInput } from '../services/client/define-agent';

const questionId = 'write-letter';
const proposalId = 'letter-1';

const wishes = ({ requirements }: TurnInput): string => requirements.texts.map(({ text }) => text).join('\n');

export default defineAgent((input): TurnAnswer => {
  // Everything the agent may know is in the input: nothing is kept in this process between two turns.
  const answer = input.answers.find((one) => one.questionId === questionId);
  if (answer === undefined)
    return {
      understood: wishes(input),
      ask: [
        {
          questionId,
          kind: 'question',
          question: 'Write to the customer?',
          choices: [
            { id: 'yes', label: 'Yes' },
            { id: 'no', label: 'No' },
          ],
        },
      ],
    };
  const letter = input.actions.find((one) => one.proposalId === proposalId);
  if (answer.choice === 'yes' && letter === undefined)
    return {
      actions: [
        {
          proposalId,
          connector: 'letters',
          operation: 'post',
          // The business thing, for ever: proposed again by whatever run, it is the same letter.
          subject: `customer.${input.for.taskId}`,
          params: { text: wishes(input) },
        },
      ],
    };
  // An outcome that is not known yet is no outcome; the next turn comes when it is.
  const open = ['proposed', 'awaiting_approval', 'admitted', 'sending', 'unknown'];
  if (letter !== undefined && open.includes(letter.state)) return {};
  return {
    report: {
      contentType: 'text/markdown',
      body: `# What was asked\n\n${wishes(input)}\n\nLetter: ${letter?.state ?? 'not wanted'}\n`,
      sources: letter === undefined ? [] : [{ actionKey: letter.actionKey }],
    },
  };
});
