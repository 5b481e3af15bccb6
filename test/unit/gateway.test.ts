import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Refusal } from '../../services/platform/errors';
import type { Auth } from '../../services/platform/auth';
import { openLog } from '../../services/platform/log';
import { openMetrics } from '../../services/platform/metrics';
import { owners, routeOf, type Owner } from '../../services/gateway/route-table';
import { openGateway, type Gateway } from '../../services/gateway/server';
import { readSettings } from '../../services/gateway/settings';

const token = `e30.${Buffer.from(JSON.stringify({ exp: 4_000_000_000 })).toString('base64url')}.c2ln`;
const auth: Auth = {
  verify: async (authorization) => {
    if (authorization !== `Bearer ${token}`) throw new Refusal('unauthenticated', 'the token does not verify');
    return { tenant: 'local', app: 'local', account: 'alice', roles: new Set(['operator']) };
  },
};

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
let handle: Handle;
let owner: Server;
let gateway: Gateway;
let base: string;
const consoleFolder = mkdtempSync(join(tmpdir(), 'fairlead-console-'));
const silent = openLog('gateway', 'gateway', 'silent');

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });
const deadPort = async (): Promise<number> => {
  const server = createServer();
  const port = await listen(server);
  await closed(server);
  return port;
};
const echo: Handle = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-own', 'a');
    response.setHeader('connection', 'x-own');
    response.end(
      JSON.stringify({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('latin1'),
      }),
    );
  });
};

beforeAll(async () => {
  mkdirSync(join(consoleFolder, 'assets'));
  writeFileSync(join(consoleFolder, 'index.html'), '<!doctype html><title>console</title>');
  writeFileSync(join(consoleFolder, 'assets/index-1a2b.js'), 'start()');
  writeFileSync(join(consoleFolder, 'assets/index-1a2b.js.gz'), gzipSync('start()'));
  owner = createServer((request, response) => handle(request, response));
  const alive = new URL(`http://127.0.0.1:${await listen(owner)}`);
  const dead = new URL(`http://127.0.0.1:${await deadPort()}`);
  const addresses = Object.fromEntries(owners.map((name) => [name, name === 'effect-ledger' ? dead : alive]));
  gateway = await openGateway({
    owners: addresses as Record<Owner, URL>,
    consoleFolder,
    auth,
    log: silent,
    metrics: openMetrics('gateway', []),
  });
  base = await gateway.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  rmSync(consoleFolder, { recursive: true });
  await gateway.stop(1_000);
  await closed(owner);
});
beforeEach(() => {
  handle = echo;
});

