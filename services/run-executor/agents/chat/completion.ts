import { postBytes, readJson, type PostOutcome } from '../post-bytes';
import type { AgentOutcome } from '../agent';

export interface ChatCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly ChatCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface ChatFunction {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
}

export interface Completion {
  readonly content: string | null;
  readonly calls: readonly ChatCall[];
  readonly tokens: number;
}

export interface Endpoint {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: () => string | null;
  readonly stream: boolean;
}

const maxAnswerBytes = 4 * 1024 * 1024;

/** One request to the model. What cannot be used is an outcome of the turn, told in the protocol's own terms. */
export const complete = async (
  endpoint: Endpoint,
  messages: readonly ChatMessage[],
  functions: readonly ChatFunction[],
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<
  { readonly ok: true; readonly completion: Completion } | { readonly ok: false; readonly outcome: AgentOutcome }
> => {
  const key = endpoint.apiKey();
  const body = {
    model: endpoint.model,
    messages,
    ...(functions.length === 0 ? {} : { tools: functions }),
    ...(endpoint.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
  const answer = await postBytes({
    url: `${endpoint.baseUrl.replace(/\/+$/, '')}/chat/completions`,
    headers: {
      'content-type': 'application/json',
      accept: endpoint.stream ? 'text/event-stream' : 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    body: Buffer.from(JSON.stringify(body)),
    timeoutMs: limits.timeoutMs,
    maxBytes: maxAnswerBytes,
    signal: limits.signal,
  });
  return read(answer);
};

type Read = Awaited<ReturnType<typeof complete>>;

const no = (outcome: AgentOutcome): Read => ({ ok: false, outcome });

const read = (answer: PostOutcome): Read => {
  switch (answer.kind) {
    case 'aborted':
      return no({ kind: 'aborted' });
    case 'timeout':
    case 'unreachable':
      return no({ kind: 'retry', reason: answer.kind });
    case 'too_large':
      return no({ kind: 'malformed', message: `the model's answer is larger than ${maxAnswerBytes} bytes` });
    case 'response':
      return readResponse(answer);
  }
};

const readResponse = ({ status, retryAfterMs, body }: Extract<PostOutcome, { kind: 'response' }>): Read => {
  if (status === 429 || status >= 500)
    return no({ kind: 'retry', reason: 'status', status, ...(retryAfterMs === null ? {} : { retryAfterMs }) });
  if (status !== 200)
    return no({
      kind: 'malformed',
      message: `the model's endpoint answered ${status}: ${body.toString('utf8', 0, 300)}`,
    });
  // Streamed or not is told by the answer: some endpoints only do one of them, whatever they are asked for.
  const text = body.toString('utf8');
  const completion = /^\s*(data|event|id|:)/.test(text) ? readStream(text) : readWhole(body);
  return completion === null
    ? no({ kind: 'malformed', message: 'the model answered without a message that can be read' })
    : { ok: true, completion };
};

interface Delta {
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}
interface Answer {
  readonly choices?: readonly { readonly message?: Delta; readonly delta?: Delta }[];
  readonly usage?: { readonly total_tokens?: number } | null;
}

const gathered = (deltas: readonly Delta[], tokens: number): Completion => {
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  let content = '';
  for (const delta of deltas) {
    content += delta.content ?? '';
    for (const [position, part] of (delta.tool_calls ?? []).entries()) {
      const index = part.index ?? position;
      const known = calls.get(index) ?? { id: '', name: '', arguments: '' };
      calls.set(index, {
        id: part.id ?? known.id,
        name: known.name + (part.function?.name ?? ''),
        arguments: known.arguments + (part.function?.arguments ?? ''),
      });
    }
  }
  return {
    content: content === '' ? null : content,
    calls: [...calls].map(([index, one]) => ({
      id: one.id === '' ? `call_${index}` : one.id,
      type: 'function',
      function: { name: one.name, arguments: one.arguments },
    })),
    tokens,
  };
};

const readWhole = (body: Buffer): Completion | null => {
  const json = readJson(body);
  const answer = json.ok ? (json.value as Answer | null) : null;
  const message = answer?.choices?.[0]?.message;
  return message === undefined ? null : gathered([message], answer?.usage?.total_tokens ?? 0);
};

const readStream = (text: string): Completion | null => {
  const deltas: Delta[] = [];
  let tokens = 0;
  for (const line of text.split(/\r?\n/)) {
    const data = line.startsWith('data:') ? line.slice('data:'.length).trim() : '';
    if (data === '' || data === '[DONE]') continue;
    const json = readJson(Buffer.from(data));
    if (!json.ok) return null;
    const chunk = json.value as Answer;
    const delta = chunk.choices?.[0]?.delta;
    if (delta !== undefined) deltas.push(delta);
    tokens = chunk.usage?.total_tokens ?? tokens;
  }
  return deltas.length === 0 ? null : gathered(deltas, tokens);
};
