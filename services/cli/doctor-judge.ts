/** What is wrong, or null and a word about how it is. */
export interface Judgement {
  readonly wrong: string | null;
  readonly note: string;
}

const judged = (problems: readonly string[], note: string): Judgement => ({
  wrong: problems.length === 0 ? null : problems.join('; '),
  note,
});

export interface ApiRange {
  readonly min: number;
  readonly max: number;
}
export type ApiRanges = ReadonlyMap<number, ApiRange>;

export interface NeededApi extends ApiRange {
  readonly key: number;
  readonly name: string;
}

/**
 * Requests that Fairlead makes, each with the oldest version that carries what it relies on (headers, record batches,
 * time stamps) and the newest that its client speaks. A broker must meet each range somewhere.
 */
export const neededApis: readonly NeededApi[] = [
  { key: 0, name: 'Produce', min: 3, max: 7 },
  { key: 1, name: 'Fetch', min: 4, max: 11 },
  { key: 2, name: 'ListOffsets', min: 1, max: 3 },
  { key: 3, name: 'Metadata', min: 1, max: 6 },
  { key: 8, name: 'OffsetCommit', min: 2, max: 5 },
  { key: 9, name: 'OffsetFetch', min: 1, max: 4 },
  { key: 10, name: 'GroupCoordinator', min: 0, max: 2 },
  { key: 11, name: 'JoinGroup', min: 0, max: 5 },
  { key: 12, name: 'Heartbeat', min: 0, max: 3 },
  { key: 13, name: 'LeaveGroup', min: 0, max: 3 },
  { key: 14, name: 'SyncGroup', min: 0, max: 3 },
  { key: 18, name: 'ApiVersions', min: 0, max: 2 },
  { key: 19, name: 'CreateTopics', min: 0, max: 3 },
  { key: 32, name: 'DescribeConfigs', min: 0, max: 2 },
];

/** Brokers do not say their release; the newest Fetch they speak tells it nearly enough for a person. */
const releases: readonly (readonly [fetchVersion: number, release: string])[] = [
  [18, '4.1 or newer'],
  [17, '3.9 or 4.0'],
  [16, '3.7 or 3.8'],
  [14, '3.5 or 3.6'],
  [13, '3.1 to 3.4'],
  [12, '2.7 to 3.0'],
  [11, '2.3 to 2.6'],
];

export const releaseOf = (ranges: ApiRanges): string => {
  const newest = ranges.get(1)?.max ?? -1;
  return releases.find(([version]) => newest >= version)?.[1] ?? 'older than 2.3';
};

export const judgeApis = (brokers: ReadonlyMap<string, ApiRanges>): Judgement => {
  const problems = [...brokers].flatMap(([broker, ranges]) =>
    neededApis.flatMap(({ key, name, min, max }) => {
      const has = ranges.get(key);
      if (has === undefined) return [`${broker} has no ${name}`];
      return has.min <= max && has.max >= min
        ? []
        : [`${broker} speaks ${name} ${has.min} to ${has.max}, needed is one of ${min} to ${max}`];
    }),
  );
  const found = [...new Set([...brokers.values()].map(releaseOf))];
  return judged(problems, `Kafka ${found.join(' and ')}, ${brokers.size} ${brokers.size === 1 ? 'broker' : 'brokers'}`);
};

export interface ClockReading {
  readonly name: string;
  /** Ahead of this process's clock; negative is behind. */
  readonly aheadMs: number;
  /** What the measurement itself cannot tell: half the round trip, the resolution of the answer. */
  readonly unsureMs: number;
}

/** Far below any lease or timeout, far above what a synchronised clock shows. */
const clockToleranceMs = 1_000;

