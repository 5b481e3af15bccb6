import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly stream?: boolean;
}
export interface ModelReply {
  readonly status?: number;
  readonly content?: string | null;
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
}

const allowed = new Set(['model', 'messages', 'tools', 'stream', 'stream_options']);

/** What real endpoints refuse: unknown roles, a call without its result, a result without its call. */
const faultOf = (request: ModelRequest): string | null => {
  const unknown = Object.keys(request).find((name) => !allowed.has(name));
  if (unknown !== undefined) return `unknown field ${unknown}`;
  let open = new Set<string>();
  for (const message of request.messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) return `no call ${message.tool_call_id} before this result`;
      continue;
    }
    if (open.size > 0) return `calls without a result: ${[...open].join(', ')}`;
    if (!['system', 'user', 'assistant'].includes(message.role)) return `unknown role ${message.role}`;
    if (message.content === null && (message.tool_calls ?? []).length === 0) return 'a message without content';
    open = new Set((message.tool_calls ?? []).map((call) => call.id));
  }
  return open.size > 0 ? 'the last calls have no result' : null;
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

/** A strict local stand-in of an OpenAI-compatible endpoint; it keeps the exact requests and answers from a list. */
export const openModel = async (replies: ModelReply[]) => {
  const requests: ModelRequest[] = [];
  const keys: (string | undefined)[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const asked = JSON.parse(text) as ModelRequest;
      requests.push(asked);
      keys.push(request.headers.authorization);
      const fault = request.url === '/v1/chat/completions' ? faultOf(asked) : `no route ${request.url}`;
      const reply = replies.shift() ?? { content: 'nothing more to say' };
      if (fault !== null || reply.status !== undefined) {
        response.writeHead(fault === null ? (reply.status ?? 500) : 400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: fault ?? 'as told' } }));
        return;
      }
      const calls = (reply.calls ?? []).map((call) => ({
        id: `call_${(count += 1)}`,
        type: 'function',
        function: {
          name: call.name,
          arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args),
        },
      }));
      const usage = { total_tokens: 5_000 };
      if (asked.stream !== true) {
        response.writeHead(200, { 'content-type': 'application/json' });
        const message = {
          role: 'assistant',
          content: reply.content ?? null,
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        };
        response.end(JSON.stringify({ choices: [{ message }], usage }));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (chunk: unknown): void => void response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      for (const part of (reply.content ?? '').match(/.{1,5}/gs) ?? [])
        send({ choices: [{ delta: { content: part } }] });
      calls.forEach((call, index) => {
        const half = Math.floor(call.function.arguments.length / 2);
        send({
          choices: [
            {
              delta: {
                tool_calls: [
                  { index, id: call.id, type: 'function', function: { name: call.function.name, arguments: '' } },
                ],
              },
            },
          ],
        });
        for (const part of [call.function.arguments.slice(0, half), call.function.arguments.slice(half)])
          send({ choices: [{ delta: { tool_calls: [{ index, function: { arguments: part } }] } }] });
      });
      send({ choices: [], usage });
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    keys,
    close: () => new Promise<void>((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };
};
