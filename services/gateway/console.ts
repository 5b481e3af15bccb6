import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Http } from '../platform/http';

/** Only files of this address; no inline script, no inline style in the markup, nothing of anybody else. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');
const assetMaxAgeSec = 31_536_000;

export interface Console {
  /** True when the page was sent: an address of the console itself, opened or reloaded in a browser. */
  readonly page: (request: FastifyRequest, reply: FastifyReply) => boolean;
}

const ownAddresses = /^\/(v1|a2a|\.well-known|session|assets|livez|readyz|metrics|openapi\.json)(\/|$)/;

/** Serves the console's files as they were built. Assets carry their hash in the name; the page that names them is never kept. */
export const openConsole = async (app: Http, folder: string): Promise<Console> => {
  if (!existsSync(join(folder, 'index.html'))) return { page: () => false };
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/assets/',
    index: false,
    maxAge: assetMaxAgeSec * 1_000,
    immutable: true,
    preCompressed: true,
    setHeaders: (reply) => void reply.setHeader('x-content-type-options', 'nosniff'),
  });
  const send = (reply: FastifyReply): void =>
    void reply
      .header('content-security-policy', contentSecurityPolicy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
      .sendFile('index.html', folder, { cacheControl: false, etag: false, lastModified: false });
  app.get('/', (_request, reply) => {
    void reply.header('cache-control', 'no-store');
    send(reply);
  });
  return {
    page: (request, reply) => {
      const [path = ''] = request.url.split('?');
      const wantsPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
      if (!wantsPage || ownAddresses.test(path)) return false;
      void reply.header('cache-control', 'no-store');
      send(reply);
      return true;
    },
  };
};
