import { parseConfiguration } from '../../services/platform/configuration';

const remote = (more: string): string => `
    operations: [contact, share]
    submit: { url: 'http://remote/{operation}/{subject}', timeoutMs: 2000 }
    outcome: { succeeded: [200], failed: [422], alreadyDone: [409], pending: [202], errorPath: error }
    giveUpAfterMs: 120000
    ${more}`;

const receipt = (absentMeansFailedAfterMs: string): string =>
  `receipt: { url: 'http://remote/by-key/{actionKey}', statePath: state, succeeded: [done], failed: [rejected], pending: [processing],
      absent: { status: [404], meansFailedAfterMs: ${absentMeansFailedAfterMs} }, firstAfterMs: 500, maxIntervalMs: 20000, giveUpAfterMs: 600000 }`;

/** Connectors are named for what their remotes promise; `remote.ts` keeps these promises and no others. */
export type ConnectorName = 'asks' | 'dedups' | 'resends' | 'blind';

/** Remotes that know a key they have seen before, and for how long: no longer than their contract says. */
export const forgetsAfterMs: ReadonlyMap<string, number> = new Map<ConnectorName, number>([
  ['dedups', 3_600_000],
  ['resends', 60_000],
]);

/** People of this role approve what others asked for, and answer what is asked of the role. */
export const approverRole = 'approver';

/** How long after the last moment of sending a slow remote may still act, where its contract says so. */
export const absentMeansFailedAfterMs = 60_000;

export const configuration = parseConfiguration(`
tenants: { local: { defaultAgent: scripted, onBusy: enqueue } }
ingress: [{ topic: ingress.messages.v1, tenant: local, app: local, accounts: asserted }]
agents:
  asking: { builtin: chat, onBusy: ask, tools: [look-up], connectors: [asks], turnTimeoutMs: 30000, cancelSettleMs: 20000, budget: { turns: 8, deadlineSec: 1800 } }
  amending: { builtin: chat, onBusy: amend, tools: [look-up], connectors: [asks], turnTimeoutMs: 30000, cancelSettleMs: 20000, budget: { turns: 8, deadlineSec: 1800 } }
  rejecting: { builtin: chat, onBusy: reject, tools: [look-up], connectors: [asks], turnTimeoutMs: 30000, cancelSettleMs: 20000, budget: { turns: 8, deadlineSec: 1800 } }
  scripted: { builtin: chat, tools: [look-up], connectors: [asks, dedups, resends], turnTimeoutMs: 30000, cancelSettleMs: 20000,
    retry: { maxTotalMs: 240000 }, budget: { turns: 14, cost: 20, deadlineSec: 3600 } }
  settling: { builtin: chat, onBusy: interrupt, tools: [look-up], connectors: [asks], recovery: settle, turnTimeoutMs: 30000, cancelSettleMs: 20000,
    budget: { turns: 8, deadlineSec: 1800 } }
  parallel: { builtin: chat, onBusy: parallel, tools: [look-up], connectors: [asks, dedups], turnTimeoutMs: 30000, budget: { turns: 8, deadlineSec: 1800 },
    limits: { concurrency: 1 }, resource: desk, preempt: { margin: 1, everyTurns: 1 } }
events:
  device: { windowMs: 20000, uncorrelated: ask, triage: { url: 'http://model/' } }
  sensor: { windowMs: 20000, uncorrelated: own_run, agent: parallel, priority: 7 }
tools: { look-up: { builtin: price-series } }
connectors:
  asks:${remote(`${receipt(String(absentMeansFailedAfterMs))}
    cancel: { url: 'http://remote/by-key/{actionKey}' }`)}
  dedups:${remote(`${receipt('null')}
    dedup: { retentionMs: 3600000 }`)}
  resends:${remote('dedup: { retentionMs: 60000 }')}
  blind:${remote('approval: always')}
`);
