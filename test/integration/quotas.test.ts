import { unsaid } from '../../schemas/unsaid';
import type { ReceiptIssued } from '../../schemas/generated/records';
import { topicName } from '../../schemas/topics';
import { openCodec } from '../../services/platform/codec';
import { openLog } from '../../services/platform/log';
import { required } from '../support/platform-world';
import { openTail } from '../support/topic-tail';
import { openRelationsWorld, type RelationsWorld, type Reply } from '../support/relations-world';
import { until } from '../support/until';

jest.setTimeout(200_000);

const perDay = 20;
const configuration = (limits: string): string => `
tenants: { local: { defaultAgent: any, onBusy: parallel, limits: ${limits} }, free: { defaultAgent: any } }
ingress: [{ topic: ingress.messages.v1, tenant: local, app: local, accounts: asserted }]
agents: { any: { builtin: chat } }`;

let world: RelationsWorld;
beforeAll(async () => {
  world = await openRelationsWorld('quotas', configuration(`{ messagesPerDay: ${perDay} }`), ['admission']);
});
afterAll(() => world.close());

const body = (clientMessageId: string): object => ({ clientMessageId, content: 'do it', relation: 'new_task' });
const countedNow = async (): Promise<unknown> =>
  (await world.sql('admission', `SELECT doc::json->>'messages' AS n FROM tenant_usage WHERE id = 'local'`))[0]?.['n'];

/** Submits a message as an app on Kafka does; the receipt that it finds on the topic. */
const byKafka = async (clientMessageId: string, conversationId = 'c'): Promise<ReceiptIssued> => {
  const topic = topicName(world.prefix, 'ingress.messages.v1');
  const [codec, tail] = await Promise.all([
    openCodec(
      required('SCHEMA_REGISTRY_URL'),
      [{ topic, type: 'MessageSubmitted' }],
      openLog('test', 'test', 'silent'),
    ),
    openTail(world.kafka, topicName(world.prefix, 'admission.receipts.v1')),
  ]);
  const producer = world.kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const eventId = `of-${clientMessageId}`;
  const said = { ...unsaid, eventId, occurredAt: 0, conversationId, clientMessageId, account: 'alice' };
  const value = codec.encode(topic, 'MessageSubmitted', { ...said, content: 'do it', relation: 'NEW_TASK' });
  await producer.send({ topic, messages: [{ key: conversationId, value }] });
  const receipt = await until('the receipt is on the topic', async () => {
    const decoded = await Promise.all(tail.records.map((one) => codec.decode(one.value, new Set(['ReceiptIssued']))));
    return decoded.map((one) => one.value as ReceiptIssued).find((one) => one.requestEventId === eventId);
  });
  await Promise.all([producer.disconnect(), tail.close()]);
  return receipt;
};

/** The day of the database is the one that counts; what begins a moment before its end would see two. */
const clearOfMidnight = (): Promise<true> =>
  until(
    'the day has some minutes left',
    async () => {
      const [row] = await world.sql('admission', `SELECT (now() AT TIME ZONE 'UTC')::time > '23:58' AS late`);
      return row?.['late'] === false;
    },
    150_000,
  );

test('A2 A6 the quota of a day holds over two instances, counts no repeat, and follows the file', async () => {
  await clearOfMidnight();
  const second = await world.second('admission');
  const names = Array.from({ length: 2 * perDay }, (_, n) => `m${n}`);
  const path = (n: number): string => `/v1/conversations/c${n % 7}/messages`;
  const say = (name: string, n: number, which: boolean): Promise<Reply> =>
    world.call('admission', 'POST', path(n), body(name), {
      headers: { prefer: 'wait=0' },
      ...(which ? { instance: second } : {}),
    });
  // Each message comes to both instances at once.
  const answers = await Promise.all(
    names.map(async (name, n) => ({ name, n, both: await Promise.all([say(name, n, false), say(name, n, true)]) })),
  );
  const admitted = answers.filter(({ both }) => both.some(({ status }) => status === 202));
  expect(admitted).toHaveLength(perDay);
  const [stored] = await world.sql('admission', 'SELECT count(*)::int AS n FROM messages');
  expect([stored?.['n'], await countedNow()]).toEqual([perDay, String(perDay)]);

  const refused = answers.find(({ name }) => !admitted.some((one) => one.name === name));
  expect(refused?.both[0]).toMatchObject({
    status: 429,
    body: {
      code: 'rate_limited',
      detail: expect.stringMatching(/messagesPerDay, 20, .*T00:00:00\.000Z$/),
      revision: 0,
    },
  });
  for (const { name, n } of admitted)
    expect(await say(name, n, n % 2 === 0)).toMatchObject({ status: 202, body: { duplicate: true } });
  expect(await countedNow()).toBe(String(perDay));

  const { body: quotas } = await world.call('admission', 'GET', '/v1/ops/quotas', undefined, {
    roles: ['platform-operator'],
    instance: second,
  });
  expect(quotas).toMatchObject({ items: [{ tenant: 'local', messagesPerDay: perDay, messages: perDay, left: 0 }] });
  expect((await world.call('admission', 'GET', '/v1/ops/quotas')).status).toBe(403);
  expect(await second.metric('fairlead_tenant_quota_used_ratio')).toBe(1);

  // What an app on Kafka gets is the receipt.
  expect(await byKafka('by-kafka')).toMatchObject({
    ...{ status: 'refused', code: 'rate_limited', revision: 0, messageId: null },
    detail: expect.stringContaining('messagesPerDay, 20,'),
  });
  expect(await byKafka(admitted[0]?.name ?? '', `c${(admitted[0]?.n ?? 0) % 7}`)).toMatchObject({ duplicate: true });

  // Until the end of the day by the database's clock.
  const response = await fetch(`http://127.0.0.1:${second.port}${path(0)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await world.token([])}`, 'content-type': 'application/json' },
    body: JSON.stringify(body('another')),
  });
  const [row] = await world.sql(
    'admission',
    `SELECT extract(epoch FROM date_trunc('day', utc) + interval '1 day' - utc)::int AS left FROM (SELECT now() AT TIME ZONE 'UTC' AS utc) n`,
  );
  expect(Math.abs(Number(response.headers.get('retry-after')) - Number(row?.['left']))).toBeLessThan(30);

  world.configure(configuration(`{ messagesPerDay: ${perDay + 1} }`));
  await until('the quota is raised', async () => (await say('later', 0, true)).status === 202, 20_000);
  expect(await countedNow()).toBe(String(perDay + 1));
});
