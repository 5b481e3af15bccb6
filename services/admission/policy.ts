import { contentDaysOf, type Configuration, type IngressBinding } from '../platform/configuration';

export type OnBusy = 'ask' | 'enqueue' | 'parallel' | 'amend' | 'interrupt' | 'reject';

/** What decisions need of the configuration, as plain questions. */
export interface Policy {
  readonly knowsTenant: (tenant: string) => boolean;
  readonly knowsAgent: (tenant: string, agent: string) => boolean;
  /** The agent's own policy beats its tenant's. */
  readonly onBusy: (tenant: string, agent: string | null) => OnBusy;
  /** Messages a second; null = as many as come. */
  readonly rates: (tenant: string) => { readonly tenant: number | null; readonly account: number | null };
  /** Messages that one UTC day takes of the tenant; null = as many as come. */
  readonly messagesPerDay: (tenant: string) => number | null;
  /** Tenants that have such a quota. */
  readonly quotas: () => readonly (readonly [tenant: string, messagesPerDay: number])[];
  /** Tenants whose messages lose their words after so many days. */
  readonly contentDays: () => readonly (readonly [tenant: string, days: number])[];
  /** Topics besides the common one that get the receipts of this app. */
  readonly receiptsTopics: (tenant: string, app: string) => readonly string[];
}

const copiesOf = (bindings: readonly IngressBinding[]): Policy['receiptsTopics'] => {
  const topics = new Map<string, readonly string[]>();
  for (const { tenant, app, receiptsTopic } of bindings) {
    if (receiptsTopic === undefined) continue;
    const key = `${tenant}\0${app}`;
    topics.set(key, [...new Set([...(topics.get(key) ?? []), receiptsTopic])]);
  }
  return (tenant, app) => topics.get(`${tenant}\0${app}`) ?? [];
};

/** Tenants and agents follow the file; bindings are those of the start, as topics are subscribed to once. */
export const policyOf = (current: () => Configuration, bindings: readonly IngressBinding[]): Policy => ({
  knowsTenant: (tenant) => Object.hasOwn(current().tenants, tenant),
  knowsAgent: (tenant, agent) => {
    const { agents } = current();
    return Object.hasOwn(agents, agent) && (agents[agent]?.tenants?.includes(tenant) ?? true);
  },
  onBusy: (tenant, agent) => {
    const { tenants, agents } = current();
    const own = tenants[tenant];
    return ((agents[agent ?? own?.defaultAgent ?? '']?.onBusy ?? own?.onBusy) as OnBusy | undefined) ?? 'ask';
  },
  contentDays: () => contentDaysOf(current()),
  rates: (tenant) => {
    const limits = current().tenants[tenant]?.limits;
    return { tenant: limits?.ratePerSec ?? null, account: limits?.accountRatePerSec ?? null };
  },
  messagesPerDay: (tenant) => current().tenants[tenant]?.limits?.messagesPerDay ?? null,
  quotas: () =>
    Object.entries(current().tenants).flatMap(([name, { limits }]) =>
      limits?.messagesPerDay === undefined ? [] : [[name, limits.messagesPerDay] as const],
    ),
  receiptsTopics: copiesOf(bindings),
});
