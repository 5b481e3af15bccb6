import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer as createTls } from 'node:tls';
import { createServer as createTcp, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHmac } from 'node:crypto';
import { classOf } from '../../services/effect-ledger/addresses';
import { contractOf, type Contract } from '../../services/effect-ledger/contract';
import type { Callback, Message } from '../../services/effect-ledger/messages';
import { callbackRoutes } from '../../services/effect-ledger/http-callbacks';
import { openTransport, type Carry } from '../../services/effect-ledger/transport';
import { tryContract } from '../../services/effect-ledger/try-contract';
import { parseConfiguration } from '../../services/platform/configuration';
import { openHttp } from '../../services/platform/http';
import { openLog } from '../../services/platform/log';
import { openMetrics } from '../../services/platform/metrics';
import type { Api } from '../../services/platform/service';
import { sign, verifies } from '../../services/platform/signature';
import { startDemoRemote } from '../../services/demo-remote/server';

const carry = (more: Partial<Carry> = {}): Carry => ({
  actionKey: 'c:do:S:v1',
  operation: 'do',
  subject: 'S',
  body: Buffer.from('{"a":1}'),
  target: null,
  traceparent: null,
  timeoutMs: 300,
  mayWrite: () => true,
  ...more,
});

const configured = (connector: string): ReturnType<typeof parseConfiguration> =>
  parseConfiguration(`
tenants: { local: { defaultAgent: a } }
agents: { a: { builtin: chat } }
connectors:
  c: ${connector}
`);

describe('a connector as a module', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-module-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return `./${name}`;
  };
  const open = (text: string): { contract: Contract; transport: ReturnType<typeof openTransport>['transport'] } => {
    const module = write(`m${Math.random().toString(36).slice(2)}.ts`, text);
    const config = configured(
      `{ operations: [do], module: ${module}, receipt: { statePath: state, succeeded: [done], absent: { status: [404], meansFailedAfterMs: null } } }`,
    );
    const { transport, accept } = openTransport();
    accept(config, folder);
    return { contract: contractOf(config, 'local', 'c')!, transport };
  };

  test('E3 speaks under the same contract: status and body are judged as of HTTP', async () => {
    const { contract, transport } = open(`
      const seen: string[] = [];
      export default {
        submit: async ({ body, actionKey }: { body: Buffer; actionKey: string }) => {
          seen.push(actionKey + String(body));
          return { status: 201, body: JSON.stringify({ seen }) };
        },
        receipt: async ({ actionKey }: { actionKey: string }) =>
          seen.some((one) => one.startsWith(actionKey)) ? { status: 200, body: '{"state":"done"}' } : { status: 404 },
      };`);
    const answered = await transport(contract, 'submit', carry());
    expect(answered).toMatchObject({
      kind: 'answered',
      answer: { status: 201, body: '{"seen":["c:do:S:v1{\\"a\\":1}"]}' },
    });
    expect(await transport(contract, 'cancel', carry())).toEqual({ kind: 'not_sent', code: 'no_cancel' });
    const findings = await tryContract(
      contract,
      transport,
      { operation: 'do', subject: 'T', body: Buffer.from('{}') },
      () => Promise.resolve(),
    );
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  });

  test.each([
    [
      'NotSent: nothing went out',
      'const e = new Error("no_line"); e.name = "NotSent"; throw e;',
      { kind: 'not_sent', code: 'no_line' },
    ],
    ['any other error: unknown', 'throw new Error("broken");', { kind: 'lost', code: 'module_error' }],
    ['no answer in time: unknown', 'await new Promise(() => undefined);', { kind: 'lost', code: 'timeout' }],
    ['an answer without a status: unknown', 'return {} as never;', { kind: 'lost', code: 'unreadable_answer' }],
  ])('E3 %s', async (_name, text, expected) => {
    const { contract, transport } = open(`export default { submit: async () => { ${text} } };`);
    expect(await transport(contract, 'submit', carry())).toEqual(expected);
  });

  test('E2 is not called once the time to send has passed', async () => {
    const { contract, transport } = open('export default { submit: async () => { throw new Error("called"); } };');
    expect(await transport(contract, 'submit', carry({ mayWrite: () => false }))).toEqual({
      kind: 'not_sent',
      code: 'send_by_passed',
    });
  });

  test('X4 one that cannot be loaded, or does nothing, stops the start by name', () => {
    const { accept } = openTransport();
    const nothing = write('nothing.ts', 'export default {};');
    for (const module of ['./absent.ts', nothing])
      expect(() => accept(configured(`{ operations: [do], module: ${module} }`), folder)).toThrow(
        'connectors.c.module',
      );
  });
});

