import { Role, TaskState, type SendMessageRequest, type StreamResponse, type Task as TaskV1 } from '@a2a-js/sdk';
import {
  ClientFactory as ClientFactoryV1,
  DefaultAgentCardResolver as ResolverV1,
  JsonRpcTransportFactory as JsonRpcV1,
  RestTransportFactory as RestV1,
  type Client as ClientV1,
} from '@a2a-js/sdk/client';
import type { Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from 'a2a-sdk-0-3';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from 'a2a-sdk-0-3/client';
import { localToken } from '../../services/cli/remote';
import { fresh, system, type System } from '../support/system';
import { until } from '../support/until';

jest.setTimeout(240_000);

let stack: System;
let base: string;

const fetchAs =
  (account: string): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${await localToken({ tenant: 'local', app: 'local', account, roles: [] })}`);
    return fetch(input, { ...init, headers });
  };

/** The public client of the protocol's earlier version, as its own documentation uses it. */
const client = (transport: string, account = 'alice'): Promise<Client> => {
  const fetchImpl = fetchAs(account);
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl }), new RestTransportFactory({ fetchImpl })],
    preferredTransports: [transport],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(base);
};

const clientV1 = (transport: string): Promise<ClientV1> => {
  const fetchImpl = fetchAs('alice');
  return new ClientFactoryV1({
    transports: [new JsonRpcV1({ fetchImpl }), new RestV1({ fetchImpl })],
    preferredTransports: [transport],
    cardResolver: new ResolverV1({ fetchImpl }),
  }).createFromUrl(base);
};

const words = (text: string, more: Partial<Message> = {}): Message => ({
  kind: 'message',
  messageId: fresh('a2a'),
  role: 'user',
  parts: [{ kind: 'text', text }],
  ...more,
});

const textOf = (parts: readonly { kind: string; text?: string }[] | undefined): string =>
  (parts ?? []).map((part) => part.text ?? '').join('');

/** What the error says, whichever transport carried it. */
const refusal = async (ask: () => Promise<unknown>): Promise<string> => {
  try {
    return `answered ${JSON.stringify(await ask())}`;
  } catch (error) {
    const { constructor, name, message } = error as Error;
    return `${constructor.name} ${name} ${message}`;
  }
};

type Told = Task | Message | TaskStatusUpdateEvent | TaskArtifactUpdateEvent;

const toldBy = async (stream: AsyncGenerator<Told>): Promise<Told[]> => {
  const told: Told[] = [];
  for await (const event of stream) told.push(event);
  return told;
};

const comparing = 'Compare MSFT and AAPL over the last year, cumulative';
const asking = 'Compare MSFT and AAPL over the last year, and wait for my answer on how to count returns';
/** Waits for an approval that nobody gives, so it does not end by itself. */
const staying = `${comparing}, cumulative. Share it with dana@example.com`;

beforeAll(async () => {
  stack = await system();
  base = `http://127.0.0.1:${process.env['FAIRLEAD_PORT_BASE'] ?? ''}`;
});

