import { Type } from 'typebox';
import { checkText } from '../platform/content';
import { Refusal } from '../platform/errors';
import type { Http } from '../platform/http';
import { auditIn } from '../platform/ops-audit';
import type { Api } from '../platform/service';
import { purgedSchema } from './answers';
import type { PurgeAnswer } from './decide-purge';
import { conversationIdOf, type ExecutorMessage } from './messages';
import { runsToPurge } from './purge';

const params = Type.Object({ conversationId: Type.String({ pattern: '^[A-Za-z0-9._:-]{1,128}$' }) });
const maxTextBytes = 4_000;
const body = Type.Object(
  {
    account: Type.String({ minLength: 1, maxLength: 128 }),
    reason: Type.String({ minLength: 1, maxLength: 1_000 }),
  },
  { additionalProperties: false },
);

const unknown = (): Refusal => new Refusal('unknown_conversation', 'no run of such a conversation is known');
const open = (): Refusal =>
  new Refusal('conversation_open', 'a run of the conversation has not ended: cancel it, or wait');

/** An operator has a conversation's content purged everywhere; that it was done, by whom and why stays. */
export const purgeRoutes = (app: Http, { pool, submit }: Api<ExecutorMessage>): void => {
  const audit = auditIn(pool);
  app.post(
    '/v1/conversations/:conversationId/purge',
    { config: { roles: ['operator'] }, schema: { params, body, response: { 202: purgedSchema } } },
    async (request, reply) => {
      const { conversationId } = request.params;
      const { account, reason } = request.body;
      const { tenant, app: appName } = request.principal;
      checkText(account, 'account', maxTextBytes);
      checkText(reason, 'reason', maxTextBytes);
      const of = { tenant, account, conversationId };
      const { live, ended } = await runsToPurge(pool, of);
      if (live > 0) throw open();
      await audit(request.principal, 'conversation.purge', `${tenant}/${account}/${conversationId}`, reason);
      const said = (await submit({
        type: 'purge_conversation',
        conversation: conversationIdOf(of),
        app: appName,
      })) as PurgeAnswer;
      if (said === 'unknown') throw unknown();
      if (said === 'open') throw open();
      const purgedAt = new Date(said.purgedAt).toISOString();
      return reply.status(202).send({ conversationId, account, runs: ended, purgedAt });
    },
  );
};
