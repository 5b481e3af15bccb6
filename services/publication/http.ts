import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Refusal } from '../platform/errors';
import { openEventStream } from '../platform/event-stream';
import { listOf, page, type Http } from '../platform/http';
import type { Api } from '../platform/service';
import { conversationsSchema, snapshotSchema } from './answers';
import type { AnyMessage } from './messages';
import { maxReaders, startOf, type Readers } from './readers';
import { conversationItem, snapshotOf } from './snapshot';
import type { Stream } from './state';
import {
  conversationOf,
  conversationsOf,
  mayRead,
  rowsAfter,
  runFactOf,
  type Known,
  type Reader,
  type Scope,
} from './store';
import { streamIdOf } from './timeline';

const conversationParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 128 }) });
const runParams = Type.Object({ runId: Type.String({ minLength: 1, maxLength: 200 }) });
const pageQuery = Type.Object({
  limit: Type.Optional(Type.String()),
  after: Type.Optional(Type.String({ maxLength: 300 })),
});
/** Any text will do, or several: what is no cursor of ours is answered with a snapshot (P3). */
const eventsQuery = Type.Object({ after: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])) });

export const readerOf = (request: FastifyRequest): Reader => ({
  tenant: request.principal.tenant,
  account: request.principal.account,
  operator: request.principal.roles.has('operator'),
});

/** A browser that reconnects says it in the header; a first request can only say it in the address. */
const cursorOf = (request: FastifyRequest): string | null => {
  const header = request.headers['last-event-id'];
  if (typeof header === 'string' && header !== '') return header;
  const { after } = request.query as { after?: string | string[] };
  return after === undefined || after === '' ? null : String(after);
};

export const routes =
  (readers: () => Readers) =>
  (app: Http, api: Api<AnyMessage>): void => {
    const conversation = async (request: FastifyRequest, id: string): Promise<Known<Stream>> => {
      const found = await conversationOf(api.pool, readerOf(request), id);
      if (found === undefined) throw new Refusal('unknown_conversation', 'no such conversation for this account');
      return found;
    };

    const follow = async (
      request: FastifyRequest,
      reply: FastifyReply,
      scope: Scope,
      ended: boolean,
    ): Promise<FastifyReply | void> => {
      if (readers().count() >= maxReaders) throw new Refusal('unavailable', 'too many clients listen here already');
      const cursor = cursorOf(request);
      const start = await startOf(api.pool, scope, cursor);
      // A browser reconnects to whatever ends; 204 tells it that nothing more will come.
      if (ended && cursor !== null && start.type === 'after')
        if ((await rowsAfter(api.pool, scope, start.seq, { rows: 1, bytes: 1 })).length === 0)
          return reply.status(204).send();
      await readers().join(scope, openEventStream(reply), start, ended);
    };

    app.get(
      '/v1/conversations',
      { schema: { querystring: pageQuery, response: { 200: conversationsSchema } } },
      async (request) => {
        const { limit, after } = page(request.query);
        const [, at, id] = /^(\d{1,15})\.(.+)$/.exec(after ?? '') ?? [];
        if (after !== null && (at === undefined || id === undefined))
          throw new Refusal('field_invalid', 'after must be the next of an earlier list', 'after');
        const from = at === undefined || id === undefined ? null : { at: Number(at), id };
        const rows = await conversationsOf(api.pool, readerOf(request), limit + 1, from);
        const { items, next } = listOf(rows, limit, (row) => `${row.state.updatedAt}.${row.id}`);
        return { items: items.map((row) => conversationItem(row.state)), next };
      },
    );

    app.get(
      '/v1/conversations/:id/snapshot',
      { schema: { params: conversationParams, response: { 200: snapshotSchema } } },
      async (request, reply) => {
        const found = await conversation(request, request.params.id);
        const { json } = await snapshotOf(api.pool, { stream: found.id, by: 'conversation', runId: null });
        return reply.type('application/json; charset=utf-8').header('cache-control', 'no-store').send(json);
      },
    );

    const listens = { exposeHeadRoute: false, config: { anyCursor: true } };
    app.get(
      '/v1/conversations/:id/events',
      { ...listens, schema: { params: conversationParams, querystring: eventsQuery } },
      async (request, reply) => {
        const found = await conversation(request, request.params.id);
        return follow(request, reply, { stream: found.id, by: 'conversation', runId: null }, false);
      },
    );

    app.get(
      '/v1/runs/:runId/events',
      { ...listens, schema: { params: runParams, querystring: eventsQuery } },
      async (request, reply) => {
        const { runId } = request.params;
        const reader = readerOf(request);
        const run = await runFactOf(api.pool, reader.tenant, runId);
        if (run === undefined || !mayRead(run, reader))
          throw new Refusal('unknown_run', 'no such run for this account');
        return follow(request, reply, { stream: run.stream, by: 'conversation', runId }, run.ended);
      },
    );

    app.get('/v1/account/events', { ...listens, schema: { querystring: eventsQuery } }, async (request, reply) => {
      const { tenant, account } = request.principal;
      return follow(request, reply, { stream: streamIdOf(tenant, account, null), by: 'account', runId: null }, false);
    });
  };
