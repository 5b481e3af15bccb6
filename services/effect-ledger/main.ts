import { openConfiguration, type LiveConfiguration } from '../platform/live-configuration';
import { runService } from '../platform/run-service';
import { groupTopics } from '../platform/service';
import { runStateless } from '../platform/stateless';
import { openClock } from './clock';
import { contractOf, policyOf, refuseUnsupported, type Contract } from './contract';
import { blobsOf, decider } from './decide';
import type { Send } from './draft';
import { routes } from './http';
import { messageOf, name } from './inputs';
import { keysOf, moreKeysOf, type Message } from './messages';
import { openPace } from './pace';
import { performer } from './perform';
import { receiptQueryRole } from './receipt-query';
import { statuses } from './state';
import { countByState, kinds, oldestUnknownSeconds } from './store';

const contractsOf =
  (configuration: LiveConfiguration) =>
  (tenant: string, connector: string): Contract | null =>
    contractOf(configuration.current(), tenant, connector);

const ledger = (): Promise<void> =>
  runService<Message, Send>(name, async (env, log, metrics) => {
    const configuration = openConfiguration(env.configPath, log, refuseUnsupported);
    const contract = contractsOf(configuration);
    const pace = openPace();
    const clock = openClock();
    const world = { contract, policy: (tenant: string) => policyOf(configuration.current(), tenant), pace: pace.ask };
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
      perform: performer({ contract, pace, clock }),
      routes,
      beforeMetrics: async (api) => {
        actions(await countByState(api.pool));
        oldestUnknown.set(await oldestUnknownSeconds(api.pool));
      },
      configuration,
    };
  });

const receiptQuery = (): Promise<void> =>
  runStateless(`${name}-receipt-query`, `${name}.receipt-query`, (env, log) => {
    const configuration = openConfiguration(env.configPath, log, refuseUnsupported);
    const deps = { contract: contractsOf(configuration), pace: openPace(), now: Date.now };
    return receiptQueryRole(deps, log, configuration.close);
  });

void (process.env['FAIRLEAD_ROLE'] === 'receipt-query' ? receiptQuery() : ledger());
