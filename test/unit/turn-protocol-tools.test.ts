import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildTools } from '../../services/run-executor/tools/build-tools';
import { httpTool } from '../../services/run-executor/tools/http-tool';
import { callTool, functionTool, runTool, ToolRefusal, type Tool } from '../../services/run-executor/tools/tool';

const sealedFor = { conversationId: 'c', taskId: 't', runId: 'r', turn: 1, requirementsVersion: 1 };
const request = { for: sealedFor, callId: 'call-1', tool: 'telemetry', input: { a: 1 } };
const signal = new AbortController().signal;

const servers: http.Server[] = [];
afterAll(() =>
  Promise.all(
    servers.map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  ),
);
const serving = async (handle: (body: unknown, response: http.ServerResponse) => void) => {
  const server = http.createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => handle(JSON.parse(Buffer.concat(chunks).toString()), response));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return httpTool({ url, headers: {}, timeoutMs: 5_000, env: {} });
};
const answering = async (answer: unknown, status = 200) =>
  callTool(
    await serving((_, response) =>
      response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer)),
    ),
    request,
    { signal },
  );
const refused = (code: string) => ({ kind: 'result', ok: false, error: { code } });

describe('tools', () => {
  test('R7 an HTTP tool gets for, callId, tool and input, and answers by callId', async () => {
    let got: unknown;
    const tool = await serving((body, response) => {
      got = body;
      response.end(JSON.stringify({ callId: 'call-1', ok: true, output: { n: 1 } }));
    });
    expect(await callTool(tool, request, { signal })).toEqual({ kind: 'result', ok: true, output: { n: 1 } });
    expect(got).toEqual(request);
  });

  test.each<[string, unknown, string]>([
    ['another callId', { callId: 'other', ok: true, output: 1 }, 'wrong_owner'],
    ['no callId', { ok: true, output: 1 }, 'wrong_owner'],
    ['another run', { callId: 'call-1', for: { ...sealedFor, runId: 'x' }, ok: true, output: 1 }, 'wrong_owner'],
    ['its own error', { callId: 'call-1', ok: false, error: { code: 'no_device', message: 'm' } }, 'no_device'],
    ['no ok', { callId: 'call-1', output: 1 }, 'tool_malformed'],
    ['a list', [], 'tool_malformed'],
    ['no JSON', '{', 'tool_malformed'],
    ['NUL in the output', { callId: 'call-1', ok: true, output: 'a\u0000' }, 'tool_malformed'],
    ['too much', { callId: 'call-1', ok: true, output: 'x'.repeat(256 * 1024) }, 'output_too_large'],
    ['far too much', { callId: 'call-1', ok: true, output: 'x'.repeat(2 * 1024 * 1024) }, 'output_too_large'],
  ])('R20 %s', async (_name, answer, code) => expect(await answering(answer)).toMatchObject(refused(code)));

  test('a right echo of for is fine; 4xx is an answer, 429 and 5xx are tried again', async () => {
    expect(await answering({ callId: 'call-1', for: sealedFor, ok: true, output: null })).toMatchObject({ ok: true });
    expect(await answering('', 404)).toMatchObject(refused('tool_status'));
    expect(await answering('', 503)).toMatchObject({ kind: 'retry', error: { code: 'tool_status' } });
    expect(await answering('', 429)).toMatchObject({ kind: 'retry' });
  });

  test('three tries with pauses between, then the last error goes to the agent', async () => {
    const pauses: number[] = [];
    const delay = async (pauseMs: number) => void pauses.push(pauseMs);
    let tries = 0;
    const failing: Tool = () => Promise.reject(new Error(`down ${(tries += 1)}`));
    expect(await runTool(functionTool(failing), request, { signal, delay })).toEqual({
      ok: false,
      error: { code: 'tool_failed', message: 'down 3' },
    });
    expect(pauses).toEqual([200, 1_000]);
    const second: Tool = async () => {
      tries += 1;
      if (tries % 2 === 0) throw new Error('down');
      return tries;
    };
    expect(await runTool(functionTool(second), request, { signal, delay })).toEqual({ ok: true, output: 5 });
  });

  test("a tool's own no is final", async () => {
    let tries = 0;
    const refusing: Tool = async () => {
      tries += 1;
      throw new ToolRefusal('unknown_symbol', 'no');
    };
    expect(await runTool(functionTool(refusing), request, { signal })).toEqual({
      ok: false,
      error: { code: 'unknown_symbol', message: 'no' },
    });
    expect(tries).toBe(1);
  });

  test('a stuck tool is a time-out; a void one is aborted, in the pause too', async () => {
    const stuck = functionTool(() => new Promise(() => undefined));
    expect(await callTool(stuck, request, { timeoutMs: 20, signal })).toMatchObject({
      kind: 'retry',
      error: { code: 'tool_timeout' },
    });
    const cancel = new AbortController();
    const failing = functionTool(() => {
      queueMicrotask(() => cancel.abort());
      return Promise.reject(new Error('down'));
    });
    expect(await runTool(failing, request, { signal: cancel.signal })).toEqual({ kind: 'aborted' });
  });

  test('what a function returns leaves as JSON, bounded', async () => {
    const of = (output: unknown) =>
      callTool(
        functionTool(async () => output),
        request,
        { signal },
      );
    expect(await of(undefined)).toEqual({ kind: 'result', ok: true, output: null });
    expect(await of(10n)).toMatchObject(refused('tool_malformed'));
    expect(await of('x'.repeat(256 * 1024))).toMatchObject(refused('output_too_large'));
    expect(await of({ a: ['\ud800'] })).toMatchObject({ error: { message: 'output.a[0] contains a lone surrogate' } });
  });

  test('price-series is always there; configuration errors name their path', () => {
    const context = { env: {}, baseDir: __dirname };
    const tools = buildTools({ telemetry: { url: 'http://127.0.0.1:1/', timeoutMs: 5 } }, context);
    expect([...tools.keys()]).toEqual(['price-series', 'telemetry']);
    expect(tools.get('telemetry')?.timeoutMs).toBe(5);
    expect(tools.get('price-series')?.timeoutMs).toBe(60_000);
    expect(() => buildTools({ t: {} }, context)).toThrow('tools.t: needs exactly one of url, module, builtin');
    expect(() => buildTools({ t: { builtin: 'x' } }, context)).toThrow('tools.t: builtin x: unknown');
    const renamed = buildTools({ prices: { builtin: 'price-series', timeoutMs: 7 } }, context);
    expect(renamed.get('prices')?.timeoutMs).toBe(7);
    expect(() => buildTools({ t: { url: 'x' } }, context)).toThrow('tools.t: url x: not an HTTP URL');
  });
});
