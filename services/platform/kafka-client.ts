import { CompressionCodecs, CompressionTypes, Kafka, logLevel, type KafkaConfig, type logCreator } from 'kafkajs';
import type { KafkaSettings } from './environment';
import { watchForSilence } from './kafka-silence';
import type { Logger } from './log';
import { within } from './pause';

// kafkajs is unmaintained and has known traps. Only the kafka files import it, and cover them.

const goodbyeMs = 3_000;

/** The idle request queue re-arms a timer with a negative delay for ever; with nothing pending there is nothing to check. */
const calmIdleRequestQueue = (): void => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const RequestQueue = require('kafkajs/src/network/requestQueue') as {
    prototype: { scheduleCheckPendingRequests(this: { pending: unknown[] }): void };
  };
  const original = RequestQueue.prototype.scheduleCheckPendingRequests;
  RequestQueue.prototype.scheduleCheckPendingRequests = function () {
    if (this.pending.length > 0) original.call(this);
  };
};

const registerCodecs = (): void => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const snappy = require('kafkajs-snappy') as () => {
    compress(e: unknown): Promise<Buffer>;
    decompress(b: Buffer): Promise<Buffer>;
  };
  CompressionCodecs[CompressionTypes.Snappy] = snappy;
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const lz4 = require('lz4-napi') as {
    compressFrame(b: Buffer): Promise<Buffer>;
    decompressFrame(b: Buffer): Promise<Buffer>;
  };
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: (encoder: { buffer: Buffer }) => lz4.compressFrame(encoder.buffer),
    decompress: (buffer: Buffer) => lz4.decompressFrame(buffer),
  });
  // Read only: Node 20 has no zstd of its own, and nothing here needs to write it.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const zstd = require('fzstd') as { decompress(bytes: Uint8Array): Uint8Array };
  CompressionCodecs[CompressionTypes.ZSTD] = () => ({
    compress: () => Promise.reject(new Error('zstd is read, not written')),
    decompress: (buffer: Buffer) => Promise.resolve(Buffer.from(zstd.decompress(buffer))),
  });
};

const logTo =
  (log: Logger): logCreator =>
  () =>
  ({ level, log: { message, error, groupId, broker } }) => {
    const fields = { kafka: { error: error as unknown, groupId: groupId as unknown, broker: broker as unknown } };
    // The client reports every lost connection as an error of its own; here it is one reason to wait and try again.
    if (level <= logLevel.WARN) log.warn(fields, message);
    else log.debug(fields, message);
  };

const configOf = (settings: KafkaSettings, clientId: string, log: Logger): KafkaConfig => ({
  clientId,
  brokers: [...settings.brokers],
  ...(settings.ssl === null ? {} : { ssl: settings.ssl }),
  ...(settings.sasl === null ? {} : { sasl: settings.sasl as KafkaConfig['sasl'] }),
  connectionTimeout: 3_000,
  requestTimeout: 15_000,
  logLevel: logLevel.INFO,
  logCreator: logTo(log),
  retry: { initialRetryTime: 100, maxRetryTime: 3_000, retries: 5 },
});

let prepared = false;

/** The client itself, for setting up topics; services go through `openBroker`. */
export const kafkaClient = (settings: KafkaSettings, clientId: string, log: Logger): Kafka => {
  if (!prepared) {
    process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
    calmIdleRequestQueue();
    registerCodecs();
    watchForSilence();
    prepared = true;
  }
  return new Kafka(configOf(settings, clientId, log));
};

/** A goodbye that a broker does not answer is not waited for. */
export const bounded = async (goodbye: Promise<void> | undefined): Promise<void> => {
  await within(goodbye ?? Promise.resolve(), goodbyeMs, () => new Error('no answer')).catch(() => undefined);
};
