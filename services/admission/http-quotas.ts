import { Type } from 'typebox';
import type { Http } from '../platform/http';
import { answers } from '../platform/ops-answers';
import { guard } from '../platform/ops-audit';
import type { Policy } from './policy';
import { endOf } from './quota';
import { readUsage } from './store';
import type { Pool } from 'pg';

const quotaSchema = Type.Object({
  tenant: Type.String(),
  messagesPerDay: Type.Integer(),
  day: Type.String({ description: 'the UTC day, by the clock of the database' }),
  messages: Type.Integer({ description: 'admitted on that day since the quota is set' }),
  left: Type.Integer(),
  endsAt: Type.String({ format: 'date-time' }),
});

/** The configured ones are all there is, so there is no second page. */
export const quotaRoutes = (app: Http, { pool }: { readonly pool: Pool }, quotas: Policy['quotas']): void => {
  app.get(
    '/v1/ops/quotas',
    {
      ...guard,
      schema: {
        summary: 'What tenants have used of their quotas',
        ...answers(Type.Object({ items: Type.Array(quotaSchema), next: Type.Null() })),
      },
    },
    async () => {
      const configured = quotas();
      const usageOf = await readUsage(
        pool,
        configured.map(([tenant]) => tenant),
      );
      const items = configured.map(([tenant, messagesPerDay]) => {
        const usage = usageOf(tenant);
        return {
          ...{ tenant, messagesPerDay, ...usage, left: Math.max(0, messagesPerDay - usage.messages) },
          endsAt: new Date(endOf(usage)).toISOString(),
        };
      });
      return { items, next: null };
    },
  );
};