describe.each(['JSONRPC', 'HTTP+JSON'])('A2A 0.3 over %s by the official client', (transport) => {
  let a2a: Client;
  beforeAll(async () => {
    a2a = await client(transport);
  });

  const start = async (text: string, blocking: boolean): Promise<Task> => {
    const task = (await a2a.sendMessage({ message: words(text), configuration: { blocking } })) as Task;
    expect(task.kind).toBe('task');
    return task;
  };
  const seen = (id: string, state: string): Promise<Task> =>
    until(`task ${id} is ${state}`, async () => {
      const task = await a2a.getTask({ id });
      return task.status.state === state && task;
    });

  test('a task is a run, a context its conversation, an artifact the report to the byte', async () => {
    const message = words(comparing, { contextId: fresh('context') });
    const task = (await a2a.sendMessage({ message })) as Task;
    expect([task.status.state, task.contextId]).toEqual(['completed', message.contextId]);
    const { body } = await stack.alice.bytes(`/v1/runs/${task.id}/reports/current`);
    expect(task.artifacts?.map(({ parts }) => textOf(parts))).toEqual([body.toString('utf8')]);
    const run = await stack.run(task.id);
    expect(run.state).toBe('completed');
    expect((await a2a.getTask({ id: task.id })).history?.map(({ messageId }) => messageId)).toEqual([
      message.messageId,
    ]);
    expect((await a2a.getTask({ id: task.id, historyLength: 0 })).history ?? []).toEqual([]);
  });

  test('A1 A2: the same messageId is the same task; with other words it is refused', async () => {
    const message = words(comparing);
    const [one, two] = (await Promise.all([
      a2a.sendMessage({ message, configuration: { blocking: false } }),
      a2a.sendMessage({ message, configuration: { blocking: false } }),
    ])) as [Task, Task];
    expect(two.id).toBe(one.id);
    const other = { ...message, parts: words('Compare IBM and GOOG').parts };
    expect(await refusal(() => a2a.sendMessage({ message: other }))).toContain('content_conflict');
  });

  test('a stream begins with the task, tells the report, and ends with a final event', async () => {
    const told = await toldBy(a2a.sendMessageStream({ message: words(comparing) }) as AsyncGenerator<Told>);
    expect(told[0]?.kind).toBe('task');
    const last = told.at(-1) as TaskStatusUpdateEvent;
    expect([last.kind, last.status.state, last.final]).toEqual(['status-update', 'completed', true]);
    const kinds = told.slice(1, -1).map(({ kind }) => kind);
    const reports = (told[0] as Task).artifacts?.length ?? 0;
    expect(reports + kinds.filter((kind) => kind === 'artifact-update').length).toBeGreaterThan(0);
  });

  test('H1: a question is input-required; a message naming the task answers it, a repeat of it is no second answer', async () => {
    const told = await toldBy(a2a.sendMessageStream({ message: words(asking) }) as AsyncGenerator<Told>);
    const last = told.at(-1) as TaskStatusUpdateEvent;
    expect([last.status.state, last.final]).toEqual(['input-required', true]);
    expect(textOf(last.status.message?.parts)).toContain('cumulative or annualised');
    const answer = words('annualised', { taskId: last.taskId, contextId: last.contextId });
    const task = (await a2a.sendMessage({ message: answer })) as Task;
    expect([task.id, task.status.state]).toEqual([last.taskId, 'completed']);
    expect(textOf(task.artifacts?.[0]?.parts)).toContain('annualised');
    const again = (await a2a.sendMessage({ message: answer })) as Task;
    expect([again.id, again.status.state]).toEqual([last.taskId, 'completed']);
    expect(
      await refusal(() => a2a.sendMessage({ message: { ...answer, parts: words('cumulative').parts } })),
    ).toContain('with other content');
    const { history = [] } = await a2a.getTask({ id: task.id });
    expect(history.map(({ role }) => role)).toEqual(['user', 'agent', 'user']);
    expect((await a2a.getTask({ id: task.id, historyLength: 1 })).history?.map((one) => textOf(one.parts))).toEqual([
      'annualised',
    ]);
  });

  test('R2: a message naming a task at work amends it', async () => {
    const { id, contextId } = await start(staying, true);
    const amended = (await a2a.sendMessage({
      message: words('Use IBM as well', { taskId: id, contextId }),
      configuration: { blocking: false },
    })) as Task;
    expect(amended.id).toBe(id);
    expect((await stack.run(id)).requirementsVersion).toBe(2);
  });

  test('cancel: a task at work is cancelled, an ended one is not cancelable, an unknown one not found', async () => {
    const { id } = await start(staying, true);
    await seen(id, 'auth-required');
    const cancelled = await a2a.cancelTask({ id });
    expect(cancelled.status.state).toBe('canceled');
    expect(await refusal(() => a2a.cancelTask({ id }))).toMatch(/TaskNotCancelable/);
    expect(await refusal(() => a2a.cancelTask({ id: 'run_nothing' }))).toMatch(/TaskNotFound/);
  });

  test('R17: a message naming an ended task is refused; naming it as a reference continues it in a new one', async () => {
    const { id, contextId } = await start(comparing, true);
    expect(await refusal(() => a2a.sendMessage({ message: words('And IBM', { taskId: id, contextId }) }))).toContain(
      'UnsupportedOperation',
    );
    // The HTTP+JSON form of this version has no field for references.
    if (transport === 'HTTP+JSON') return;
    const message = words('And IBM', { referenceTaskIds: [id], contextId });
    const next = (await a2a.sendMessage({ message })) as Task;
    expect(next.id).not.toBe(id);
    expect(next.contextId).toBe(contextId);
    const view = await stack.alice.get<{ continuation: { ofRunId: string } | null }>(`/v1/runs/${next.id}`);
    expect(view.continuation?.ofRunId).toBe(id);
    expect(((await a2a.sendMessage({ message })) as Task).id).toBe(next.id);
  });

  test('resubscribe: the task as it stands, then what happens; of an ended one the end again', async () => {
    const { id } = await start(staying, true);
    await seen(id, 'auth-required');
    const stream = a2a.resubscribeTask({ id }) as AsyncGenerator<Told>;
    const first = (await stream.next()).value as Task;
    expect([first.kind, first.id]).toEqual(['task', id]);
    const rest = toldBy(stream);
    await a2a.cancelTask({ id });
    const last = (await rest).at(-1) as TaskStatusUpdateEvent;
    expect([last.status.state, last.final]).toEqual(['canceled', true]);
    const again = await toldBy(a2a.resubscribeTask({ id }) as AsyncGenerator<Told>);
    expect(again.map(({ kind }) => kind)).toEqual(['task', 'status-update']);
  });

  test('A7: the task of another account is answered as one that does not exist', async () => {
    const { id } = await start(comparing, true);
    const bob = await client(transport, 'bob');
    for (const asked of [
      () => bob.getTask({ id }),
      () => bob.cancelTask({ id }),
      () => bob.sendMessage({ message: words('x', { taskId: id }) }),
      ...(transport === 'HTTP+JSON'
        ? []
        : [() => bob.sendMessage({ message: words('x', { referenceTaskIds: [id] }) })]),
      () => toldBy(bob.resubscribeTask({ id }) as AsyncGenerator<Told>),
    ])
      expect(await refusal(asked)).toMatch(/TaskNotFound|Task not found.*-32001/);
  });

  test('push notifications and files are refused by their own errors; the extended card is the card', async () => {
    const message = words('', {
      parts: [{ kind: 'file', file: { uri: 'https://example.com/a.pdf', mimeType: 'application/pdf' } }],
    });
    expect(await refusal(() => a2a.sendMessage({ message }))).toMatch(/ContentTypeNotSupported|are read/);
    expect(
      await refusal(() =>
        a2a.setTaskPushNotificationConfig({
          taskId: 'run_nothing',
          pushNotificationConfig: { url: 'https://example.com' },
        }),
      ),
    ).toMatch(/PushNotificationNotSupported/);
    expect((await a2a.getAgentCard()).url).toBe(`${base}/a2a`);
  });
});

