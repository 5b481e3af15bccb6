import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { ReceiptIssued } from '../../schemas/generated/records';
import type { Tick } from '../platform/decision';
import { noTrace, type Trace } from '../platform/decision';
import { Refusal } from '../platform/errors';
import { problem, type Http } from '../platform/http';
import { idsOf } from '../platform/identity';
import type { Api } from '../platform/service';
import { fieldsOfBody } from './fields';
import type { Answer, Inbound } from './messages';
import { isCode } from './receipts';
import { bodySchema, receiptSchema } from './http-schemas';
import type { RateLimits } from './rate-limits';
import { readReceipt } from './store';
import { prepare, type Submit } from './submission';
import { issue } from './validate';
import type { Waiters } from './waiters';

const defaultWaitSec = 2;
const maxWaitSec = 30;

/** RFC 7240; what cannot be read is only a preference and counts as not given. */
export const waitMsOf = (prefer: string | string[] | undefined): number => {
  const text = Array.isArray(prefer) ? prefer.join(',') : (prefer ?? '');
  const seconds = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,6})"?\s*(?:$|[,;])/i.exec(text)?.[1];
  return Math.min(seconds === undefined ? defaultWaitSec : Number(seconds), maxWaitSec) * 1_000;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** A receipt as JSON: times as text, relation in lower case, structured values as what they are. */
export const receiptJson = (receipt: ReceiptIssued): Record<string, unknown> => ({
  ...receipt,
  occurredAt: new Date(receipt.occurredAt).toISOString(),
  relation: receipt.relation?.toLowerCase() ?? null,
  effectiveRequirements:
    receipt.effectiveRequirements === null
      ? null
      : { ...receipt.effectiveRequirements, structured: parsed(receipt.effectiveRequirements.structured) },
  progress: receipt.progress === null ? null : { ...receipt.progress, waitingFor: parsed(receipt.progress.waitingFor) },
});

const send = (reply: FastifyReply, { receipt, http, retryAfterSec }: Answer): FastifyReply => {
  const json = receiptJson(receipt);
  if (http < 400) return reply.status(http).send(json);
  const { code, field, detail, status } = receipt;
  if (retryAfterSec !== undefined) void reply.header('retry-after', String(retryAfterSec));
  return problem(reply, isCode(code) ? code : 'internal', detail ?? code ?? status, field, {
    ...json,
    receiptStatus: status,
  });
};

interface PostRequest {
  readonly params: { readonly conversationId: string };
  readonly body: unknown;
}

/** `Idempotency-Key` names the message as the body's `clientMessageId` does, quoted or not. */
const keyOf = (request: FastifyRequest): string | null => {
  const header = request.headers['idempotency-key'];
  return typeof header === 'string' && header !== '' ? header.replace(/^"(.*)"$/, '$1') : null;
};

const submitOf = (request: FastifyRequest): Submit => {
  const { params, body } = request as unknown as PostRequest;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal('malformed', 'the body must be a JSON object', 'body');
  const key = keyOf(request);
  const given = (body as Record<string, unknown>)['clientMessageId'] ?? null;
  const { fields, unknownField } = fieldsOfBody(params.conversationId, {
    ...body,
    clientMessageId: given ?? key,
  });
  const { tenant, app, account } = request.principal;
  const twoNames = key !== null && given !== null && given !== key;
  return prepare(
    {
      tenant,
      app,
      account,
      requestEventId: null,
      deliveryId: `http/${randomUUID()}`,
      // Two different names: neither is taken, so neither identity is touched.
      trouble: twoNames
        ? issue('field_invalid', 'clientMessageId', 'clientMessageId: differs from the Idempotency-Key')
        : null,
    },
    fields,
    { unknownField },
  );
};

const traceOf = (request: FastifyRequest): Trace => ({ ...noTrace, traceparent: request.traceparent });

/** The one who waited for the receipt of a repeat is told that it is a repeat. */
const asRepeat = (settled: Answer, first: Answer): Answer => ({
  http: settled.http,
  receipt: {
    ...settled.receipt,
    duplicate: true,
    eventId: first.receipt.eventId,
    requestEventId: first.receipt.requestEventId,
  },
});

export const routes = (app: Http, api: Api<Inbound | Tick>, waiters: Waiters, limits: RateLimits): void => {
  app.post(
    '/v1/conversations/:conversationId/messages',
    {
      schema: {
        summary: 'Submit a message',
        params: Type.Object({ conversationId: Type.String() }),
        body: bodySchema,
        response: { 200: receiptSchema, 201: receiptSchema, 202: receiptSchema },
      },
      // The body is checked by the same code as records of the ingress, so that both channels refuse alike.
      validatorCompiler: () => () => true,
      config: { checksBody: true },
    },
    async (request, reply) => {
      const submit = await limits.limited(submitOf(request));
      const first = (await api.submit(submit, traceOf(request))) as Answer;
      if (first.http !== 202 || first.receipt.messageId === null) return send(reply, first);
      const settled = await waiters.wait(first.receipt.messageId, waitMsOf(request.headers.prefer));
      if (settled === null) return send(reply, first);
      return send(reply, first.receipt.duplicate ? asRepeat(settled, first) : settled);
    },
  );

  app.get(
    '/v1/conversations/:conversationId/messages/:clientMessageId',
    {
      schema: {
        summary: 'The newest receipt of a message',
        params: Type.Object({ conversationId: Type.String(), clientMessageId: Type.String() }),
        response: { 200: receiptSchema },
      },
    },
    async (request, reply) => {
      const { conversationId, clientMessageId } = request.params;
      const { tenant, app: appName, account } = request.principal;
      const { messageId } = idsOf({ tenant, app: appName, account, clientMessageId });
      const found = await readReceipt(api.pool, messageId);
      if (found === null || found.receipt.conversationId !== conversationId)
        return problem(reply, 'unknown_message', 'no message of this id is stored in this conversation');
      return reply.status(200).send(receiptJson(found.receipt) as never);
    },
  );
};
