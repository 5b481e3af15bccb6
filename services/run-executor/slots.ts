/** Who holds and who wants the limited places of one tenant (R19). One row a tenant; only limited runs come here. */
export interface Slots {
  readonly tenant: string;
  held: SlotClaim[];
  waiting: SlotClaim[];
}

export interface SlotClaim {
  readonly runId: string;
  /** Fixed at enqueue from durable facts; ties go by id. */
  readonly order: number;
  readonly priority: number;
  /** What it takes one of each of: `tenant`, `account:…`, `entity:…`, `agent:…`, `resource:…`. */
  readonly counters: readonly string[];
}

/** How many may hold a counter at a time; null = any number. */
export type LimitOf = (counter: string) => number | null;

export interface Plan {
  readonly admitted: readonly SlotClaim[];
  /** Of everybody who still waits: the counter in the way. */
  readonly blocked: ReadonlyMap<string, string>;
}

const inOrder = (a: SlotClaim, b: SlotClaim): number => a.order - b.order || (a.runId < b.runId ? -1 : 1);

/**
 * Who of the waiting may go now, the same on every instance. The first that a full counter stops keeps its places in
 * the others, so that later ones cannot starve it by taking them in turns; those behind it keep nothing, so that one
 * busy counter does not stop the rest.
 */
export const plan = (slots: Pick<Slots, 'held' | 'waiting'>, limitOf: LimitOf): Plan => {
  const used = new Map<string, number>();
  const take = (claim: SlotClaim): void => {
    for (const counter of claim.counters) used.set(counter, (used.get(counter) ?? 0) + 1);
  };
  const isFull = (counter: string): boolean => {
    const limit = limitOf(counter);
    return limit !== null && (used.get(counter) ?? 0) >= limit;
  };
  slots.held.forEach(take);
  const admitted: SlotClaim[] = [];
  const blocked = new Map<string, string>();
  const stopped = new Set<string>();
  for (const claim of [...slots.waiting].sort(inOrder)) {
    const full = claim.counters.filter(isFull);
    const [first] = full;
    if (first === undefined) {
      take(claim);
      admitted.push(claim);
      continue;
    }
    blocked.set(claim.runId, first);
    // Only whoever is first at each of its full counters will be the next to get one.
    if (full.every((counter) => !stopped.has(counter)))
      for (const counter of claim.counters)
        if (!full.includes(counter)) used.set(counter, (used.get(counter) ?? 0) + 1);
    for (const counter of full) stopped.add(counter);
  }
  return { admitted, blocked };
};

/** The first waiting run that outranks a holder of the same resource by more than the margin and could go in its place. */
export const preemptorOf = (
  slots: Pick<Slots, 'held' | 'waiting'>,
  holder: SlotClaim,
  margin: number,
  limitOf: LimitOf,
): SlotClaim | null => {
  const resource = holder.counters.find((counter) => counter.startsWith('resource:'));
  if (resource === undefined) return null;
  const held = slots.held.filter((one) => one.runId !== holder.runId);
  return (
    [...slots.waiting]
      .sort(inOrder)
      .find(
        (one) =>
          one.counters.includes(resource) &&
          one.priority - holder.priority > margin &&
          plan({ held, waiting: [one] }, limitOf).admitted.length === 1,
      ) ?? null
  );
};
