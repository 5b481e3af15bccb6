import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBehaviour, subjectOf } from '../../services/demo-remote/behaviours';
import { startDemoRemote, type DemoRemote } from '../../services/demo-remote/server';

const running: DemoRemote[] = [];
const start = async (dataDir = mkdtempSync(join(tmpdir(), 'fairlead-remote-'))) => {
  const remote = await startDemoRemote({ port: 0, dataDir });
  running.push(remote);
  return { remote, dataDir };
};
const stop = async (remote: DemoRemote) => {
  running.splice(running.indexOf(remote), 1);
  await remote.stop();
};
afterEach(() => Promise.all([...running].map(stop)));

const keyOf = (subject: string) => `contact-api:share:${subject}:v1`;
const post = async (remote: DemoRemote, subject: string, body: unknown = {}, init: RequestInit = {}) => {
  const response = await fetch(`${remote.url}/share`, {
    method: 'POST',
    headers: { 'Idempotency-Key': keyOf(subject), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const get = async (remote: DemoRemote, path: string) => {
  const response = await fetch(`${remote.url}${path}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const byKey = (remote: DemoRemote, subject: string) => get(remote, `/by-key/${encodeURIComponent(keyOf(subject))}`);
const effectsOf = async (remote: DemoRemote) => {
  const { items } = (await get(remote, '/effects')).body as { items: { actionKey: string; effects: number }[] };
  return Object.fromEntries(items.map(({ actionKey, effects }) => [subjectOf(actionKey), effects]));
};
/** A request that gets no answer: cut by the client once the remote has done with it, or at once where it does nothing. */
const unanswered = async (remote: DemoRemote, subject: string, behaviour: string, until: () => Promise<boolean>) => {
  const cut = new AbortController();
  const request = post(remote, subject, { behaviour }, { signal: cut.signal }).then(
    () => 'answered',
    () => 'cut',
  );
  while (!(await until()));
  cut.abort();
  expect(await request).toBe('cut');
};
const until = async (condition: () => Promise<boolean>) => {
  while (!(await condition()));
};
const isDone = (remote: DemoRemote, subject: string) => async () =>
  (await byKey(remote, subject)).body.state === 'done';

describe('the demo remote', () => {
  test('its own cancel drops what is under way, for good, and comes too late for what is done', async () => {
    const { remote, dataDir } = await start();
    const drop = async (on: DemoRemote, subject: string): Promise<number> =>
      (await fetch(`${on.url}/by-key/${encodeURIComponent(keyOf(subject))}`, { method: 'DELETE' })).status;
    await post(remote, 'p', { behaviour: 'pending_202:60000' });
    await post(remote, 'd');
    expect([
      await drop(remote, 'p'),
      await drop(remote, 'p'),
      await drop(remote, 'd'),
      await drop(remote, 'x'),
    ]).toEqual([200, 200, 409, 404]);
    await stop(remote);
    const second = (await start(dataDir)).remote;
    expect((await byKey(second, 'p')).body.state).toBe('cancelled');
    expect(await effectsOf(second)).toEqual({ d: 1 });
  });

  test('a repeated key gets the first answer, one effect', async () => {
    const { remote } = await start();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(remote, 'a', { n: 1 })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 201, body: { status: 'done', actionKey: keyOf('a') } });
    expect(await effectsOf(remote)).toEqual({ a: 1 });
    expect(await post(remote, 'a', { n: 2 })).toMatchObject({ status: 422 });
    expect(await byKey(remote, 'a')).toMatchObject({ status: 200, body: { state: 'done', body: { status: 'done' } } });
    expect(await byKey(remote, 'b')).toMatchObject({ status: 404 });
  });

  test('E3 each declared answer: reject, an error inside 200, 409, 500', async () => {
    const { remote } = await start();
    expect(await post(remote, 'r', { behaviour: 'reject' })).toMatchObject({
      status: 422,
      body: { error: 'rejected' },
    });
    expect(await post(remote, 'e', { behaviour: 'error_in_200' })).toMatchObject({
      status: 200,
      body: { error: 'not possible' },
    });
    expect(await post(remote, 'd', { behaviour: 'already_done_409' })).toMatchObject({ status: 409 });
    expect(await post(remote, 'f', { behaviour: 'accept_then_500' })).toMatchObject({ status: 500 });
    expect(await post(remote, 'f', { behaviour: 'accept_then_500' })).toMatchObject({ status: 201 });
    expect((await byKey(remote, 'r')).body.state).toBe('rejected');
    expect((await byKey(remote, 'e')).body.state).toBe('rejected');
    expect((await byKey(remote, 'f')).body.state).toBe('done');
    expect(await effectsOf(remote)).toEqual({ d: 1, f: 1 });
  });

  test('E4 done and no answer, done and reset, neither done nor answered', async () => {
    const { remote } = await start();
    await unanswered(remote, 't', 'accept_then_timeout', isDone(remote, 't'));
    await expect(post(remote, 'x', { behaviour: 'accept_then_reset' })).rejects.toThrow();
    await unanswered(remote, 'l', 'lose', async () => (await byKey(remote, 'l')).status === 404);
    expect((await byKey(remote, 'l')).status).toBe(404);
    expect(await effectsOf(remote)).toEqual({ t: 1, x: 1 });
    expect((await post(remote, 't', { behaviour: 'accept_then_timeout' })).status).toBe(201);
  });

  test('slow, pending and forgetful', async () => {
    const { remote } = await start();
    expect(await post(remote, 's', { behaviour: 'slow:20' })).toMatchObject({ status: 201 });
    expect(await post(remote, 'p', { behaviour: 'pending_202:100' })).toMatchObject({ status: 202 });
    expect((await byKey(remote, 'p')).body.state).toBe('processing');
    expect(await effectsOf(remote)).toEqual({ s: 1 });
    await until(isDone(remote, 'p'));
    expect(await post(remote, 'f', { behaviour: 'forget:30' })).toMatchObject({ status: 201 });
    await until(async () => (await byKey(remote, 'f')).status === 404);
    expect(await post(remote, 'f', { behaviour: 'accept' })).toMatchObject({ status: 201 });
    expect(await effectsOf(remote)).toEqual({ s: 1, p: 1, f: 2 });
  });

  test('a behaviour is told by header, or as a rule for the next requests', async () => {
    const { remote } = await start();
    const headers = { 'Idempotency-Key': keyOf('h'), 'Demo-Behaviour': 'reject' };
    expect(await post(remote, 'h', {}, { headers })).toMatchObject({ status: 422 });
    const rule = (body: unknown) =>
      fetch(`${remote.url}/behaviour`, { method: 'POST', body: JSON.stringify(body) }).then(({ status }) => status);
    expect(await rule({ match: { subject: 'r' }, behaviour: 'reject', times: 1 })).toBe(201);
    expect(await rule({ match: { operation: 'other' }, behaviour: 'reject' })).toBe(201);
    expect((await post(remote, 'q')).status).toBe(201);
    expect((await post(remote, 'r')).status).toBe(422);
    expect(await rule({ match: { operation: 'share' }, behaviour: 'error_in_200', times: 1 })).toBe(201);
    expect((await post(remote, 'q')).status).toBe(201);
    expect((await post(remote, 'u')).status).toBe(200);
    expect((await post(remote, 'v')).status).toBe(201);
    expect(await rule({ behaviour: 'explode' })).toBe(400);
    expect(await rule({ behaviour: 'reject', times: 0 })).toBe(400);
  });

  test('X4 what it cannot use is refused', async () => {
    const { remote } = await start();
    expect(await post(remote, 'a', { behaviour: 'explode' })).toMatchObject({ status: 400 });
    expect(await post(remote, 'a', {}, { headers: {} })).toMatchObject({
      status: 400,
      body: { error: 'Idempotency-Key is missing' },
    });
    expect(await post(remote, 'a', {}, { body: Buffer.alloc(1024 * 1024 + 1) })).toMatchObject({ status: 413 });
    expect((await get(remote, '/by-key/%E0%A4%A')).status).toBe(404);
    expect((await get(remote, '/nothing')).status).toBe(404);
    expect((await get(remote, '/livez')).status).toBe(200);
    expect((await get(remote, '/readyz')).status).toBe(200);
    expect(await effectsOf(remote)).toEqual({});
  });

  test('X3 it knows after a restart what it did before, and finishes what it had begun', async () => {
    const first = await start();
    const { body } = await post(first.remote, 'a');
    await post(first.remote, 'r', { behaviour: 'reject' });
    await post(first.remote, 'p', { behaviour: 'pending_202:60' });
    await stop(first.remote);
    appendFileSync(join(first.dataDir, 'journal.jsonl'), '{"kind":"effect","key":"torn');
    const second = await start(first.dataDir);
    expect(await post(second.remote, 'a')).toEqual({ status: 201, body });
    expect((await byKey(second.remote, 'r')).body.state).toBe('rejected');
    await until(isDone(second.remote, 'p'));
    expect(await effectsOf(second.remote)).toEqual({ a: 1, p: 1 });
    await stop(second.remote);
    const third = await start(first.dataDir);
    expect(await effectsOf(third.remote)).toEqual({ a: 1, p: 1 });
  });

  test('it stops although somebody is held', async () => {
    const { remote } = await start();
    const held = post(remote, 'h', { behaviour: 'accept_then_timeout' }).catch(() => 'cut');
    await until(isDone(remote, 'h'));
    await stop(remote);
    expect(await held).toBe('cut');
  });

  test.each([
    ['slow:250', { kind: 'slow', delayMs: 250 }],
    ['pending_202', { kind: 'pending_202', delayMs: 1_000 }],
    ['accept', { kind: 'accept' }],
    ['accept:5', null],
    ['slow:-1', null],
    ['slow:x', null],
    ['', null],
  ])('behaviour %s', (text, behaviour) => expect(readBehaviour(text)).toEqual(behaviour));
});
