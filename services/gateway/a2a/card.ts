import { A2A_PROTOCOL_VERSION, AgentCard } from '@a2a-js/sdk';
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';

export const bindings = ['JSONRPC', 'HTTP+JSON'] as const;
const versions = [A2A_PROTOCOL_VERSION, A2A_LEGACY_PROTOCOL_VERSION] as const;

export const inputModes = ['text/plain', 'text/markdown', 'application/json'] as const;
const outputModes = ['text/markdown', 'text/plain', 'application/json'] as const;

/** What an A2A client is told about this address: one agent, whichever configured agents do the work behind it. */
export const cardAt = (origin: string): AgentCard => ({
  name: 'Fairlead',
  description:
    'Takes long work and keeps it true while you change your mind, answer late or disconnect. A task is a run, a context is a conversation, a report is an artifact.',
  version: '1',
  provider: undefined,
  supportedInterfaces: versions.flatMap((protocolVersion) =>
    bindings.map((protocolBinding) => ({ url: `${origin}/a2a`, protocolBinding, tenant: '', protocolVersion })),
  ),
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true, extensions: [] },
  securitySchemes: {
    bearer: {
      scheme: {
        $case: 'httpAuthSecurityScheme',
        value: { description: 'The token of every other route', scheme: 'Bearer', bearerFormat: 'JWT' },
      },
    },
  },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  defaultInputModes: [...inputModes],
  defaultOutputModes: [...outputModes],
  skills: [
    {
      id: 'work',
      name: 'Work on a request',
      description:
        'Does what the message asks with the agent that the tenant has configured, asks when it must, and publishes a report.',
      tags: ['long-running', 'report'],
      examples: ['Compare MSFT and AAPL over the last year'],
      inputModes: [],
      outputModes: [],
      securityRequirements: [],
    },
  ],
  signatures: [],
});
