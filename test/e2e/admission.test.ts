import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Producer } from 'kafkajs';
import { unsaid } from '../../schemas/unsaid';
import type { MessageSubmitted, ReceiptIssued } from '../../schemas/generated/records';
import { defaultTopicPrefix, topicName } from '../../schemas/topics';
import { connect, Refused, type Remote } from '../../services/cli/remote';
import { openCodec, type Codec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { kafkaClient } from '../../services/platform/kafka-client';
import { openLog } from '../../services/platform/log';
import { serviceDatabaseUrl } from '../../services/platform/migrate';
import { fresh, system, type System } from '../support/system';
import { targetOf, tcpProxy, through, type TcpProxy } from '../support/tcp-proxy';
import { openTail, type Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(180_000);

const ingress = topicName(defaultTopicPrefix, 'ingress.messages.v1');
const receipts = topicName(defaultTopicPrefix, 'admission.receipts.v1');
const question = 'Compare MSFT and AAPL since 2001';

let stack: System;
let producer: Producer;
let codec: Codec;
let tail: Tail;
let second: Remote;
let proxy: TcpProxy;
let third: Remote;

interface Receipt {
  readonly status: string;
  readonly receiptStatus?: string;
  readonly code: string | null;
  readonly duplicate: boolean;
  readonly messageId: string | null;
  readonly runId: string | null;
}

const direct = (name: string): Remote => {
  const port = readFileSync(join(stack.home, 'run', `${name}.port`), 'utf8').trim();
  return connect([], 'alice', `http://127.0.0.1:${port}`);
};

beforeAll(async () => {
  stack = await system();
  const databaseUrl = serviceDatabaseUrl(process.env['DATABASE_ADMIN_URL'] ?? '', 'admission');
  proxy = await tcpProxy(targetOf(databaseUrl));
  await stack.start('admission', { instance: 12 });
  process.env['ADMISSION_DATABASE_URL'] = through(databaseUrl, proxy);
  await stack.start('admission', { instance: 13 });
  delete process.env['ADMISSION_DATABASE_URL'];
  second = direct('admission-12');
  third = direct('admission-13');
  const silent = openLog('test', 'test', 'silent');
  const kafka = kafkaClient(kafkaSettings(process.env), fresh('upstream'), silent);
  codec = await openCodec(
    process.env['SCHEMA_REGISTRY_URL'] ?? '',
    [{ topic: ingress, type: 'MessageSubmitted' }],
    silent,
  );
  producer = kafka.producer();
  await producer.connect();
  tail = await openTail(kafka, receipts);
});
afterAll(async () => {
  await producer.disconnect();
  await tail.close();
  // The instance behind the proxy must not outlive it.
  stack.kill('admission-13');
  await proxy.close();
});

const said = (conversationId: string, clientMessageId: string, content = question): MessageSubmitted => ({
  ...unsaid,
  eventId: fresh('event'),
  occurredAt: Date.now(),
  conversationId,
  clientMessageId,
  content,
  account: 'alice',
  relation: 'NEW_TASK',
  mode: 'PARALLEL',
});

const produce = (messages: readonly MessageSubmitted[]): Promise<unknown> =>
  producer.send({
    topic: ingress,
    messages: messages.map((one) => ({
      // A foreign key: which partition a record is on decides nothing.
      key: fresh('key'),
      value: codec.encode(ingress, 'MessageSubmitted', one),
    })),
  });

const post = async (
  remote: Remote,
  conversation: string,
  clientMessageId: string,
  content = question,
): Promise<{ readonly status: number; readonly body: Receipt }> => {
  try {
    return await remote.post<Receipt>(`/v1/conversations/${conversation}/messages`, {
      clientMessageId,
      content,
      relation: 'new_task',
      mode: 'parallel',
    });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, body: error.body as unknown as Receipt };
  }
};

/** Receipts on Kafka about one message id. */
const told = async (clientMessageId: string): Promise<ReceiptIssued[]> => {
  const values = await Promise.all(tail.records.map((one) => codec.decode(one.value, new Set(['ReceiptIssued']))));
  return values
    .map(({ value }) => value as ReceiptIssued)
    .filter((receipt) => receipt.clientMessageId === clientMessageId);
};

const runsIn = async (conversation: string): Promise<unknown[]> =>
  (await stack.alice.get<{ items: unknown[] }>(`/v1/runs?conversationId=${conversation}`)).items;

test('A1 A2 case 1: 50 submissions of one id over three instances and both channels: one run, equal receipts', async () => {
  const [conversation, id] = [fresh('case1'), fresh('m')];
  const records = Array.from({ length: 20 }, () => said(conversation, id));
  const remotes = [stack.alice, second, third];
  const [answers] = await Promise.all([
    Promise.all(Array.from({ length: 30 }, (_, n) => post(remotes[n % 3] as Remote, conversation, id))),
    produce(records),
  ]);
  const messageIds = new Set(answers.map(({ body }) => body.messageId));
  expect(messageIds.size).toBe(1);
  expect(new Set(answers.map(({ body }) => body.runId)).size).toBe(1);
  expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
  const all = await until('each record is answered', async () => {
    const known = await told(id);
    const answered = new Set(known.map((one) => one.requestEventId));
    return records.every((record) => answered.has(record.eventId)) && known;
  });
  expect(new Set(all.map((one) => one.messageId))).toEqual(messageIds);
  expect(new Set(all.map((one) => one.runId)).size).toBe(1);
  expect(await runsIn(conversation)).toHaveLength(1);
  await stack.completed([...answers][0]?.body.runId ?? '');
});

test('A2 case 2: sent over Kafka, the client dies, sent again over HTTP: the same message, the same run', async () => {
  const [conversation, id] = [fresh('case2'), fresh('m')];
  await produce([said(conversation, id)]);
  const first = await until('it is stored', async () => (await told(id))[0] ?? false);
  const { body } = await post(second, conversation, id);
  expect(body).toMatchObject({ messageId: first.messageId, duplicate: true });
  expect(await runsIn(conversation)).toHaveLength(1);
});

test('A3 case 3: two contents under one id at once: one is admitted, the other a conflict, the run is untouched', async () => {
  const [conversation, id] = [fresh('case3'), fresh('m')];
  const other = 'Compare IBM and AAPL since 2003';
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      post(n % 2 === 0 ? second : stack.alice, conversation, id, n % 4 < 2 ? question : other),
    ),
  );
  const taken = answers.filter(({ status }) => status < 300);
  const conflicts = answers.filter(({ status }) => status === 409);
  expect(taken).toHaveLength(conflicts.length === 4 ? 6 : 4);
  expect(new Set(conflicts.map(({ body }) => body.code))).toEqual(new Set(['content_conflict']));
  expect(new Set(conflicts.map(({ body }) => body.messageId))).toEqual(new Set([null]));
  const runs = (await runsIn(conversation)) as { runId: string; versions: { text: string }[] }[];
  expect(runs).toHaveLength(1);
  const words = taken.length === 6 ? question : other;
  expect(runs[0]?.versions.map(({ text }) => text)).toEqual([words]);
});

test('A5 a COMMIT whose answer is lost: the client hears of its one message, and a repeat finds it', async () => {
  const conversation = fresh('commit');
  for (let n = 0; n < 10; n += 1) {
    const id = fresh('m');
    const cut = proxy.cutOnReply('COMMIT');
    const { status, body } = await post(third, conversation, id);
    await cut;
    expect([200, 201, 202]).toContain(status);
    const again = await post(stack.alice, conversation, id);
    expect(again.body).toMatchObject({ messageId: body.messageId, duplicate: true });
  }
  expect(await runsIn(conversation)).toHaveLength(10);
});
