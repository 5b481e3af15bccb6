import type { Configuration, ConnectorConfig } from '../platform/configuration';
import { BadSetting, setting } from '../platform/environment';

const defaults = {
  timeoutMs: 10_000,
  giveUpAfterMs: 3_600_000,
  firstAfterMs: 500,
  maxIntervalMs: 15_000,
  perSec: 200,
  concurrency: 16,
} as const;

/** Of a declared retention this share is counted on: the remote's clock and ours are two. */
export const retentionShare = 0.9;

export type AddressClass = 'loopback' | 'private' | 'public';

/** A connector's configuration with every default filled in: what the other side has promised. */
export interface Contract {
  readonly name: string;
  /** Path of the module that speaks to the remote instead of HTTP. */
  readonly module: string | null;
  readonly operations: readonly string[];
  readonly headers: Readonly<Record<string, string | { readonly env: string }>>;
  readonly submit: {
    readonly method: string;
    readonly url: string;
    readonly timeoutMs: number;
    readonly idempotencyHeader: string;
  };
  readonly outcome: {
    readonly succeeded: readonly number[];
    readonly failed: readonly number[];
    readonly alreadyDone: readonly number[];
    readonly pending: readonly number[];
    readonly errorPath: string | null;
  };
  readonly receipt: {
    readonly method: string;
    readonly url: string;
    readonly statePath: string;
    readonly succeeded: readonly string[];
    readonly failed: readonly string[];
    readonly pending: readonly string[];
    readonly absent: { readonly status: readonly number[]; readonly meansFailedAfterMs: number | null } | null;
    readonly firstAfterMs: number;
    readonly maxIntervalMs: number;
    readonly giveUpAfterMs: number;
  } | null;
  readonly dedupRetentionMs: number | null;
  readonly cancel: { readonly method: string; readonly url: string } | null;
  readonly callbackSecretEnv: string | null;
  readonly perSec: number;
  readonly concurrency: number;
  readonly approval: 'always' | 'on_request' | 'never';
  readonly giveUpAfterMs: number;
  readonly allowAddresses: ReadonlySet<AddressClass>;
}

/** Undeclared statuses mean nothing, so an outcome left out knows only the plain successes. */
const outcomeOf = ({ outcome = {} }: ConnectorConfig): Contract['outcome'] => ({
  succeeded: outcome.succeeded ?? [200, 201],
  failed: outcome.failed ?? [],
  alreadyDone: outcome.alreadyDone ?? [],
  pending: outcome.pending ?? [],
  errorPath: outcome.errorPath ?? null,
});

const receiptOf = ({ receipt }: ConnectorConfig): Contract['receipt'] =>
  receipt === undefined
    ? null
    : {
        method: receipt.method ?? 'GET',
        url: receipt.url ?? '',
        statePath: receipt.statePath,
        succeeded: receipt.succeeded,
        failed: receipt.failed ?? [],
        pending: receipt.pending ?? [],
        absent: receipt.absent ?? null,
        firstAfterMs: receipt.firstAfterMs ?? defaults.firstAfterMs,
        maxIntervalMs: receipt.maxIntervalMs ?? defaults.maxIntervalMs,
        giveUpAfterMs: receipt.giveUpAfterMs ?? defaults.giveUpAfterMs,
      };

const tenantOf = (config: Configuration, connector: ConnectorConfig): string | undefined =>
  connector.tenant ?? Object.keys(config.tenants)[0];

/** Whose connector a name is; null for one that is not configured. */
export const tenantOfConnector = (config: Configuration, name: string): string | null => {
  const connectors = config.connectors ?? {};
  const connector = Object.hasOwn(connectors, name) ? connectors[name] : undefined;
  return connector === undefined ? null : (tenantOf(config, connector) ?? null);
};

/** Null for one that is not there or belongs to another tenant: the two look the same from outside. */
export const contractOf = (config: Configuration, tenant: string, name: string): Contract | null => {
  const connectors = config.connectors ?? {};
  const connector = Object.hasOwn(connectors, name) ? connectors[name] : undefined;
  if (connector === undefined || tenantOf(config, connector) !== tenant) return null;
  const { submit, module = null } = connector;
  return {
    name,
    module,
    operations: connector.operations,
    headers: connector.headers ?? {},
    submit: {
      method: submit?.method ?? 'POST',
      // What an approver reads as the target of a module.
      url: submit?.url ?? `module:${name}/{operation}`,
      timeoutMs: submit?.timeoutMs ?? defaults.timeoutMs,
      idempotencyHeader: submit?.idempotencyHeader ?? 'Idempotency-Key',
    },
    outcome: outcomeOf(connector),
    receipt: receiptOf(connector),
    dedupRetentionMs: connector.dedup?.retentionMs ?? null,
    cancel:
      connector.cancel === undefined
        ? null
        : { method: connector.cancel.method ?? 'DELETE', url: connector.cancel.url },
    callbackSecretEnv: connector.callback?.secretEnv ?? null,
    perSec: connector.rate?.perSec ?? defaults.perSec,
    concurrency: connector.rate?.concurrency ?? defaults.concurrency,
    approval: connector.approval ?? 'on_request',
    giveUpAfterMs: connector.giveUpAfterMs ?? defaults.giveUpAfterMs,
    allowAddresses: new Set(connector.allowAddresses ?? ['public']),
  };
};

export interface ApprovalPolicy {
  /** Null = the requester. */
  readonly role: string | null;
  readonly selfApproval: 'allowed' | 'forbidden';
}

export const policyOf = (config: Configuration, tenant: string): ApprovalPolicy => {
  const one = config.tenants[tenant];
  const approvers = one?.approvers ?? 'requester';
  return {
    role: approvers.startsWith('role:') ? approvers.slice('role:'.length) : null,
    selfApproval: one?.selfApproval ?? 'allowed',
  };
};

/** `{operation}`, `{subject}` and `{actionKey}` of a configured address, percent-encoded. */
export const fillUrl = (
  template: string,
  of: { readonly operation: string; readonly subject: string; readonly actionKey: string },
): string =>
  template
    .replaceAll('{operation}', encodeURIComponent(of.operation))
    .replaceAll('{subject}', encodeURIComponent(of.subject))
    .replaceAll('{actionKey}', encodeURIComponent(of.actionKey));

type Env = Readonly<Record<string, string | undefined>>;

/** A secret by the name of its variable, read now, so that a rotated one is used at once; null when it is not there. */
export const secretOf = (name: string, env: Env): string | null => {
  try {
    return setting(env, name) ?? null;
  } catch {
    return null;
  }
};

/** Configured headers with their secrets read now, so that a rotated one is used at once; null when one is not there. */
export const headersOf = (contract: Contract, env: Env): Record<string, string> | null => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(contract.headers)) {
    const text = typeof value === 'string' ? value : secretOf(value.env, env);
    if (text === null || text === '') return null;
    headers[name.toLowerCase()] = text;
  }
  return headers;
};

/** What this build cannot do is said at the start and not at the first proposal (X4). */
export const refuseUnsupported = (config: Configuration): void => {
  for (const [name, connector] of Object.entries(config.connectors ?? {})) {
    if (connector.module !== undefined) continue;
    for (const [part, url] of [
      ['submit', connector.submit?.url],
      ['receipt', connector.receipt?.url],
      ['cancel', connector.cancel?.url],
    ] as const)
      if (url !== undefined && !/^https?:\/\//.test(url))
        throw new BadSetting('FAIRLEAD_CONFIG', `connectors.${name}.${part}.url: must start with http:// or https://`);
  }
};
