import { isUtf8 } from 'node:buffer';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import type { Auth, Principal } from './auth';
import { classify, codes, Refusal, type Code } from './errors';
import { bodyLimitBytes, checkBody, waits } from './http-bounds';
import type { Logger } from './log';
import type { Metrics } from './metrics';
import { noTracing, type Span, type Tracing } from './tracing';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal;
    /** The trace this request is part of; null while nothing is traced and the caller brought none. */
    traceparent: string | null;
  }
  interface FastifyContextConfig {
    /** No token: probes, metrics, callbacks that bring their own proof. */
    open?: boolean;
    /** The token must carry one of these roles. */
    roles?: readonly string[];
    /** The body's texts are checked by the service itself, whose refusals are receipts. */
    checksBody?: boolean;
    /** A stream answers whatever cursor comes, so that the address need not be readable text (P3). */
    anyCursor?: boolean;
  }
}

export type Http = FastifyInstance<
  import('fastify').RawServerDefault,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  import('fastify').FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** RFC 9457, with the stable code and, where there is one, the field. */
export const problem = (
  reply: FastifyReply,
  code: Code,
  detail: string,
  field: string | null = null,
  extra: Readonly<Record<string, unknown>> = {},
): FastifyReply => {
  const { http, means } = codes[code];
  return reply
    .status(http)
    .type('application/problem+json')
    .send({
      ...extra,
      type: 'about:blank',
      title: means,
      status: http,
      code,
      detail,
      ...(field === null ? {} : { field }),
    });
};

interface ValidationIssue {
  readonly keyword?: string;
  readonly instancePath?: string;
  readonly message?: string;
  readonly params?: {
    readonly requiredProperties?: readonly string[];
    readonly additionalProperties?: readonly string[];
  };
}

/** Names the field of a failed schema check the way the interface writes it: `choices.0.id`. */
export const issueOf = (issue: ValidationIssue): { readonly code: Code; readonly field: string } => {
  const path = (issue.instancePath ?? '').replace(/^\//, '').replaceAll('/', '.');
  const missing = issue.params?.requiredProperties?.[0];
  const extra = issue.params?.additionalProperties?.[0];
  const join = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (missing !== undefined) return { code: 'field_missing', field: join(missing) };
  if (extra !== undefined) return { code: 'field_not_allowed', field: join(extra) };
  // A member beside the named ones is reported first as failing the schema `false`, under its own path.
  if (issue.keyword === 'boolean') return { code: 'field_not_allowed', field: path };
  return { code: 'field_invalid', field: path === '' ? 'body' : path };
};

/** Whatever else the framework refuses before one of our routes has been asked, say a method that needs a body. */
export const isFaultOfRequest = (error: { readonly code?: string; readonly statusCode?: number }): boolean =>
  error.code?.startsWith('FST_') === true && error.statusCode !== undefined && error.statusCode < serverErrors;

const onError =
  (log: Logger) =>
  (
    error: Error & { code?: string; statusCode?: number; validation?: ValidationIssue[] },
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    if (error instanceof Refusal) return problem(reply, error.code, error.message, error.field, error.extra);
    const issue = error.validation?.[0];
    if (issue !== undefined) {
      const { code, field } = issueOf(issue);
      return problem(reply, code, `${field}: ${issue.message ?? 'is not valid'}`, field);
    }
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
      return problem(reply, 'content_too_large', 'the body is too large', 'body');
    if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
      return problem(reply, 'unsupported_media_type', 'send application/json');
    if (error instanceof SyntaxError || error.code?.startsWith('FST_ERR_CTP_'))
      return problem(reply, 'malformed', 'the body is not valid JSON', 'body');
    if (isFaultOfRequest(error)) return problem(reply, 'malformed', error.message);
    if (classify(error) === 'transient') {
      log.warn({ err: error, path: request.url }, 'a request could not be served now');
      void reply.header('retry-after', '1');
      return problem(reply, 'unavailable', 'a needed part is not there right now; the same request may come again');
    }
    log.error({ err: error, path: request.url }, 'a request failed');
    return problem(reply, 'internal', 'something went wrong here; the log has it under this trace');
  };

export interface HttpDeps {
  readonly service: string;
  readonly auth: Auth;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Throws with the reason while the service cannot do its work. */
  readonly ready: () => Promise<void>;
  readonly beforeMetrics: () => Promise<void>;
  readonly tracing?: Tracing;
  /** While true, new requests are sent elsewhere; those under way are finished. */
  readonly stopping?: () => boolean;
}

/** JSON and nothing else; bytes that are no UTF-8 would be kept as other words than were sent (A17). */
const takeJson = (app: Http): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (isUtf8(bytes)) void parse(request, bytes.toString('utf8'), done);
    else done(new Refusal('malformed', 'the body is not UTF-8', 'body'));
  });
};

