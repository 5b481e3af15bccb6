import type { ChatFunction } from './completion';

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
}

export const ownFunctions = ['ask_user', 'propose_action', 'report'] as const;
export type OwnFunction = (typeof ownFunctions)[number];
export const isOwn = (name: string): name is OwnFunction => (ownFunctions as readonly string[]).includes(name);

const described = (name: string, description: string, parameters: object): ChatFunction => ({
  type: 'function',
  function: { name, description, parameters },
});
const text = { type: 'string' };

/** What the model may call: the run's tools as they are, and three functions of Fairlead's own. */
export const functionsOf = (tools: readonly ToolSpec[], connectors: readonly string[]): ChatFunction[] => [
  ...tools.map((tool) => described(tool.name, tool.description, tool.schema)),
  described(
    'ask_user',
    'Ask the user something only they can tell. Work may go on meanwhile unless blocking is true.',
    {
      type: 'object',
      properties: { question: text, choices: { type: 'array', items: text }, blocking: { type: 'boolean' } },
      required: ['question'],
    },
  ),
  ...(connectors.length === 0
    ? []
    : [
        described(
          'propose_action',
          'Propose one action in the outside world. It is done at most once per subject, perhaps after an approval; its outcome is told later.',
          {
            type: 'object',
            properties: {
              connector: { type: 'string', enum: connectors },
              operation: text,
              subject: {
                type: 'string',
                description: 'the business thing this is about, for ever, letters digits . _ -',
              },
              params: { type: 'object' },
              note: { type: 'string', description: 'for whoever approves it' },
            },
            required: ['connector', 'operation', 'subject', 'params'],
          },
        ),
      ]),
  described('report', 'Give the final report for the current requirements. Nothing else may be called beside it.', {
    type: 'object',
    properties: {
      body: text,
      contentType: { type: 'string', enum: ['text/markdown', 'text/plain', 'application/json'] },
    },
    required: ['body'],
  }),
];
