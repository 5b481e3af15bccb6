import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { classOf } from '../../services/effect-ledger/addresses';
import { call } from '../../services/effect-ledger/call';
import { postTo } from '../../services/publication/deliver';
import { postBytes } from '../../services/run-executor/agents/post-bytes';
import { proposalOf } from '../../services/run-executor/triage';
import { openLog } from '../../services/platform/log';

/** What an attacker wants reached: here it stands for the metadata service of a cloud. */
let inside: Server;
let outside: Server;
let reached: string[];
let asked: number;

const listen = (server: Server): Promise<string> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );

let url: string;
beforeAll(async () => {
  inside = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.end('{"runId":null}');
  });
  const secret = await listen(inside);
  outside = createServer((request, response) => {
    asked += 1;
    request.resume();
    response.writeHead(Number((request.url ?? '/').slice(1)), { location: `${secret}/secret` }).end();
  });
  url = await listen(outside);
});
beforeEach(() => {
  reached = [];
  asked = 0;
});
afterAll(() => Promise.all([inside, outside].map((server) => new Promise((done) => server.close(done)))));

const body = Buffer.from('{}');
const signal = new AbortController().signal;

describe('a redirect of a remote, an agent, a tool, a webhook or a triage model leads nowhere', () => {
  const callers: Record<string, (to: string) => Promise<unknown>> = {
    'a connector': (to) =>
      call({
        ...{ method: 'POST', url: to, headers: {}, body, timeoutMs: 5_000 },
        allow: new Set(['loopback']),
        mayWrite: () => true,
      }),
    'an HTTP agent or tool': (to) =>
      postBytes({ url: to, headers: {}, body, timeoutMs: 5_000, maxBytes: 1_000, signal }),
    'a webhook': (to) => postTo(to, 'secret', body),
    'a triage model': (to) =>
      proposalOf({ url: to, question: { candidates: [] } as never }, 5_000, openLog('test', 'test', 'silent')),
  };
  const ways = [301, 302, 303, 307, 308].flatMap((status) =>
    Object.keys(callers).map((name) => [name, status] as const),
  );
  test.each(ways)('%s answered with %s', async (name, status) => {
    await callers[name]?.(`${url}/${status}`);
    expect([asked, reached]).toEqual([1, []]);
  });
});

test('allowAddresses: every way to write an address counts as the address it is', () => {
  const inside = [
    ...['10.0.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '255.255.255.255'],
    ...['::', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::a00:1', '64:ff9b::a00:1', '64:ff9b:1::a00:1'],
    ...['2002:a00:1::', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1', '2001:db8::1', '100::1'],
  ];
  const ofThisHost = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001'];
  const reachable = ['1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:1.1.1.1', '::ffff:101:101'];
  const not = (expected: string, addresses: string[]) => addresses.filter((address) => classOf(address) !== expected);
  expect([not('private', inside), not('loopback', ofThisHost), not('public', reachable)]).toEqual([[], [], []]);
});

test('allowAddresses: what a URL’s own spelling of an address means is what counts', async () => {
  const { port } = new URL(url);
  for (const host of ['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '[::ffff:7f00:1]', 'localhost'])
    expect(
      await call({
        ...{ method: 'POST', url: `http://${host}:${port}/200`, headers: {}, body, timeoutMs: 5_000 },
        allow: new Set(['public', 'private']),
        mayWrite: () => true,
      }),
    ).toEqual({ kind: 'not_sent', code: 'address_not_allowed' });
  expect(asked).toBe(0);
});
