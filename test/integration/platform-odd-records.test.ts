import { CompressionTypes } from 'kafkajs';
import { openCodec } from '../../services/platform/codec';
import { openLog } from '../../services/platform/log';
import type { Toy } from '../support/platform-instances';
import { repair, type ToyState } from '../support/platform-toy';
import { openWorld, type World } from '../support/platform-world';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

let world: World;
let toy: Toy;
let stored: Tail;
let deadLetters: Tail;
let operator: string;
beforeAll(async () => {
  world = await openWorld('odd');
  [toy, stored, deadLetters, operator] = await Promise.all([
    world.start('a'),
    world.tail(world.stored),
    world.tail(world.deadLetters),
    world.operator(),
  ]);
});
afterAll(() => world.close());

const partition = 3;
const good = (id: string): Buffer => world.codec.encode(world.ingress, 'MessageSubmitted', world.submitted('one', id));
const seen = async (conversation: string): Promise<readonly string[]> => {
  const [row] = await world.sql<{ doc: string }>('SELECT doc FROM toys WHERE id = $1', [conversation]);
  return row === undefined ? [] : (JSON.parse(row.doc) as ToyState).seen;
};

interface Item {
  readonly id: string;
  readonly code: string;
  readonly message: string;
  readonly redriveCount: number;
  readonly decoded: { readonly record: string; readonly value: { readonly conversationId: string } } | null;
}
const listed = async (code: string): Promise<Item[]> => {
  const { body } = await toy.request('GET', `/v1/ops/dead-letters?code=${code}`, undefined, operator);
  return (body as { items: Item[] }).items;
};

test('case 37 X2: every odd record becomes a dead letter with reason and origin, the good ones in between are handled', async () => {
  const admin = world.kafka.admin();
  await admin.connect();
  const configEntries = [{ name: 'max.message.bytes', value: '4000000' }];
  await admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: world.ingress, configEntries }] });
  await admin.disconnect();
  const other = await openCodec(
    world.env['SCHEMA_REGISTRY_URL'] ?? '',
    [{ topic: world.stored, type: 'MessageStored' }],
    openLog('test', 'test', 'silent'),
  );
  const ofAnother = other.encode(world.stored, 'MessageStored', {
    ...{ eventId: 'e', occurredAt: 1, tenant: 't', app: 'a', account: 'c', conversationId: 'one', messageId: 'm' },
    ...{ clientMessageId: 'm', relation: 'r', content: '', contentSha256: '', title: null, targetRunId: null },
    ...{ receivedAt: 1, revision: 1 },
  });
  const unknownSchema = Buffer.from([0, 0x7f, 0xff, 0xff, 0x01, 1, 2, 3]);
  const odd: readonly (readonly [string, Buffer | null])[] = [
    ['not_avro', Buffer.from([0, 1, 2])],
    ['not_avro', Buffer.from('{"json": true}')],
    ['null_value', null],
    ['unknown_schema', unknownSchema],
    ['unexpected_record', ofAnother],
    ['not_decodable', good('cut').subarray(0, 12)],
    ['not_decodable', Buffer.concat([good('longer'), Buffer.from([1])])],
    ['not_avro', Buffer.alloc(2_000_000, 7)],
    ['defect', world.codec.encode(world.ingress, 'MessageSubmitted', world.submitted('one', 'thrown', 'throw'))],
    ['defect', world.codec.encode(world.ingress, 'MessageSubmitted', world.submitted('o\0ne', 'nul\0'))],
  ];
  const binary = Buffer.from([0xff, 0xfe, 0x00]);
  const messages = odd.flatMap(([, value], index) => [
    { key: binary, value, partition, headers: { raw: binary, text: 'kept' } },
    { key: 'foreign key', value: good(`good-${index}`), partition },
  ]);
  for (const message of messages) await world.producer.send({ topic: world.ingress, messages: [message] });
  await until('the good ones are stored', async () => (await seen('one')).length === odd.length);
  expect(await seen('one')).toEqual(odd.map((_, index) => `good-${index}`));
  await until('the odd ones are dead letters', () => deadLetters.records.length === odd.length);
  odd.forEach(([code, value], index) => {
    const letter = deadLetters.records[index];
    expect({ index, code: letter?.headers['dlt.code'] }).toEqual({ index, code });
    expect(letter?.value?.equals(value ?? Buffer.alloc(0)) ?? value === null).toBe(true);
    expect(letter?.partition).toBe(partition);
    expect(letter?.headers).toMatchObject({
      text: 'kept',
      'dlt.original-topic': world.ingress,
      'dlt.original-partition': String(partition),
      'dlt.original-offset': String(index * 2),
      'dlt.redrive-count': '0',
    });
  });
  expect(await listed('not_avro')).toHaveLength(3);
  expect((await listed('not_avro')).map(({ decoded }) => decoded)).toEqual([null, null, null]);
  const [decoded] = (await listed('unexpected_record')).map((one) => one.decoded);
  expect([decoded?.record, decoded?.value.conversationId]).toEqual(['MessageStored', 'one']);
  const [row] = await world.sql<{ headers: string }>("SELECT headers FROM dead_letters WHERE code = 'null_value'");
  expect(JSON.parse(row?.headers ?? '{}')).toEqual({ raw: { base64: binary.toString('base64') }, text: 'kept' });
  expect(await toy.metric('fairlead_dlt_records_total')).toBe(odd.length);
});

