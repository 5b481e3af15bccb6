import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createParser } from 'eventsource-parser';
import { freePort } from '../../infra/local/network.mjs';
import { localToken } from '../../services/cli/remote';
import { root } from '../support/documents';
import { environmentBeside, type EnvironmentBeside } from '../support/environment-beside';
import { fresh, system } from '../support/system';
import { until } from '../support/until';

jest.setTimeout(240_000);

/** The stack with examples/a2a-kit, as docs/a2a.md starts it for the protocol's public compatibility kit. */
let kit: EnvironmentBeside | null = null;
let token: string;
let base: string;

beforeAll(async () => {
  await system();
  token = await localToken({ tenant: 'local', app: 'local', account: 'alice', roles: [] });
  kit = await environmentBeside('a2akit', {
    FAIRLEAD_CONFIG: join(root, 'examples/a2a-kit/fairlead.yaml'),
    FAIRLEAD_TOKEN: token,
  });
  kit.command(root, ['migrate']);
  kit.command(root, ['topics', 'apply']);
  const names = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication', 'gateway'];
  await Promise.all(names.map((name) => kit?.start(root, name, name)));
  base = kit.gateway;
});
afterAll(() => kit?.close(), 60_000);

// What comes over the wire is looked at field by field.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = Record<string, any>;

const session = fresh('s');
/** As the kit names its messages: the same name for every use in one session. */
const idOf = (name: string): string => `tck-${name}-${session}`;
const said = (name: string, text: string, more: Json = {}): Json => ({
  message: { role: 'ROLE_USER', parts: [{ text }], messageId: idOf(name), ...more },
});

