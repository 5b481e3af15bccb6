import { outputMaxBytes } from '../../../schemas/turn-protocol/limits';
import type { AgentOutcome, AskableAgent, TurnCall } from './agent';
import { resolveHeaders, type Environment, type HeaderConfig } from './headers';
import { postBytes, readJson, type PostOutcome } from './post-bytes';

export interface HttpAgentOptions {
  url: string;
  headers: HeaderConfig;
  turnTimeoutMs: number;
  env: Environment;
}

/** An agent behind HTTP: the sealed bytes go out as they are, however often the turn is asked (R12). */
export const httpAgent = (options: HttpAgentOptions): AskableAgent => ({
  turnTimeoutMs: options.turnTimeoutMs,
  ask: async (call) =>
    classify(
      await postBytes({
        url: options.url,
        headers: { ...resolveHeaders(options.headers, options.env), ...turnHeaders(call) },
        body: call.inputBytes,
        timeoutMs: options.turnTimeoutMs,
        maxBytes: outputMaxBytes,
        signal: call.signal,
      }),
    ),
});

const turnHeaders = (call: TurnCall): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'application/json',
  'Fairlead-Turn': `${call.runId}/${call.turn}`,
  'Fairlead-Attempt': String(call.attempt),
  'Fairlead-Input-Sha256': call.inputSha256,
  'Fairlead-Deadline': call.deadline.toISOString(),
  ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
});

const classify = (outcome: PostOutcome): AgentOutcome => {
  switch (outcome.kind) {
    case 'aborted':
      return { kind: 'aborted' };
    case 'timeout':
    case 'unreachable':
      return { kind: 'retry', reason: outcome.kind };
    case 'too_large':
      return isBusy(outcome.status)
        ? { kind: 'retry', reason: 'status', status: outcome.status }
        : { kind: 'malformed', message: `the answer is larger than ${outputMaxBytes} bytes` };
    case 'response':
      return classifyResponse(outcome);
  }
};

const isBusy = (status: number): boolean => status === 429 || status >= 500;

const classifyResponse = (response: Extract<PostOutcome, { kind: 'response' }>): AgentOutcome => {
  const { status, retryAfterMs } = response;
  if (isBusy(status)) {
    return { kind: 'retry', reason: 'status', status, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  }
  if (status !== 200) return { kind: 'malformed', message: `the agent answered ${status}, expected 200` };
  const json = readJson(response.body);
  return json.ok
    ? { kind: 'output', raw: json.value }
    : { kind: 'malformed', field: 'output', message: `the answer is not JSON: ${json.message}` };
};
