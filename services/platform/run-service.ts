import { topics } from '../../schemas/topics';
import { BadSetting, readEnvironment, type Environment } from './environment';
import { openLog, type Logger } from './log';
import { openMetrics, type Metrics } from './metrics';
import { startService, type RunningService, type ServiceSpec } from './service';

/** Beyond the grace for outside work: draining, goodbyes to the servers. */
const stopMarginMs = 5_000;

/** The whole of a service's main: settings, start, signals. A bad setting is one line and exit 1 (X4). */
export const runService = async <M, I>(
  name: string,
  make: (env: Environment, log: Logger, metrics: Metrics) => Promise<ServiceSpec<M, I>>,
): Promise<void> => {
  let env: Environment;
  try {
    env = readEnvironment(name);
  } catch (error) {
    if (!(error instanceof BadSetting)) throw error;
    process.stderr.write(`${name} cannot start: ${error.message}\n`);
    process.exit(1);
  }
  const log = openLog(name, env.instance, env.logLevel);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a promise nobody waited for failed'));
  const groups = topics
    .flatMap((topic) => topic.consumers.map((group) => ({ group, topic: topic.name })))
    .filter(({ group }) => group === name || group.startsWith(`${name}.`));
  const metrics = openMetrics(name, [...new Set(groups.map(({ topic }) => topic))]);
  let running: RunningService;
  try {
    running = await startService(env, log, metrics, await make(env, log, metrics));
  } catch (error) {
    if (!(error instanceof BadSetting)) log.fatal({ err: error }, 'the service could not start');
    process.stderr.write(`${name} cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  const stop = (): void => {
    // What is down may keep a stop waiting; what is not committed by then is read again by the next process.
    setTimeout(() => {
      log.error('the stop took too long');
      process.exit(1);
    }, env.shutdownGraceMs + stopMarginMs).unref();
    void running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the stop was not clean');
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
};
