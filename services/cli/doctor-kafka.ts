import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { layoutOf, planAsFound } from '../../schemas/apply';
import { diffTopics, type Drift } from '../../schemas/plan';
import { registryAt } from '../../schemas/registry';
import { topicName, topics } from '../../schemas/topics';
import { kafkaSettings } from '../platform/environment';
import { setupSettings } from './setup';
import type { ApiRange, ApiRanges, Copies } from './doctor-judge';

const apiVersionsKey = 18;
const answerMs = 5_000;
/** Larger answers are not from Kafka. */
const maxAnswerBytes = 1024 * 1024;
/** How far ahead of this clock a record may be dated: what clocks in step never differ by. */
const futureMs = 60_000;

/** ApiVersions in its oldest form, which every broker answers, before any login. */
export const apiVersionsRequest = (): Buffer => {
  const client = Buffer.from('fairlead-doctor');
  const head = Buffer.alloc(14);
  head.writeInt32BE(10 + client.length, 0);
  head.writeInt16BE(apiVersionsKey, 4);
  head.writeInt16BE(0, 6);
  head.writeInt32BE(1, 8);
  head.writeInt16BE(client.length, 12);
  return Buffer.concat([head, client]);
};

/** The ranges in an answer; null while bytes are missing. */
export const apiVersionsAnswer = (bytes: Buffer): ApiRanges | null => {
  if (bytes.length < 4) return null;
  const length = bytes.readInt32BE(0);
  if (length < 10 || length > maxAnswerBytes) throw new Error('answers something that is not Kafka');
  if (bytes.length < 4 + length) return null;
  const error = bytes.readInt16BE(8);
  if (error !== 0) throw new Error(`answers ApiVersions with error ${error}`);
  const ranges = new Map<number, ApiRange>();
  for (let left = bytes.readInt32BE(10), at = 14; left > 0; left -= 1, at += 6)
    ranges.set(bytes.readInt16BE(at), { min: bytes.readInt16BE(at + 2), max: bytes.readInt16BE(at + 4) });
  return ranges;
};

const askApis = (host: string, port: number): Promise<ApiRanges> =>
  new Promise((resolve, reject) => {
    const { ssl } = kafkaSettings(process.env);
    const socket: Socket =
      ssl === null
        ? connectPlain({ host, port })
        : connectTls({
            host,
            port,
            ...(isIP(host) === 0 ? { servername: host } : {}),
            ...(typeof ssl === 'object' ? ssl : {}),
          });
    const end = (settle: () => void): void => {
      socket.destroy();
      settle();
    };
    let received = Buffer.alloc(0);
    socket.setTimeout(answerMs, () => end(() => reject(new Error(`${host}:${port} does not answer`))));
    socket.once('error', (error) => end(() => reject(new Error(`${host}:${port}: ${error.message}`))));
    socket.once('close', () => reject(new Error(`${host}:${port} closed the connection`)));
    socket.once(ssl === null ? 'connect' : 'secureConnect', () => socket.write(apiVersionsRequest()));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      try {
        const ranges = apiVersionsAnswer(received);
        if (ranges !== null) end(() => resolve(ranges));
      } catch (error) {
        end(() => reject(new Error(`${host}:${port} ${error instanceof Error ? error.message : String(error)}`)));
      }
    });
  });

export interface KafkaLook {
  readonly apis: ReadonlyMap<string, ApiRanges>;
  /** Topics with a record dated well after this machine's clock. */
  readonly fromTheFuture: readonly string[];
  readonly brokers: number;
  /** Null with the reason where topics and schemas could not be read. */
  readonly setUp: { readonly copies: Copies; readonly drift: readonly Drift[] } | { readonly unread: string };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** One look at the cluster and the registry; reads only. */
export const lookAtKafka = async (): Promise<KafkaLook> => {
  const { kafka, registryUrl, ...rest } = setupSettings();
  const admin = kafka.admin();
  await admin.connect();
  try {
    const { brokers } = await admin.describeCluster();
    const apis = new Map(
      await Promise.all(brokers.map(async ({ host, port }) => [`${host}:${port}`, await askApis(host, port)] as const)),
    );
    const layout = layoutOf({ ...rest, replicationFactor: 1, minInsyncReplicas: 1 });
    const setUp = await planAsFound(admin, registryAt(registryUrl), layout).then(
      ({ plan, layout: copies }) => ({ copies, drift: diffTopics(plan) }),
      (error: unknown) => ({ unread: reasonOf(error) }),
    );
    const present = new Set(await admin.listTopics());
    const fromTheFuture: string[] = [];
    for (const topic of topics.map(({ name }) => topicName(rest.prefix, name)).filter((name) => present.has(name))) {
      // The ends come first: an offset before them is that of a record that was there and is dated ahead.
      const ends = new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, high]));
      const ahead = await admin.fetchTopicOffsetsByTimestamp(topic, Date.now() + futureMs);
      if (ahead.some(({ partition, offset }) => BigInt(offset) < BigInt(ends.get(partition) ?? '0')))
        fromTheFuture.push(topic);
    }
    return { apis, fromTheFuture, brokers: brokers.length, setUp };
  } finally {
    await admin.disconnect();
  }
};