const wordsV1 = (text: string, more: Partial<SendMessageRequest['message'] & object> = {}): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: fresh('a2a'),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
  configuration: undefined,
  metadata: undefined,
});

describe.each(['JSONRPC', 'HTTP+JSON'])('A2A 1.0 over %s by the official client', (transport) => {
  let a2a: ClientV1;
  beforeAll(async () => {
    a2a = await clientV1(transport);
  });

  test('send, answer, list, cancel, and what is refused', async () => {
    const asked = (await a2a.sendMessage(wordsV1(asking))) as TaskV1;
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const done = (await a2a.sendMessage(wordsV1('annualised', { taskId: asked.id }))) as TaskV1;
    expect([done.id, done.status?.state]).toEqual([asked.id, TaskState.TASK_STATE_COMPLETED]);
    expect(done.artifacts[0]?.parts[0]).toMatchObject({ mediaType: 'text/markdown' });
    expect(await refusal(() => a2a.sendMessage(wordsV1('more', { taskId: asked.id })))).toContain(
      'UnsupportedOperation',
    );
    expect(await refusal(() => a2a.cancelTask({ tenant: '', id: asked.id, metadata: undefined }))).toContain(
      'TaskNotCancelable',
    );
    const events = a2a.resubscribeTask({ tenant: '', id: asked.id });
    expect(await refusal(() => events.next())).toContain('UnsupportedOperation');
    expect(await refusal(() => a2a.getTask({ tenant: '', id: 'run_nothing' }))).toContain('TaskNotFound');

    const next = (await a2a.sendMessage(
      wordsV1(staying, { contextId: asked.contextId, referenceTaskIds: [asked.id] }),
    )) as TaskV1;
    const list = { tenant: '', contextId: asked.contextId, status: 0, pageSize: 1, pageToken: '' };
    const one = await a2a.listTasks({ ...list, statusTimestampAfter: undefined });
    expect([one.tasks.map(({ id }) => id), one.totalSize]).toEqual([[next.id], 2]);
    const two = await a2a.listTasks({ ...list, pageToken: one.nextPageToken, statusTimestampAfter: undefined });
    expect([two.tasks.map(({ id }) => id), two.nextPageToken]).toEqual([[asked.id], '']);
    expect((await a2a.cancelTask({ tenant: '', id: next.id, metadata: undefined })).status?.state).toBe(
      TaskState.TASK_STATE_CANCELED,
    );
  });

  test('a stream begins with the task and closes at its end', async () => {
    const told: StreamResponse[] = [];
    for await (const event of a2a.sendMessageStream(wordsV1(comparing))) told.push(event);
    expect(told[0]?.payload?.$case).toBe('task');
    expect(told.at(-1)?.payload).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    });
  });
});

