import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { checkValue } from '../platform/content';
import { Refusal } from '../platform/errors';
import { problem, type Http } from '../platform/http';
import { pause } from '../platform/pause';
import { query } from '../platform/postgres';
import type { Api } from '../platform/service';
import { actionSchema, askedSchema, pausedSchema } from './answers';
import type { CompensationAnswer } from './decide-compensate';
import { itemOf, keyParams, notThere, operator } from './http';
import type { Message } from './messages';
import { pauseConnector, resumeConnector, settledMs } from './pace-lease';
import { fenceIdOf } from './state';
import { openOf, readAction } from './store';

const maxParamsDepth = 64;
const maxParamsBytes = 64 * 1024;
/** Actions of a connector that one request asks about or releases; the rest needs another. */
const maxAtOnce = 20_000;
/** So many are decided together, so that people's requests come in between. */
const chunk = 200;

const compensation = Type.Object(
  { operation: Type.String(), subject: Type.String(), params: Type.Unknown() },
  { additionalProperties: false },
);
const nameParams = Type.Object({ name: Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' }) });
const reason = Type.Union([
  Type.Object({ reason: Type.Optional(Type.String({ maxLength: 1_000 })) }, { additionalProperties: false }),
  Type.Null(),
]);
const steering = { roles: ['operator', 'platform-operator'] };

export interface OperateDeps {
  readonly tenantOf: (connector: string) => string | null;
  /** Looks again which connectors are paused. */
  readonly look: () => Promise<void>;
}

const refusal = (reply: FastifyReply, said: Extract<CompensationAnswer, { kind: 'refused' }>): FastifyReply =>
  problem(reply, said.code, said.detail, said.field);

/** What operators do about actions and connectors besides reading and attesting. */
export const operateRoutes = (app: Http, api: Api<Message>, deps: OperateDeps): void => {
  app.post(
    '/v1/actions/:actionKey/compensations',
    {
      config: operator,
      schema: { params: keyParams, body: compensation, response: { 200: actionSchema, 201: actionSchema } },
    },
    async (request, reply) => {
      const { actionKey } = request.params;
      const { tenant, account } = request.principal;
      const { operation, subject, params } = request.body;
      checkValue(params, 'params', maxParamsBytes, maxParamsDepth);
      const wish = { type: 'compensate', actionKey, tenant, account, operation, subject } as const;
      const said = (await api.submit({ ...wish, params: JSON.stringify(params) })) as CompensationAnswer;
      if (said.kind === 'unknown_action') return notThere(reply, actionKey);
      if (said.kind === 'refused') return refusal(reply, said);
      const found = await readAction(api.pool, { tenant, account: null }, said.actionKey);
      if (found === null) return notThere(reply, said.actionKey);
      return reply.status(said.kind === 'opened' ? 201 : 200).send(itemOf(found));
    },
  );

  const audit = ({ principal }: FastifyRequest, action: string, ref: string, why: string | null): Promise<unknown> =>
    query(api.pool, 'INSERT INTO audit (account, action, ref, reason) VALUES ($1, $2, $3, $4)', [
      `${principal.tenant}/${principal.account}`,
      action,
      ref,
      why,
    ]);

  /** A connector belongs to one tenant; to the operators of another it does not exist. */
  const tenantFor = (request: FastifyRequest, name: string): string => {
    const tenant = deps.tenantOf(name);
    const { principal } = request;
    if (tenant === null || (tenant !== principal.tenant && !principal.roles.has('platform-operator')))
      throw new Refusal('not_found', `no connector ${name}`);
    return tenant;
  };

  const eachOf = async (
    connector: string,
    states: readonly string[],
    message: (actionKey: string, fenceId: string) => Message,
  ): Promise<number> => {
    const found = await openOf(api.pool, connector, states, maxAtOnce);
    for (let from = 0; from < found.length; from += chunk)
      await Promise.all(
        found.slice(from, from + chunk).map((action) => api.submit(message(action.actionKey, fenceIdOf(action)))),
      );
    return found.length;
  };

  app.post(
    '/v1/ops/connectors/:name/pause',
    { config: steering, schema: { params: nameParams, body: reason, response: { 200: pausedSchema } } },
    async (request) => {
      const { name } = request.params;
      tenantFor(request, name);
      const why = request.body?.reason ?? null;
      await pauseConnector(api.pool, name, request.principal.account, why);
      await audit(request, 'connector.pause', name, why);
      await deps.look();
      // What was handed out before is used up or void by then: after the answer nothing new goes out.
      await pause(settledMs);
      return { connector: name, paused: true };
    },
  );

  app.post(
    '/v1/ops/connectors/:name/resume',
    { config: steering, schema: { params: nameParams, body: reason, response: { 200: pausedSchema } } },
    async (request) => {
      const { name } = request.params;
      tenantFor(request, name);
      await resumeConnector(api.pool, name);
      await audit(request, 'connector.resume', name, request.body?.reason ?? null);
      await deps.look();
      const released = await eachOf(name, ['admitted'], (actionKey, runId) => ({ type: 'released', actionKey, runId }));
      return { connector: name, paused: false, released };
    },
  );

  app.post(
    '/v1/ops/connectors/:name/queries',
    { config: steering, schema: { params: nameParams, body: reason, response: { 202: askedSchema } } },
    async (request, reply) => {
      const { name } = request.params;
      const tenant = tenantFor(request, name);
      await audit(request, 'connector.queries', name, request.body?.reason ?? null);
      const asked = await eachOf(name, ['unknown', 'blocked'], (actionKey) => ({
        type: 'ask_soon',
        actionKey,
        tenant,
      }));
      return reply.status(202).send({ connector: name, asked });
    },
  );
};