export const judgeClocks = (readings: readonly ClockReading[], fromTheFuture: readonly string[]): Judgement => {
  const off = readings.filter(({ aheadMs, unsureMs }) => Math.abs(aheadMs) - unsureMs > clockToleranceMs);
  return judged(
    [
      ...off.map(
        ({ name, aheadMs }) =>
          `the clock of ${name} is ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's`,
      ),
      ...(fromTheFuture.length === 0 ? [] : [`records are dated in the future on ${fromTheFuture.join(', ')}`]),
    ],
    `${readings.length} clocks within ${clockToleranceMs / 1_000} s`,
  );
};

export interface Copies {
  readonly replicationFactor: number;
  readonly minInsyncReplicas: number;
}

/** One broker is a choice for trying out; with several, one copy or one acknowledgement loses what was acknowledged. */
export const judgeCopies = ({ replicationFactor, minInsyncReplicas }: Copies, brokers: number): Judgement => {
  const note = `${replicationFactor} ${replicationFactor === 1 ? 'copy' : 'copies'}, ${minInsyncReplicas} must acknowledge`;
  if (brokers < 2) return judged([], `${note} (one broker: its disk is the only copy)`);
  return judged(
    [
      ...(replicationFactor < 2 ? [`${brokers} brokers, and topics have one copy: a lost disk loses messages`] : []),
      ...(replicationFactor >= 2 && minInsyncReplicas < 2
        ? ['min.insync.replicas is 1: what one broker alone has acknowledged is lost with it']
        : []),
      ...(replicationFactor >= 2 && minInsyncReplicas >= replicationFactor
        ? [
            `min.insync.replicas is ${minInsyncReplicas} of ${replicationFactor}: with one broker away nothing is written`,
          ]
        : []),
    ],
    note,
  );
};

export interface DatabaseSettings {
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly maxConnections: number;
  readonly reserved: number;
  readonly used: number;
}

const connectionsPerInstance = 6;
const fullAt = 0.8;

export const judgeDurability = ({ fsync, synchronousCommit }: DatabaseSettings): Judgement =>
  judged(
    [
      ...(fsync === 'on' ? [] : ['fsync is off: a power cut can lose what was acknowledged']),
      ...(synchronousCommit === 'off' ? ['synchronous_commit is off: a crash can lose what was acknowledged'] : []),
    ],
    '',
  );

export const judgeConnections = (
  { maxConnections, reserved, used }: DatabaseSettings,
  instances: number,
): Judgement => {
  const room = maxConnections - reserved;
  const wanted = instances * connectionsPerInstance;
  return judged(
    [
      ...(used > room * fullAt ? [`${used} of ${room} connections are in use`] : []),
      ...(wanted > room ? [`${instances} instances may take ${wanted} connections, and ${room} can be had`] : []),
    ],
    `${used} of ${room} in use`,
  );
};

export interface WorkOf {
  readonly service: string;
  readonly instances: number;
  readonly outbox: { readonly pending: number; readonly oldestSeconds: number };
  readonly lag: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly lag: number;
    readonly timeLagSeconds: number;
    readonly progressAgeSeconds: number;
  }[];
}

const outboxOldSeconds = 60;
const stillSeconds = 120;
const behindSeconds = 300;

export const judgeWork = (services: readonly WorkOf[]): Judgement =>
  judged(
    services.flatMap(({ service, instances, outbox, lag }) => [
      // One that has just started has its partitions before its first measurement.
      ...(instances === 0 && lag.length === 0 ? [`${service}: no instance reads its topics`] : []),
      ...(outbox.oldestSeconds > outboxOldSeconds
        ? [`${service}: ${outbox.pending} records wait for Kafka, the oldest for ${Math.round(outbox.oldestSeconds)} s`]
        : []),
      ...lag
        .filter((one) => one.progressAgeSeconds > stillSeconds || one.timeLagSeconds > behindSeconds)
        .map(
          (one) =>
            `${service}: ${one.lag} records wait on ${one.topic}/${one.partition}, the oldest for ${Math.round(one.timeLagSeconds)} s, no progress for ${Math.round(one.progressAgeSeconds)} s`,
        ),
    ]),
    '',
  );
