import type { TurnInput } from '../../../../schemas/turn-protocol/input';
import type { ChatCall, ChatMessage } from './completion';
import { isOwn } from './functions';

/** What the agent keeps between turns: the model's own messages. What came back is in the input, by id, every time. */
export interface Step {
  readonly turn: number;
  readonly version: number;
  readonly content: string | null;
  readonly calls: readonly (ChatCall & { readonly ref: string; readonly refused?: string })[];
}
export interface Memory {
  readonly steps: readonly Step[];
}

export const memoryOf = (input: TurnInput): Memory => {
  const value = input.state?.value as Partial<Memory> | null | undefined;
  return { steps: Array.isArray(value?.steps) ? value.steps : [] };
};

/** Rough and on the safe side: a token is seldom shorter than this many bytes. */
const bytesPerToken = 3;
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / bytesPerToken);

const cut = (text: string, maxTokens: number): string =>
  tokensOf(text) <= maxTokens
    ? text
    : `${Buffer.from(text)
        .subarray(0, maxTokens * bytesPerToken)
        .toString('utf8')} … (cut from ${Buffer.byteLength(text)} bytes)`;

const maxResultTokens = 8_000;

/** Every call of the model gets its answer, whatever became of it; older results are labelled, never passed off as new. */
const resultOf = (input: TurnInput, call: Step['calls'][number]): string => {
  if (call.refused !== undefined) return `not accepted: ${call.refused}`;
  const { name } = call.function;
  if (name === 'ask_user') {
    const answer = input.answers.find((one) => one.questionId === call.ref);
    if (answer === undefined) return 'asked; no answer yet';
    const label = answer.needsRecheck ? `historical, asked under version ${answer.requirementsVersion}: ` : '';
    return label + JSON.stringify(answer.text ?? answer.choice ?? answer.value);
  }
  if (name === 'propose_action') {
    const action = input.actions.find((one) => one.proposalId === call.ref);
    const refused = input.changes.find((one) => one.kind === 'action_refused' && one.proposalId === call.ref);
    if (action !== undefined) return `the action is ${action.state}${action.code === null ? '' : ` (${action.code})`}`;
    return refused?.kind === 'action_refused' ? `refused: ${refused.code}` : 'proposed; not decided yet';
  }
  if (isOwn(name)) {
    const refused = input.changes.find((one) => one.kind === 'report_refused');
    return refused?.kind === 'report_refused'
      ? `the report was refused: ${refused.code} ${refused.detail ?? ''}`.trim()
      : 'the report did not become current';
  }
  const result = input.toolResults.find((one) => one.callId === call.ref);
  if (result === undefined) return 'not executed';
  const label = result.needsRecheck
    ? `historical result of version ${result.requirementsVersion}, to be rechecked: `
    : '';
  return label + cut(JSON.stringify(result.ok ? result.output : { error: result.error }), maxResultTokens);
};

const messagesOf = (input: TurnInput, step: Step): ChatMessage[] => [
  {
    role: 'assistant',
    content: step.content,
    ...(step.calls.length === 0
      ? {}
      : { tool_calls: step.calls.map(({ id, type, function: called }) => ({ id, type, function: called })) }),
  },
  ...step.calls.map((call): ChatMessage => ({ role: 'tool', tool_call_id: call.id, content: resultOf(input, call) })),
];

const goalOf = (input: TurnInput): string => {
  const { version, texts, structured, history } = input.requirements;
  const inForce = new Set(texts.map((one) => one.version));
  const gone = history.filter((one) => !inForce.has(one.version));
  return [
    `The goal is version ${version} of the requirements, and only this:`,
    ...texts.map((one) => one.text),
    ...(structured === null ? [] : [`Structured: ${JSON.stringify(structured)}`]),
    ...(gone.length === 0
      ? []
      : ['No longer in force, for context only:', ...gone.map((one) => `v${one.version}: ${one.text}`)]),
  ].join('\n');
};

const materialsOf = (input: TurnInput, maxTokens: number): string[] => {
  let left = maxTokens;
  return input.materials.flatMap((one) => {
    const label = `[${one.kind}, ${one.historical ? 'historical, ' : ''}${one.trust}, ${one.ref}]`;
    if (!one.available || one.text === null) return [`${label} not available: ${one.unavailableReason ?? 'unknown'}`];
    if (left <= 0) return [`${label} left out, no room`];
    const text = cut(one.text, left);
    left -= tokensOf(text);
    return [`${label}\n${text}`];
  });
};

const newsOf = (input: TurnInput): string[] =>
  input.changes.flatMap((one) => {
    if (one.kind === 'observed') return [`Observed: ${one.text}`];
    if (one.kind === 'amended') return [`The requirements changed: now version ${one.version}. ${one.text}`];
    return one.kind === 'entity_event'
      ? [`Event ${one.eventKind}: ${one.text}`]
      : [`Since the last turn: ${JSON.stringify(one)}`];
  });

const rules = [
  'You work on one run of Fairlead for a user. Use the tools; results labelled historical belong to earlier requirements and count only after a recheck.',
  'Use ask_user for what only the user knows, propose_action for anything outside, and report once, when the goal is met.',
].join('\n');

/**
 * The newest version is the goal and stands last; what was said and found before it comes in order, the oldest steps
 * left out first, always whole, so that a call and its result are never parted.
 */
export const assemble = (input: TurnInput, memory: Memory, contextTokens: number): ChatMessage[] => {
  const materials = materialsOf(input, Math.floor(contextTokens / 4));
  const head: ChatMessage[] = [
    { role: 'system', content: [rules, ...(materials.length === 0 ? [] : ['Material:', ...materials])].join('\n') },
  ];
  const tail: ChatMessage[] = [{ role: 'user', content: [goalOf(input), ...newsOf(input)].join('\n') }];
  let left = contextTokens - tokensOf(JSON.stringify([...head, ...tail]));
  const kept: ChatMessage[][] = [];
  for (const step of [...memory.steps].reverse()) {
    const messages = messagesOf(input, step);
    left -= tokensOf(JSON.stringify(messages));
    if (left < 0) break;
    kept.unshift(messages);
  }
  const dropped = memory.steps.length - kept.length;
  const note: ChatMessage[] =
    dropped === 0
      ? []
      : [{ role: 'user', content: `(${dropped} earlier steps are left out; there was no room for them)` }];
  return [...head, ...note, ...kept.flat(), ...tail];
};
