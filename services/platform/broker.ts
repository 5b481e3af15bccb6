/**
 * What Fairlead needs of a Kafka client, and no more. kafka.ts is the only file that knows kafkajs; a contract test
 * (test/integration/broker-port.test.ts) states the behaviour another client must have.
 */
export interface OutRecord {
  readonly topic: string;
  readonly partition: number | null;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string | Buffer>>;
}

export interface InRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  /** Producer's or broker's time stamp in ms; informational, for lag only. */
  readonly timestampMs: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** First value of each header, binary ones kept; null values read as absent. */
  readonly headers: Readonly<Record<string, Buffer>>;
}

/** `record`: this record itself is refused (too large, invalid); `topic`: the topic is not there or not allowed; else the broker. */
export type SendFailure = 'record' | 'topic' | 'broker';

export interface Producer {
  /** Resolves when all in-sync replicas have every record, in the given order per partition; else rejects for the whole. */
  send(records: readonly OutRecord[]): Promise<void>;
  failureOf(error: unknown): SendFailure;
  close(): Promise<void>;
}

export interface Assignment {
  readonly topic: string;
  readonly partition: number;
}

export interface ConsumerOptions {
  readonly group: string;
  readonly topics: readonly string[];
  /** Milliseconds between two fetches that bring something; 0 = as soon as the last one is handed on. */
  readonly gatherMs: number;
  /**
   * Handed each fetched batch; resolves when the records are queued, never waits for their commit. While it has to wait
   * for room it calls `alive` as long as the drain makes progress, so that a hang is not hidden from the group.
   * `nextOffset` lies past what is no record, such as the end of a producer's transaction.
   */
  readonly onRecords: (records: readonly InRecord[], alive: () => Promise<void>, nextOffset: string) => Promise<void>;
  /** Called with each new assignment before anything is fetched; the answer says where to start instead. */
  readonly onAssigned: (assigned: readonly Assignment[]) => Promise<ReadonlyMap<string, string>>;
  readonly onError: (error: unknown) => void;
}

export interface Consumer {
  /** Records the next offset of partitions still owned; sent to the broker soon, lost partitions are left out. */
  commit(offsets: readonly { readonly topic: string; readonly partition: number; readonly nextOffset: string }[]): void;
  assigned(): readonly Assignment[];
  close(): Promise<void>;
}

export interface PartitionOffsets {
  readonly first: string;
  readonly end: string;
}

export interface Broker {
  producer(): Promise<Producer>;
  consume(options: ConsumerOptions): Consumer;
  /** Of each partition: the first record there still is, and the one that will come next. */
  offsets(topic: string): Promise<ReadonlyMap<number, PartitionOffsets>>;
  /** What a group has committed, by `topic:partition`; partitions it never committed are absent. */
  committed(group: string, topics: readonly string[]): Promise<ReadonlyMap<string, string>>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
