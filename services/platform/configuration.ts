import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { parse } from 'yaml';
import { BadSetting } from './environment';

const name = Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' });
const count = Type.Integer({ minimum: 1 });
const ms = Type.Integer({ minimum: 1, maximum: 31_536_000_000 });
const names = Type.Array(name);
const strict = { additionalProperties: false };
const onBusy = Type.Union(
  ['ask', 'enqueue', 'parallel', 'amend', 'interrupt', 'reject'].map((one) => Type.Literal(one)),
);
const headers = Type.Record(Type.String(), Type.Union([Type.String(), Type.Object({ env: Type.String() }, strict)]));
const statuses = Type.Array(Type.Integer({ minimum: 100, maximum: 599 }));

const tenant = Type.Object(
  {
    defaultAgent: name,
    onBusy: Type.Optional(onBusy),
    selfApproval: Type.Optional(Type.Union([Type.Literal('allowed'), Type.Literal('forbidden')])),
    approvers: Type.Optional(Type.String({ pattern: '^(requester|role:[A-Za-z0-9._-]{1,100})$' })),
    ceilings: Type.Optional(
      Type.Object(
        { tools: Type.Optional(names), connectors: Type.Optional(names), sources: Type.Optional(names) },
        strict,
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          activeRuns: Type.Optional(count),
          perAccount: Type.Optional(count),
          perEntity: Type.Optional(count),
          ratePerSec: Type.Optional(count),
          accountRatePerSec: Type.Optional(count),
          messagesPerDay: Type.Optional(count),
        },
        strict,
      ),
    ),
    queue: Type.Optional(Type.Object({ ageingSecPerPriority: Type.Optional(Type.Integer({ minimum: 0 })) }, strict)),
    webhook: Type.Optional(Type.Object({ url: Type.String(), secretEnv: Type.String() }, strict)),
    retention: Type.Optional(Type.Object({ contentDays: Type.Optional(count) }, strict)),
  },
  strict,
);

const binding = Type.Object(
  {
    topic: Type.String({ pattern: '^[A-Za-z0-9._-]{1,200}$' }),
    tenant: name,
    app: name,
    accounts: Type.Union([Type.Literal('asserted'), Type.Literal('token')]),
    accountPrefix: Type.Optional(Type.String({ maxLength: 100 })),
    receiptsTopic: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._-]{1,200}$' })),
  },
  strict,
);

const agent = Type.Object(
  {
    url: Type.Optional(Type.String()),
    module: Type.Optional(Type.String()),
    builtin: Type.Optional(Type.Union([Type.Literal('chat'), Type.Literal('market-report')])),
    headers: Type.Optional(headers),
    baseUrl: Type.Optional(Type.String()),
    model: Type.Optional(Type.String()),
    apiKeyEnv: Type.Optional(Type.String()),
    stream: Type.Optional(Type.Boolean()),
    contextTokens: Type.Optional(Type.Integer({ minimum: 2_000 })),
    tools: Type.Optional(names),
    connectors: Type.Optional(names),
    sources: Type.Optional(names),
    /** Absent = every tenant may use it. */
    tenants: Type.Optional(names),
    onBusy: Type.Optional(onBusy),
    park: Type.Optional(Type.Union([Type.Literal('allowed'), Type.Literal('never')])),
    recovery: Type.Optional(Type.Union([Type.Literal('continue'), Type.Literal('settle')])),
    turnTimeoutMs: Type.Optional(ms),
    retry: Type.Optional(Type.Object({ maxTotalMs: Type.Optional(ms) }, strict)),
    cancelSettleMs: Type.Optional(ms),
    budget: Type.Optional(
      Type.Object(
        {
          turns: Type.Optional(count),
          cost: Type.Optional(Type.Number({ minimum: 0 })),
          deadlineSec: Type.Optional(count),
        },
        strict,
      ),
    ),
    limits: Type.Optional(Type.Object({ concurrency: Type.Optional(count) }, strict)),
    resource: Type.Optional(name),
    preempt: Type.Optional(Type.Object({ margin: count, everyTurns: count }, strict)),
    children: Type.Optional(
      Type.Object({ depth: Type.Optional(Type.Integer({ minimum: 0 })), live: Type.Optional(count) }, strict),
    ),
  },
  strict,
);

