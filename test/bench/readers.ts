import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { localToken } from '../../services/cli/remote';
import { untilCount, withDatabase } from './database';
import { call } from './http-call';
import { closedLoop, openLoop, percentile, rounded } from './load';
import { usage } from './processes';

const perConversation = 10;
/** A message without a run is three events in its conversation: the message and two receipts. */
const eventsPerMessage = 3;
const account = 'bench';

const quantiles = (times: readonly number[]): { p50Ms: number; p99Ms: number } => {
  const sorted = [...times].sort((a, b) => a - b);
  return { p50Ms: rounded(percentile(sorted, 0.5)), p99Ms: rounded(percentile(sorted, 0.99)) };
};

const submitTo = (agent: Agent, token: string) => async (conversationId: string, clientMessageId: string) => {
  const url = `${process.env['ADMISSION_URL'] ?? ''}/v1/conversations/${conversationId}/messages`;
  const body = { clientMessageId, content: 'news', relation: 'new_task', dependsOnRunId: 'run_none' };
  const { status } = await call(agent, 'POST', url, token, body, 'wait=0');
  if (status !== 202) throw new Error(`admission answered ${status}`);
};

/**
 * That many live clients of one instance, ten a conversation, with `perSec` events in all: CPU and memory of publication,
 * and how long an event takes from its fact to a client.
 */
export const listeners = async (clients: number, perSec: number, home: string): Promise<object> => {
  const publication = process.env['PUBLICATION_URL'] ?? '';
  const token = await localToken({ account, roles: [], app: 'local', tenant: 'local' });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const submit = submitTo(agent, token);
  const stamp = `sse-${Date.now().toString(36)}`;
  const conversations = Math.ceil(clients / perConversation);
  const nameOf = (n: number): string => `${stamp}-${n % conversations}`;
  await Promise.all(Array.from({ length: conversations }, (_, n) => submit(nameOf(n), `${stamp}-first-${n}`)));

  const abort = new AbortController();
  const times: number[] = [];
  const follow = async (conversationId: string): Promise<void> => {
    let response = await fetch(`${publication}/v1/conversations/${conversationId}/events?after=now`, {
      headers: { authorization: `Bearer ${token}` },
      signal: abort.signal,
    });
    while (response.status === 404) {
      await pause(50);
      response = await fetch(response.url, { headers: { authorization: `Bearer ${token}` }, signal: abort.signal });
    }
    const parser = createParser({
      onEvent: ({ data }) => {
        const { at } = JSON.parse(data) as { at?: string };
        if (at !== undefined) times.push(Date.now() - Date.parse(at));
      },
    });
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        parser.feed(decoder.decode(chunk, { stream: true }));
    })().catch(() => undefined);
  };
  for (let from = 0; from < clients; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, clients - from) }, (_, n) => follow(nameOf(from + n))));

  const rate = perSec / eventsPerMessage;
  await openLoop(rate, Math.ceil(rate * 3), (n) => submit(nameOf(n), `${stamp}-warm-${n}`));
  times.length = 0;
  const before = usage(home).get('publication');
  const started = performance.now();
  await openLoop(rate, Math.ceil(rate * 20), (n) => submit(nameOf(n), `${stamp}-${n}`));
  const seconds = (performance.now() - started) / 1_000;
  const after = usage(home).get('publication');
  abort.abort();
  agent.destroy();
  return {
    clients,
    eventsPerSec: perSec,
    deliveredPerSec: rounded(times.length / seconds, 0),
    factToClient: quantiles(times),
    publicationCpuPercent: rounded((((after?.cpuSec ?? 0) - (before?.cpuSec ?? 0)) / seconds) * 100, 1),
    publicationMiB: rounded(after?.memoryMiB ?? 0, 0),
  };
};

/** The snapshot of a conversation with that many events. */
export const snapshot = (events: number): Promise<object> =>
  withDatabase('publication', async (client) => {
    const token = await localToken({ account, roles: [], app: 'local', tenant: 'local' });
    const agent = new Agent({ keepAlive: true });
    const conversationId = `snapshot-${Date.now().toString(36)}`;
    await submitTo(agent, token)(conversationId, conversationId);
    const streamOf = 'SELECT id FROM streams WHERE conversation_id = $1';
    const told = async (): Promise<number> =>
      (
        await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM timeline WHERE stream IN (${streamOf})`, [
          conversationId,
        ])
      ).rows[0]?.n ?? 0;
    await untilCount('events of the first message', eventsPerMessage, told, 30_000);
    // Copies of its message, each a message of its own at its own place.
    await client.query(
      `INSERT INTO timeline (stream, seq, account_stream, account_seq, run_id, kind, event_id, at, item, ended)
       SELECT t.stream, $2::bigint + g, 'copies of ' || t.stream, g, NULL, t.kind, t.event_id || '/' || g, t.at, replace(t.item, '"clientMessageId":"', '"clientMessageId":"' || g || '-'), false
         FROM timeline t, generate_series(1, $3::int) g WHERE t.stream IN (${streamOf}) AND t.kind = 'message'`,
      [conversationId, eventsPerMessage, events],
    );
    await client.query(
      `INSERT INTO facts (id, revision, doc, due_at, kind, tenant, account, stream, seq, first_seq, run_id, kept)
       SELECT f.id || '/' || g, f.revision, f.doc, NULL, f.kind, f.tenant, f.account, f.stream, $2::bigint + g, $2::bigint + g, NULL, true
         FROM facts f, generate_series(1, $3::int) g WHERE f.stream IN (${streamOf}) AND f.kind = 'message'`,
      [conversationId, eventsPerMessage, events],
    );
    await client.query(
      `UPDATE streams SET seq = $2::bigint, doc = jsonb_set(doc::jsonb, '{seq}', to_jsonb($2::bigint))::text WHERE conversation_id = $1`,
      [conversationId, events + eventsPerMessage],
    );
    await client.query('ANALYZE timeline, facts');
    const url = `${process.env['PUBLICATION_URL'] ?? ''}/v1/conversations/${conversationId}/snapshot`;
    let bytes = 0;
    const once = async (): Promise<void> => {
      const { status, text } = await call(agent, 'GET', url, token);
      if (status !== 200) throw new Error(`the snapshot answered ${status}: ${text.slice(0, 200)}`);
      bytes = text.length;
    };
    await closedLoop(1, 20, once);
    const times = await closedLoop(1, 200, once);
    agent.destroy();
    return { events: events + eventsPerMessage, bytes, ...quantiles(times) };
  });