interface Echoed {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}
const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${base}${path}`, init);
const echoed = async (answer: Response): Promise<Echoed> => (await answer.json()) as Echoed;
const codeOf = async (answer: Response): Promise<string> => ((await answer.json()) as { code: string }).code;

test.each<[string, string | null, string?]>([
  ['/v1/conversations/c1/messages', 'admission'],
  ['/v1/conversations/c1/messages/m1', 'admission'],
  ['/v1/conversations', 'publication'],
  ['/v1/conversations/c1/snapshot', 'publication'],
  ['/v1/conversations/messages/events', 'publication'],
  ['/v1/runs/run_1/reports', 'publication'],
  ['/v1/runs/run_1/reports/2/1', 'publication'],
  ['/v1/runs/run_1/events', 'publication'],
  ['/v1/account/events', 'publication'],
  ['/v1/documents/d1/resolutions', 'publication'],
  ['/v1/runs', 'run-executor'],
  ['/v1/runs/run_1/turns/3/input', 'run-executor'],
  ['/v1/tasks/task_1', 'run-executor'],
  ['/v1/queue', 'run-executor'],
  ['/v1/interactions/int_1/responses', 'hil'],
  ['/v1/inbox/events', 'hil'],
  ['/v1/actions/k%3Ao%3As%2Fx%3Av1', 'effect-ledger'],
  ['/v1/callbacks/contact-api', 'effect-ledger'],
  ['/v1/ops/runs/run_1/cancel', 'run-executor'],
  ['/v1/ops/connectors/contact-api/pause', 'effect-ledger'],
  ['/v1/ops/hil/dead-letters', 'hil', '/v1/ops/dead-letters'],
  ['/v1/ops/run-executor/incidents/x/acknowledge', 'run-executor', '/v1/ops/incidents/x/acknowledge'],
  ['/v1/ops/nobody/lag', null],
  ['/v1/ops/hil', null],
  ['/v1/nothing', null],
  ['/v1/runsaway', null],
])('%s belongs to %s', (...[path, name, there]) => {
  expect(routeOf(path)).toEqual(name === null ? null : { owner: name, path: there ?? path });
});

describe('passing on', () => {
  test('method, undecoded path, query, body and answer go through as they come', async () => {
    const body = Buffer.from([0, 1, 255, 13, 10]);
    const answer = await ask('/v1/runs/a%2Fb/../x?q=1&q=%202?', { method: 'POST', body }).then(echoed);
    // fetch itself resolves the dots; what it sent is what arrived.
    expect(answer).toMatchObject({ method: 'POST', url: '/v1/runs/x?q=1&q=%202?', body: body.toString('latin1') });
    const raw = await new Promise<Echoed>((resolve, reject) => {
      httpRequest(`${base}/`, { path: '/v1/runs/a%2Fb/../x', agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve(JSON.parse(text) as Echoed));
      })
        .on('error', reject)
        .end();
    });
    expect(raw.url).toBe('/v1/runs/a%2Fb/../x');
  });

  test('a POST without a body stays one', async () => {
    const { headers } = await ask('/v1/interactions/i/seen', { method: 'POST' }).then(echoed);
    expect(headers).toMatchObject({ 'content-length': '0' });
    expect(headers['transfer-encoding']).toBeUndefined();
  });

  test('headers of one hop stay on that hop, cookies stay here', async () => {
    const answer = await ask('/v1/queue', {
      headers: { authorization: 'Bearer x', cookie: 'a=b', te: 'trailers', 'x-mine': '1' },
    });
    expect(answer.headers.get('x-own')).toBeNull();
    const { headers } = await echoed(answer);
    expect(headers).toMatchObject({ authorization: 'Bearer x', 'x-mine': '1', 'x-forwarded-for': '127.0.0.1' });
    expect([headers['cookie'], headers['te']]).toEqual([undefined, undefined]);
  });

  test('an owner that is down is a problem, not a hang', async () => {
    const answer = await ask('/v1/actions');
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('retry-after')]).toEqual([
      503,
      'application/problem+json; charset=utf-8',
      '1',
    ]);
    expect(await codeOf(answer)).toBe('unavailable');
  });

  test('an owner that breaks off before it answers is a problem too', async () => {
    handle = (request) => request.socket.destroy();
    expect((await ask('/v1/runs', { method: 'POST', body: 'x' })).status).toBe(503);
  });

  test('an answer that breaks off is seen to break off', async () => {
    handle = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('half', () => response.destroy());
    };
    await expect(ask('/v1/runs').then((answer) => answer.text())).rejects.toThrow();
  });

  test('events arrive as they are sent, and a client that leaves ends the request behind', async () => {
    let left: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (left = resolve));
    let more: () => void = () => undefined;
    handle = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\n\n');
      more = () => response.write('id: 2\n\n');
      response.on('close', left);
    };
    const stop = new AbortController();
    const answer = await ask('/v1/inbox/events', { signal: stop.signal });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
    expect(await next()).toBe('id: 1\n\n');
    more();
    expect(await next()).toBe('id: 2\n\n');
    stop.abort();
    await ended;
  });

  test('no owner, no route', async () => {
    expect([(await ask('/v1/nothing')).status, (await ask('/nothing')).status]).toEqual([404, 404]);
    expect(await codeOf(await ask('/a2a/x', { method: 'POST', headers: {} }))).toBe('unauthenticated');
  });
});

describe('A7 sign-in', () => {
  const cookie = `fairlead_session=${token}`;
  const signIn = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    ask('/session', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });

  test('a verified token becomes a cookie that scripts and other sites cannot use', async () => {
    const answer = await signIn({ token });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ account: 'alice', roles: ['operator'] });
    const set = answer.headers.get('set-cookie') ?? '';
    for (const part of [cookie, 'HttpOnly', 'SameSite=Strict', 'Path=/']) expect(set).toContain(part);
  });

  test.each<[string, unknown, Record<string, string>, string]>([
    ['another token', { token: 'a.b.c' }, {}, 'unauthenticated'],
    ['no token', {}, {}, 'field_missing'],
    ['another site', { token }, { 'sec-fetch-site': 'cross-site' }, 'forbidden'],
    ['another origin', { token }, { origin: 'http://evil.example' }, 'forbidden'],
  ])('%s is refused', async (_name, body, headers, code) => {
    expect(await codeOf(await signIn(body, headers))).toBe(code);
  });

  test('signing out clears it', async () => {
    const answer = await ask('/session', { method: 'DELETE' });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  });

  test('the cookie becomes a bearer token; one that came along wins', async () => {
    expect((await ask('/v1/queue', { headers: { cookie } }).then(echoed)).headers['authorization']).toBe(
      `Bearer ${token}`,
    );
    const both = await ask('/v1/queue', { headers: { cookie, authorization: 'Bearer own' } }).then(echoed);
    expect(both.headers['authorization']).toBe('Bearer own');
  });

  test.each<[string, Record<string, string>, number]>([
    ['our own page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a sibling site', { 'sec-fetch-site': 'same-site' }, 403],
    ['nobody says from where', {}, 403],
  ])('a change by cookie from %s', async (_name, headers, status) => {
    expect((await ask('/v1/runs/r/resume', { method: 'POST', headers: { cookie, ...headers } })).status).toBe(status);
  });
});

test('one description of all services, with operator routes under their names', async () => {
  handle = (_request, response) =>
    void response.end(JSON.stringify({ paths: { '/v1/ops/lag': { get: {} }, '/v1/interactions': { get: {} } } }));
  const document = (await ask('/openapi.json').then((answer) => answer.json())) as {
    info: { description: string };
    paths: Record<string, unknown>;
  };
  expect(document.info.description).toContain('effect-ledger');
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/v1/interactions', '/v1/ops/hil/lag']));
  expect(document.paths['/v1/ops/lag']).toBeUndefined();
});

test('X4 a missing or bad setting is named', () => {
  expect(() => readSettings({})).toThrow(/^AUTH_JWKS_URL: is not set$/);
  const env = { AUTH_JWKS_URL: 'file:///x', AUTH_ISSUER: 'i', AUTH_AUDIENCE: 'a', ADMISSION_URL: 'ftp://x' };
  expect(() => readSettings(env)).toThrow(/^ADMISSION_URL: must start with http/);
  expect(() => readSettings({ ...env, PORT: '70000' })).toThrow(/^PORT: /);
});

describe('the console, served', () => {
  const asPage = { headers: { accept: 'text/html,*/*' } };

  it('any address of its own gives the page, which is never kept and allows no inline script', async () => {
    for (const path of ['/', '/ledger', '/runs/run_1/reports', '/conversations/a.b']) {
      const response = await fetch(base + path, asPage);
      expect([path, response.status, await response.text()]).toEqual([path, 200, expect.stringContaining('console')]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-security-policy')).toMatch(/script-src 'self'(;|$)/);
      expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
    }
  });

  it('addresses of services and files that are not there stay what they are', async () => {
    for (const path of ['/v1/nothing', '/assets/index-0000.js', '/a2a/nothing'])
      expect([path, (await fetch(base + path, asPage)).status >= 400]).toEqual([path, true]);
    expect((await fetch(`${base}/ledger`, { headers: { accept: 'application/json' } })).status).toBe(404);
    expect((await fetch(`${base}/ledger`, { method: 'POST', ...asPage })).status).toBe(404);
  });

  it('assets carry their hash in the name: kept for ever, sent compressed', async () => {
    const response = await fetch(`${base}/assets/index-1a2b.js`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('content-type')).toContain('javascript');
    expect(await response.text()).toBe('start()');
  });
});
