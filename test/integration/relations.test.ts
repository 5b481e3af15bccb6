import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TurnInput } from '../../schemas/turn-protocol/input';
import { openRelationsWorld, type RelationsWorld, type Reply } from '../support/relations-world';
import { until } from '../support/until';

jest.setTimeout(120_000);

const ask = { questionId: 'q', kind: 'question', question: 'Which?' };
let world: RelationsWorld;
let agent: Server;

/** Asks one question and waits, whatever it is told. */
const answer = (input: TurnInput): object => ({ for: input.for, ...(input.for.turn === 1 ? { ask: [ask] } : {}) });
const configuration = (more = '') => `
tenants: { local: { defaultAgent: asking, onBusy: parallel } }
ingress: [{ topic: ingress.messages.v1, tenant: local, app: local, accounts: asserted }]
agents: { asking: { url: "http://127.0.0.1:${(agent.address() as AddressInfo).port}/", budget: { turns: 4 } } }
events: { device: { windowMs: 900000, uncorrelated: ask } }
${more}`;

beforeAll(async () => {
  agent = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer(JSON.parse(Buffer.concat(chunks).toString('utf8')) as TurnInput)));
    });
  });
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  world = await openRelationsWorld('relations', configuration());
});
afterAll(async () => {
  await world.close();
  agent.closeAllConnections();
  await new Promise((resolve) => agent.close(resolve));
});

const wait = { prefer: 'wait=30' };
const task = async (conversation: string, clientMessageId: string): Promise<string> => {
  const { body } = await world.say(conversation, { clientMessageId, content: 'do it', relation: 'new_task' }, wait);
  return String(body['runId']);
};
const event = (clientMessageId: string, more: object): Promise<Reply> =>
  world.say(
    'devices',
    {
      ...{ clientMessageId, relation: 'entity_event', content: 'as it says', entityType: 'device', entityId: '07' },
      ...{ eventKind: 'pressure', eventAt: '2026-01-01T00:00:00.000Z', ...more },
    },
    wait,
  );

test('A15 case 48: device 07 pressure, then its temperature, and device 08: merged by correlation, 08 never into 07', async () => {
  const first = await event('e1', { correlationId: 'line-3' });
  expect([first.status, first.body['status']]).toEqual([201, 'run_started']);
  const heat = await event('e2', { correlationId: 'line-3', eventKind: 'temperature' });
  expect(heat.body).toMatchObject({ status: 'event_merged', targetRunId: first.body['runId'] });
  const other = await event('e3', { correlationId: 'line-3', entityId: '08' });
  expect(other.body['status']).toBe('run_started');
  expect(other.body['runId']).not.toBe(first.body['runId']);
  expect((await event('e4', { correlationId: 'line-3' })).body['status']).toBe('event_ignored');
  const loose = await event('e5', { eventKind: 'vibration' });
  expect(loose.body).toMatchObject({ status: 'event_unconfirmed', targetRunId: first.body['runId'] });
  expect((await event('e1', { correlationId: 'line-3' })).body).toMatchObject({ duplicate: true });
});

test('A2 A6 Prefer: wait and Idempotency-Key over HTTP', async () => {
  const body = { content: 'do it', relation: 'new_task', mode: 'parallel' };
  const key = { 'idempotency-key': '"k1"' };
  const at = performance.now();
  expect(await world.say('http', body, { ...key, prefer: 'wait=0' })).toMatchObject({
    status: 202,
    body: { status: 'admitted', clientMessageId: 'k1' },
  });
  expect(performance.now() - at).toBeLessThan(5_000);
  const settled = await world.say('http', { ...body, clientMessageId: 'k1' }, { ...key, ...wait });
  expect(settled).toMatchObject({ status: 201, body: { status: 'run_started', duplicate: true } });
  expect(await world.say('http', { ...body, clientMessageId: 'k2' }, key)).toMatchObject({
    status: 422,
    body: { code: 'field_invalid', field: 'clientMessageId', receiptStatus: 'refused' },
  });
  expect(await world.call('admission', 'GET', '/v1/conversations/http/messages/k2')).toMatchObject({ status: 404 });
});

test('A10 A11 A9 R1 only owners refuse: with its projections gone, admission refuses no valid message', async () => {
  const runId = await task('behind', 'b1');
  const question = await until('the question is open', async () => {
    const { body } = await world.call('hil', 'GET', '/v1/interactions?state=open&conversationId=behind');
    return (body['items'] as { interactionRef: string; requestRevision: number }[])[0] ?? false;
  });
  /** As if it had never heard of any run, question or end. */
  const forget = () => world.sql('admission', `DELETE FROM conversations`);
  const say = async (clientMessageId: string, body: object): Promise<Reply> => {
    await forget();
    return world.say('behind', { clientMessageId, content: 'blue', ...body }, wait);
  };
  const amended = await say('b2', { relation: 'amend', targetRunId: runId, expectedVersion: 1 });
  expect([amended.status, amended.body['code']]).toEqual([200, null]);
  const { interactionRef, requestRevision } = question;
  const clarified = await say('b3', { relation: 'clarification', interactionRef, requestRevision });
  expect([clarified.status, clarified.body['code']]).toEqual([200, null]);
  expect((await say('b4', { relation: 'follow_up', parentRunId: runId })).status).toBe(201);
  // Nothing is left to do: the turns of its budget go by.
  await until('the run has ended', async () => {
    const { body } = await world.call('run-executor', 'GET', `/v1/runs/${runId}`);
    return body['state'] === 'partial';
  });
  const continued = await say('b5', { relation: 'continue', continuationOfRunId: runId });
  expect(continued).toMatchObject({ status: 201, body: { continuationOfRunId: runId, code: null } });
});

test('X4 a bad configuration file keeps the old one, says why and opens an incident; a good one after it closes it', async () => {
  const incidents = async (service: 'admission' | 'run-executor') => {
    const { body } = await world.call(service, 'GET', '/v1/ops/incidents', undefined, { roles: ['platform-operator'] });
    return (body['items'] as { kind: string; reason: string; closedAt: string | null }[]).filter(
      (one) => one.kind === 'configuration',
    );
  };
  const both = ['admission', 'run-executor'] as const;
  world.configure(configuration().replace('onBusy: parallel', 'onBusy: perhaps'));
  for (const service of both) {
    const [open] = await until(`${service} opens an incident`, async () => {
      const found = await incidents(service);
      return found.length > 0 && found;
    });
    expect(open).toMatchObject({ closedAt: null, reason: expect.stringContaining('onBusy') as string });
  }
  expect(await task('config', 'g1')).toMatch(/^run_/);
  world.configure(configuration('# better'));
  for (const service of both)
    await until(`${service} closes it`, async () => (await incidents(service)).every((one) => one.closedAt !== null));
  expect(await task('config', 'g2')).toMatch(/^run_/);
});
