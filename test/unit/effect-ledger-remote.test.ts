import { createServer, type Server } from 'node:http';
import { createServer as createTcp, type AddressInfo } from 'node:net';
import { classOf } from '../../services/effect-ledger/addresses';
import { call, excerptBytes, excerptOf, type Call } from '../../services/effect-ledger/call';
import { openClock } from '../../services/effect-ledger/clock';
import { contractOf } from '../../services/effect-ledger/contract';
import { judgeReceipt, judgeResponse } from '../../services/effect-ledger/outcome';
import { openPace } from '../../services/effect-ledger/pace';
import { ownLease } from '../../services/effect-ledger/pace-lease';
import { answerFor } from '../../services/effect-ledger/receipt-query';
import { openTransport } from '../../services/effect-ledger/transport';
import { parseConfiguration } from '../../services/platform/configuration';
import { configurationText } from '../support/effect-ledger-model';

interface Remote {
  readonly url: string;
  readonly seen: { readonly path: string; readonly body: string }[];
  readonly close: () => Promise<void>;
}

const open: Remote[] = [];
afterEach(async () => {
  for (const remote of open.splice(0)) await remote.close();
});

type Reaction = { readonly status: number; readonly body?: string; readonly location?: string } | 'hang' | 'reset';

const remote = async (reaction: Reaction): Promise<Remote> => {
  const seen: { path: string; body: string }[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString() });
      if (reaction === 'reset') request.socket.resetAndDestroy();
      else if (reaction !== 'hang')
        response
          .writeHead(reaction.status, reaction.location === undefined ? {} : { location: reaction.location })
          .end(reaction.body ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const made: Remote = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  open.push(made);
  return made;
};

const send = (url: string, more: Partial<Call> = {}) =>
  call({
    method: 'POST',
    url,
    headers: {},
    body: Buffer.from('sealed'),
    timeoutMs: 2_000,
    allow: new Set(['loopback']),
    mayWrite: () => true,
    ...more,
  });

