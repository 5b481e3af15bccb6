import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readBehaviour, subjectOf, takeRule, type Behaviour, type Rule } from './behaviours';
import { openJournal, readJournal } from './journal';
import { startRemote, type Reaction, type Remote } from './remote';

export interface DemoRemote {
  url: string;
  port: number;
  /** Not ready from here on; requests in flight get their answers, held ones are cut. */
  stop: () => Promise<void>;
}

const bodyMaxBytes = 1024 * 1024;
const keepAliveTimeoutMs = 65_000;
const rulesMax = 1_000;
const behaviourHeader = 'demo-behaviour';

interface Reply {
  status: number;
  body: unknown;
}
type Outcome = { kind: 'reply'; reply: Reply } | { kind: 'hang' } | { kind: 'reset' };

export const startDemoRemote = async (options: {
  port: number;
  host?: string;
  dataDir: string;
}): Promise<DemoRemote> => {
  const path = join(options.dataDir, 'journal.jsonl');
  const lines = readJournal(path);
  const journal = await openJournal(path);
  const remote = startRemote(journal, lines);
  const rules: Rule[] = [];
  let stopping = false;
  const inFlight = new Set<Promise<void>>();
  const server = http.createServer((request, response) => {
    const work = handle({ remote, rules, isStopping: () => stopping }, request)
      .catch((error: unknown): Outcome => reply(500, { error: error instanceof Error ? error.message : String(error) }))
      .then((outcome) => carryOut(outcome, request, response));
    inFlight.add(work);
    void work.finally(() => inFlight.delete(work));
  });
  server.keepAliveTimeout = keepAliveTimeoutMs;
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    port,
    stop: async () => {
      stopping = true;
      remote.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.race([Promise.all(inFlight), new Promise((resolve) => setTimeout(resolve, stopGraceMs).unref())]);
      server.closeAllConnections();
      await closed;
      await journal.close();
    },
  };
};

const stopGraceMs = 1_000;

const reply = (status: number, body: unknown): Outcome => ({ kind: 'reply', reply: { status, body } });

const carryOut = (outcome: Outcome, request: http.IncomingMessage, response: http.ServerResponse): void => {
  switch (outcome.kind) {
    case 'hang':
      return;
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'reply':
      response.writeHead(outcome.reply.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(outcome.reply.body));
  }
};

interface Context {
  remote: Remote;
  rules: Rule[];
  isStopping: () => boolean;
}

const handle = async (context: Context, request: http.IncomingMessage): Promise<Outcome> => {
  const path = new URL(request.url ?? '/', 'http://remote').pathname;
  if (request.method === 'GET') return answerGet(context, path);
  if (request.method === 'DELETE') return cancel(context, path);
  if (request.method !== 'POST') return reply(405, { error: 'GET, POST or DELETE' });
  const body = await readBody(request);
  if (body === null) return reply(413, { error: `at most ${bodyMaxBytes} bytes` });
  if (path === '/behaviour') return addRule(context.rules, body);
  const operation = /^\/([A-Za-z0-9._-]{1,128})$/.exec(path)?.[1];
  if (operation === undefined) return reply(404, { error: 'POST /{operation}' });
  return submit(context, request, operation, body);
};

const answerGet = ({ remote, isStopping }: Context, path: string): Outcome => {
  if (path === '/livez') return reply(200, { status: 'ok' });
  if (path === '/readyz') return reply(isStopping() ? 503 : 200, { status: isStopping() ? 'stopping' : 'ok' });
  if (path === '/effects') return reply(200, { items: remote.effects() });
  const key = keyIn(path);
  if (key === null) return reply(404, { error: 'no such page' });
  const found = remote.byKey(key);
  return found === null ? reply(404, { error: 'unknown key' }) : reply(200, found);
};

/** The remote's own cancel: 200 where it dropped what was under way, 409 where it is too late. */
const cancel = async ({ remote }: Context, path: string): Promise<Outcome> => {
  const key = keyIn(path);
  const state = key === null ? null : await remote.cancel(key);
  if (state === null) return reply(404, { error: 'unknown key' });
  return reply(state === 'cancelled' ? 200 : 409, { state });
};

const keyIn = (path: string): string | null => {
  const encoded = /^\/by-key\/([^/]+)$/.exec(path)?.[1];
  return encoded === undefined ? null : decode(encoded);
};

const decode = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

const submit = async (
  { remote, rules }: Context,
  request: http.IncomingMessage,
  operation: string,
  body: Buffer,
): Promise<Outcome> => {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return reply(400, { error: 'Idempotency-Key is missing' });
  const named = request.headers[behaviourHeader] ?? readMembers(body)?.behaviour;
  let behaviour: Behaviour | null;
  if (named === undefined) {
    const repeated = remote.byKey(key) !== null;
    behaviour = (repeated ? null : takeRule(rules, operation, subjectOf(key))) ?? { kind: 'accept' };
  } else {
    behaviour = typeof named === 'string' ? readBehaviour(named) : null;
  }
  if (behaviour === null) return reply(400, { error: `behaviour ${JSON.stringify(named)} is unknown` });
  return outcomeOf(await remote.submit({ key, operation, body }, behaviour));
};

const outcomeOf = (reaction: Reaction): Outcome =>
  reaction.kind === 'answer' ? { kind: 'reply', reply: reaction.answer } : reaction;

const readMembers = (body: Buffer): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};

const addRule = (rules: Rule[], body: Buffer): Outcome => {
  const { match = {}, behaviour: named, times = 1 } = readMembers(body) ?? {};
  const behaviour = typeof named === 'string' ? readBehaviour(named) : null;
  if (behaviour === null) return reply(400, { error: 'behaviour: unknown' });
  if (typeof times !== 'number' || !Number.isInteger(times) || times < 1) {
    return reply(400, { error: 'times: must be a whole number from 1' });
  }
  if (typeof match !== 'object' || match === null) return reply(400, { error: 'match: must be an object' });
  if (rules.length >= rulesMax) return reply(429, { error: 'too many rules' });
  const { operation, subject } = match as Record<string, unknown>;
  const limits = {
    ...(typeof operation === 'string' ? { operation } : {}),
    ...(typeof subject === 'string' ? { subject } : {}),
  };
  rules.push({ match: limits, behaviour, times });
  return reply(201, { match: limits, behaviour: named, times });
};

const readBody = async (request: http.IncomingMessage): Promise<Buffer | null> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > bodyMaxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
