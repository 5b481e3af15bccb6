import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import type { TurnInput } from '../../schemas/turn-protocol/input';
import type { TurnOutput } from '../../schemas/turn-protocol/output';

export type { TurnInput, TurnOutput };

/** What an agent returns; the echo `for` is added when it is left out. */
export type TurnAnswer = Omit<TurnOutput, 'for'> & Partial<Pick<TurnOutput, 'for'>>;

/** What varies by attempt. `signal` fires when the turn's work is void or its time is up: stop then. */
export interface TurnContext {
  signal: AbortSignal;
  attempt: number;
  deadline: Date;
  traceparent?: string;
}

export type DefinedAgent = (input: TurnInput, context: TurnContext) => Promise<TurnOutput>;

/**
 * Makes an agent of a function that answers a turn. Export it by default from a module named in the configuration, or
 * give it to `serveAgent`. Keep nothing between turns but what is returned as `state`.
 */
export const defineAgent =
  (answer: (input: TurnInput, context: TurnContext) => TurnAnswer | Promise<TurnAnswer>): DefinedAgent =>
  async (input, context) => ({ for: input.for, ...(await answer(input, context)) });

export interface ServedAgent {
  url: string;
  port: number;
  close: () => Promise<void>;
}

const bodyMaxBytes = 2 * 1024 * 1024;
const keepAliveTimeoutMs = 65_000;

/** Serves an agent over HTTP: `POST` of a turn's input is answered with its output. Port 0 takes a free one. */
export const serveAgent = async (
  agent: DefinedAgent,
  options: { port: number; host?: string },
): Promise<ServedAgent> => {
  const server = http.createServer((request, response) => {
    const work = new AbortController();
    response.on('close', () => work.abort());
    respond(agent, request, work.signal).then(
      ({ status, body }) => send(response, status, body),
      (error: unknown) => send(response, 500, { error: error instanceof Error ? error.message : String(error) }),
    );
  });
  server.keepAliveTimeout = keepAliveTimeoutMs;
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}/`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
};

interface Reply {
  status: number;
  body: unknown;
}

const respond = async (agent: DefinedAgent, request: http.IncomingMessage, signal: AbortSignal): Promise<Reply> => {
  if (request.method === 'GET' && request.url === '/livez') return { status: 200, body: { status: 'ok' } };
  if (request.method !== 'POST') return { status: 405, body: { error: 'POST a turn input' } };
  const bytes = await readBody(request);
  if (bytes === null) return { status: 413, body: { error: `a turn input has at most ${bodyMaxBytes} bytes` } };
  const declared = header(request, 'fairlead-input-sha256');
  if (declared !== undefined && declared !== createHash('sha256').update(bytes).digest('hex')) {
    return { status: 400, body: { error: 'the body is not the one that Fairlead-Input-Sha256 names' } };
  }
  let input: TurnInput;
  try {
    input = JSON.parse(bytes.toString('utf8')) as TurnInput;
  } catch {
    return { status: 400, body: { error: 'the body is not JSON' } };
  }
  return { status: 200, body: await agent(input, contextOf(request, signal)) };
};

const header = (request: http.IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

const noDeadlineMs = 600_000;

const contextOf = (request: http.IncomingMessage, signal: AbortSignal): TurnContext => {
  const deadline = Date.parse(header(request, 'fairlead-deadline') ?? '');
  const traceparent = header(request, 'traceparent');
  return {
    signal,
    attempt: Number(header(request, 'fairlead-attempt') ?? 1),
    deadline: new Date(Number.isNaN(deadline) ? Date.now() + noDeadlineMs : deadline),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
};

const readBody = async (request: http.IncomingMessage): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > bodyMaxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const send = (response: http.ServerResponse, status: number, body: unknown): void => {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