test.each([
  ['gzip', CompressionTypes.GZIP],
  ['snappy', CompressionTypes.Snappy],
  ['lz4', CompressionTypes.LZ4],
])('37: batches compressed with %s are read', async (name, compression) => {
  const ids = Array.from({ length: 50 }, (_, index) => `${name}-${index}`);
  const messages = ids.map((id) => ({
    key: name,
    value: world.codec.encode(world.ingress, 'MessageSubmitted', world.submitted(name, id, id.repeat(50))),
  }));
  await world.producer.send({ topic: world.ingress, compression, messages });
  await until('all are stored', async () => (await seen(name)).length === ids.length);
  expect(await seen(name)).toEqual(ids);
});

test('case 25: a redrive in vain leaves the dead letter, after the repair it passes dedup, and its effect is there once', async () => {
  await world.submit([['redriven', 'r1', 'repairable']]);
  const [dead] = await until('it is dead', async () => {
    const items = (await listed('defect')).filter(({ message }) => /for now/.test(message));
    return items.length > 0 ? items : null;
  });
  const redrive = async (): Promise<unknown> =>
    (await toy.request('POST', `/v1/ops/dead-letters/${dead?.id}/redrive`, undefined, operator)).body;
  expect(await redrive()).toMatchObject({ state: 'dead', message: 'this content is a defect for now' });
  repair.done = true;
  expect(await redrive()).toMatchObject({ state: 'redriven' });
  await until('its event is out', () => stored.firsts('redriven').length === 1);
  expect(await redrive()).toMatchObject({ code: 'not_found' });
  // The same event once more, as a producer's retry: absorbed. The redrive has not moved the partition's position.
  await world.submit([
    ['redriven', 'r1', 'repairable'],
    ['redriven', 'r2'],
  ]);
  await until('the next one is stored', async () => (await seen('redriven')).length === 2);
  expect(await seen('redriven')).toEqual(['r1', 'r2']);
  const audit = await world.sql('SELECT action FROM audit WHERE ref = $1 ORDER BY id', [dead?.id]);
  expect(audit).toEqual(Array(2).fill({ action: 'dead-letter.redrive' }));
});

test('case 25: the redrive of something that was done by another way meanwhile changes nothing', async () => {
  repair.done = false;
  await world.submit([['elsewhere', 'e1', 'repairable']]);
  const [dead] = await until('it is dead', async () => {
    const rows = await world.sql<{ id: string }>(
      "SELECT id FROM dead_letters WHERE state = 'dead' AND message LIKE '%for now'",
    );
    return rows.length > 0 ? rows : null;
  });
  expect(await toy.post('elsewhere', 'e1')).toBe(1);
  repair.done = true;
  const { body } = await toy.request('POST', `/v1/ops/dead-letters/${dead?.id}/redrive`, undefined, operator);
  expect(body).toMatchObject({ state: 'redriven' });
  expect(await toy.post('elsewhere', 'e2')).toBe(2);
  await until('the second event is out', () => stored.firsts('elsewhere').length === 2);
});

test('case 44: clocks of producers an hour ahead or behind decide nothing, and lag is never negative', async () => {
  const { Client } = await import('pg');
  await toy.post('clocks', 'c0');
  const holder = new Client({ connectionString: world.databaseUrl });
  await holder.connect();
  await holder.query("BEGIN; SELECT 1 FROM toys WHERE id = 'clocks' FOR UPDATE");
  const hourMs = 3_600_000;
  for (const [index, shift] of [hourMs, -hourMs].entries()) {
    await world.producer.send({
      topic: world.ingress,
      messages: [
        {
          key: 'k',
          partition: index,
          timestamp: String(Date.now() + shift),
          value: world.codec.encode(world.ingress, 'MessageSubmitted', world.submitted('clocks', `c${index + 1}`)),
        },
      ],
    });
  }
  const lag = async (at: number): Promise<{ lag: number; timeLagSeconds: number } | undefined> => {
    const { body } = await toy.request('GET', '/v1/ops/lag', undefined, operator);
    return (body as { items: { partition: number; lag: number; timeLagSeconds: number }[] }).items.find(
      (one) => one.partition === at,
    );
  };
  await until('both wait', async () => (await lag(0))?.lag === 1 && ((await lag(1))?.timeLagSeconds ?? 0) > 3_500);
  expect(await lag(0)).toMatchObject({ timeLagSeconds: 0 });
  await holder.query('COMMIT');
  await holder.end();
  await until('both are out', () => stored.firsts('clocks').length === 3);
  await until('nothing waits', async () => (await lag(0))?.lag === 0 && (await lag(1))?.lag === 0);
  for (const { headers } of stored.records.filter(({ key }) => key === 'clocks'))
    expect(Math.abs(Date.parse(headers['ce_time'] ?? '') - Date.now())).toBeLessThan(60_000);
});

