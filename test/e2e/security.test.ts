import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, localToken, type Remote } from '../../services/cli/remote';
import { fresh, system, type System } from '../support/system';
import { until } from '../support/until';

jest.setTimeout(180_000);

const everything = ['operator', 'approver', 'integrator'];
const words =
  'Compare MSFT and AAPL over the last three years. Ask me how to count returns. Share it with dana@example.com';

interface Who {
  readonly name: string;
  readonly token: string;
}
interface Answer {
  readonly status: number;
  readonly text: string;
}

let stack: System;
let base: string;
/** What alice has, by the names that routes have for it; the other column is what nobody has. */
let hers: Record<string, string>;
let nobodys: Record<string, string>;
let strangers: readonly Who[];

const ask = async (who: Who, method: string, path: string, body?: unknown): Promise<Answer> => {
  const response = await fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${who.token}`,
      prefer: 'wait=15',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if ((response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status: response.status, text: 'a stream' };
  }
  return { status: response.status, text: await response.text() };
};

beforeAll(async () => {
  stack = await system();
  base = `http://127.0.0.1:${process.env['FAIRLEAD_PORT_BASE'] ?? ''}`;
  const who = async (name: string, account: string, tenant: string, roles: readonly string[]): Promise<Who> => ({
    name,
    token: await localToken({ account, tenant, app: 'local', roles }),
  });
  strangers = [
    await who('another account', 'mallory', 'local', []),
    await who('another account who may approve', 'mallory', 'local', ['approver']),
    await who('the same name in another tenant', 'alice', 'other', []),
    await who('an operator of another tenant', 'olga', 'other', everything),
  ];
  const [conversationId, clientMessageId] = [fresh('secret'), fresh('m')];
  const runId = await stack.submit(conversationId, clientMessageId, words);
  const interaction = await until('alice is asked', async () => {
    const { items } = await stack.alice.get<{ items: { interactionRef: string; runId: string; kind: string }[] }>(
      '/v1/interactions?state=open&limit=500',
    );
    return items.find((one) => one.runId === runId && one.kind === 'approval') ?? false;
  });
  const { taskId, actions } = await stack.alice.get<{ taskId: string; actions: { actionKey: string }[] }>(
    `/v1/runs/${runId}`,
  );
  const ref = interaction.interactionRef;
  hers = {
    ...{ conversationId, id: conversationId, clientMessageId, runId, taskId, ref },
    ...{ actionKey: actions[0]?.actionKey ?? '', n: '1', version: '1', seq: '1', name: 'contact-api' },
  };
  const none = (id: string): string => id.replace(/[0-9a-f]{6}$/, 'ffffff').replace(/2$/, '3');
  nobodys = {
    ...{ conversationId: fresh('none'), id: fresh('none'), clientMessageId: fresh('none') },
    ...{ runId: none(runId), taskId: none(taskId), ref: none(ref), actionKey: `${hers['actionKey'] ?? ''}9` },
    ...{ n: '1', version: '1', seq: '1', name: 'no-such-connector' },
  };
});

/** A body that the route would take, by the end of its path. */
const bodies: Readonly<Record<string, () => unknown>> = {
  '/messages': () => ({ clientMessageId: fresh('m'), content: 'x', relation: 'observe', targetRunId: 'run_x' }),
  '/resume': () => ({ reason: 'x' }),
  '/cancel': () => ({ reason: 'x' }),
  '/pause': () => ({ reason: 'x' }),
  '/release-lease': () => ({ reason: 'x' }),
  '/purge': () => ({ account: 'alice', reason: 'x' }),
  '/queries': () => ({}),
  '/responses': () => ({ requestRevision: 1, clientResponseId: 'stolen', decision: 'deny' }),
  '/seen': () => undefined,
  '/claim': () => undefined,
  '/attestations': () => ({ outcome: 'succeeded', evidence: 'I saw it' }),
  '/compensations': () => ({ operation: 'share', subject: 'x', params: {} }),
  '/resolutions': () => ({ basedOn: ['a'.repeat(64), 'b'.repeat(64)], body: 'x', contentType: 'text/plain' }),
};

/** The answer with each id written as the name of what it stands for, and without what tells answers apart anyway. */
const told = ({ status, text }: Answer, ids: Record<string, string>): string =>
  Object.entries(ids)
    .filter(([, id]) => id.length > 5)
    .sort(([, a], [, b]) => b.length - a.length)
    .reduce(
      (all, [name, id]) => all.replaceAll(id, `<${name === 'conversationId' ? 'id' : name}>`),
      `${status} ${text}`,
    );

