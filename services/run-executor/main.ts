import { dirname } from 'node:path';
import { contentDaysOf, type Configuration } from '../platform/configuration';
import { openConfiguration } from '../platform/live-configuration';
import { runService } from '../platform/run-service';
import { buildAgents } from './agents/build-agents';
import { decide } from './decide';
import { blobs, keys, moreKeys } from './keys';
import type { Intent } from './draft';
import { routes } from './http';
import { inputs } from './inputs';
import { conversationIdOf, type ExecutorMessage } from './messages';
import { performer } from './perform';
import { startPurge } from './purge';
import { settingsFrom } from './settings';
import { countStates, kinds, orphans } from './store';
import { terminalStatuses } from './run-status';
import { isRun, liveStatuses, type RunRow } from './state';
import { triage } from './triage';
import { buildTools, toolSpecs } from './tools/build-tools';

void runService<ExecutorMessage, Intent>('run-executor', (env, log, metrics) => {
  const place = { env: process.env, baseDir: env.configPath === null ? process.cwd() : dirname(env.configPath) };
  const build = (config: Configuration) => ({
    agents: buildAgents(config.agents, place, {
      tools: toolSpecs(config.tools ?? {}),
      connectors: Object.keys(config.connectors ?? {}),
    }),
    tools: buildTools(config.tools ?? {}, place),
  });
  let world: ReturnType<typeof build> = { agents: new Map(), tools: new Map() };
  const configuration = openConfiguration(env.configPath, log, (config) => (world = build(config)));
  const turnSeconds = metrics.seconds('fairlead_turn_seconds', 'Seconds from asking a turn to its commit');
  const leasesLost = metrics.counter(
    'fairlead_leases_lost_total',
    'Turns taken over from an owner that gave no sign of life',
  );
  const work = performer({
    observeTurn: (seconds) => turnSeconds.observe(seconds),
    countTakenOver: () => leasesLost.inc(),
    agent: (name) => world.agents.get(name),
    tool: (name) => world.tools.get(name),
  });
  const states = metrics.states('fairlead_runs', 'Runs by state', 'state', [...liveStatuses, ...terminalStatuses]);
  const ages = metrics.states(
    'fairlead_run_state_oldest_age_seconds',
    'Age in seconds of the run longest in a state that is not an end',
    'state',
    liveStatuses,
  );
  return Promise.resolve({
    name: 'run-executor',
    kinds,
    keys,
    moreKeys,
    blobs,
    decide: decide(settingsFrom(configuration.current)),
    inputs,
    writes: {
      'run.events.v1': ['RunStateChanged', 'MessageDecided', 'TurnCommitted', 'AnswerAdopted'],
      'effect.commands.v1': ['ProposeEffect', 'RaiseFence'],
      'hil.requests.v1': ['RequestInteraction', 'WithdrawInteraction'],
      'publication.commands.v1': ['PublishReport', 'SupersedeVersion'],
      'content.purges.v1': ['ContentPurged'],
    },
    configuration,
    perform: (intent, api) => (intent.type === 'triage' ? triage(intent, api) : work.perform(intent, api)),
    routes,
    beforeMetrics: async (api) => {
      const { counts, oldest } = await countStates(api.pool);
      states(counts);
      ages(oldest);
    },
    start: async (api) => {
      // Before anything is started: when this fails, the start is tried again.
      const left = await orphans(api.pool, env.instance);
      const stopRenewing = work.renew(api);
      const stopPurging = startPurge(api, () => contentDaysOf(configuration.current()), log);
      const release = async (runId: string, run: RunRow): Promise<void> => {
        if (!isRun(run)) return;
        await api
          .submit({ type: 'orphaned', runId, conversation: conversationIdOf(run), owner: env.instance })
          .catch((error: unknown) =>
            log.warn({ err: error, runId }, 'a run waits until the lease of its last owner ends'),
          );
      };
      await Promise.all(left.map((row) => release(row.id, JSON.parse(row.doc) as RunRow)));
      return async () => {
        stopRenewing();
        stopPurging();
        work.abandon();
        await Promise.resolve();
      };
    },
  });
});
