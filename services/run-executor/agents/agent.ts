import { cutShort } from './cut-short';
import type { TurnInput } from '../../../schemas/turn-protocol/input';
import { outputMaxBytes } from '../../../schemas/turn-protocol/limits';

/** What varies by attempt, beside the sealed input. `signal` fires when the turn's work is void. */
export interface TurnCall {
  inputBytes: Buffer;
  inputSha256: string;
  runId: string;
  turn: number;
  attempt: number;
  deadline: Date;
  traceparent?: string;
  signal: AbortSignal;
}

/** An agent inside this process: whatever answers a turn. Its answer is checked like one that came over the network. */
export type Agent = (input: TurnInput, call: TurnCall) => Promise<unknown>;

export type AgentOutcome =
  | { kind: 'output'; raw: unknown }
  | { kind: 'malformed'; message: string; field?: string }
  | { kind: 'retry'; reason: 'timeout' | 'unreachable' | 'status'; status?: number; retryAfterMs?: number }
  | { kind: 'aborted' }
  | { kind: 'defect'; message: string };

/** An agent that can be asked, wherever it lives. */
export interface AskableAgent {
  turnTimeoutMs: number;
  ask: (call: TurnCall) => Promise<AgentOutcome>;
}

/** Asks for one answer. Returns within `turnTimeoutMs` and at an abort, whatever the agent does; never throws. */
export const askAgent = (agent: AskableAgent, call: TurnCall): Promise<AgentOutcome> =>
  cutShort<AgentOutcome>((signal) => answerOf(agent, { ...call, signal }), {
    signal: call.signal,
    timeoutMs: agent.turnTimeoutMs,
    aborted: { kind: 'aborted' },
    timedOut: { kind: 'retry', reason: 'timeout' },
  });

const answerOf = async (agent: AskableAgent, call: TurnCall): Promise<AgentOutcome> => {
  try {
    return await agent.ask(call);
  } catch (error) {
    return { kind: 'defect', message: error instanceof Error ? error.message : String(error) };
  }
};

/**
 * Each attempt gets its own copy of the input, parsed from the sealed bytes, and the answer leaves as JSON: an agent
 * in the process can neither change what another attempt sees nor hand over what HTTP could not.
 */
export const inProcessAgent = (agent: Agent, options: { turnTimeoutMs: number }): AskableAgent => ({
  turnTimeoutMs: options.turnTimeoutMs,
  ask: async (call) => {
    const input = JSON.parse(call.inputBytes.toString('utf8')) as TurnInput;
    return throughJson(await agent(input, call));
  },
});

const throughJson = (answer: unknown): AgentOutcome => {
  let text: string | undefined;
  try {
    text = JSON.stringify(answer);
  } catch (error) {
    return { kind: 'malformed', field: 'output', message: error instanceof Error ? error.message : 'is not JSON' };
  }
  if (text === undefined) return { kind: 'malformed', field: 'output', message: 'output is not JSON' };
  if (Buffer.byteLength(text) > outputMaxBytes) {
    return { kind: 'malformed', field: 'output', message: `output is larger than ${outputMaxBytes} bytes` };
  }
  return { kind: 'output', raw: JSON.parse(text) as unknown };
};
