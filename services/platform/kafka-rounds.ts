import { pause } from './pause';
import { steadyMs } from './clocks';

/** After a round that brought at least this many records, an urgent group too lets some gather for the next one. */
const busyRecords = 6;
const busyGatherMs = 8;

/** What a consumer says about its rounds of fetching. */
export interface Rounds {
  readonly took: (records: number) => void;
  readonly close: () => void;
}

interface Round {
  readonly gatherMs: number;
  records: number;
  fetchedAt: number;
}

const rounds = new Map<string, Round>();

/**
 * The cost of reading is per fetch, hardly per record, and a broker answers a fetch with the first record there is. So
 * the next fetch is not sent before `gatherMs` after the last one that brought something: what comes alone is handed on
 * at once, and a stream of records costs a bounded number of fetches a second, on both sides.
 */
export const betweenRounds = (groupId: string, gatherMs: number): Rounds => {
  patchFetch();
  const round: Round = { gatherMs, records: 0, fetchedAt: 0 };
  rounds.set(groupId, round);
  return {
    took: (records) => {
      if (round.records === 0) round.fetchedAt = steadyMs();
      round.records += records;
    },
    close: () => void (rounds.get(groupId) === round && rounds.delete(groupId)),
  };
};

const waitMs = (round: Round): number => {
  if (round.records === 0) return 0;
  const gatherMs = Math.max(round.gatherMs, round.records >= busyRecords ? busyGatherMs : 0);
  return Math.min(gatherMs, round.fetchedAt + gatherMs - steadyMs());
};

let patched = false;

/** kafkajs has no place of its own between the rounds of a consumer. */
const patchFetch = (): void => {
  if (patched) return;
  patched = true;
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const ConsumerGroup = require('kafkajs/src/consumer/consumerGroup') as {
    prototype: { fetch(this: { groupId: string }, nodeId: number): Promise<unknown[]> };
  };
  const original = ConsumerGroup.prototype.fetch;
  ConsumerGroup.prototype.fetch = async function (nodeId) {
    const round = rounds.get(this.groupId);
    if (round !== undefined) {
      const ms = waitMs(round);
      if (ms > 0) await pause(ms);
      round.records = 0;
    }
    return original.call(this, nodeId);
  };
};
