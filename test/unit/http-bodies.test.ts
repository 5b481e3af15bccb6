import { connect } from 'node:net';
import { openHttp, type Http } from '../../services/platform/http';
import { bodyLimitBytes, waits } from '../../services/platform/http-bounds';
import { openLog } from '../../services/platform/log';
import { openMetrics } from '../../services/platform/metrics';

let app: Http;

beforeAll(async () => {
  app = await openHttp({
    service: 'test',
    auth: { verify: () => Promise.resolve({ tenant: 't', app: 'a', account: 'x', roles: new Set() }) },
    log: openLog('test', 'test', 'silent'),
    metrics: openMetrics('test', []),
    ready: () => Promise.resolve(),
    beforeMetrics: () => Promise.resolve(),
  });
  app.post('/said', (request) => ({ body: request.body ?? null }));
  app.get('/list', (request) => ({ query: request.query }));
  app.get('/stream', { config: { anyCursor: true } }, (request) => ({ query: request.query }));
});
afterAll(() => app.close());

const post = async (payload: string | Buffer, type?: string): Promise<[number, unknown]> => {
  const headers = type === undefined ? {} : { 'content-type': type };
  const response = await app.inject({ method: 'POST', url: '/said', headers, payload });
  const { code, body } = response.json<{ code?: string; body?: unknown }>();
  return [response.statusCode, code ?? body];
};

const json = 'application/json';

describe('A17 X4 what a body may be', () => {
  test.each<[string, string | Buffer, string | undefined, number, unknown]>([
    ['JSON', '{"a":"ü"}', json, 200, { a: 'ü' }],
    ['JSON with a charset', '{"a":1}', `${json}; charset=utf-8`, 200, { a: 1 }],
    ['plain text', '{"a":1}', 'text/plain', 415, 'unsupported_media_type'],
    ['no type', '{"a":1}', undefined, 415, 'unsupported_media_type'],
    ['not JSON', '{"a"', json, 400, 'malformed'],
    ['nothing', '', json, 400, 'malformed'],
    ['a prototype', '{"__proto__":{"a":1}}', json, 400, 'malformed'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), json, 400, 'malformed'],
    ['U+FFFD as it is', '"\ufffd"', json, 200, '\ufffd'],
    ['NUL in a text', '{"a":"\\u0000"}', json, 422, 'field_invalid'],
    ['NUL in a name', '{"a":{"\\u0000":1}}', json, 422, 'field_invalid'],
    ['half a character', '{"a":["x\\ud800"]}', json, 422, 'field_invalid'],
    ['a number nobody can keep', '{"a":1e999}', json, 422, 'field_invalid'],
    ['lists in lists, far too deep', `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, json, 422, 'field_invalid'],
    ['objects likewise', `${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}`, json, 422, 'field_invalid'],
    ['more than is read', `"${'a'.repeat(bodyLimitBytes)}"`, json, 413, 'content_too_large'],
  ])('%s', async (_name, payload, type, status, said) => {
    expect(await post(payload, type)).toEqual([status, said]);
  });
});

test.each([
  ['/list?after=%00', 400],
  ['/list?after=a', 200],
  ['/stream?after=%00', 200],
  ['/stream%00', 404],
])('A17 P3 NUL in an address: %s is answered with %s', async (url, status) =>
  expect((await app.inject(url)).statusCode).toBe(status),
);

test('X4 a method that nobody has is the caller’s fault, and nothing is taken for a page', async () => {
  const answer = await app.inject({ method: 'QUERY' as 'GET', url: '/list' });
  expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([400, 'malformed']);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
});

test('who sends a request byte by byte is waited for so long and no longer', async () => {
  expect([app.server.headersTimeout, app.server.requestTimeout]).toEqual([
    waits.http.headersTimeout,
    waits.requestTimeout,
  ]);
  expect(waits.requestTimeout).toBeGreaterThan(0);
  // The same server with a shorter wait, so that the test need not sit out the real one.
  app.server.headersTimeout = 50;
  app.server.requestTimeout = 100;
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const ends = [
    'GET /list HTTP/1.1\r\nhost: a\r\nx-slow: ',
    'POST /said HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n',
  ].map(
    (begun) =>
      new Promise<string>((resolve) => {
        let said = '';
        const socket = connect(port, '127.0.0.1', () => socket.write(begun));
        socket.on('data', (chunk) => (said += chunk.toString())).on('close', () => resolve(said));
      }),
  );
  for (const said of await Promise.all(ends)) expect(said).toContain('408');
}, 20_000);
