import { resolveHeaders, type Environment, type HeaderConfig } from '../agents/headers';
import { postBytes, readJson, type PostOutcome } from '../agents/post-bytes';
import { toolOutputMaxBytes } from '../../../schemas/turn-protocol/limits';
import type { TurnFor } from '../../../schemas/turn-protocol/input';
import { refuse, retry, type CallableTool, type ToolOutcome, type ToolRequest } from './tool';

export interface HttpToolOptions {
  url: string;
  headers: HeaderConfig;
  timeoutMs: number;
  env: Environment;
}

/** Room for `callId`, `ok` and the echo around an output of the greatest size. */
const envelopeMaxBytes = 8 * 1024;

export const httpTool = (options: HttpToolOptions): CallableTool => ({
  timeoutMs: options.timeoutMs,
  call: async (request, signal) =>
    classify(
      request,
      await postBytes({
        url: options.url,
        headers: {
          ...resolveHeaders(options.headers, options.env),
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: Buffer.from(JSON.stringify(request), 'utf8'),
        timeoutMs: options.timeoutMs,
        maxBytes: toolOutputMaxBytes + envelopeMaxBytes,
        signal,
      }),
    ),
});

const classify = (request: ToolRequest, outcome: PostOutcome): ToolOutcome => {
  switch (outcome.kind) {
    case 'aborted':
      return { kind: 'aborted' };
    case 'timeout':
      return retry('tool_timeout', 'no answer in time');
    case 'unreachable':
      return retry('tool_unreachable', outcome.message);
    case 'too_large':
      return refuse('output_too_large', `the answer is larger than ${toolOutputMaxBytes} bytes`);
    case 'response':
      if (outcome.status === 429 || outcome.status >= 500) {
        return retry('tool_status', `the tool answered ${outcome.status}`);
      }
      if (outcome.status !== 200) return refuse('tool_status', `the tool answered ${outcome.status}`);
      return readAnswer(request, outcome.body);
  }
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readAnswer = (request: ToolRequest, body: Buffer): ToolOutcome => {
  const json = readJson(body);
  if (!json.ok) return refuse('tool_malformed', `the answer is not JSON: ${json.message}`);
  const answer = json.value;
  if (!isRecord(answer)) return refuse('tool_malformed', 'the answer is not an object');
  if (answer.callId !== request.callId) return refuse('wrong_owner', 'callId is not that of the call');
  if (answer.for !== undefined && !isEchoOf(request.for, answer.for)) {
    return refuse('wrong_owner', 'for is not that of the call');
  }
  if (answer.ok === true) return { kind: 'result', ok: true, output: answer.output ?? null };
  if (answer.ok === false && isRecord(answer.error)) {
    const { code, message } = answer.error;
    if (typeof code === 'string' && typeof message === 'string') return refuse(code, message);
  }
  return refuse('tool_malformed', 'the answer needs ok: true, or ok: false with error {code, message}');
};

/** R20: an echo that is given must be right; the contract of tools does not ask for one. */
const isEchoOf = (expected: TurnFor, echo: unknown): boolean =>
  isRecord(echo) && Object.entries(expected).every(([name, value]) => echo[name] === value);
