import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { checkText, checkValue } from '../platform/content';
import { Refusal } from '../platform/errors';
import { openEventStream } from '../platform/event-stream';
import { listOf, page, problem, type Http } from '../platform/http';
import type { Api } from '../platform/service';
import { mayRead } from './answer';
import type { Reply } from './decide';
import { interactionSchema, interactionsSchema } from './answers';
import type { Inbox } from './inbox';
import { itemOf } from './item';
import type { Actor, Answer, AnyMessage } from './messages';
import type { Published } from './state';
import { cursorOf, inboxOf, oneOf, previewOf } from './store';

const maxTextBytes = 256 * 1024;
const maxValueBytes = 64 * 1024;
const maxValueDepth = 64;
const strict = { additionalProperties: false };

const refParams = Type.Object({ ref: Type.String({ minLength: 1, maxLength: 200 }) });
const text = Type.Union([Type.String(), Type.Null()]);
const sha256 = Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()]);

const responseBody = Type.Object(
  {
    requestRevision: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    clientResponseId: Type.String({ pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._:-]{1,128}$' }),
    text: Type.Optional(text),
    choice: Type.Optional(Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()])),
    value: Type.Optional(Type.Unknown()),
    decision: Type.Optional(Type.Union([Type.Literal('approve'), Type.Literal('deny'), Type.Null()])),
    previewSha256: Type.Optional(sha256),
  },
  strict,
);

const listQuery = Type.Object(
  {
    state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('answered'), Type.Literal('closed')])),
    conversationId: Type.Optional(Type.String({ maxLength: 128 })),
    limit: Type.Optional(Type.String()),
    after: Type.Optional(Type.String({ maxLength: 300 })),
  },
  strict,
);

export const actorOf = (request: FastifyRequest): Actor => ({
  tenant: request.principal.tenant,
  account: request.principal.account,
  roles: [...request.principal.roles],
});

export const answerOf = (body: Static<typeof responseBody>): Answer => {
  for (const name of ['text', 'choice'] as const) checkText(body[name] ?? '', name, maxTextBytes);
  checkValue(body.value, 'value', maxValueBytes, maxValueDepth);
  // Null is "not given", as in every other field.
  const value = body.value == null ? null : JSON.stringify(body.value);
  if (value !== null && Buffer.byteLength(value) > maxValueBytes)
    throw new Refusal('content_too_large', `value may have ${maxValueBytes} bytes`, 'value');
  return {
    requestRevision: body.requestRevision,
    clientResponseId: body.clientResponseId,
    text: body.text ?? null,
    choice: body.choice ?? null,
    value,
    decision: body.decision ?? null,
    previewSha256: body.previewSha256 ?? null,
  };
};

const answerWith = (reply: FastifyReply, outcome: Reply): FastifyReply =>
  outcome.type === 'no'
    ? problem(reply, outcome.code, outcome.why, outcome.field)
    : reply.status(outcome.created ? 201 : 200).send(outcome.item);

export const routes =
  (inbox: () => Inbox, observeAnswer: (seconds: number) => void) =>
  (app: Http, api: Api<AnyMessage>): void => {
    const readable = async (request: FastifyRequest, ref: string): Promise<Published> => {
      const state = await oneOf(api.pool, ref);
      if (state === undefined || !mayRead(state, actorOf(request)))
        throw new Refusal('unknown_interaction', 'no such interaction for this account');
      return state;
    };

    app.get(
      '/v1/interactions',
      { schema: { querystring: listQuery, response: { 200: interactionsSchema } } },
      async (request) => {
        const { limit, after } = page(request.query);
        if (after !== null && !/^\d{1,15}\../.test(after))
          throw new Refusal('field_invalid', 'after must be the next of an earlier list', 'after');
        const { state = null, conversationId = null } = request.query;
        const rows = await inboxOf(api.pool, actorOf(request), { state, conversationId, after, limit: limit + 1 });
        const { items, next } = listOf(rows, limit, cursorOf);
        return { items: items.map((row) => itemOf(row.state)), next };
      },
    );

    app.get(
      '/v1/interactions/:ref',
      { schema: { params: refParams, response: { 200: interactionSchema } } },
      async (request) => itemOf(await readable(request, request.params.ref)),
    );

    app.get('/v1/interactions/:ref/preview', { schema: { params: refParams } }, async (request, reply) => {
      const { asked, purgedAt } = await readable(request, request.params.ref);
      if (purgedAt !== undefined) throw new Refusal('content_purged', 'the preview was purged');
      const preview = await previewOf(api.pool, asked.interactionRef, asked.requestRevision);
      if (preview === undefined) throw new Refusal('not_found', 'this interaction has no preview');
      const etag = `"${preview.sha256}"`;
      void reply.header('etag', etag).header('cache-control', 'private, no-cache');
      if (request.headers['if-none-match'] === etag) return reply.status(304).send();
      return reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(preview.bytes);
    });

    app.post(
      '/v1/interactions/:ref/responses',
      {
        schema: {
          params: refParams,
          body: responseBody,
          response: { 200: interactionSchema, 201: interactionSchema },
        },
      },
      async (request, reply) => {
        const started = process.hrtime.bigint();
        const message: AnyMessage = {
          type: 'respond',
          ref: request.params.ref,
          actor: actorOf(request),
          answer: answerOf(request.body),
        };
        const outcome = (await api.submit(message)) as Reply;
        observeAnswer(Number(process.hrtime.bigint() - started) / 1e9);
        return answerWith(reply, outcome);
      },
    );

    for (const type of ['seen', 'claim'] as const)
      app.post(
        `/v1/interactions/:ref/${type}`,
        { schema: { params: refParams, response: { 200: interactionSchema } } },
        async (request, reply) =>
          answerWith(reply, (await api.submit({ type, ref: request.params.ref, actor: actorOf(request) })) as Reply),
      );

    app.get('/v1/inbox/events', { exposeHeadRoute: false, config: { anyCursor: true } }, async (request, reply) => {
      await inbox().join(actorOf(request), openEventStream(reply));
    });
  };
