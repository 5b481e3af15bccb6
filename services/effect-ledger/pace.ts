import type { Contract } from './contract';

/** Intents waiting in this process per slot of the connector: enough to keep the slots busy, few enough to be sent in time. */
const queuedPerSlot = 4;
/** A grant whose commit failed is given back after this long. */
const grantLostMs = 2_000;
const fullMs = 100;

interface Gauge {
  tokens: number;
  refilledAt: number;
  granted: number;
  grantedAt: number;
  taken: number;
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * The pace of each connector in this process: a token bucket over submits and queries, and a bound of requests at a
 * time. Decisions ask before they record an intent, so what has to wait waits as a row, not as an intent that goes stale.
 */
export interface Pace {
  readonly ask: (contract: Contract, what: 'submit' | 'query', now: number) => number;
  /** Runs one request in a slot of its connector. */
  readonly within: <T>(connector: string, concurrency: number, work: () => Promise<T>) => Promise<T>;
}

export const openPace = (): Pace => {
  const gauges = new Map<string, Gauge>();
  const gaugeOf = (name: string, tokens: number, now: number): Gauge => {
    const known = gauges.get(name);
    if (known !== undefined) return known;
    const made: Gauge = { tokens, refilledAt: now, granted: 0, grantedAt: now, taken: 0, running: 0, waiting: [] };
    gauges.set(name, made);
    return made;
  };

  return {
    ask: (contract, what, now) => {
      const { perSec } = contract;
      const gauge = gaugeOf(contract.name, perSec, now);
      gauge.tokens = Math.min(perSec, gauge.tokens + (Math.max(0, now - gauge.refilledAt) * perSec) / 1_000);
      gauge.refilledAt = Math.max(gauge.refilledAt, now);
      if (now - gauge.grantedAt > grantLostMs) gauge.granted = 0;
      if (what === 'submit' && gauge.taken + gauge.granted >= contract.concurrency * queuedPerSlot) return fullMs;
      if (gauge.tokens < 1) return Math.ceil(((1 - gauge.tokens) * 1_000) / perSec);
      gauge.tokens -= 1;
      if (what === 'submit') {
        gauge.granted += 1;
        gauge.grantedAt = now;
      }
      return 0;
    },
    within: async (connector, concurrency, work) => {
      const gauge = gaugeOf(connector, 1, 0);
      gauge.granted = Math.max(0, gauge.granted - 1);
      gauge.taken += 1;
      if (gauge.running >= concurrency) await new Promise<void>((resolve) => gauge.waiting.push(resolve));
      else gauge.running += 1;
      try {
        return await work();
      } finally {
        gauge.taken -= 1;
        // The slot is handed on, so that whoever waits longest is next.
        const next = gauge.waiting.shift();
        if (next === undefined) gauge.running -= 1;
        else next();
      }
    },
  };
};
