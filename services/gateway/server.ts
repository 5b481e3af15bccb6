import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import type { Auth } from '../platform/auth';
import { classify, Refusal } from '../platform/errors';
import { isFaultOfRequest, issueOf, problem, type Http } from '../platform/http';
import { waits } from '../platform/http-bounds';
import type { Logger } from '../platform/log';
import type { Metrics } from '../platform/metrics';
import { a2aRoutes } from './a2a/routes';
import { openConsole } from './console';
import { openapiOf } from './openapi';
import { openProxy } from './proxy';
import { routeOf, type Owner } from './route-table';
import { authorizationOf, sessionRoutes } from './session';

const sessionBodyBytes = 16 * 1024;

export interface GatewayDeps {
  readonly owners: Readonly<Record<Owner, URL>>;
  /** Where the built console lies. */
  readonly consoleFolder: string;
  readonly auth: Auth;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface Gateway {
  readonly app: Http;
  /** Not ready at once, streams ended, answers under way finished within the time given. */
  readonly stop: (graceMs: number) => Promise<void>;
}

export const openGateway = async ({ owners, consoleFolder, auth, log, metrics }: GatewayDeps): Promise<Gateway> => {
  let stopping = false;
  const passed = metrics.counter('fairlead_gateway_requests_total', 'Requests passed on to their owner');
  const unavailable = metrics.counter('fairlead_gateway_unavailable_total', 'Requests whose owner did not answer');
  const proxy = openProxy(log, () => unavailable.inc());

  const app = Fastify({
    bodyLimit: sessionBodyBytes,
    ...waits,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    logger: false,
    frameworkErrors: (error, _request, reply) => {
      void problem(reply as FastifyReply, 'malformed', error.message);
    },
  }) as unknown as Http;
  app.setValidatorCompiler(TypeBoxValidatorCompiler as never);
  const missing = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    problem(reply, 'not_found', `no route ${request.method} ${request.url.split('?')[0] ?? ''}`);
  app.setErrorHandler(
    (
      error: Error & { code?: string; statusCode?: number; validation?: Parameters<typeof issueOf>[0][] },
      request,
      reply,
    ) => {
      if (error instanceof Refusal) return problem(reply, error.code, error.message, error.field);
      const issue = error.validation?.[0];
      if (issue !== undefined) {
        const { code, field } = issueOf(issue);
        return problem(reply, code, `${field} is not as it should be`, field);
      }
      if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
        return problem(reply, 'content_too_large', 'the body is too large');
      if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
        return problem(reply, 'unsupported_media_type', 'send application/json');
      if (error instanceof SyntaxError || error.code?.startsWith('FST_ERR_CTP_') === true)
        return problem(reply, 'malformed', 'the body is not valid JSON', 'body');
      // A path that leads out of the folder of files; such a file is not there.
      if (error.statusCode === 403 || error.statusCode === 404) return missing(request, reply);
      if (isFaultOfRequest(error)) return problem(reply, 'malformed', error.message);
      if (classify(error) === 'transient') return problem(reply, 'unavailable', 'a needed part is not there right now');
      log.error({ err: error, path: request.url }, 'a request failed');
      return problem(reply, 'internal', 'something went wrong here');
    },
  );
  const console = await openConsole(app, consoleFolder);
  app.setNotFoundHandler((request, reply) => (console.page(request, reply) ? reply : missing(request, reply)));

  app.get('/livez', () => ({ status: 'ok' }));
  app.get('/readyz', (_request, reply) =>
    stopping ? reply.status(503).send({ status: 'not ready', reason: 'stopping' }) : reply.send({ status: 'ready' }),
  );
  app.get('/metrics', async (_request, reply) => reply.type('text/plain; version=0.0.4').send(await metrics.text()));
  app.get('/openapi.json', () => openapiOf(owners));
  const a2a = await a2aRoutes(app, { owners, auth, log });
  sessionRoutes(app, auth);

  await app.register(async (scope) => {
    // Bodies go through as they come; nothing here reads them.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.all('/v1/*', (request, reply) => {
      const [path = '', ...rest] = request.url.split('?');
      const route = routeOf(path);
      if (route === null) {
        missing(request, reply);
        return;
      }
      const authorization = authorizationOf(request);
      passed.inc();
      const query = rest.length === 0 ? '' : `?${rest.join('?')}`;
      proxy.pass(request, reply, { base: owners[route.owner], path: `${route.path}${query}`, authorization });
    });
  });

  return {
    app,
    stop: async (graceMs) => {
      stopping = true;
      proxy.endStreams();
      a2a.endStreams();
      const late = setTimeout(() => app.server.closeAllConnections(), graceMs);
      await app.close();
      clearTimeout(late);
      proxy.close();
    },
  };
};
