import { cutShort } from '../agents/cut-short';
import type { TurnFor } from '../../../schemas/turn-protocol/input';
import { toolOutputMaxBytes } from '../../../schemas/turn-protocol/limits';
import { findValueFault } from '../turn-protocol/values';

export interface ToolRequest {
  for: TurnFor;
  callId: string;
  tool: string;
  input: unknown;
}

/** A registered function, read-only by contract. It may throw a ToolRefusal to say no for good. */
export type Tool = (request: ToolRequest, signal: AbortSignal) => Promise<unknown>;

/** The tool's own "no": it goes to the agent with its code and is not tried again. */
export class ToolRefusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export interface ToolError {
  code: string;
  message: string;
}
export type ToolResultOutcome = { ok: true; output: unknown } | { ok: false; error: ToolError };
export type ToolOutcome =
  ({ kind: 'result' } & ToolResultOutcome) | { kind: 'retry'; error: ToolError } | { kind: 'aborted' };

/** A tool that can be called, wherever it lives. */
export interface CallableTool {
  timeoutMs: number;
  call: (request: ToolRequest, signal: AbortSignal) => Promise<ToolOutcome>;
}

export const toolTimeoutMs = 60_000;
export const toolRetryPausesMs: readonly number[] = [200, 1_000];

export const refuse = (code: string, message: string): ToolOutcome => ({
  kind: 'result',
  ok: false,
  error: { code, message },
});
export const retry = (code: string, message: string): ToolOutcome => ({ kind: 'retry', error: { code, message } });

/** One try. Returns within `timeoutMs` and at an abort, whatever the tool does; never throws. */
export const callTool = async (
  tool: CallableTool,
  request: ToolRequest,
  options: { timeoutMs?: number; signal: AbortSignal },
): Promise<ToolOutcome> => {
  const timeoutMs = options.timeoutMs ?? tool.timeoutMs;
  const outcome = await cutShort<ToolOutcome>((signal) => resultOf(tool, request, signal), {
    signal: options.signal,
    timeoutMs,
    aborted: { kind: 'aborted' },
    timedOut: retry('tool_timeout', `no answer within ${timeoutMs} ms`),
  });
  return bounded(outcome);
};

const resultOf = async (tool: CallableTool, request: ToolRequest, signal: AbortSignal): Promise<ToolOutcome> => {
  try {
    return await tool.call(request, signal);
  } catch (error) {
    if (error instanceof ToolRefusal) return refuse(error.code, error.message);
    return retry('tool_failed', error instanceof Error ? error.message : String(error));
  }
};

/** A result is kept and put into turn inputs as it is: what could not be kept becomes an error the agent can read. */
const bounded = (outcome: ToolOutcome): ToolOutcome => {
  if (outcome.kind !== 'result' || !outcome.ok) return outcome;
  let text: string | undefined;
  try {
    text = JSON.stringify(outcome.output);
  } catch {
    text = undefined;
  }
  if (text === undefined) return refuse('tool_malformed', 'the output is not JSON');
  if (Buffer.byteLength(text) > toolOutputMaxBytes) {
    return refuse('output_too_large', `the output is larger than ${toolOutputMaxBytes} bytes`);
  }
  const output: unknown = JSON.parse(text);
  const fault = findValueFault(output, 'output');
  if (fault !== null) return refuse('tool_malformed', `${fault.field} ${fault.message}`);
  return { kind: 'result', ok: true, output };
};

export type Delay = (pauseMs: number, signal: AbortSignal) => Promise<void>;

const pause: Delay = (pauseMs, signal) =>
  cutShort<void>(() => new Promise(() => undefined), {
    signal,
    timeoutMs: pauseMs,
    aborted: undefined,
    timedOut: undefined,
  });

/** Tries up to three times. Tools only read, so a repeated call is harmless; the last error goes to the agent. */
export const runTool = async (
  tool: CallableTool,
  request: ToolRequest,
  options: { timeoutMs?: number; signal: AbortSignal; delay?: Delay },
): Promise<ToolResultOutcome | { kind: 'aborted' }> => {
  let outcome = await callTool(tool, request, options);
  for (const pauseMs of toolRetryPausesMs) {
    if (outcome.kind !== 'retry') break;
    await (options.delay ?? pause)(pauseMs, options.signal);
    outcome = await callTool(tool, request, options);
  }
  if (outcome.kind === 'aborted') return outcome;
  return outcome.kind === 'result' && outcome.ok
    ? { ok: true, output: outcome.output }
    : { ok: false, error: outcome.error };
};

export const functionTool = (tool: Tool, options: { timeoutMs?: number } = {}): CallableTool => ({
  timeoutMs: options.timeoutMs ?? toolTimeoutMs,
  call: async (request, signal) => ({ kind: 'result', ok: true, output: (await tool(request, signal)) ?? null }),
});
