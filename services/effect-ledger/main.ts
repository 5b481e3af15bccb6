import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { Environment } from '../platform/environment';
import { openConfiguration, type LiveConfiguration } from '../platform/live-configuration';
import type { Logger } from '../platform/log';
import { openPool } from '../platform/postgres';
import { startPurging } from '../platform/purges';
import { runService } from '../platform/run-service';
import { groupTopics, type Api } from '../platform/service';
import { noDatabase, runStateless } from '../platform/stateless';
import { openClock } from './clock';
import { contractOf, policyOf, refuseUnsupported, secretOf, tenantOfConnector, type Contract } from './contract';
import { blobsOf, decider } from './decide';
import type { Outside } from './draft';
import { routes } from './http';
import { callbackRoutes } from './http-callbacks';
import { operateRoutes } from './http-operate';
import { messageOf, name } from './inputs';
import { keysOf, moreKeysOf, type Message } from './messages';
import { openPace } from './pace';
import { ownLease, pausedConnectors, sharedLease, type Lease } from './pace-lease';
import { performer } from './perform';
import { carryOut } from './purge';
import { receiptQueryRole } from './receipt-query';
import { statuses } from './state';
import { countByState, databaseNow, kinds, oldestUnknownSeconds } from './store';
import { openTransport } from './transport';

/** How soon an instance knows that another one was told to pause a connector. */
const lookEveryMs = 1_000;
/** Connections on which a process asks for its share of a connector's pace. */
const paceConnections = 2;

const openContracts = (env: Environment, log: Logger) => {
  const { transport, accept } = openTransport();
  const baseDir = env.configPath === null ? process.cwd() : dirname(env.configPath);
  const configuration: LiveConfiguration = openConfiguration(env.configPath, log, (config) => {
    refuseUnsupported(config);
    accept(config, baseDir);
  });
  const contract = (tenant: string, connector: string): Contract | null =>
    contractOf(configuration.current(), tenant, connector);
  const tenantOf = (connector: string): string | null => tenantOfConnector(configuration.current(), connector);
  return { configuration, transport, contract, tenantOf };
};

const ledger = (): Promise<void> =>
  runService<Message, Outside>(name, async (env, log, metrics) => {
    const { configuration, transport, contract, tenantOf } = openContracts(env, log);
    const pacePool = openPool(env.databaseUrl, `${name} pace`, log, paceConnections);
    const pace = openPace(sharedLease(pacePool, `${env.instance}:${randomUUID()}`, false));
    const clock = openClock();
    let paused: ReadonlySet<string> = new Set();
    const look = async (): Promise<void> => {
      paused = await pausedConnectors(pacePool);
    };
    const world = {
      contract,
      policy: (tenant: string) => policyOf(configuration.current(), tenant),
      paused: (connector: string) => paused.has(connector),
      pace: pace.ask,
    };
    const callbackOf = (connector: string) => {
      const tenant = tenantOf(connector);
      const secretEnv = tenant === null ? null : (contract(tenant, connector)?.callbackSecretEnv ?? null);
      return tenant === null || secretEnv === null ? null : { tenant, secret: secretOf(secretEnv, process.env) };
    };
    const actions = metrics.states('fairlead_actions', 'Actions by state', 'state', statuses);
    const oldestUnknown = metrics.gauge(
      'fairlead_action_oldest_unknown_age_seconds',
      'Age in seconds of the oldest action whose outcome is unknown',
    );
    return {
      name,
      kinds,
      keys: keysOf,
      moreKeys: moreKeysOf,
      blobs: blobsOf,
      decide: decider(world),
      inputs: [
        {
          group: name,
          topics: groupTopics(name),
          urgent: true,
          inbox: true,
          message: ({ name: type, value }, { replayed }) => messageOf(type, value, replayed),
        },
      ],
      writes: {
        'effect.events.v1': ['ActionStateChanged', 'ProposalDecided', 'FenceAcknowledged', 'AnswerAdopted'],
        'hil.requests.v1': ['RequestInteraction', 'WithdrawInteraction'],
        'effect.receipt-queries.v1': ['AskReceipt'],
      },
      perform: performer({ contract, transport, pace, clock }),
      routes: (app, api: Api<Message>) => {
        routes(app, api);
        operateRoutes(app, api, { tenantOf, look });
        callbackRoutes(app, api, { callbackOf, now: () => databaseNow(api.pool) });
      },
      beforeMetrics: async (api) => {
        actions(await countByState(api.pool));
        oldestUnknown.set(await oldestUnknownSeconds(api.pool));
      },
      start: async (api) => {
        await look();
        const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs);
        const stopPurging = startPurging(api.pool, carryOut(api.pool), log);
        return async () => {
          clearInterval(timer);
          stopPurging();
          await pacePool.end();
        };
      },
      configuration,
    };
  });

interface LedgerSeen {
  readonly lease: Lease;
  readonly ledgerNow: () => Promise<number | null>;
  readonly close: () => void;
}

/** Owns nothing durable; the ledger's database only tells it how fast each remote may be asked, and what time it is. */
const leaseOfRole = (env: Environment, log: Logger): LedgerSeen => {
  if (env.databaseUrl === noDatabase) {
    log.warn('without DATABASE_URL the rates of connectors are kept by this process alone');
    return { lease: ownLease(), ledgerNow: () => Promise.resolve(null), close: () => undefined };
  }
  const pool = openPool(env.databaseUrl, `${name} receipt-query pace`, log, paceConnections);
  return {
    lease: sharedLease(pool, `${env.instance}:${randomUUID()}`, true),
    ledgerNow: () => databaseNow(pool).catch(() => null),
    close: () => void pool.end(),
  };
};

const receiptQuery = (): Promise<void> =>
  runStateless(`${name}-receipt-query`, `${name}.receipt-query`, (env, log) => {
    const { configuration, transport, contract } = openContracts(env, log);
    const { lease, ledgerNow, close } = leaseOfRole(env, log);
    const deps = { contract, transport, pace: openPace(lease), clock: openClock(), ledgerNow };
    return receiptQueryRole(deps, log, () => {
      configuration.close();
      close();
    });
  });

void (process.env['FAIRLEAD_ROLE'] === 'receipt-query' ? receiptQuery() : ledger());