test('X2: a message that can never be saved is told so, and holds up the others for a bounded time', async () => {
  await toy.post('ghost~', 'g1');
  const hopeless = toy.request('POST', '/toys/ghost~/g2', { content: 'hello' });
  expect(await toy.post('living', 'l1')).toBe(1);
  expect((await hopeless).status).toBe(503);
  expect(await toy.post('living', 'l2')).toBe(2);
});

test('case 40: the end of an upstream transaction is no lag, so that no consumer is taken for silent', async () => {
  const upstream = world.kafka.producer({ transactionalId: world.prefix, maxInFlightRequests: 1, idempotent: true });
  await upstream.connect();
  const transaction = await upstream.transaction();
  const value = world.codec.encode(world.ingress, 'MessageSubmitted', world.submitted('transacted', 't1'));
  await transaction.send({ topic: world.ingress, messages: [{ key: 'k', value, partition: 4 }] });
  await transaction.commit();
  await upstream.disconnect();
  await until('it is stored', async () => (await seen('transacted')).length === 1);
  await until('nothing waits', async () => (await toy.metric('kafka_consumergroup_lag')) === 0);
});

test('an operator sees the instances, what the outbox holds and how the lag went', async () => {
  const status = await until('it has measured', async () => {
    const { body } = await toy.request('GET', '/v1/ops/status', undefined, operator);
    const { instances } = body as { instances: unknown[] };
    return instances.length > 0 ? body : null;
  });
  expect(status).toMatchObject({
    instances: [{ instance: expect.any(String) as string, lag: expect.any(Number) as number }],
    history: expect.arrayContaining([
      expect.objectContaining({ timeLagSeconds: expect.any(Number) as number }),
    ]) as unknown[],
    outbox: { blockedKeys: 0 },
  });
});

test('X2: a purge deletes rows with their bytes, and leaves who, why and the hash of what is gone', async () => {
  const post = async (path: string, body: unknown): Promise<unknown> =>
    (await toy.request('POST', `/v1/ops/dead-letters${path}`, body, operator)).body;
  const rows = await world.sql<{ id: string; code: string; state: string; hash: string | null }>(
    "SELECT id, code, state, encode(sha256(value), 'hex') AS hash FROM dead_letters ORDER BY id",
  );
  const waiting = rows.filter(({ state }) => state === 'dead').length;
  const one = rows.find(({ code }) => code === 'null_value');
  const path = `/v1/ops/dead-letters/${encodeURIComponent(one?.id ?? '')}`;
  expect((await toy.request('GET', path, undefined, operator)).body).toMatchObject({ id: one?.id, state: one?.state });
  expect(await post('/purge', { olderThanDays: 0 })).toMatchObject({ status: 422 });
  expect(await post('/purge', { olderThanDays: 1, reason: 'old' })).toMatchObject({ matched: 0, purged: 0 });
  expect(await post('/purge', { olderThanDays: 0, reason: 'count', dryRun: true })).toEqual({
    ...{ matched: rows.length, waiting, purged: 0, dryRun: true },
  });
  expect(await post(`/${encodeURIComponent(one?.id ?? '')}/purge`, { reason: 'personal data' })).toEqual({
    ...{ id: one?.id, state: 'purged' },
  });
  expect((await toy.request('GET', path, undefined, operator)).body).toMatchObject({ code: 'not_found' });
  expect(await post('/purge', { olderThanDays: 0, reason: 'old', code: 'not_avro' })).toMatchObject({ purged: 3 });
  expect(await post('/purge', { olderThanDays: 0, reason: 'old' })).toMatchObject({ purged: rows.length - 4 });
  expect(await world.sql('SELECT 1 FROM dead_letters')).toEqual([]);
  const audit = await world.sql("SELECT ref AS id, reason FROM audit WHERE action = 'dead-letter.purge' ORDER BY ref");
  expect(audit).toEqual(
    rows.map(({ id, hash }) => ({
      id,
      reason: `${id === one?.id ? 'personal data' : 'old'}${hash === null ? '' : ` [sha256 ${hash}]`}`,
    })),
  );
});
