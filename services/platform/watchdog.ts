import type { TopicLag } from './consumer';
import type { Incidents } from './incidents';
import type { Logger } from './log';
import type { Metrics } from './metrics';

/** How often lag is measured unasked; the figures asked for by people are fresh. */
const watchdogMs = 15_000;
const silentAfterSeconds = 120;

export interface WatchdogDeps {
  readonly lag: () => Promise<readonly TopicLag[]>;
  readonly metrics: Metrics;
  readonly stripPrefix: (topic: string) => string;
  readonly incidents: Incidents;
  /** Keeps a measurement for those who look at the service later. */
  readonly keep: (lag: readonly TopicLag[]) => Promise<void>;
  readonly log: Logger;
}

export interface Watchdog {
  /** Measures now and fills the gauges. */
  readonly measure: () => Promise<readonly TopicLag[]>;
  readonly stop: () => void;
}

const isSilent = (one: TopicLag): boolean => one.progressAgeSeconds > silentAfterSeconds;
/** By partition: whoever owns it next closes what the last owner opened. */
const incidentId = (one: TopicLag): string => `silent-consumer/${one.group}/${one.topic}/${one.partition}`;

export interface WorstOfTopic {
  readonly timeLagSeconds: number;
  readonly progressAgeSeconds: number;
}

/** Each figure by itself: the partition that waits longest need not be the one that stands still. */
export const worstByTopic = (partitions: readonly TopicLag[]): ReadonlyMap<string, WorstOfTopic> => {
  const worst = new Map<string, WorstOfTopic>();
  for (const { topic, timeLagSeconds, progressAgeSeconds } of partitions) {
    const before = worst.get(topic);
    worst.set(topic, {
      timeLagSeconds: Math.max(before?.timeLagSeconds ?? 0, timeLagSeconds),
      progressAgeSeconds: Math.max(before?.progressAgeSeconds ?? 0, progressAgeSeconds),
    });
  }
  return worst;
};

/** Looks whether what is read gets on, and says so where it does not. */
export const startWatchdog = ({ lag, metrics, stripPrefix, incidents, keep, log }: WatchdogDeps): Watchdog => {
  const measure = async (): Promise<readonly TopicLag[]> => {
    const partitions = await lag();
    metrics.lag.reset();
    for (const one of partitions)
      metrics.lag.set({ consumergroup: one.group, topic: one.topic, partition: one.partition }, one.lag);
    for (const [topic, one] of worstByTopic(partitions)) {
      metrics.timeLagSeconds.set({ topic: stripPrefix(topic) }, one.timeLagSeconds);
      metrics.progressAgeSeconds.set({ topic: stripPrefix(topic) }, one.progressAgeSeconds);
    }
    return partitions;
  };

  const look = async (): Promise<void> => {
    const partitions = await measure();
    for (const one of partitions.filter(isSilent))
      await incidents.open({
        id: incidentId(one),
        kind: 'silent_consumer',
        ref: one.group,
        reason: `${one.lag} records wait on ${one.topic} without progress for ${Math.round(one.progressAgeSeconds)} s`,
        actions: ['check the broker', 'restart the instance'],
      });
    await incidents.close(partitions.filter((one) => !isSilent(one)).map(incidentId));
    // Last: a sample that cannot be kept must not keep an incident from being opened.
    await keep(partitions);
  };
  const timer = setInterval(
    () => void look().catch((error: unknown) => log.debug({ err: error }, 'lag could not be measured')),
    watchdogMs,
  );
  return { measure, stop: () => clearInterval(timer) };
};
