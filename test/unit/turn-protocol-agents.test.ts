import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, serveAgent } from '../../services/client/define-agent';
import { askAgent, inProcessAgent, type TurnCall } from '../../services/run-executor/agents/agent';
import { buildAgents } from '../../services/run-executor/agents/build-agents';
import { httpAgent } from '../../services/run-executor/agents/http-agent';
import { readRetryAfterMs } from '../../services/run-executor/agents/post-bytes';
import { turnInput } from '../support/turn-input';

const input = turnInput(['Compare MSFT and AAPL']);
const inputBytes = Buffer.from(JSON.stringify(input, null, 1), 'utf8');
const inputSha256 = createHash('sha256').update(inputBytes).digest('hex');
const deadline = new Date('2026-11-30T12:00:00.000Z');
const call = (fields: Partial<TurnCall> = {}): TurnCall => ({
  inputBytes,
  inputSha256,
  runId: 'run-1',
  turn: 1,
  attempt: 2,
  deadline,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  signal: new AbortController().signal,
  ...fields,
});

const servers: http.Server[] = [];
afterAll(() =>
  Promise.all(
    servers.map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  ),
);
const serve = async (handle: http.RequestListener): Promise<string> => {
  const server = http.createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/turn`;
};
const overHttp = (url: string, turnTimeoutMs = 5_000) => httpAgent({ url, headers: {}, turnTimeoutMs, env: {} });
const answering = async (status: number, body: string | Buffer, headers: http.OutgoingHttpHeaders = {}) =>
  askAgent(overHttp(await serve((_, response) => response.writeHead(status, headers).end(body))), call());

describe('agents over HTTP', () => {
  test('R12 the sealed bytes go out as they are, what varies goes in headers', async () => {
    const seen: { headers: http.IncomingHttpHeaders; body: Buffer }[] = [];
    const url = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        seen.push({ headers: request.headers, body: Buffer.concat(chunks) });
        response.end('{"for":{}}');
      });
    });
    const env = { TOKEN: 'first' };
    const agent = httpAgent({
      url,
      headers: { Authorization: { env: 'TOKEN' }, 'X-Plain': 'p' },
      turnTimeoutMs: 5_000,
      env,
    });
    expect(await askAgent(agent, call())).toEqual({ kind: 'output', raw: { for: {} } });
    env.TOKEN = 'rotated';
    await askAgent(agent, call({ attempt: 3 }));
    expect(seen.map(({ body }) => body.equals(inputBytes))).toEqual([true, true]);
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'first',
      'x-plain': 'p',
      'content-type': 'application/json',
      'fairlead-turn': 'run-1/1',
      'fairlead-attempt': '2',
      'fairlead-input-sha256': inputSha256,
      'fairlead-deadline': deadline.toISOString(),
      traceparent: call().traceparent,
    });
    expect(seen[1]?.headers).toMatchObject({ authorization: 'rotated', 'fairlead-attempt': '3' });
  });

  test.each([400, 404, 422, 204, 302])('%p ends the run: malformed', async (status) =>
    expect(await answering(status, '{}', { location: 'http://127.0.0.1:1/' })).toMatchObject({ kind: 'malformed' }),
  );
  test.each([429, 500, 503])('%p is asked again', async (status) =>
    expect(await answering(status, '', { 'retry-after': '7' })).toEqual({
      kind: 'retry',
      reason: 'status',
      status,
      retryAfterMs: 7_000,
    }),
  );
  test('X4 not JSON, not UTF-8, or without end is malformed', async () => {
    expect(await answering(200, '{"for":')).toMatchObject({ kind: 'malformed', field: 'output' });
    expect(await answering(200, Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ kind: 'malformed', field: 'output' });
    expect(await answering(200, Buffer.alloc(2 * 1024 * 1024 + 1, 0x20))).toMatchObject({ kind: 'malformed' });
  });
  test('a connection refused or cut off in mid-answer is asked again', async () => {
    const unreachable = { kind: 'retry', reason: 'unreachable' };
    expect(await askAgent(overHttp('http://127.0.0.1:1/'), call())).toEqual(unreachable);
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    });
    expect(await askAgent(overHttp(url), call())).toEqual(unreachable);
  });
  test('no answer in time is asked again; the request is aborted', async () => {
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const url = await serve((request) => request.on('close', () => closed?.()).resume());
    expect(await askAgent(overHttp(url, 50), call())).toEqual({ kind: 'retry', reason: 'timeout' });
    await gone;
  });
  test('R15 void work: the request is aborted', async () => {
    const cancel = new AbortController();
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const url = await serve((_, response) => {
      response.on('close', () => closed?.());
      cancel.abort();
    });
    expect(await askAgent(overHttp(url), call({ signal: cancel.signal }))).toEqual({ kind: 'aborted' });
    await gone;
    expect(await askAgent(overHttp(url), call({ signal: cancel.signal }))).toEqual({ kind: 'aborted' });
  });
  test('Retry-After in seconds or as a date, never beyond ten minutes', () => {
    const nowMs = Date.parse('2026-11-30T10:00:00Z');
    expect(readRetryAfterMs('Mon, 30 Nov 2026 10:00:05 GMT', nowMs)).toBe(5_000);
    expect(readRetryAfterMs('99999', nowMs)).toBe(600_000);
    expect(readRetryAfterMs('soon', nowMs)).toBeNull();
    expect(readRetryAfterMs(undefined, nowMs)).toBeNull();
  });
});

describe('agents inside the process', () => {
  const local = (agent: Parameters<typeof inProcessAgent>[0], turnTimeoutMs = 5_000) =>
    inProcessAgent(agent, { turnTimeoutMs });

  test('an answer crosses the same border as over HTTP', async () => {
    const agent = local(async (given) => ({ for: given.for, state: new Date(0), gone: undefined }));
    expect(await askAgent(agent, call())).toEqual({
      kind: 'output',
      raw: { for: input.for, state: '1970-01-01T00:00:00.000Z' },
    });
  });
  test('each attempt has an input of its own', async () => {
    const agent = local(async (given) => {
      const text = given.requirements.texts[0]?.text;
      given.requirements.texts = [];
      return { text };
    });
    await askAgent(agent, call());
    expect(await askAgent(agent, call())).toEqual({ kind: 'output', raw: { text: 'Compare MSFT and AAPL' } });
  });
  test('a thrown error is a defect, what is not JSON is malformed', async () => {
    expect(
      await askAgent(
        local(() => Promise.reject(new Error('oops'))),
        call(),
      ),
    ).toEqual({ kind: 'defect', message: 'oops' });
    const thrower = local(() => {
      throw new Error('at once');
    });
    expect(await askAgent(thrower, call())).toEqual({ kind: 'defect', message: 'at once' });
    expect(
      await askAgent(
        local(async () => undefined),
        call(),
      ),
    ).toMatchObject({ kind: 'malformed' });
    expect(
      await askAgent(
        local(async () => 10n),
        call(),
      ),
    ).toMatchObject({ kind: 'malformed' });
  });
  test('R14 a stuck agent is a time-out, and is told', async () => {
    let told = false;
    const agent = local((_, { signal }) => {
      signal.addEventListener('abort', () => (told = true));
      return new Promise(() => undefined);
    }, 20);
    expect(await askAgent(agent, call())).toEqual({ kind: 'retry', reason: 'timeout' });
    expect(told).toBe(true);
  });
});

describe('the registry of agents', () => {
  const context = { env: {}, baseDir: mkdtempSync(join(tmpdir(), 'fairlead-agents-')) };

  test('market-report is built in; a module is loaded by its path', async () => {
    writeFileSync(
      join(context.baseDir, 'mine.js'),
      'exports.default = async (input) => ({ for: input.for, state: 7 });',
    );
    writeFileSync(
      join(context.baseDir, 'typed.ts'),
      'export default async (input: { for: unknown }) => ({ for: input.for });',
    );
    const agents = buildAgents(
      {
        mr: { builtin: 'market-report', turnTimeoutMs: 1_000 },
        mine: { module: './mine.js' },
        typed: { module: 'typed.ts' },
      },
      context,
    );
    expect(agents.get('mr')?.turnTimeoutMs).toBe(1_000);
    expect(agents.get('mine')?.turnTimeoutMs).toBe(600_000);
    expect(await askAgent(agents.get('mr')!, call())).toMatchObject({ kind: 'output', raw: { toolCalls: [{}, {}] } });
    expect(await askAgent(agents.get('mine')!, call())).toMatchObject({ kind: 'output', raw: { state: 7 } });
    expect(await askAgent(agents.get('typed')!, call())).toEqual({ kind: 'output', raw: { for: input.for } });
  });
  test.each<[Parameters<typeof buildAgents>[0], string]>([
    [{ a: { builtin: 'chat' } }, 'agents.a: builtin chat: baseUrl is missing'],
    [{ a: { builtin: 'x' } }, 'agents.a: builtin x: unknown'],
    [{ a: {} }, 'agents.a: needs exactly one of url, module, builtin'],
    [{ a: { url: 'http://x', builtin: 'market-report' } }, 'agents.a: needs exactly one'],
    [{ a: { url: 'ftp://x' } }, 'agents.a: url ftp://x: not an HTTP URL'],
    [
      { a: { url: 'http://x', headers: { Authorization: { env: 'NOPE' } } } },
      'agents.a: environment variable NOPE is not set',
    ],
    [{ a: { module: './none.js' } }, 'agents.a: '],
  ])('X4 %j is refused at start: %s', (config, message) => expect(() => buildAgents(config, context)).toThrow(message));
});

describe('defineAgent and serveAgent', () => {
  test('ten lines are an agent: in the process and over HTTP', async () => {
    const agent = defineAgent((given) => ({
      report: { body: `You asked: ${given.requirements.texts[0]?.text}`, contentType: 'text/plain' },
    }));
    const expected = {
      kind: 'output',
      raw: { for: input.for, report: { body: 'You asked: Compare MSFT and AAPL', contentType: 'text/plain' } },
    };
    expect(await askAgent(inProcessAgent(agent, { turnTimeoutMs: 5_000 }), call())).toEqual(expected);
    const served = await serveAgent(agent, { port: 0 });
    expect(await askAgent(overHttp(served.url), call())).toEqual(expected);
    const altered = { inputBytes: Buffer.from('{}') };
    expect(await askAgent(overHttp(served.url), call(altered))).toMatchObject({ kind: 'malformed' });
    const failing = await serveAgent(
      defineAgent(() => Promise.reject(new Error('down'))),
      { port: 0 },
    );
    expect(await askAgent(overHttp(failing.url), call())).toEqual({ kind: 'retry', reason: 'status', status: 500 });
    await Promise.all([served.close(), failing.close()]);
  });
});
