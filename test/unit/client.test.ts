import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, FairleadError, type FairleadClient } from '../../services/client/client';

type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server;
let handle: Handle;
let client: FairleadClient;
const asked: { method: string; path: string; body: string; cursor: string | undefined }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const cursor = request.headers['last-event-id'];
      asked.push({ method: request.method ?? '', path: request.url ?? '', body, cursor: cursor?.toString() });
      handle(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = createClient({ url: `http://127.0.0.1:${port}/`, token: () => 't', retryForMs: 5_000 });
});
beforeEach(() => void asked.splice(0));
afterAll(
  () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    }),
);

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

describe('the client library sends a message once, however often it has to be sent', () => {
  test('A1: a lost answer is found out by the receipt, and nothing is sent again', async () => {
    handle = (request, response) =>
      request.method === 'POST' ? request.socket.destroy() : json(response, 200, { status: 'run_started', runId: 'r' });
    const receipt = await client.send('c/1', { content: 'x' });
    expect([receipt.status, receipt.runId]).toEqual(['run_started', 'r']);
    const { clientMessageId } = JSON.parse(asked[0]?.body ?? '') as { clientMessageId: string };
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/conversations/c%2F1/messages',
      `GET /v1/conversations/c%2F1/messages/${clientMessageId}`,
    ]);
  });

  test('A2: what was not stored is sent again under the same id; Retry-After and 5xx are waited out', async () => {
    const answers = [
      (response: ServerResponse) => json(response, 503, { code: 'unavailable' }),
      (response: ServerResponse) => json(response, 429, { code: 'rate_limited' }, { 'retry-after': '1' }),
      (response: ServerResponse) => json(response, 201, { status: 'run_started' }),
    ];
    handle = (request, response) =>
      request.method === 'POST' ? answers.shift()?.(response) : json(response, 404, { code: 'unknown_message' });
    await client.send('c', { content: 'x' });
    const posts = asked.filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(3);
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1);
  });

  test('an id of the caller is never taken for granted: the same submission goes again', async () => {
    let tries = 0;
    handle = (request, response) => {
      tries += 1;
      if (tries === 1) request.socket.destroy();
      else json(response, 200, { status: 'run_started', duplicate: true });
    };
    expect((await client.send('c', { clientMessageId: 'm', content: 'x' })).duplicate).toBe(true);
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  test('A6: a refusal is a receipt; an answer without one is an error with its code and field', async () => {
    handle = (_request, response) =>
      json(response, 422, {
        type: 'about:blank',
        title: 't',
        code: 'needs_target',
        receiptStatus: 'refused',
        revision: 0,
      });
    expect(await client.send('c', { content: 'x' })).toEqual({ code: 'needs_target', status: 'refused', revision: 0 });
    handle = (_request, response) => json(response, 401, { code: 'unauthenticated', detail: 'no' });
    await expect(client.send('c', { content: 'x' })).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(asked).toHaveLength(2);
  });

  test('an owner that stays away: an error when the time is up', async () => {
    const { port } = server.address() as AddressInfo;
    const hasty = createClient({ url: `http://127.0.0.1:${port}`, token: 't', retryForMs: 300 });
    handle = (_request, response) => json(response, 503, { code: 'unavailable', detail: 'down' });
    await expect(hasty.run('r')).rejects.toThrow('unavailable: down');
    handle = (_request, response) =>
      json(response, 429, { code: 'rate_limited', detail: 'used up' }, { 'retry-after': '40000' });
    await expect(hasty.send('c', { content: 'x' })).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
    await expect(createClient({ url: `http://127.0.0.1:${port}` }).run('r')).rejects.toBeInstanceOf(FairleadError);
  });
});

describe('the client library watches over lost connections', () => {
  const event = (id: number, kind: string, item: unknown): string =>
    `id: e.${id}\nevent: ${kind}\ndata: ${JSON.stringify({ eventId: `x${id}`, at: 't', item })}\n\n`;

  test('P3: goes on from the last event, and ends with the run', async () => {
    const streams = [
      [event(1, 'run', { state: 'running' }), event(2, 'turn', {})],
      [': nothing\n\n'],
      [event(3, 'run', { state: 'completed' }), event(4, 'report', {})],
    ];
    handle = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(streams.shift()?.join(''));
    };
    const told: string[] = [];
    for await (const { cursor, kind } of client.watch({ runId: 'r' })) told.push(`${cursor} ${kind}`);
    expect(told).toEqual(['e.1 run', 'e.2 turn', 'e.3 run', 'e.4 report']);
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, 'e.2', 'e.2']);
  });

  test('204 says that nothing more comes; a refusal is an error; a signal ends it', async () => {
    handle = (_request, response) => void response.writeHead(204).end();
    expect((await client.watch({ runId: 'r' }, { after: 'e.9' }).next()).done).toBe(true);
    expect(asked[0]?.cursor).toBe('e.9');
    handle = (_request, response) => json(response, 404, { code: 'unknown_run', detail: 'no such run' });
    await expect(client.watch({ runId: 'r' }).next()).rejects.toMatchObject({ code: 'unknown_run' });
    handle = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event(1, 'message', {}));
    };
    const stop = new AbortController();
    const events = client.watch('account', { signal: stop.signal });
    expect((await events.next()).value).toMatchObject({ kind: 'message' });
    stop.abort();
    expect((await events.next()).done).toBe(true);
  });
});
