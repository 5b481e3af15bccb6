import { openHttp, type Http } from '../../services/platform/http';
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
  ])('%s', async (_name, payload, type, status, said) => {
    expect(await post(payload, type)).toEqual([status, said]);
  });
});
