import { randomUUID } from 'node:crypto';
import { unsaid } from '../../schemas/unsaid';
import { claimed } from '../../services/platform/batch-statements';
import { openCodec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { kafkaClient } from '../../services/platform/kafka-client';
import { openLog } from '../../services/platform/log';
import { serviceDatabaseUrl } from '../../services/platform/migrate';
import { openPipe } from '../../services/platform/postgres';
import { submit as submission, world } from '../support/admission-world';
import { untilCount, withDatabase } from './database';

const log = openLog('bench', 'bench', 'silent');
const rounds = 3;
const claimsPerBatch = 400;
/** Before the drain that counts: a relay that has just started is compiled first. */
const drainedFirst = 50_000;
const drained = 200_000;
const drainedBytes = 500;

/** The best of some rounds, in pieces a second: what the code can do, not what else the machine does. */
const perSec = async (pieces: number, work: () => Promise<void> | void): Promise<number> => {
  let best = 0;
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work();
    best = Math.max(best, pieces / ((performance.now() - started) / 1_000));
  }
  return Math.round(best);
};

/** Encode and decode of one submitted message, against the real registry. */
const codecPerSec = async (): Promise<number> => {
  const topic = 'fairlead.ingress.messages.v1';
  const codec = await openCodec(process.env['SCHEMA_REGISTRY_URL'] ?? '', [{ topic, type: 'MessageSubmitted' }], log);
  const value = {
    ...unsaid,
    ...{ eventId: 'e', occurredAt: 1, account: 'bench', conversationId: 'c', clientMessageId: 'm', content: 'do it' },
  };
  const accepts = new Set(['MessageSubmitted'] as const);
  const many = 20_000;
  return perSec(many, async () => {
    for (let n = 0; n < many; n += 1) await codec.decode(codec.encode(topic, 'MessageSubmitted', value), accepts);
  });
};

/** Admission's decision on a new message, over tables in memory. */
const decidePerSec = (): Promise<number> => {
  const many = 5_000;
  return perSec(many, () => {
    const memory = world();
    for (let n = 0; n < many; n += 1)
      memory.send(submission({ clientMessageId: `m${n}`, conversationId: `c${n}`, relation: 'NEW_TASK' }));
  });
};

/** Inbox rows claimed in batches of 400, each batch a transaction with its commit. */
const claimsPerSec = async (): Promise<number> => {
  const own = process.env['HIL_DATABASE_URL'];
  const pipe = openPipe(own ?? serviceDatabaseUrl(process.env['DATABASE_ADMIN_URL'] ?? '', 'hil'), 'bench', log);
  const batches = 50;
  try {
    return await perSec(batches * claimsPerBatch, async () => {
      for (let batch = 0; batch < batches; batch += 1) {
        const items = Array.from({ length: claimsPerBatch }, () => ({
          claim: { consumer: 'bench', topic: 'bench', eventId: randomUUID() },
        }));
        const results = await pipe.begin([
          ...claimed(items),
          { name: 'bench_xid', text: 'SELECT pg_current_xact_id()::text AS xid' },
        ]);
        await pipe.commit([], String((results.at(-1)?.rows[0] as { xid: string }).xid));
      }
    });
  } finally {
    await withDatabase('hil', (client) => client.query(`DELETE FROM inbox WHERE consumer = 'bench'`));
    await pipe.close();
  }
};

/** Rows that another process left in the outbox of hil, until its relay has sent and deleted them all. */
const drainPerSec = (rows: number): Promise<number> =>
  withDatabase('hil', async (client) => {
    const topic = `bench.drain.${Date.now()}`;
    const kafka = kafkaClient(kafkaSettings(process.env), 'bench', log);
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 6 }], waitForLeaders: true });
    await client.query(
      `INSERT INTO outbox (bucket, topic, partition, key, value, headers, event_id, writer)
       SELECT g % 64, $1, NULL, convert_to('k' || g % 997, 'UTF8'), convert_to(repeat('x', $2::int), 'UTF8'), '{}', 'bench/' || g, 'bench'
         FROM generate_series(1, $3::int) g`,
      [topic, drainedBytes, rows],
    );
    const started = performance.now();
    const gone = async (): Promise<number> =>
      rows -
      ((await client.query<{ n: number }>('SELECT count(*)::int AS n FROM outbox WHERE topic = $1', [topic])).rows[0]
        ?.n ?? 0);
    await untilCount('drained rows', rows, gone, 120_000);
    const seconds = (performance.now() - started) / 1_000;
    await admin.deleteTopics({ topics: [topic] });
    await admin.disconnect();
    return Math.round(rows / seconds);
  });

/** The pieces that a run is made of, each by itself; the turn's overhead is the workload `turns`. */
export const micro = async (): Promise<object> => {
  await drainPerSec(drainedFirst);
  return {
    codecPerSec: await codecPerSec(),
    decidePerSec: await decidePerSec(),
    inboxClaimsPerSec: await claimsPerSec(),
    relayDrainPerSec: await drainPerSec(drained),
  };
};
