/** What stands still for a while although nothing is wrong with it: a relay, a consumer, a poll that was not woken. */
export interface Stalls {
  readonly stop: (name: string, until: number) => void;
  readonly stands: (name: string) => boolean;
  /** When the next of them goes on. */
  readonly nextAt: () => number | null;
  readonly clear: () => void;
}

/** Without hints this is how often somebody looks. */
export const pollMs = 250;
/** While Redis is gone no hint reaches anybody. */
export const redis = 'redis';
export const relayOf = (service: string): string => `relay of ${service}`;
/** Own messages and timers, which their service is woken for. */
export const ownOf = (service: string): string => `wake-ups of ${service}`;
export const topicOf = (group: string, topic: string): string => `${topic} to ${group}`;

export const openStalls = (now: () => number): Stalls => {
  const ends = new Map<string, number>();
  return {
    stop: (name, until) => void ends.set(name, Math.max(until, ends.get(name) ?? 0)),
    stands: (name) => (ends.get(name) ?? 0) > now(),
    nextAt: () => {
      const later = [...ends.values()].filter((at) => at > now());
      return later.length === 0 ? null : Math.min(...later);
    },
    clear: () => ends.clear(),
  };
};
