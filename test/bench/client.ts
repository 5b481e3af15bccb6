import { Agent, request as httpRequest } from 'node:http';
import { createParser } from 'eventsource-parser';
import { unsaid } from '../../schemas/unsaid';
import { localToken } from '../../services/cli/remote';
import { openCodec, type Codec } from '../../services/platform/codec';
import { kafkaSettings } from '../../services/platform/environment';
import { openBroker } from '../../services/platform/kafka';
import { openLog } from '../../services/platform/log';
import { idsOf } from '../../services/platform/identity';
import { steadyProducer, type SteadyProducer } from '../../services/platform/steady-producer';

const topic = 'fairlead.ingress.messages.v1';
const account = 'bench';

export interface Client {
  /** Sends one message under its own id and resolves when its report's bytes are here. */
  run(id: string): Promise<void>;
  /** Sends again what was sent before; resolves with the receipt. */
  duplicate(id: string): Promise<void>;
  close(): Promise<void>;
}

const post = (
  agent: Agent,
  url: string,
  token: string,
  body: object,
  prefer: string,
): Promise<{ status: number; text: string }> => call(agent, 'POST', url, token, JSON.stringify(body), prefer);

const call = (
  agent: Agent,
  method: string,
  url: string,
  token: string,
  body: string | null,
  prefer: string,
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        method,
        agent,
        headers: {
          authorization: `Bearer ${token}`,
          prefer,
          ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    request.on('error', reject);
    request.end(body ?? undefined);
  });

const message = (id: string) =>
  ({
    ...unsaid,
    conversationId: `bench-${id}`,
    clientMessageId: id,
    content: 'do the one thing',
    relation: 'NEW_TASK',
    mode: 'PARALLEL',
  }) as const;

/** Gathers what is sent in the same turn of the event loop into one produce request. */
const gather = (producer: SteadyProducer, codec: Codec) => {
  let waiting: { id: string; done: () => void; failed: (error: unknown) => void }[] = [];
  let sending = false;
  const flush = async (): Promise<void> => {
    if (sending) return;
    sending = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await producer.send(
          batch.map(({ id }) => ({
            topic,
            partition: null,
            key: Buffer.from(`bench-${id}`),
            value: codec.encode(topic, 'MessageSubmitted', {
              ...message(id),
              eventId: id,
              occurredAt: Date.now(),
              account,
            }),
            headers: {},
          })),
        );
        for (const one of batch) one.done();
      } catch (error) {
        for (const one of batch) one.failed(error);
      }
    }
    sending = false;
  };
  return (id: string): Promise<void> =>
    new Promise((done, failed) => {
      waiting.push({ id, done, failed });
      setImmediate(() => void flush());
    });
};

export const openClient = async (channel: 'http' | 'kafka'): Promise<Client> => {
  const log = openLog('bench', 'bench', 'silent');
  const broker = openBroker(kafkaSettings(process.env), 'bench', log);
  const codec = await openCodec(process.env['SCHEMA_REGISTRY_URL'] ?? '', [{ topic, type: 'MessageSubmitted' }], log);
  const producer = steadyProducer(broker, log, () => false);
  const submit = gather(producer, codec);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const token = await localToken({ account, roles: [], app: 'local', tenant: 'local' });
  const admission = process.env['ADMISSION_URL'] ?? '';
  const publication = process.env['PUBLICATION_URL'] ?? '';
  const published = new Map<string, () => void>();

  // Learns of reports the way a client does: from the account's live stream, from here on and not from its first event.
  const abort = new AbortController();
  const stream = await fetch(`${publication}/v1/account/events?after=now`, {
    headers: { authorization: `Bearer ${token}` },
    signal: abort.signal,
  });
  const parser = createParser({
    onEvent: (event) => {
      if (event.event !== 'report') return;
      const runId = (JSON.parse(event.data) as { item: { runId: string } }).item.runId;
      published.get(runId)?.();
      published.delete(runId);
    },
  });
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>)
      parser.feed(decoder.decode(chunk, { stream: true }));
  })().catch(() => undefined);

  const body = (id: string): object => {
    const { conversationId: _conversation, ...rest } = message(id);
    return {
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
      relation: 'new_task',
      mode: 'parallel',
    };
  };
  const submitHttp = async (id: string, prefer: string): Promise<void> => {
    const { status, text } = await post(
      agent,
      `${admission}/v1/conversations/bench-${id}/messages`,
      token,
      body(id),
      prefer,
    );
    if (status >= 300) throw new Error(`admission answered ${status}: ${text.slice(0, 200)}`);
  };

  return {
    run: async (id) => {
      const { runId } = idsOf({ tenant: 'local', app: 'local', account, clientMessageId: id });
      const seen = new Promise<void>((resolve) => published.set(runId, resolve));
      await (channel === 'kafka' ? submit(id) : submitHttp(id, 'wait=0'));
      await seen;
      const { status, text } = await call(
        agent,
        'GET',
        `${publication}/v1/runs/${runId}/reports/current`,
        token,
        null,
        '',
      );
      if (status !== 200 || text.length !== 500) throw new Error(`the report of ${runId} is not there: ${status}`);
    },
    duplicate: (id) => submitHttp(id, 'wait=2'),
    close: async () => {
      abort.abort();
      await reading;
      agent.destroy();
      await producer.close();
      await broker.close();
    },
  };
};