const routesOf = async (): Promise<[method: string, path: string][]> => {
  const { paths } = (await (await fetch(`${base}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [method.toUpperCase(), path]),
  );
};

const filled = (path: string, ids: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`${path}: the table above has no ${name}`);
    return encodeURIComponent(id);
  });

/** What belongs to nobody in particular, or is a list that each caller sees the own part of. */
const shared = /^\/v1\/ops\/(admission|run-executor|hil|effect-ledger|publication)\/|\/callbacks\/|\/messages$/;

test('A7 H4: what belongs to another tenant or account is answered on every route as what does not exist', async () => {
  const routes = (await routesOf()).filter(([, path]) => path.includes('{') && !shared.test(path));
  expect(routes.length).toBeGreaterThan(25);
  const differing: string[] = [];
  for (const [method, path] of routes) {
    const body = Object.entries(bodies).find(([end]) => path.endsWith(end))?.[1];
    if (method !== 'GET' && body === undefined) throw new Error(`${method} ${path}: the table above has no body`);
    for (const who of strangers) {
      const [real, none] = await Promise.all([
        ask(who, method, filled(path, hers), method === 'GET' ? undefined : body?.()),
        ask(who, method, filled(path, nobodys), method === 'GET' ? undefined : body?.()),
      ]);
      if (told(real, hers) !== told(none, nobodys) || real.status < 400)
        differing.push(`${who.name}: ${method} ${path}: ${told(real, hers)} | ${told(none, nobodys)}`);
    }
  }
  expect(differing).toEqual([]);
  const run = await stack.run(hers['runId'] ?? '');
  expect(run.state).toBe('waiting');
});

test('A7: lists and streams of a stranger hold nothing of it', async () => {
  const lists = (await routesOf()).filter(([method, path]) => method === 'GET' && !/\{|\/ops\/|events/.test(path));
  expect(lists.length).toBeGreaterThanOrEqual(5);
  const { runId = '', conversationId = '', actionKey = '', taskId = '' } = hers;
  for (const who of strangers)
    for (const [, path] of lists)
      for (const query of ['', `?runId=${runId}`, `?conversationId=${conversationId}`, `?taskId=${taskId}`]) {
        const { text } = await ask(who, 'GET', path + query);
        for (const id of [runId, conversationId, actionKey, taskId]) expect(text).not.toContain(id);
      }
});

test('each operator route of the platform asks for its role, whatever else a token has', async () => {
  const routes = (await routesOf()).filter(([, path]) =>
    /^\/v1\/ops\/(admission|run-executor|hil|effect-ledger|publication)\//.test(path),
  );
  expect(routes).toHaveLength(71);
  const operator: Who = {
    name: 'an operator',
    token: await localToken({ account: 'olga', tenant: 'local', app: 'local', roles: everything }),
  };
  for (const [method, path] of routes) {
    const asked = path.replace(/\{\w+\}/g, '1');
    expect([path, (await ask(operator, method, asked, method === 'GET' ? undefined : {})).status]).toEqual([path, 403]);
    expect([path, (await fetch(base + asked, { method })).status]).toEqual([path, 401]);
  }
});

test('A7 A10 A11: a message that names what is another’s learns no more than one that names nothing', async () => {
  const about = ({ runId, ref }: Record<string, string>): Record<string, unknown>[] => [
    { relation: 'amend', targetRunId: runId, expectedVersion: 1 },
    { relation: 'observe', targetRunId: runId },
    { relation: 'control', control: 'cancel', targetRunId: runId },
    { relation: 'control', control: 'pause', targetRunId: runId },
    { relation: 'control', control: 'progress', targetRunId: runId },
    { relation: 'continue', continuationOfRunId: runId },
    { relation: 'follow_up', parentRunId: runId },
    { relation: 'new_task', dependsOnRunId: runId, mode: 'parallel' },
    { relation: 'clarification', interactionRef: ref, requestRevision: 1 },
  ];
  const outcome = async (who: Who, conversation: string, message: object): Promise<string> => {
    const clientMessageId = fresh('smuggled');
    const path = `/v1/conversations/${conversation}/messages`;
    // A clarification of something unknown is kept for a minute; what it says at once has to be the same too.
    const { status, text } = await ask(who, 'POST', path, { clientMessageId, content: 'x', ...message });
    const { code, detail, candidates, status: said, receiptStatus } = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify([status, code, detail, candidates, receiptStatus ?? said]);
  };
  const { conversationId = '' } = hers;
  const same = (text: string, ids: Record<string, string>): string => told({ status: 0, text }, ids);
  const each = [strangers[0], strangers[2]].flatMap((who) =>
    about(hers).map((message, index) => ({ who, message, index })),
  );
  await Promise.all(
    each.map(async ({ who, message, index }) => {
      const [real, none] = await Promise.all([
        outcome(who as Who, conversationId, message),
        outcome(who as Who, conversationId, about(nobodys)[index] ?? {}),
      ]);
      expect([who?.name, message, same(real, hers)]).toEqual([who?.name, message, same(none, nobodys)]);
    }),
  );
  const run = await stack.run(hers['runId'] ?? '');
  expect([run.state, run.requirementsVersion]).toEqual(['waiting', 1]);
});

test('case 26 P3: a cursor that nobody gave is answered with a fresh snapshot, whatever it is made of', async () => {
  const alice: Remote = connect([], 'alice', base);
  const { conversationId = '', runId = '' } = hers;
  const cursors = ['%00', 'a%00b', '%ED%A0%80', '%0d%0aevent:%20x', 'x'.repeat(5_000), '1&after=2'];
  for (const path of [`/v1/conversations/${conversationId}/events`, `/v1/runs/${runId}/events`, '/v1/account/events'])
    for (const cursor of cursors) {
      const ending = new AbortController();
      const response = await alice.stream(`${path}?after=${cursor}`, null, ending.signal);
      const reader = response.body?.getReader();
      let text = '';
      while (!text.includes('event:')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
      ending.abort();
      expect([path, cursor, /event: (\w+)/.exec(text)?.[1]]).toEqual([path, cursor, 'snapshot']);
    }
});

test.each(['../../secret', '..', '.', '/tmp/secret', 'run_1/../../x', 'run_1\\..'])(
  'an exported run named %s writes nothing anywhere',
  (runId) => {
    const folder = mkdtempSync(join(tmpdir(), 'fairlead-export-'));
    const cli = join(__dirname, '../../bin/fairlead.mjs');
    const args = [cli, 'reports', 'export', runId, '--to', join(folder, 'a', 'b')];
    expect(() => execFileSync(process.execPath, args, { stdio: 'pipe' })).toThrow(/is no id of a run/);
    expect(existsSync(join(folder, 'a'))).toBe(false);
  },
);
