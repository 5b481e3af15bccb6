import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../platform/http';
import { bodyLimitBytes } from '../platform/http-bounds';
import type { Logger } from '../platform/log';

/** Longer than the longest wait a client may ask admission for (30 s). */
const firstByteMs = 60_000;
const maxSockets = 10_000;
const maxIdleSockets = 128;

/** RFC 9110 7.6.1, and what this hop answers for itself. */
const ownToThisHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'cookie',
  'authorization',
]);

const named = (connection: string | undefined): Set<string> =>
  new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));

export interface Proxy {
  /** Passes one request on and its answer back, both as they come; nothing is gathered. */
  pass(
    request: FastifyRequest,
    reply: FastifyReply,
    to: { readonly base: URL; readonly path: string; readonly authorization: string | undefined },
  ): FastifyReply | void;
  /** Event streams never end by themselves; at a stop they are ended, and clients go to another instance. */
  endStreams(): void;
  close(): void;
}

const requestHeaders = (request: FastifyRequest, authorization: string | undefined): http.OutgoingHttpHeaders => {
  const drop = named(request.headers.connection);
  const headers: http.OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(request.headers))
    if (!ownToThisHop.has(name) && !drop.has(name) && value !== undefined) headers[name] = value;
  if (authorization !== undefined) headers['authorization'] = authorization;
  const before = request.headers['x-forwarded-for'];
  headers['x-forwarded-for'] = [before, request.ip].flat().filter(Boolean).join(', ');
  headers['x-forwarded-host'] ??= request.headers.host;
  headers['x-forwarded-proto'] ??= request.protocol;
  return headers;
};

const responseHeaders = (answer: IncomingMessage): string[] => {
  const drop = named(answer.headers.connection);
  const kept: string[] = [];
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    const [name, value] = [answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? ''];
    const lower = name.toLowerCase();
    if (!ownToThisHop.has(lower) && !drop.has(lower)) kept.push(name, value);
  }
  return kept;
};

export const openProxy = (log: Logger, onUnavailable: () => void): Proxy => {
  const options = { keepAlive: true, maxSockets, maxFreeSockets: maxIdleSockets, scheduling: 'lifo' as const };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  const streams = new Set<http.ServerResponse>();

  /** The path goes out as it came in; a URL object would tidy it up into another one. */
  const send = (base: URL, path: string, method: string, headers: http.OutgoingHttpHeaders): ClientRequest => {
    const where = { hostname: base.hostname.replace(/^\[|\]$/g, ''), port: base.port, path, method, headers };
    return base.protocol === 'https:'
      ? https.request({ ...where, agent: agents.https })
      : http.request({ ...where, agent: agents.http });
  };

  const pass: Proxy['pass'] = (request, reply, { base, path, authorization }) => {
    const { raw } = reply;
    const headers = requestHeaders(request, authorization);
    const chunked = request.headers['transfer-encoding'] !== undefined;
    const hasBody = chunked || (request.headers['content-length'] ?? '0') !== '0';
    if (chunked) headers['transfer-encoding'] = 'chunked';
    else if (!hasBody && !['GET', 'HEAD', 'OPTIONS'].includes(request.method)) headers['content-length'] = '0';
    // Said here: an owner that refuses while it is still being written to may close before its answer is read.
    if (Number(request.headers['content-length'] ?? 0) > bodyLimitBytes)
      return void problem(reply, 'content_too_large', 'the body is too large', 'body');
    let gone = false;

    const fail = (error: Error): void => {
      if (gone) return;
      if (raw.headersSent) {
        // Half an answer must not look like a whole one.
        raw.destroy();
        return;
      }
      onUnavailable();
      log.warn({ err: error, owner: base.host, path: path.split('?')[0] }, 'an owner could not be asked');
      void reply.header('retry-after', '1');
      problem(
        reply,
        'unavailable',
        'the service that owns this is not there right now; the same request may come again',
      );
    };

    const attempt = (mayRepeat: boolean): void => {
      const upstream = send(base, `${base.pathname.replace(/\/$/, '')}${path}`, request.method, headers);
      const slow = setTimeout(() => upstream.destroy(new Error('no answer in time')), firstByteMs);
      raw.once('close', () => {
        clearTimeout(slow);
        gone = !raw.writableFinished;
        if (gone) upstream.destroy();
      });
      upstream.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(slow);
        // The owner closed an idle connection just as it was taken up again; nothing was asked yet.
        if (mayRepeat && !gone && upstream.reusedSocket && error.code === 'ECONNRESET' && !raw.headersSent)
          return attempt(false);
        fail(error);
      });
      upstream.on('response', (answer) => {
        clearTimeout(slow);
        reply.hijack();
        raw.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', responseHeaders(answer));
        raw.flushHeaders();
        if ((answer.headers['content-type'] ?? '').startsWith('text/event-stream')) {
          streams.add(raw);
          raw.once('close', () => streams.delete(raw));
        }
        answer.on('error', fail);
        answer.on('aborted', () => fail(new Error('the owner broke off its answer')));
        answer.pipe(raw);
      });
      if (hasBody) request.raw.pipe(upstream);
      else upstream.end();
    };
    // An owner may answer before it has read all; what is left of the body would block the connection's next request.
    raw.once('finish', () => request.raw.unpipe().resume());
    attempt(!hasBody && (request.method === 'GET' || request.method === 'HEAD'));
  };

  return {
    pass,
    endStreams: () => {
      for (const raw of streams) raw.end();
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
};