describe('E3: what counts as not sent', () => {
  const http = (url: string): Contract =>
    contractOf(
      configured(`{ operations: [do], submit: { url: '${url}' }, allowAddresses: [loopback] }`),
      'local',
      'c',
    )!;
  const { transport } = openTransport();

  test('E3 a TLS handshake that fails: not a byte of the request has gone out', async () => {
    const received: Buffer[] = [];
    const server = createTcp((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        received.push(chunk);
        socket.end('this is no TLS\r\n');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await transport(http(`https://127.0.0.1:${port}/{operation}`), 'submit', carry())).toMatchObject({
      kind: 'not_sent',
    });
    expect(Buffer.concat(received).includes('Idempotency')).toBe(false);
    await new Promise((resolve) => server.close(resolve));
  });

  test('E3 a certificate nobody vouches for: not sent', async () => {
    const server = createTls({});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await transport(http(`https://127.0.0.1:${port}/`), 'submit', carry())).toMatchObject({ kind: 'not_sent' });
    await new Promise((resolve) => server.close(resolve));
  });

  test('a header whose variable is missing: not sent', async () => {
    const config = configured(
      `{ operations: [do], submit: { url: 'http://127.0.0.1:1/' }, headers: { Authorization: { env: NOT_THERE } } }`,
    );
    expect(await transport(contractOf(config, 'local', 'c')!, 'submit', carry())).toEqual({
      kind: 'not_sent',
      code: 'header_missing',
    });
  });

  test.each([
    ['64:ff9b::7f00:1', 'private'],
    ['2002:7f00:1::', 'private'],
    ['2001::1', 'private'],
    ['::ffff:7f00:1', 'loopback'],
    ['198.51.100.7', 'private'],
    ['2606:4700::1', 'public'],
  ])('an address that leads inside by another name counts as inside: %s', (address, expected) => {
    expect(classOf(address)).toBe(expected);
  });
});

test('E3 headers that help to find a request again are kept with the attempt, others are not', async () => {
  const remote = await startDemoRemote({ port: 0, dataDir: mkdtempSync(join(tmpdir(), 'fairlead-remote-')) });
  const contract = contractOf(
    configured(`{ operations: [do], submit: { url: '${remote.url}/{operation}' }, allowAddresses: [loopback] }`),
    'local',
    'c',
  )!;
  const called = await openTransport().transport(contract, 'submit', carry({ timeoutMs: 5_000 }));
  expect(called.kind === 'answered' && Object.keys(called.answer.headers ?? {})).toEqual(['date']);
  await remote.stop();
});

describe('E10: the proof of a callback', () => {
  const body = Buffer.from('{"a":1}');
  const now = 1_700_000_000_000;
  const t = now / 1_000;
  const v1 = (secret: string, at = t): string =>
    createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');

  test.each([
    ['its own signature', sign('s', t, body), true],
    ['one of several, while a key is changed', `t=${t},v1=${v1('old')},v1=${v1('s')}`, true],
    ['five minutes old', `t=${t - 300},v1=${v1('s', t - 300)}`, true],
    ['older than that', `t=${t - 301},v1=${v1('s', t - 301)}`, false],
    ['from the future', `t=${t + 301},v1=${v1('s', t + 301)}`, false],
    ['of another secret', `t=${t},v1=${v1('x')}`, false],
    ['of another time', `t=${t - 1},v1=${v1('s')}`, false],
    ['without a time', `v1=${v1('s')}`, false],
    ['none', undefined, false],
  ])('E10 %s', (_name, header, expected) => {
    expect(verifies(header, 's', body, now)).toBe(expected);
    expect(verifies(header, 's', Buffer.from('{"a":2}'), now)).toBe(false);
  });

  test('E10 over HTTP: 202, 200 for the same event, 401, 404 and the fields that are wrong', async () => {
    const got: Callback[] = [];
    const app = await openHttp({
      service: 'effect-ledger',
      auth: { verify: () => Promise.reject(new Error('no token is needed')) },
      log: openLog('test', 'test', 'silent'),
      metrics: openMetrics('effect-ledger', []),
      ready: () => Promise.resolve(),
      beforeMetrics: () => Promise.resolve(),
    });
    const submit = (message: Callback): Promise<unknown> => {
      if (message.actionKey !== 'c:do:S:v1') return Promise.resolve('unknown_action');
      const known = got.some((one) => one.eventId === message.eventId);
      if (!known) got.push(message);
      return Promise.resolve(known ? 'repeated' : 'taken');
    };
    callbackRoutes(app, { submit } as unknown as Api<Message>, {
      callbackOf: (name) => (name === 'c' ? { tenant: 'local', secret: 's' } : null),
      now: () => Promise.resolve(now),
    });
    const post = async (value: unknown, connector = 'c', secret = 's'): Promise<[number, string | undefined]> => {
      const payload = typeof value === 'string' ? value : JSON.stringify(value);
      const response = await app.inject({
        method: 'POST',
        url: `/v1/callbacks/${connector}`,
        headers: { 'content-type': 'application/json', 'fairlead-signature': sign(secret, t, Buffer.from(payload)) },
        payload,
      });
      const { code, field } = response.json<{ code?: string; field?: string }>();
      return [response.statusCode, field ?? code];
    };
    const event = { eventId: 'e1', actionKey: 'c:do:S:v1', state: 'succeeded', receipt: { n: 1 } };
    expect(await post(event)).toEqual([202, undefined]);
    expect(await post(event)).toEqual([200, undefined]);
    expect(got).toMatchObject([{ connector: 'c', tenant: 'local', state: 'succeeded', receipt: '{"n":1}' }]);
    expect(await post(event, 'c', 'other')).toEqual([401, 'unauthenticated']);
    expect(await post(event, 'unknown')).toEqual([404, 'not_found']);
    expect(await post({ ...event, actionKey: 'c:do:T:v1' })).toEqual([404, 'unknown_action']);
    expect(await post({ ...event, state: 'maybe' })).toEqual([422, 'state']);
    expect(await post({ eventId: 'e2', state: 'failed' })).toEqual([422, 'actionKey']);
    expect(await post('not json')).toEqual([400, 'body']);
    expect(await post({ ...event, eventId: 'e\u0000' })).toEqual([422, 'eventId']);
    await app.close();
  });
});
