import type { ServerResponse } from 'node:http';
import { A2A_VERSION_HEADER, AgentCard, SSE_HEADERS, formatSSEEvent } from '@a2a-js/sdk';
import { LEGACY_METHOD_TASKS_RESUBSCRIBE } from '@a2a-js/sdk/compat/v0_3';
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256Hex } from '../../platform/canonical';
import type { Auth } from '../../platform/auth';
import type { Http } from '../../platform/http';
import { bodyLimitBytes } from '../../platform/http-bounds';
import type { Logger } from '../../platform/log';
import type { Owner } from '../route-table';
import { authorizationOf } from '../session';
import { contextOf, isLegacy, remember, settleVersion } from './call';
import { cardAt, forBoth, type CardV1 } from './card';
import { openHandler } from './handler';
import { isStream, openJsonRpc, parseError } from './json-rpc';
import { openOwners } from './owners';
import { openRest } from './rest';

const cardMaxAgeSec = 300;
/** Shorter than what proxies wait for on a silent connection. */
const commentEveryMs = 15_000;

/** `request`: each request brings a new message, whatever its id. The compatibility kit uses its ids many times over. */
const identityHeader = 'fairlead-a2a-identity';
const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/a2a+json']);

const unreadable = Symbol('a body that is no JSON');

const header = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const originOf = (request: FastifyRequest): string => {
  const protocol = header(request, 'x-forwarded-proto')?.split(',')[0]?.trim() ?? request.protocol;
  const host = header(request, 'x-forwarded-host')?.split(',')[0]?.trim() ?? header(request, 'host') ?? 'localhost';
  return `${protocol}://${host}`;
};

/** Comments on a stream that is silent, from the moment it turns out to be one. */
const keepAwake = (raw: ServerResponse): void => {
  const timer = setInterval(() => {
    if (raw.headersSent && String(raw.getHeader('content-type')).startsWith('text/event-stream')) raw.write(':\n\n');
  }, commentEveryMs);
  raw.once('close', () => clearInterval(timer));
};

export interface A2a {
  /** Streams never end by themselves; at a stop they are ended, and clients go to another instance. */
  readonly endStreams: () => void;
}

export const a2aRoutes = async (
  app: Http,
  deps: { readonly owners: Readonly<Record<Owner, URL>>; readonly auth: Auth; readonly log: Logger },
): Promise<A2a> => {
  const handler = openHandler(openOwners(deps.owners));
  const jsonRpc = openJsonRpc(handler);
  const rest = openRest(handler);
  const open = new Set<AbortController>();

  const card = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    settleVersion(request.raw.headers, request.url);
    const context = contextOf(request.raw.headers);
    const core = cardAt(originOf(request));
    const legacyCard = new LegacyRestTransportHandler({
      ...handler,
      getAuthenticatedExtendedAgentCard: () => Promise.resolve(core),
    });
    const body = JSON.stringify(
      isLegacy(context)
        ? forBoth(await legacyCard.getAuthenticatedExtendedAgentCard(context), AgentCard.toJSON(core) as CardV1)
        : AgentCard.toJSON(core),
    );
    const etag = `"${sha256Hex(body).slice(0, 32)}"`;
    void reply
      .header('vary', A2A_VERSION_HEADER)
      .header('etag', etag)
      .header('cache-control', `public, max-age=${cardMaxAgeSec}`);
    return request.headers['if-none-match'] === etag
      ? reply.status(304).send()
      : reply.type('application/json').send(body);
  };
  app.get('/.well-known/agent-card.json', card);
  app.get('/a2a/.well-known/agent-card.json', card);
  app.get('/a2a/1.0/.well-known/agent-card.json', card);

  /** Who speaks is checked here once; what it may see is for the owners to say. */
  const begin = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const authorization = authorizationOf(request);
    void reply.header('www-authenticate', 'Bearer');
    const { account } = await deps.auth.verify(authorization);
    void reply.removeHeader('www-authenticate');
    const gone = new AbortController();
    open.add(gone);
    reply.raw.once('close', () => {
      open.delete(gone);
      gone.abort();
    });
    const call = {
      authorization: authorization ?? '',
      account,
      origin: originOf(request),
      references: [],
      newIdentity: header(request, identityHeader) === 'request',
      signal: gone.signal,
    };
    settleVersion(request.raw.headers, request.url);
    remember(request.raw.headers, call);
  };

  const answerRpc = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const context = contextOf(request.raw.headers);
    if (request.body === unreadable || request.body === undefined) return reply.send(parseError);
    const { id = null, method } = request.body as { readonly id?: unknown; readonly method?: unknown };
    const failed = (error: unknown): string =>
      JSON.stringify({ jsonrpc: '2.0', id, error: jsonRpc.errorOf(error, context) });
    const type = header(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
    if (type !== undefined && !jsonTypes.has(type))
      return reply
        .type('application/json')
        .send(failed(new ContentTypeNotSupportedError(`a request is JSON, not ${type}`)));
    const answer = await jsonRpc.handle(request.body, context);
    if (!isStream(answer)) return reply.send(answer);
    // A refusal comes before the stream has begun, as an answer like any other; but clients of the earlier version
    // look for it in the stream when they take one up again.
    const first = await answer.next().catch((error: unknown) => ({ error }));
    const saysInStream = isLegacy(context) && method === LEGACY_METHOD_TASKS_RESUBSCRIBE;
    if ('error' in first && !saysInStream) return reply.type('application/json').send(failed(first.error));
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...SSE_HEADERS });
    keepAwake(raw);
    try {
      if ('error' in first) throw first.error;
      if (first.done !== true) raw.write(formatSSEEvent(first.value));
      for await (const envelope of answer) raw.write(formatSSEEvent(envelope));
    } catch (error) {
      if (!raw.destroyed) {
        if (!('error' in first)) deps.log.warn({ err: error }, 'an A2A stream broke off');
        raw.write(`data: ${failed(error)}\n\n`);
      }
    }
    raw.end();
    return reply;
  };

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: bodyLimitBytes }, (_request, text, done) => {
      try {
        done(null, text === '' ? undefined : (JSON.parse(String(text)) as unknown));
      } catch {
        done(null, unreadable);
      }
    });
    scope.addHook('onRequest', begin);
    scope.post('/a2a', answerRpc);
    scope.all('/a2a/*', (request, reply) => {
      if (request.method === 'POST' && request.url.split('?')[0] === '/a2a/') return answerRpc(request, reply);
      if (request.body === unreadable) {
        return reply.status(400).send({ code: -32700, message: 'the body is not valid JSON' });
      }
      const { raw } = reply;
      reply.hijack();
      keepAwake(raw);
      rest.handle(request.raw, raw, request.body, isLegacy(contextOf(request.raw.headers)));
      return reply;
    });
  });

  return {
    endStreams: () => {
      for (const gone of open) gone.abort();
    },
  };
};
