import type { Hints } from './redis';

/** Hints to other instances are gathered this long; more often would cost more than it saves. */
const hintEveryMs = 5;

export interface OutboxHints {
  /** These buckets have new rows, and another instance sends them. */
  readonly tell: (buckets: readonly number[]) => void;
  readonly listen: (on: (buckets: readonly number[]) => void) => void;
}

/** What the instances of one service tell each other; the relay's look-around finds what is lost here. */
export const outboxHints = (hints: Hints, channel: string): OutboxHints => {
  let pending = new Set<number>();
  const publish = (): void => {
    hints.publish(channel, [...pending].join(','));
    pending = new Set();
  };
  return {
    tell: (buckets) => {
      if (pending.size === 0 && buckets.length > 0) setTimeout(publish, hintEveryMs);
      for (const bucket of buckets) pending.add(bucket);
    },
    listen: (on) => hints.subscribe(channel, (text) => on(text.split(',').map(Number))),
  };
};
