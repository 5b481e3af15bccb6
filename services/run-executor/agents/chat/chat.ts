import type { TurnInput } from '../../../../schemas/turn-protocol/input';
import { stateMaxBytes } from '../../../../schemas/turn-protocol/limits';
import type { TurnOutput } from '../../../../schemas/turn-protocol/output';
import type { AskableAgent } from '../agent';
import { complete, type ChatCall, type Completion, type Endpoint } from './completion';
import { functionsOf, isOwn, type ToolSpec } from './functions';
import { assemble, memoryOf, type Memory, type Step } from './memory';

export interface ChatOptions extends Endpoint {
  readonly turnTimeoutMs: number;
  readonly tools: readonly ToolSpec[];
  readonly connectors: readonly string[];
  readonly contextTokens: number;
}

/** What one unit of a run's cost budget pays for. */
const tokensPerCostUnit = 10_000;

/**
 * One request to the model is one turn. What it calls goes out as the turn's output, and the results come back with the
 * next sealed input: the safe boundary lies between the model's request and its tools' results.
 */
export const chatAgent = (options: ChatOptions): AskableAgent => ({
  turnTimeoutMs: options.turnTimeoutMs,
  ask: async (call) => {
    const input = JSON.parse(call.inputBytes.toString('utf8')) as TurnInput;
    const memory = memoryOf(input);
    const answer = await complete(
      options,
      assemble(input, memory, options.contextTokens),
      functionsOf(options.tools, options.connectors),
      { timeoutMs: options.turnTimeoutMs, signal: call.signal },
    );
    return answer.ok ? { kind: 'output', raw: outputOf(input, memory, answer.completion, options) } : answer.outcome;
  },
});

type Parsed = {
  readonly call: ChatCall;
  readonly ref: string;
  readonly args: Record<string, unknown>;
  refused?: string;
};

const parse = (call: ChatCall, ref: string, options: ChatOptions): Parsed => {
  const known = isOwn(call.function.name) || options.tools.some((tool) => tool.name === call.function.name);
  try {
    const args: unknown = JSON.parse(call.function.arguments === '' ? '{}' : call.function.arguments);
    if (typeof args !== 'object' || args === null || Array.isArray(args)) throw new Error('not an object');
    const parsed = { call, ref, args: args as Record<string, unknown> };
    return known ? parsed : { ...parsed, refused: `there is no function ${call.function.name}` };
  } catch {
    return { call, ref, args: {}, refused: 'the arguments are not a JSON object' };
  }
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const idPattern = /^[A-Za-z0-9._-]{1,128}$/;
const contentTypes = ['text/markdown', 'text/plain', 'application/json'] as const;

/** What the model said wrong is told to it as the result of that call; it costs a turn, not the run. */
const check = (one: Parsed, beside: number): string | undefined => {
  if (one.refused !== undefined) return one.refused;
  const { args } = one;
  switch (one.call.function.name) {
    case 'ask_user':
      return textOf(args['question']) === '' ? 'question is missing' : undefined;
    case 'propose_action':
      return ['connector', 'operation', 'subject'].find((name) => !idPattern.test(textOf(args[name]))) === undefined
        ? undefined
        : 'connector, operation and subject must be 1 to 128 of A-Z a-z 0-9 . _ -';
    case 'report':
      if (beside > 1) return 'nothing else may be called beside report';
      return textOf(args['body']) === '' ? 'body is missing' : undefined;
    default:
      return undefined;
  }
};

const outputOf = (input: TurnInput, memory: Memory, completion: Completion, options: ChatOptions): TurnOutput => {
  const { turn, requirementsVersion } = input.for;
  const parsed = completion.calls.map((call, index) => parse(call, `t${turn}.${index + 1}`, options));
  for (const one of parsed) {
    const refused = check(one, parsed.length);
    if (refused !== undefined) one.refused = refused;
  }
  const step: Step = {
    turn,
    version: requirementsVersion,
    content: completion.content,
    calls: parsed.map(({ call, ref, refused }) => ({ ...call, ref, ...(refused === undefined ? {} : { refused }) })),
  };
  const good = parsed.filter((one) => one.refused === undefined);
  const named = (name: string): Parsed[] => good.filter((one) => one.call.function.name === name);
  const toolCalls = good
    .filter((one) => !isOwn(one.call.function.name))
    .map((one) => ({ callId: one.ref, tool: one.call.function.name, input: one.args }));
  const common = {
    for: input.for,
    state: bounded({ steps: [...memory.steps, step] }),
    usage: { cost: completion.tokens / tokensPerCostUnit },
  };
  // A plain answer is the report: that is what a chat model does when it is done.
  const report = named('report')[0];
  const body = report === undefined ? (parsed.length === 0 ? completion.content : null) : textOf(report.args['body']);
  if (body !== null) {
    const contentType = contentTypes.find((one) => one === report?.args['contentType']) ?? 'text/markdown';
    const sources = input.toolResults.filter((one) => one.ok && !one.needsRecheck).map(({ callId }) => ({ callId }));
    return { ...common, report: { body, contentType, sources: sources.slice(-256) } };
  }
  const ask = named('ask_user').map((one) => ({
    questionId: one.ref,
    kind: 'question' as const,
    question: textOf(one.args['question']),
    ...(one.args['blocking'] === true ? { mode: 'blocking' as const } : {}),
    ...(Array.isArray(one.args['choices']) && one.args['choices'].length > 0
      ? { choices: one.args['choices'].map((label, index) => ({ id: `c${index + 1}`, label: String(label) })) }
      : {}),
  }));
  const actions = named('propose_action').map((one) => ({
    proposalId: one.ref,
    connector: textOf(one.args['connector']),
    operation: textOf(one.args['operation']),
    subject: textOf(one.args['subject']),
    params: one.args['params'] ?? {},
    ...(textOf(one.args['note']) === '' ? {} : { note: textOf(one.args['note']) }),
  }));
  const again = toolCalls.length === 0 && good.length < Math.max(1, parsed.length);
  return { ...common, toolCalls, ask, actions, ...(again ? { again } : {}) };
};

/** The oldest steps go first when the state would become too large to be kept. */
const bounded = (memory: Memory): Memory => {
  let { steps } = memory;
  while (steps.length > 1 && Buffer.byteLength(JSON.stringify({ steps })) > stateMaxBytes) steps = steps.slice(1);
  return { steps };
};