/** What the protocol's public compatibility kit asks of the bindings, asked here without a client in between. */
describe('A2A bindings', () => {
  const post = async (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetchAs('alice')(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const rpc = async (method: string, params: unknown, id: unknown = 1): Promise<{ error?: { code: number } }> => {
    const answer = await post('/a2a', JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    return (await answer.json()) as { error?: { code: number } };
  };

  test.each([
    ['{"jsonrpc": "2.0", "method": "message/send", "params": {"foo": "bar"}', -32700],
    ['', -32700],
    ['[]', -32600],
    ['{"jsonrpc":"1.0","method":"message/send","params":{},"id":1}', -32600],
    ['{"jsonrpc":"2.0","params":{},"id":1}', -32600],
    ['{"jsonrpc":"2.0","method":"message/send","params":{},"id":{"bad":"type"}}', -32600],
    ['{"jsonrpc":"2.0","method":"message/sendX","params":{},"id":1}', -32601],
    ['{"jsonrpc":"2.0","method":"message/send","params":{"message":{"parts":"invalid"}},"id":1}', -32602],
    ['{"jsonrpc":"2.0","method":"message/send","params":"not_a_dict","id":1}', -32602],
    ['{"jsonrpc":"2.0","method":"message/stream","params":{"invalid":"params"},"id":1}', -32602],
    ['{"jsonrpc":"2.0","method":"tasks/get","params":{},"id":1}', -32602],
    ['{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"x","historyLength":-1},"id":1}', -32602],
    ['{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"x"},"id":1}', -32001],
    ['{"jsonrpc":"2.0","method":"tasks/cancel","params":{"id":"x"},"id":1}', -32001],
    ['{"jsonrpc":"2.0","method":"tasks/pushNotificationConfig/get","params":{"id":"x"},"id":1}', -32003],
    ['{"jsonrpc":"2.0","method":"tasks/pushNotificationConfig/list","params":{"id":"x"},"id":1}', -32003],
    ['{"jsonrpc":"2.0","method":"SendMessage","params":{"message":{"parts":"invalid"}},"id":1}', -32602],
    ['{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"},"id":1}', -32001],
  ])('JSON-RPC %s is %i', async (body, code) => {
    const answer = await post('/a2a', body);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });

  test('taking up the stream of an unknown task: one event, the error', async () => {
    const answer = await post('/a2a', '{"jsonrpc":"2.0","id":7,"method":"tasks/resubscribe","params":{"id":"x"}}');
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const events = (await answer.text()).split('\n\n').filter(Boolean);
    expect(events.map((event) => JSON.parse(event.replace('data: ', '')))).toMatchObject([
      { id: 7, error: { code: -32001 } },
    ]);
  });

  test('no token: 401 for everything but the card; the card names both versions and both bindings', async () => {
    for (const path of ['/a2a', '/a2a/v1/message:send', '/a2a/v1/tasks/x:cancel']) {
      const answer = await fetch(`${base}${path}`, { method: 'POST', body: '{' });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
    const card = await fetch(`${base}/.well-known/agent-card.json`);
    expect(await card.json()).toMatchObject({
      protocolVersion: '0.3.0',
      url: `${base}/a2a`,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ transport: 'JSONRPC' }, { transport: 'HTTP+JSON' }],
      supportedInterfaces: [
        { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
        { protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
      ],
    });
    const etag = card.headers.get('etag') ?? '';
    const again = await fetch(`${base}/a2a/.well-known/agent-card.json`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  test('a list in the earlier version, over JSON-RPC and HTTP+JSON; a version nobody speaks', async () => {
    const contextId = fresh('context');
    await (await client('JSONRPC')).sendMessage({ message: words(comparing, { contextId }) });
    expect(await rpc('tasks/list', { contextId, status: 'completed' })).toMatchObject({
      result: { tasks: [{ kind: 'task', contextId, status: { state: 'completed' } }], nextPageToken: '' },
    });
    expect(await rpc('tasks/list', { contextId, status: 'working' })).toMatchObject({ result: { tasks: [] } });
    expect((await rpc('tasks/list', { pageToken: 'nonsense' })).error?.code).toBe(-32602);
    const rest = await fetchAs('alice')(`${base}/a2a/v1/tasks?contextId=${contextId}`);
    expect(await rest.json()).toMatchObject({ tasks: [{ contextId, status: { state: 'TASK_STATE_COMPLETED' } }] });
    const odd = await post('/a2a', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}', {
      'a2a-version': '9.9',
    });
    expect(await odd.json()).toMatchObject({ error: { code: -32009 } });
  });

  test('HTTP+JSON of the earlier version: statuses, a body that is no JSON, a reference', async () => {
    const asked = async (path: string, body: string): Promise<number> => (await post(path, body)).status;
    expect(await asked('/a2a/v1/message:send', '{')).toBe(400);
    expect(await asked('/a2a/v1/message:send', '{}')).toBe(400);
    expect(await asked('/a2a/v1/tasks/x:cancel', '')).toBe(404);
    expect((await fetchAs('alice')(`${base}/a2a/v1/tasks/x`)).status).toBe(404);
    expect((await fetchAs('alice')(`${base}/a2a/v1/card`)).status).toBe(200);
    expect(await asked('/a2a/nothing', '{}')).toBe(404);
    const before = (await (await client('JSONRPC')).sendMessage({ message: words(comparing) })) as Task;
    const message = {
      messageId: fresh('a2a'),
      role: 'ROLE_USER',
      content: [{ text: 'And IBM' }],
      referenceTaskIds: [before.id],
    };
    const sent = (await (await post('/a2a/v1/message:send', JSON.stringify({ message }))).json()) as {
      task: { id: string; contextId: string };
    };
    expect(sent.task.contextId).toBe(before.contextId);
    const view = await stack.alice.get<{ continuation: { ofRunId: string } | null }>(`/v1/runs/${sent.task.id}`);
    expect(view.continuation?.ofRunId).toBe(before.id);
  });
});