/** Each request of a caller is a span; what follows from it belongs to its trace. */
const traceRequests = (app: Http, tracing: Tracing): void => {
  const spans = new WeakMap<FastifyRequest, Span>();
  app.decorateRequest('traceparent', null);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.open !== true && !request.is404) {
      const given = request.headers['traceparent'];
      const span = tracing.start(`${request.method} ${request.routeOptions.url ?? ''}`, {
        kind: 'server',
        parent: typeof given === 'string' ? given : null,
        attributes: { 'http.request.method': request.method, 'http.route': request.routeOptions.url ?? '' },
      });
      spans.set(request, span);
      request.traceparent = span.traceparent;
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(reply.statusCode >= serverErrors ? new Error(`HTTP ${reply.statusCode}`) : undefined);
    done();
  });
};

const serverErrors = 500;

export const openHttp = async (deps: HttpDeps): Promise<Http> => {
  const app = Fastify({
    bodyLimit: bodyLimitBytes,
    ...waits,
    forceCloseConnections: true,
    logger: false,
    routerOptions: { maxParamLength: 1_000 },
    // What the router itself refuses (an address it cannot read, a part too long) is answered like everything else.
    frameworkErrors: (_error, _request, reply) => {
      void problem(reply as unknown as FastifyReply, 'malformed', 'the address cannot be read', 'path');
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as Http;
  app.setValidatorCompiler(TypeBoxValidatorCompiler as never);
  // What is sent is built by our own code; validating it again would cost more than writing it.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler(onError(deps.log) as never);
  app.setNotFoundHandler((request, reply) =>
    problem(reply, 'not_found', `no route ${request.method} ${request.url.split('?')[0] ?? ''}`),
  );
  takeJson(app);
  app.decorateRequest('principal', null as never);
  traceRequests(app, deps.tracing ?? noTracing);
  app.addHook('onRequest', async (request, reply) => {
    // What somebody wrote is never taken for a page because it looks like one.
    void reply.header('x-content-type-options', 'nosniff');
    const { open, roles } = request.routeOptions.config;
    if (open === true || request.is404) return;
    if (deps.stopping?.() === true) throw new Refusal('unavailable', 'this process is stopping');
    // PostgreSQL keeps no NUL, so no id or cursor has one; asked of it, it would be an error of ours.
    const [path = '', query = ''] = request.url.split('?');
    if (path.includes('%00') || (query.includes('%00') && request.routeOptions.config.anyCursor !== true))
      throw new Refusal('malformed', 'the address holds a NUL');
    request.principal = await deps.auth.verify(request.headers.authorization);
    if (roles !== undefined && !roles.some((role) => request.principal.roles.has(role)))
      throw new Refusal('forbidden', `this route needs the role ${roles.join(' or ')}`);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.routeOptions.config.checksBody !== true) checkBody(request.body);
    done();
  });
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: `Fairlead ${deps.service}`, version: '1' } },
  });
  const open = { config: { open: true }, schema: { hide: true } };
  app.get('/livez', open, () => ({ status: 'ok' }));
  app.get('/readyz', open, async (_request, reply) => {
    try {
      await deps.ready();
      return { status: 'ready' };
    } catch (error) {
      return reply
        .status(503)
        .send({ status: 'not ready', reason: error instanceof Error ? error.message : String(error) });
    }
  });
  app.get('/metrics', open, async (_request, reply) => {
    await deps.beforeMetrics();
    return reply.type('text/plain; version=0.0.4').send(await deps.metrics.text());
  });
  app.get('/openapi.json', open, () => app.swagger());
  return app;
};

const defaultLimit = 50;
const maxLimit = 500;

/** `?limit=` and `?after=` of every list. */
export const page = (query: {
  readonly limit?: unknown;
  readonly after?: unknown;
}): { readonly limit: number; readonly after: string | null } => {
  const limit = query.limit === undefined ? defaultLimit : Number(query.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    throw new Refusal('field_invalid', `limit must be from 1 to ${maxLimit}`, 'limit');
  return { limit, after: typeof query.after === 'string' && query.after !== '' ? query.after : null };
};

/** `{items, next}`: ask for one more than the limit; `next` is the cursor of the last item shown, null at the end. */
export const listOf = <T>(
  rows: readonly T[],
  limit: number,
  cursor: (row: T) => string,
): { items: T[]; next: string | null } => {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? cursor(last) : null };
};