const connector = Type.Object(
  {
    tenant: Type.Optional(name),
    operations: names,
    headers: Type.Optional(headers),
    submit: Type.Optional(
      Type.Object(
        {
          method: Type.Optional(Type.String()),
          url: Type.String(),
          timeoutMs: Type.Optional(ms),
          idempotencyHeader: Type.Optional(Type.String()),
        },
        strict,
      ),
    ),
    outcome: Type.Optional(
      Type.Object(
        {
          succeeded: Type.Optional(statuses),
          failed: Type.Optional(statuses),
          alreadyDone: Type.Optional(statuses),
          pending: Type.Optional(statuses),
          errorPath: Type.Optional(Type.String()),
        },
        strict,
      ),
    ),
    receipt: Type.Optional(
      Type.Object(
        {
          method: Type.Optional(Type.String()),
          url: Type.Optional(Type.String()),
          statePath: Type.String(),
          succeeded: Type.Array(Type.String()),
          failed: Type.Optional(Type.Array(Type.String())),
          pending: Type.Optional(Type.Array(Type.String())),
          absent: Type.Optional(
            Type.Object({ status: statuses, meansFailedAfterMs: Type.Union([ms, Type.Null()]) }, strict),
          ),
          firstAfterMs: Type.Optional(ms),
          maxIntervalMs: Type.Optional(ms),
          giveUpAfterMs: Type.Optional(ms),
        },
        strict,
      ),
    ),
    dedup: Type.Optional(Type.Object({ retentionMs: ms }, strict)),
    cancel: Type.Optional(Type.Object({ method: Type.Optional(Type.String()), url: Type.String() }, strict)),
    rate: Type.Optional(Type.Object({ perSec: Type.Optional(count), concurrency: Type.Optional(count) }, strict)),
    approval: Type.Optional(Type.Union([Type.Literal('always'), Type.Literal('on_request'), Type.Literal('never')])),
    callback: Type.Optional(Type.Object({ secretEnv: Type.String() }, strict)),
    giveUpAfterMs: Type.Optional(ms),
    allowAddresses: Type.Optional(
      Type.Array(Type.Union([Type.Literal('loopback'), Type.Literal('private'), Type.Literal('public')])),
    ),
    module: Type.Optional(Type.String()),
  },
  strict,
);

const tool = Type.Object(
  {
    url: Type.Optional(Type.String()),
    module: Type.Optional(Type.String()),
    builtin: Type.Optional(Type.Literal('price-series')),
    headers: Type.Optional(headers),
    timeoutMs: Type.Optional(ms),
    description: Type.Optional(Type.String()),
    schema: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  strict,
);

const event = Type.Object(
  {
    tenants: Type.Optional(names),
    windowMs: Type.Optional(ms),
    uncorrelated: Type.Optional(Type.Union([Type.Literal('ask'), Type.Literal('own_run')])),
    priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 9 })),
    agent: Type.Optional(name),
    triage: Type.Optional(Type.Object({ url: Type.String() }, strict)),
  },
  strict,
);

