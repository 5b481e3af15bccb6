import { Type } from 'typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../platform/errors';
import { listOf, page, problem, type Http } from '../platform/http';
import type { Api } from '../platform/service';
import { checkText } from '../platform/content';
import { actionSchema, actionsSchema } from './answers';
import type { Attestation } from './decide-evidence';
import type { Message } from './messages';
import { statuses, type Action } from './state';
import { cursorOf, listActions, readAction, type Reader, type StoredAction } from './store';

const maxEvidenceBytes = 10_000;

export const keyParams = Type.Object({ actionKey: Type.String({ minLength: 1, maxLength: 600 }) });
const text = Type.Optional(Type.String({ maxLength: 200 }));
const listQuery = Type.Object({
  state: Type.Optional(Type.Union(statuses.map((status) => Type.Literal(status)))),
  runId: text,
  connector: text,
  subject: text,
  limit: Type.Optional(Type.String()),
  after: Type.Optional(Type.String()),
});
const attestation = Type.Object(
  {
    outcome: Type.Union([Type.Literal('succeeded'), Type.Literal('failed')]),
    evidence: Type.String({ minLength: 1 }),
  },
  { additionalProperties: false },
);

const instant = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

interface Link {
  readonly kind: 'compensates' | 'compensated_by';
  readonly actionKey: string;
}

const linksOf = ({ compensation, compensatedBy = [] }: Action): Link[] => [
  ...(compensation == null ? [] : [{ kind: 'compensates' as const, actionKey: compensation.of }]),
  ...compensatedBy.map((actionKey) => ({ kind: 'compensated_by' as const, actionKey })),
];

const cancelOf = ({ cancel }: Action): Record<string, unknown> | null =>
  cancel == null
    ? null
    : {
        requestedAt: instant(cancel.requestedAt),
        tries: cancel.tries,
        answeredAt: instant(cancel.answeredAt),
        httpStatus: cancel.httpStatus,
        confirmedAt: instant(cancel.confirmedAt),
      };

export const itemOf = ({ action, revision }: StoredAction): Record<string, unknown> => ({
  actionKey: action.actionKey,
  connector: action.connector,
  operation: action.operation,
  subject: action.subject,
  revision,
  state: action.standing.status,
  code: action.code,
  runId: action.runId,
  conversationId: action.conversationId,
  taskId: action.taskId,
  proposalId: action.proposalId,
  requirementsVersion: action.requirementsVersion,
  requestSha256: action.request.sha256,
  target: { method: action.request.method, url: action.request.url },
  openedAt: instant(action.openedAt),
  approval:
    action.approval === null
      ? null
      : {
          interactionRef: action.approval.interactionRef,
          previewSha256: action.approval.previewSha256,
          decision: action.approval.decision,
          by: action.approval.by,
          at: instant(action.approval.at),
          expiresAt: instant(action.approval.expiresAt),
          adoptedBy: action.approval.adoptedBy,
        },
  attempts: action.attempts.map(({ number, outcome, code, sendBy, startedAt, endedAt, httpStatus, body, headers }) => ({
    number,
    outcome,
    code,
    sendBy: instant(sendBy),
    startedAt: instant(startedAt),
    endedAt: instant(endedAt),
    httpStatus,
    body,
    headers: headers ?? null,
  })),
  queries: action.queries.count,
  evidence: action.evidence.map((one) => ({ ...one, at: instant(one.at) })),
  links: linksOf(action),
  cancel: cancelOf(action),
  purgedAt: instant(action.purgedAt ?? null),
});

const readerOf = ({ principal }: FastifyRequest): Reader => ({
  tenant: principal.tenant,
  account: principal.roles.has('operator') ? null : principal.account,
});

export const notThere = (reply: FastifyReply, actionKey: string): FastifyReply =>
  problem(reply, 'unknown_action', `no action ${actionKey}`);

export const operator = { roles: ['operator'] };

export const routes = (app: Http, api: Api<Message>): void => {
  app.get('/v1/actions', { schema: { querystring: listQuery, response: { 200: actionsSchema } } }, async (request) => {
    const { query } = request;
    const wanted = page(query);
    const found = await listActions(api.pool, readerOf(request), query, wanted);
    if (found === null) throw new Refusal('field_invalid', 'after is not a cursor of this list', 'after');
    const list = listOf(found, wanted.limit, cursorOf);
    return { items: list.items.map(itemOf), next: list.next };
  });

  app.get(
    '/v1/actions/:actionKey',
    { schema: { params: keyParams, response: { 200: actionSchema } } },
    async (request, reply) => {
      const found = await readAction(api.pool, readerOf(request), request.params.actionKey);
      return found === null ? notThere(reply, request.params.actionKey) : itemOf(found);
    },
  );

  app.post(
    '/v1/actions/:actionKey/attestations',
    {
      config: operator,
      schema: { params: keyParams, body: attestation, response: { 200: actionSchema, 201: actionSchema } },
    },
    async (request, reply) => {
      const { actionKey } = request.params;
      const { tenant, account } = request.principal;
      checkText(request.body.evidence, 'evidence', maxEvidenceBytes);
      const said = (await api.submit({ type: 'attest', actionKey, tenant, account, ...request.body })) as Attestation;
      if (said === 'unknown_action') return notThere(reply, actionKey);
      const found = await readAction(api.pool, { tenant, account: null }, actionKey);
      if (found === null) return notThere(reply, actionKey);
      if (said === 'not_attestable')
        return problem(reply, 'action_not_attestable', `${actionKey} is ${found.action.standing.status}`);
      return reply.status(said === 'recorded' ? 201 : 200).send(itemOf(found));
    },
  );

  app.post(
    '/v1/actions/:actionKey/queries',
    { config: operator, schema: { params: keyParams, response: { 202: actionSchema } } },
    async (request, reply) => {
      const { actionKey } = request.params;
      const { tenant } = request.principal;
      const said = await api.submit({ type: 'ask_again', actionKey, tenant });
      if (said === 'unknown_action') return notThere(reply, actionKey);
      const found = await readAction(api.pool, { tenant, account: null }, actionKey);
      if (found === null) return notThere(reply, actionKey);
      if (said === 'not_askable')
        return problem(
          reply,
          'action_not_attestable',
          `${actionKey} is ${found.action.standing.status}, or its connector has no receipt route`,
        );
      return reply.status(202).send(itemOf(found));
    },
  );
};