describe('E2, E3: of every request it is known whether it may have gone out', () => {
  test('E3 an answer is an answer; redirects are not followed', async () => {
    const there = await remote({ status: 302, location: 'http://127.0.0.1:1/' });
    expect(await send(`${there.url}/contact`)).toMatchObject({ kind: 'answered', answer: { status: 302 } });
    expect(there.seen).toEqual([{ path: '/contact', body: 'sealed' }]);
  });

  test('E3 refused before the send: not sent', async () => {
    const there = await remote({ status: 200 });
    await there.close();
    expect(await send(there.url)).toEqual({ kind: 'not_sent', code: 'econnrefused' });
  });

  test('E3 a name that does not resolve: not sent', async () => {
    expect(await send('http://nowhere.invalid/')).toMatchObject({ kind: 'not_sent' });
  });

  test('E2 sendBy has passed when the connection stands: not a byte goes out', async () => {
    const bytes: Buffer[] = [];
    const server = createTcp((socket) => socket.on('data', (chunk) => bytes.push(chunk)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const ended = new Promise<void>((resolve) =>
      server.on('connection', (socket) => socket.on('close', () => resolve())),
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await send(url, { mayWrite: () => false })).toEqual({ kind: 'not_sent', code: 'send_by_passed' });
    await ended;
    expect(bytes).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });

  test('E3 reset after the send, and a time-out: may have gone out', async () => {
    expect(await send((await remote('reset')).url)).toEqual({ kind: 'lost', code: 'econnreset' });
    expect(await send((await remote('hang')).url, { timeoutMs: 100 })).toEqual({ kind: 'lost', code: 'timeout' });
  });

  test('addresses outside the allowed kinds are not connected to, by name or number', async () => {
    const there = await remote({ status: 200 });
    for (const url of [
      there.url,
      there.url.replace('127.0.0.1', 'localhost'),
      'http://[::ffff:127.0.0.1]:1/',
      'http://10.0.0.1:1/',
    ])
      expect(await send(url, { allow: new Set(['public']) })).toEqual({
        kind: 'not_sent',
        code: 'address_not_allowed',
      });
    expect(there.seen).toEqual([]);
    expect(
      [
        '127.9.9.9',
        '::1',
        '::ffff:127.0.0.1',
        '10.1.1.1',
        '169.254.169.254',
        'fd00::1',
        'fe80::1',
        '0.0.0.0',
        '8.8.8.8',
        '2600::1',
      ].map(classOf),
    ).toEqual([
      'loopback',
      'loopback',
      'loopback',
      'private',
      'private',
      'private',
      'private',
      'private',
      'public',
      'public',
    ]);
  });

  test('what is kept of an answer is bounded and stays text', () => {
    expect(Buffer.byteLength(excerptOf('é'.repeat(5_000)))).toBeLessThanOrEqual(excerptBytes);
    expect(excerptOf(`a${'é'.repeat(5_000)}`)).not.toContain('\uFFFD');
  });
});

describe('E3: the declared contract', () => {
  const outcome = { succeeded: [200, 201], failed: [422], alreadyDone: [409], pending: [202], errorPath: 'error' };
  test.each([
    [201, '{}', 'succeeded', null],
    [200, '', 'succeeded', null],
    [200, '{"error":false}', 'succeeded', null],
    [200, '{"error":"no"}', 'failed', 'error_in_answer'],
    [200, '<html>', 'unknown', 'unreadable_answer'],
    [409, '{}', 'succeeded', 'already_done'],
    [422, '{}', 'failed', 'http_422'],
    [202, '{}', 'unknown', 'pending'],
    [500, '{}', 'unknown', 'http_500'],
    [302, '', 'unknown', 'http_302'],
    [404, '{}', 'unknown', 'http_404'],
  ])('E3 status %i with %j: %s', (status, body, expected, code) => {
    expect(judgeResponse(outcome, { status, body, truncated: false })).toEqual({ outcome: expected, code });
  });

  const config = parseConfiguration(configurationText());
  const receipt = contractOf(config, 'local', 'asks')!.receipt!;
  test.each([
    [200, '{"state":"done"}', 'succeeded'],
    [404, '{"error":"unknown key"}', 'absent'],
    [200, '{"state":"odd"}', 'unreachable'],
    [200, '{"state":{"toString":1}}', 'unreachable'],
    [503, '{"state":"done"}', 'unreachable'],
    [200, 'x', 'unreachable'],
  ] as const)('E4 receipt %i with %j: %s', (status, body, expected) => {
    expect(judgeReceipt(receipt, { status, body, truncated: false })).toBe(expected);
  });
});

describe('E4: the receipt-query role', () => {
  const ask = (askBefore: number) => ({
    eventId: 'q',
    occurredAt: 0,
    tenant: 'local',
    app: 'local',
    account: 'a',
    conversationId: 'c',
    taskId: 't',
    runId: 'run',
    actionKey: 'asks:contact:S 1:v1',
    connector: 'asks',
    operation: 'contact',
    subject: 'S',
    query: 3,
    askedAt: 0,
    askBefore,
  });

  test('E4 case 44 one try by key, whatever this process takes the time for; what it learns is told under the query, and a late query is not asked', async () => {
    const there = await remote({ status: 200, body: '{"state":"done"}' });
    const config = parseConfiguration(
      configurationText()
        .replaceAll('http://127.0.0.1:7410', there.url)
        .replaceAll('submit:', 'allowAddresses: [loopback]\n    submit:'),
    );
    // Two hours before the time of this process.
    const ledgerNow = Date.now() - 7_200_000;
    const deps = {
      contract: (tenant: string, name: string) => contractOf(config, tenant, name),
      transport: openTransport().transport,
      pace: openPace(ownLease()),
      clock: openClock(),
      ledgerNow: () => Promise.resolve(ledgerNow),
    };
    const answer = await answerFor(deps, ask(ledgerNow + 5_000));
    expect(answer).toMatchObject({ key: 'asks:contact:S 1:v1', eventId: 'asks:contact:S 1:v1/query/3/succeeded' });
    expect(answer.value).toMatchObject({ outcome: 'succeeded', httpStatus: 200, query: 3 });
    expect(there.seen).toEqual([{ path: '/by-key/asks%3Acontact%3AS%201%3Av1', body: '' }]);
    expect((await answerFor(deps, ask(ledgerNow - 1))).value).toMatchObject({ outcome: 'unreachable' });
    expect((await answerFor({ ...deps, contract: () => null }, ask(ledgerNow + 5_000))).value).toMatchObject({
      outcome: 'unreachable',
    });
    expect(there.seen).toHaveLength(1);
    // Without the ledger's database the question says when it was asked.
    const alone = { ...deps, clock: openClock(), ledgerNow: () => Promise.resolve(null) };
    expect((await answerFor(alone, ask(5_000))).value).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('pace and clock', () => {
  const contract = contractOf(parseConfiguration(configurationText()), 'local', 'asks')!;

  test('a bucket of perSec, refilled by the database clock; queries count as well', () => {
    const pace = openPace(ownLease());
    const limited = { ...contract, perSec: 10, concurrency: 100 };
    const granted = Array.from({ length: 12 }, (_, index) =>
      pace.ask(limited, index % 2 === 0 ? 'submit' : 'query', 1_000),
    );
    expect(granted.filter((wait) => wait === 0)).toHaveLength(10);
    // In line: each that waits is told a place of its own.
    expect(granted.slice(10)).toEqual([106, 211]);
    expect(pace.ask(limited, 'submit', 1_110)).toBe(0);
  });

  test('never more at a time than the connector allows, in order', async () => {
    const pace = openPace(ownLease());
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const work = Array.from({ length: 8 }, (_, index) =>
      pace.within({ ...contract, name: 'c', concurrency: 2, perSec: 100_000 }, 5_000, async () => {
        running += 1;
        most = Math.max(most, running);
        order.push(index);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      }),
    );
    await Promise.all(work);
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('E2 the carried-on database clock is never behind', async () => {
    const clock = openClock();
    expect(clock.peek()).toBeNull();
    const read = () => Promise.resolve(5_000);
    const first = await clock.now(read);
    expect(first).toBeGreaterThanOrEqual(5_000);
    expect(clock.peek()).toBeGreaterThanOrEqual(first);
  });
});