const ask = (path: string, init: RequestInit = {}, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${base}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${token}`,
      'a2a-version': '1.0',
      'fairlead-a2a-identity': 'request',
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });

interface Answer {
  /** The binding's own: a JSON-RPC code or an HTTP status. */
  readonly error: number | null;
  readonly body: Json;
}

/** Each binding as the kit's own clients use it. */
interface Binding {
  readonly call: (method: string, params: Json) => Promise<Answer>;
  readonly stream: (method: string, params: Json) => Promise<Response>;
}

const rpc = (method: string, params: Json): Promise<Response> =>
  ask('/a2a', { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });

const paths: Readonly<Record<string, (id: string) => readonly [string, string]>> = {
  SendMessage: () => ['POST', '/message:send'],
  SendStreamingMessage: () => ['POST', '/message:stream'],
  GetTask: (id) => ['GET', `/tasks/${id}`],
  ListTasks: () => ['GET', '/tasks'],
  CancelTask: (id) => ['POST', `/tasks/${id}:cancel`],
  SubscribeToTask: (id) => ['POST', `/tasks/${id}:subscribe`],
  CreateTaskPushNotificationConfig: (id) => ['POST', `/tasks/${id}/pushNotificationConfigs`],
  GetExtendedAgentCard: () => ['GET', '/extendedAgentCard'],
};

const rest = (method: string, { id = 'x', ...more }: Json): Promise<Response> => {
  const [verb, path] = paths[method]?.(String(id)) ?? ['GET', '/nothing'];
  const query = verb === 'GET' ? `?${new URLSearchParams(more as Record<string, string>)}` : '';
  const body = verb === 'POST' && Object.keys(more).length > 0 ? { body: JSON.stringify(more) } : {};
  return ask(`/a2a${path}${query}`, { method: verb, ...body });
};

const bindings: Readonly<Record<string, Binding>> = {
  JSONRPC: {
    call: async (method, params) => {
      const answer = await rpc(method, params);
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      const { error, result } = (await answer.json()) as Json;
      return { error: error?.code ?? null, body: error ?? result };
    },
    stream: rpc,
  },
  'HTTP+JSON': {
    call: async (method, params) => {
      const answer = await rest(method, params);
      const type = answer.headers.get('content-type');
      expect(type).toMatch(answer.ok ? /^application\/a2a\+json/ : /^application\/json/);
      return { error: answer.ok ? null : answer.status, body: (await answer.json()) as Json };
    },
    stream: rest,
  },
};

const eventsOf = async (response: Response, seen: Json[] = []): Promise<Json[]> => {
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const parser = createParser({
    onEvent: ({ data }) => {
      const event = JSON.parse(data) as Json;
      seen.push(event['result'] ?? event);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
    parser.feed(decoder.decode(chunk, { stream: true }));
  return seen;
};

const told = (event: Json | undefined): string => {
  const [kind = ''] = Object.keys(event ?? {});
  return `${kind} ${event?.[kind]?.status?.state ?? ''}`.trim();
};

describe.each(Object.keys(bindings))('what the compatibility kit asks of A2A 1.0 over %s', (name) => {
  const { call, stream } = bindings[name] as Binding;
  const code = (ofRpc: number, ofHttp: number): number => (name === 'JSONRPC' ? ofRpc : ofHttp);
  const send = async (params: Json, configuration?: Json): Promise<Json> => {
    const { error, body } = await call(
      'SendMessage',
      configuration === undefined ? params : { ...params, configuration },
    );
    expect(error).toBeNull();
    return body['task'] as Json;
  };
  const asking = (): Promise<Json> => send(said('input-required', 'TCK prerequisite task creation'));
  const completing = (taskId: string): Json => said('complete-task', 'Complete it', { taskId });

  test('CORE-SEND-001 CORE-MULTI-001a DM-SERIAL-003: a blocking send ends with the task, its context and a UTC time', async () => {
    const task = await send(said('complete-task', 'Hello from TCK'));
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, contextId: expect.any(String) });
    expect(task['status'].timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(task['artifacts'][0].parts[0].text).toBe('Hello from TCK');
  });

  test('CORE-EXECUTION-MODE-001 and 002: a blocking send waits, the other does not', async () => {
    const probe = said('delayed-complete', 'Execution-mode probe');
    expect((await send(probe, { returnImmediately: false }))['status'].state).toBe('TASK_STATE_COMPLETED');
    expect((await send(probe, { returnImmediately: true }))['status'].state).toMatch(/SUBMITTED|WORKING/);
  });

  test('CORE-EXECUTION-MODE-001 CORE-HIST-001 to 004: what asks is answered under its task; history as long as wanted', async () => {
    const { id, status } = await asking();
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const done = await send(completing(id), { historyLength: 0 });
    expect([done['id'], done['status'].state, done['history'] ?? []]).toEqual([id, 'TASK_STATE_COMPLETED', []]);
    const { body: one } = await call('GetTask', { id, historyLength: 1 });
    expect(one['history']).toHaveLength(1);
    const { body: all } = await call('GetTask', { id, historyLength: 10 });
    expect(all['history'].map(({ role }: Json) => role)).toEqual(['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER']);
    expect(all['history'][0].messageId).toMatch(new RegExp(`^${idOf('input-required')}\\.`));
  });

  test('AUTH-INTASK-001 and 002: what needs leave is a task that says so', async () => {
    const { id } = await send(said('auth-required', 'TCK auth-required task creation'));
    expect((await call('GetTask', { id })).body['status'].state).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  test('CORE-CANCEL-001 to 003 CORE-SEND-002 CORE-MULTI-004 CORE-MULTI-006 STREAM-SUB-003: what an ended, unknown or other task is refused with', async () => {
    const { id } = await asking();
    expect((await call('CancelTask', { id })).body['status'].state).toBe('TASK_STATE_CANCELED');
    const refusals = [
      call('CancelTask', { id }),
      call('CancelTask', { id: 'nothing' }),
      call('SendMessage', completing(id)),
      call('SendMessage', completing('nothing')),
      call('SendMessage', said('mismatch', 'x', { taskId: id, contextId: 'wrong' })),
    ];
    expect((await Promise.all(refusals)).map(({ error }) => error)).toEqual([
      code(-32002, 400),
      code(-32001, 404),
      code(-32004, 400),
      code(-32001, 404),
      code(-32602, 400),
    ]);
    const late = await stream('SubscribeToTask', { id });
    expect(await late.json()).toMatchObject({ error: { code: code(-32004, 400) } });
  });

  test('STREAM-SUB-001 and 002 STREAM-ORDER-002 to 004: subscriptions go on through a question to the end, and tell the same', async () => {
    const { id } = await asking();
    const streams = [[], [], []] as [Json[], Json[], Json[]];
    const [left, ...stay] = await Promise.all(streams.map(() => stream('SubscribeToTask', { id })));
    const reading = stay.map((response, at) => eventsOf(response, streams[at + 1]));
    await left?.body?.cancel();
    await send(completing(id));
    await Promise.all(reading);
    const [, one, two] = streams;
    expect(told(one[0])).toBe('task TASK_STATE_INPUT_REQUIRED');
    expect(told(one.at(-1))).toBe('statusUpdate TASK_STATE_COMPLETED');
    expect(two.slice(1)).toEqual(one.slice(1));
    expect(told(two[0])).toBe(told(one[0]));
  });

  test('CORE-STREAM-001 and 003: a stream begins with the task and closes at its end', async () => {
    const events = await eventsOf(await stream('SendStreamingMessage', said('stream-003', 'Stream task lifecycle')));
    expect(told(events[0])).toMatch(/^task/);
    expect(told(events.at(-1))).toBe('statusUpdate TASK_STATE_COMPLETED');
  });

  test('CORE-ERR-002 CORE-SEND-003 CORE-CAP-001 CORE-GET-002: refusals have their code and ErrorInfo', async () => {
    const raw = { parts: [{ raw: 'dGNr', mediaType: 'application/x-unsupported-tck-type' }] };
    const wanted: readonly (readonly [Promise<Answer>, number, string])[] = [
      [call('SendMessage', said('send-003', '', raw)), code(-32005, 400), 'CONTENT_TYPE_NOT_SUPPORTED'],
      [
        call('CreateTaskPushNotificationConfig', { id: 't', taskId: 't', url: 'https://example.com' }),
        code(-32003, 400),
        'PUSH_NOTIFICATION_NOT_SUPPORTED',
      ],
      [call('GetTask', { id: 'nothing' }), code(-32001, 404), 'TASK_NOT_FOUND'],
    ];
    for (const [answer, number, reason] of wanted) {
      const { error, body } = await answer;
      const info = name === 'JSONRPC' ? body['data'] : body['error'].details;
      expect([error, info]).toEqual([number, [expect.objectContaining({ reason, domain: 'a2a-protocol.org' })]]);
    }
    expect((await call('SendMessage', { configuration: {} })).error).toBe(code(-32602, 400));
  });

  test('CORE-LIST-001 to 005: newest first, page by page, without artifacts, an empty token at the end', async () => {
    const contextId = fresh('context');
    const ids = [];
    for (const text of ['one', 'two', 'three'])
      ids.unshift((await send(said('complete-task', text, { contextId })))['id']);
    const first = (await call('ListTasks', { contextId, pageSize: 2 })).body;
    expect(first['tasks'].map(({ id }: Json) => id)).toEqual(ids.slice(0, 2));
    const last = (await call('ListTasks', { contextId, pageSize: 2, pageToken: first['nextPageToken'] })).body;
    expect([last['tasks'].map(({ id }: Json) => id), last['nextPageToken']]).toEqual([ids.slice(2), '']);
    expect(last['tasks'][0].artifacts).toBeUndefined();
  });

  test('CARD-EXT-001 DM-SERIAL-005: the extended card; fields nobody knows are passed over', async () => {
    expect((await call('GetExtendedAgentCard', {})).body).toMatchObject({ name: 'Fairlead' });
    const odd = said('complete-task', 'x', { tckUnknownField: 'y' });
    expect((await send({ ...odd, tckExtraParam: 42 }))['status'].state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('around the bindings', () => {
  const body = (method: string, params: Json): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const post = (path: string, text: string, headers: Record<string, string>): Promise<Response> =>
    ask(path, { method: 'POST', body: text }, headers);

  test('VER-SERVER-001 to 003 VER-CLIENT-002: header or query, its patch number is nothing; without it the path tells', async () => {
    const get = body('GetTask', { id: 'nothing' });
    const errors = async (headers: Record<string, string>, query = ''): Promise<unknown> =>
      ((await (await post(`/a2a${query}`, get, headers)).json()) as Json)['error'].code;
    expect(await errors({ 'a2a-version': '1.0.7' })).toBe(-32001);
    expect(await errors({ 'a2a-version': '99.0' })).toBe(-32009);
    expect((await post('/a2a/message:send', '{}', { 'a2a-version': '99.0' })).status).toBe(400);
    const plain = (path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${base}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
    expect((await plain('/a2a/tasks/x?A2A-Version=99.0')).status).toBe(400);
    expect(await (await plain('/a2a/tasks/x')).json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
    expect(await (await plain('/a2a/v1/tasks/x')).json()).toMatchObject({ code: -32001 });
  });

  test('JSONRPC-SSE-002 HTTP_JSON-STATUS-001: a body that is not said to be JSON', async () => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await post('/a2a', body('GetTask', { id: 'nothing' }), headers);
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32005 } });
    expect((await post('/a2a/message:send', JSON.stringify(said('ct', 'x')), headers)).status).toBe(400);
  });

  test('CARD-CACHE-001 and 002 CARD-STRUCT-001 CORE-CAP-003: the card of 1.0 alone has an address; the other says the same', async () => {
    const card = await fetch(`${base}/a2a/1.0/.well-known/agent-card.json`);
    expect(card.headers.get('cache-control')).toContain('max-age=');
    expect(card.headers.get('etag')).not.toBeNull();
    const alone = (await card.json()) as Json;
    expect(alone).toEqual((await (await ask('/a2a/extendedAgentCard')).json()) as Json);
    expect(Object.keys(alone)).not.toContain('protocolVersion');
    expect(await (await fetch(`${base}/.well-known/agent-card.json`)).json()).toMatchObject({
      protocolVersion: '0.3.0',
      capabilities: alone['capabilities'],
      securitySchemes: { bearer: { type: 'http', ...alone['securitySchemes'].bearer } },
      securityRequirements: alone['securityRequirements'],
      supportedInterfaces: alone['supportedInterfaces'],
    });
  });

  test('a kit that sends no headers of its own goes through the front: its address is on the card, its token is added', async () => {
    const port = await freePort();
    const front = spawn(process.execPath, [join(root, 'dist/examples/a2a-kit/front.js'), String(port)], {
      env: { ...process.env, FAIRLEAD_URL: base, FAIRLEAD_TOKEN: token },
      stdio: 'ignore',
    });
    try {
      const card = await until('the front answers', () =>
        fetch(`http://127.0.0.1:${port}/.well-known/agent-card.json`),
      );
      expect(await card.json()).toMatchObject({
        supportedInterfaces: [{ url: `http://127.0.0.1:${port}/a2a` }, {}, {}, {}],
      });
      const answer = await fetch(`http://127.0.0.1:${port}/a2a`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
        body: body('SendMessage', said('complete-task', 'Hello from TCK')),
      });
      expect(await answer.json()).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_COMPLETED' } } } });
    } finally {
      front.kill();
    }
  });

  test('A1 A2 in 1.0: the same message is the same task; other words under its id are another message', async () => {
    const headers = { 'fairlead-a2a-identity': '' };
    const taskOf = async (text: string): Promise<string> => {
      const answer = await post('/a2a', body('SendMessage', said('repeated', text)), headers);
      return ((await answer.json()) as Json)['result'].task.id;
    };
    const [one, other] = [await taskOf('one'), await taskOf('other')];
    expect(other).not.toBe(one);
    expect([await taskOf('one'), await taskOf('other')]).toEqual([one, other]);
  });
});
