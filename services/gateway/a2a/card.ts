import { A2A_PROTOCOL_VERSION, AgentCard } from '@a2a-js/sdk';
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';

const bindings = ['JSONRPC', 'HTTP+JSON'] as const;
const versions = [A2A_PROTOCOL_VERSION, A2A_LEGACY_PROTOCOL_VERSION] as const;

export const inputModes = ['text/plain', 'text/markdown', 'application/json'] as const;
const outputModes = ['text/markdown', 'text/plain', 'application/json'] as const;

/** The SDK goes by major and minor; the card of the earlier version is written with all three numbers. */
const fullLegacyVersion = '0.3.0';

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

interface CardV0 {
  readonly url: string;
  readonly capabilities: object;
  readonly securitySchemes?: Readonly<Record<string, object>> | undefined;
}

/** The card in the later version's JSON. */
export interface CardV1 {
  readonly supportedInterfaces: unknown;
  readonly capabilities: object;
  readonly securitySchemes: Readonly<Record<string, object>>;
  readonly securityRequirements: unknown;
}

/** A card for clients of the earlier version says what the later one asks for too, so that both find their way. */
export const forBoth = (legacy: CardV0, later: CardV1): object => ({
  ...legacy,
  protocolVersion: fullLegacyVersion,
  additionalInterfaces: bindings.map((transport) => ({ url: legacy.url, transport })),
  capabilities: { ...later.capabilities, ...legacy.capabilities },
  securitySchemes: Object.fromEntries(
    Object.entries(later.securitySchemes).map(([name, scheme]) => [
      name,
      { ...scheme, ...legacy.securitySchemes?.[name] },
    ]),
  ),
  securityRequirements: later.securityRequirements,
  supportedInterfaces: later.supportedInterfaces,
});