/** The whole YAML file; docs/configuration.schema.json is this schema. */
export const configurationSchema = Type.Object(
  {
    tenants: Type.Record(Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' }), tenant, { minProperties: 1 }),
    ingress: Type.Optional(Type.Array(binding)),
    agents: Type.Record(Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' }), agent),
    events: Type.Optional(Type.Record(Type.String(), event)),
    tools: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' }), tool)),
    connectors: Type.Optional(Type.Record(Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' }), connector)),
  },
  strict,
);

export type Configuration = Static<typeof configurationSchema>;
export type TenantConfig = Static<typeof tenant>;
export type AgentConfig = Static<typeof agent>;
export type ConnectorConfig = Static<typeof connector>;
export type ToolConfig = Static<typeof tool>;
export type IngressBinding = Static<typeof binding>;

/** Tenants whose content goes so many days after what it belongs to has ended. */
export const contentDaysOf = (config: Configuration): (readonly [tenant: string, days: number])[] =>
  Object.entries(config.tenants).flatMap(([name, { retention }]) =>
    retention?.contentDays === undefined ? [] : [[name, retention.contentDays] as const],
  );

/** What the schema cannot say: references between the parts, and policies that contradict each other. */
const contradictions = (config: Configuration): string[] => {
  const wrong: string[] = [];
  const agents = new Set(Object.keys(config.agents));
  const tenants = Object.keys(config.tenants);
  for (const [tenantName, one] of Object.entries(config.tenants)) {
    if (!agents.has(one.defaultAgent))
      wrong.push(`tenants.${tenantName}.defaultAgent: no agent named ${one.defaultAgent}`);
    else if (config.agents[one.defaultAgent]?.tenants?.includes(tenantName) === false)
      wrong.push(`tenants.${tenantName}.defaultAgent: ${one.defaultAgent} is not for this tenant`);
    if ((one.approvers ?? 'requester') === 'requester' && one.selfApproval === 'forbidden')
      wrong.push(`tenants.${tenantName}.selfApproval: forbidden leaves nobody to approve while approvers is requester`);
  }
  (config.ingress ?? []).forEach((one, index) => {
    if (config.tenants[one.tenant] === undefined) wrong.push(`ingress.${index}.tenant: no tenant named ${one.tenant}`);
  });
  for (const [agentName, one] of Object.entries(config.agents)) {
    for (const name of one.tenants ?? [])
      if (config.tenants[name] === undefined) wrong.push(`agents.${agentName}.tenants: no tenant named ${name}`);
    if ([one.url, one.module, one.builtin].filter((way) => way !== undefined).length !== 1)
      wrong.push(`agents.${agentName}: needs exactly one of url, module, builtin`);
  }
  for (const [type, one] of Object.entries(config.events ?? {})) {
    for (const name of one.tenants ?? [])
      if (config.tenants[name] === undefined) wrong.push(`events.${type}.tenants: no tenant named ${name}`);
    if (one.agent !== undefined && !agents.has(one.agent))
      wrong.push(`events.${type}.agent: no agent named ${one.agent}`);
  }
  for (const [connectorName, one] of Object.entries(config.connectors ?? {})) {
    if (one.tenant === undefined && tenants.length > 1)
      wrong.push(`connectors.${connectorName}.tenant: needed, as there are several tenants`);
    if (one.tenant !== undefined && config.tenants[one.tenant] === undefined)
      wrong.push(`connectors.${connectorName}.tenant: no tenant named ${one.tenant}`);
    if ((one.submit === undefined) === (one.module === undefined))
      wrong.push(`connectors.${connectorName}: needs exactly one of submit, module`);
    if (one.module === undefined && one.receipt !== undefined && one.receipt.url === undefined)
      wrong.push(`connectors.${connectorName}.receipt.url: needed, as the connector speaks HTTP`);
  }
  return wrong;
};

/** Parses and checks; throws one line that names the path of the first thing wrong. */
export const parseConfiguration = (text: string): Configuration => {
  let raw: unknown;
  try {
    raw = parse(text);
  } catch (error) {
    throw new BadSetting(
      'FAIRLEAD_CONFIG',
      `is not YAML: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`,
    );
  }
  const [issue] = Value.Errors(configurationSchema, raw);
  if (issue !== undefined)
    throw new BadSetting(
      'FAIRLEAD_CONFIG',
      `${issue.instancePath.replace(/^\//, '').replaceAll('/', '.') || 'the file'} ${issue.message}`,
    );
  const config = raw as Configuration;
  const [wrong] = contradictions(config);
  if (wrong !== undefined) throw new BadSetting('FAIRLEAD_CONFIG', wrong);
  return config;
};
