import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** The only file that knows the metrics library. Every series a service owns is there from the start, as 0. */
export interface Metrics {
  readonly registry: Registry;
  readonly duplicates: Counter;
  readonly deadLetters: Counter<'topic' | 'code'>;
  readonly batchItems: Histogram;
  readonly batchSeconds: Histogram;
  readonly outboxPending: Gauge;
  readonly outboxOldestSeconds: Gauge;
  readonly outboxBlockedKeys: Gauge;
  readonly lag: Gauge<'consumergroup' | 'topic' | 'partition'>;
  readonly timeLagSeconds: Gauge<'topic'>;
  readonly progressAgeSeconds: Gauge<'topic'>;
  readonly incidents: Gauge<'kind'>;
  /** Gauges by state that the service fills from its tables when asked for metrics. */
  states(
    name: string,
    help: string,
    label: string,
    values: readonly string[],
  ): (counts: ReadonlyMap<string, number>) => void;
  /** With a label only where the values it takes are few and configured. */
  gauge(name: string, help: string, label?: string): Gauge;
  counter(name: string, help: string): Counter;
  seconds(name: string, help: string): Histogram;
  text(): Promise<string>;
}

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export const openMetrics = (service: string, topics: readonly string[]): Metrics => {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const timeLagSeconds = new Gauge({
    name: 'fairlead_consumer_time_lag_seconds',
    help: 'Age of the oldest record not yet processed, in seconds; 0 when caught up',
    labelNames: ['topic'],
    registers,
  });
  const progressAgeSeconds = new Gauge({
    name: 'fairlead_consumer_progress_age_seconds',
    help: 'Seconds since this consumer last committed while records were waiting; 0 when caught up',
    labelNames: ['topic'],
    registers,
  });
  for (const topic of topics) {
    timeLagSeconds.set({ topic }, 0);
    progressAgeSeconds.set({ topic }, 0);
  }
  const deadLetters = new Counter({
    name: 'fairlead_dlt_records_total',
    help: 'Records moved to a dead-letter topic',
    labelNames: ['topic', 'code'],
    registers,
  });
  for (const topic of topics) deadLetters.inc({ topic, code: 'malformed' }, 0);
  return {
    registry,
    deadLetters,
    timeLagSeconds,
    progressAgeSeconds,
    duplicates: new Counter({
      name: 'fairlead_inbox_duplicates_total',
      help: 'Deliveries of an event that had been handled before',
      registers,
    }),
    batchItems: new Histogram({
      name: 'fairlead_batch_items',
      help: 'Messages that shared one commit',
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 400],
      registers,
    }),
    batchSeconds: new Histogram({
      name: 'fairlead_batch_seconds',
      help: 'Seconds from the first lock to the commit of a batch',
      buckets: latencyBuckets,
      registers,
    }),
    outboxPending: new Gauge({
      name: 'fairlead_outbox_pending',
      help: 'Records written and not yet on Kafka',
      registers,
    }),
    outboxOldestSeconds: new Gauge({
      name: 'fairlead_outbox_oldest_pending_age_seconds',
      help: 'Age in seconds of the oldest record not yet on Kafka',
      registers,
    }),
    outboxBlockedKeys: new Gauge({
      name: 'fairlead_outbox_blocked_keys',
      help: 'Keys that wait for an operator because Kafka refused one of their records',
      registers,
    }),
    lag: new Gauge({
      name: 'kafka_consumergroup_lag',
      help: 'Records between the committed offset and the end, exported by the owner of the partition',
      labelNames: ['consumergroup', 'topic', 'partition'],
      registers,
    }),
    incidents: new Gauge({ name: 'fairlead_incidents', help: 'Open incidents', labelNames: ['kind'], registers }),
    states: (name, help, label, values) => {
      const gauge = new Gauge({ name, help, labelNames: [label], registers });
      for (const value of values) gauge.set({ [label]: value }, 0);
      return (counts) => {
        for (const value of values) gauge.set({ [label]: value }, counts.get(value) ?? 0);
      };
    },
    gauge: (name, help, label) => new Gauge({ name, help, labelNames: label === undefined ? [] : [label], registers }),
    counter: (name, help) => new Counter({ name, help, registers }),
    seconds: (name, help) => new Histogram({ name, help, buckets: latencyBuckets, registers }),
    text: () => registry.metrics(),
  };
};
