import type { AgentConfig, Configuration } from '../platform/configuration';
import type { Grants } from './tree-state';
import { defaultAgeingMs } from './state';

/** What the configuration of the moment says about one agent; read by deciders, never kept beyond a decision. */
export interface AgentSettings {
  readonly grants: Grants;
  readonly recovery: 'continue' | 'settle';
  readonly park: 'allowed' | 'never';
  readonly children: { readonly depth: number; readonly live: number };
  /** Named thing that only one run may work with at a time. */
  readonly resource: string | null;
  readonly preempt: { readonly margin: number; readonly everyTurns: number } | null;
  readonly turnTimeoutMs: number;
  readonly retryMaxMs: number;
  readonly cancelSettleMs: number;
  readonly budget: { readonly turns: number; readonly cost: number | null; readonly deadlineMs: number };
}

export interface Settings {
  readonly agent: (tenant: string, name: string) => AgentSettings | undefined;
  /** The agent of messages that name none. */
  readonly defaultAgent: (tenant: string) => string | undefined;
  /** The most a permission can ever add in this tenant. */
  readonly ceiling: (tenant: string) => Grants;
  /** How events of this type of entity are treated; undefined = they are outside the tenant's scope. */
  readonly events: (tenant: string, entityType: string) => EventPolicy | undefined;
  /** How many runs may hold a counter of the queue at a time; null = any number (R19). */
  readonly slotLimit: (tenant: string, counter: string) => number | null;
  /** What one step of priority is worth in waiting. */
  readonly ageingMs: (tenant: string) => number;
}

export interface EventPolicy {
  readonly windowMs: number;
  readonly uncorrelated: 'ask' | 'own_run';
  readonly priority: number;
  readonly agent: string | null;
  readonly triageUrl: string | null;
}

export const defaultPriority = 5;

const defaults = {
  turnTimeoutMs: 600_000,
  retryMaxMs: 7_200_000,
  cancelSettleMs: 60_000,
  turns: 50,
  cost: 100,
  deadlineSec: 86_400,
  eventWindowMs: 900_000,
  depth: 3,
  live: 16,
};

/** An agent without a list has its tenant's ceiling; a list is cut to it (R24). */
const within = (
  own: readonly string[] | undefined,
  ceiling: readonly string[] | undefined,
  all: readonly string[],
): readonly string[] => (own ?? ceiling ?? all).filter((name) => ceiling === undefined || ceiling.includes(name));

const grantsOf = (
  config: Configuration,
  tenant: string,
  own: Pick<AgentConfig, 'tools' | 'connectors' | 'sources'>,
): Grants => {
  const ceilings = config.tenants[tenant]?.ceilings;
  const tools = Object.keys(config.tools ?? {});
  const connectors = Object.entries(config.connectors ?? {})
    .filter(([, connector]) => connector.tenant === undefined || connector.tenant === tenant)
    .map(([name]) => name);
  return {
    tools: within(own.tools, ceilings?.tools, tools),
    connectors: within(own.connectors, ceilings?.connectors, connectors).filter((name) => connectors.includes(name)),
    sources: within(own.sources, ceilings?.sources, []),
    consents: [],
  };
};

const settingsOf = (config: Configuration, tenant: string, agent: AgentConfig): AgentSettings => {
  return {
    grants: grantsOf(config, tenant, agent),
    recovery: agent.recovery ?? 'continue',
    park: agent.park ?? 'allowed',
    children: { depth: agent.children?.depth ?? defaults.depth, live: agent.children?.live ?? defaults.live },
    resource: agent.resource ?? null,
    preempt: agent.preempt ?? null,
    turnTimeoutMs: agent.turnTimeoutMs ?? defaults.turnTimeoutMs,
    retryMaxMs: agent.retry?.maxTotalMs ?? defaults.retryMaxMs,
    cancelSettleMs: agent.cancelSettleMs ?? defaults.cancelSettleMs,
    budget: {
      turns: agent.budget?.turns ?? defaults.turns,
      cost: agent.budget?.cost ?? defaults.cost,
      deadlineMs: (agent.budget?.deadlineSec ?? defaults.deadlineSec) * 1_000,
    },
  };
};

const eventPolicy = (config: Configuration, tenant: string, entityType: string): EventPolicy | undefined => {
  const events = config.events ?? {};
  const event = Object.hasOwn(events, entityType) ? events[entityType] : undefined;
  if (event === undefined || (event.tenants !== undefined && !event.tenants.includes(tenant))) return undefined;
  return {
    windowMs: event.windowMs ?? defaults.eventWindowMs,
    uncorrelated: event.uncorrelated ?? 'ask',
    priority: event.priority ?? defaultPriority,
    agent: event.agent ?? null,
    triageUrl: event.triage?.url ?? null,
  };
};

const slotLimit = (config: Configuration, tenant: string, counter: string): number | null => {
  const limits = config.tenants[tenant]?.limits;
  const [kind = '', name = ''] = counter.split(/:(.*)/s);
  switch (kind) {
    case 'tenant':
      return limits?.activeRuns ?? null;
    case 'account':
      return limits?.perAccount ?? null;
    case 'entity':
      return limits?.perEntity ?? null;
    case 'agent':
      return config.agents[name]?.limits?.concurrency ?? null;
    default:
      return null;
  }
};

export const settingsFrom = (current: () => Configuration): Settings => ({
  events: (tenant, entityType) => eventPolicy(current(), tenant, entityType),
  defaultAgent: (tenant) => current().tenants[tenant]?.defaultAgent,
  ceiling: (tenant) => grantsOf(current(), tenant, {}),
  slotLimit: (tenant, counter) => slotLimit(current(), tenant, counter),
  ageingMs: (tenant) => {
    const sec = current().tenants[tenant]?.queue?.ageingSecPerPriority;
    return sec === undefined ? defaultAgeingMs : sec * 1_000;
  },
  agent: (tenant, name) => {
    const config = current();
    const agent = config.agents[name];
    const forTenant = agent?.tenants?.includes(tenant) ?? true;
    return agent === undefined || config.tenants[tenant] === undefined || !forTenant
      ? undefined
      : settingsOf(config, tenant, agent);
  },
});
