import { performance } from 'node:perf_hooks';
import type { Contract } from './contract';
import { slotLeaseMs, type Lease } from './pace-lease';

/**
 * Share of a connector's rate that is used, and how late an instant may still be used: together they keep every second,
 * wherever it begins, at or below the rate.
 */
const usedShare = 0.95;
const lateMs = 30;
/** Intents waiting in this process per slot of the connector: enough to keep the slots busy, few enough to be sent in time. */
const queuedPerSlot = 4;
/** And at most what goes out in so many seconds. */
const queuedSec = 2;
/** A grant whose commit failed is given back after this long. */
const grantLostMs = 2_000;
const fullMs = 100;
/** Longest a decision is told to wait; then it asks again. */
const maxWaitMs = 60_000;
/** Between two questions to the database for more. */
const againMs = 15;
/** How often a process with enough asks whether others have come. */
const lookMs = 100;
/** An unused share is given back after this long without work. */
const idleMs = 300;

/** What decisions ask: a token bucket of this process, so that what has to wait waits as a row and not as an intent. */
interface Meter {
  tokens: number;
  refilledAt: number;
  /** When those who were told to wait will all have had their turn. */
  tail: number;
  granted: number;
  grantedAt: number;
}

interface Waiter {
  readonly start: () => void;
  over: boolean;
}

/** What senders hold: slots, and instants at which one request each may go out. */
interface Gauge {
  contract: Contract;
  slots: number;
  slotsUntil: number;
  busy: number;
  first: number;
  left: number;
  readonly waiting: Waiter[];
  asking: boolean;
  askedAt: number;
  paused: boolean;
  timer: NodeJS.Timeout | undefined;
  idle: NodeJS.Timeout | undefined;
}

/** The pace of each connector: one rate over submits and queries and one bound of requests at a time, over all processes. */
export interface Pace {
  readonly ask: (contract: Contract, what: 'submit' | 'query', now: number) => number;
  /** Runs one request in a slot of its connector at an instant of its timeline; null: there was none in time. */
  readonly within: <T>(contract: Contract, waitMs: number, work: () => Promise<T>) => Promise<T | null>;
}

const gapMs = (contract: Contract): number => 1_000 / (contract.perSec * usedShare);

export const openPace = (lease: Lease): Pace => {
  const meters = new Map<string, Meter>();
  const gauges = new Map<string, Gauge>();

  const gaugeOf = (contract: Contract): Gauge => {
    const known = gauges.get(contract.name);
    if (known !== undefined) {
      known.contract = contract;
      return known;
    }
    const made: Gauge = {
      contract,
      slots: 0,
      slotsUntil: 0,
      busy: 0,
      first: 0,
      left: 0,
      waiting: [],
      asking: false,
      askedAt: 0,
      paused: false,
      timer: undefined,
      idle: undefined,
    };
    gauges.set(contract.name, made);
    return made;
  };

  const later = (gauge: Gauge, ms: number): void => {
    gauge.timer ??= setTimeout(() => {
      gauge.timer = undefined;
      pump(gauge);
    }, ms);
  };

  const refresh = async (gauge: Gauge): Promise<void> => {
    const now = performance.now();
    if (gauge.asking) return;
    if (now - gauge.askedAt < againMs) return later(gauge, againMs);
    gauge.asking = true;
    gauge.askedAt = now;
    const { contract } = gauge;
    try {
      const wanted = Math.min(contract.concurrency, gauge.busy + gauge.waiting.length);
      const got = await lease({
        connector: contract.name,
        concurrency: contract.concurrency,
        gapMs: gapMs(contract),
        busy: gauge.busy,
        wanted,
        tokens:
          gauge.left === 0 || gauge.first + gauge.left * gapMs(contract) < now + lateMs ? gauge.waiting.length : 0,
      });
      gauge.slots = got.slots;
      gauge.slotsUntil = performance.now() + slotLeaseMs / 2;
      gauge.paused = got.paused;
      if (got.tokens > 0) {
        gauge.first = got.first;
        gauge.left = got.tokens;
      }
    } catch {
      // The database is away: nothing new goes out until it is asked again.
    } finally {
      gauge.asking = false;
    }
    pump(gauge);
  };

  const giveBack = (gauge: Gauge): void => {
    clearTimeout(gauge.idle);
    gauge.idle = setTimeout(() => {
      if (gauge.waiting.length > 0 || gauge.slots === 0) return;
      void refresh(gauge);
    }, idleMs);
    gauge.idle.unref();
  };

  const pump = (gauge: Gauge): void => {
    const gap = gapMs(gauge.contract);
    while (gauge.waiting[0]?.over === true) gauge.waiting.shift();
    if (gauge.waiting.length === 0) return giveBack(gauge);
    const now = performance.now();
    if (gauge.busy >= gauge.slots || now > gauge.slotsUntil) return void refresh(gauge);
    // Instants that were missed are void: used together they would be a burst.
    const missed = Math.min(gauge.left, Math.max(0, Math.ceil((now - lateMs - gauge.first) / gap)));
    gauge.first += missed * gap;
    gauge.left -= missed;
    if (gauge.left === 0) return void refresh(gauge);
    if (now - gauge.askedAt > lookMs) void refresh(gauge);
    if (gauge.first > now) return later(gauge, gauge.first - now);
    gauge.first += gap;
    gauge.left -= 1;
    gauge.busy += 1;
    gauge.waiting.shift()?.start();
    pump(gauge);
  };

  const meterOf = (contract: Contract, now: number): Meter => {
    const known = meters.get(contract.name);
    if (known !== undefined) return known;
    const made: Meter = { tokens: contract.perSec, refilledAt: now, tail: now, granted: 0, grantedAt: now };
    meters.set(contract.name, made);
    return made;
  };

  return {
    ask: (contract, what, now) => {
      const { perSec, concurrency } = contract;
      const meter = meterOf(contract, now);
      const refilled = (Math.max(0, now - meter.refilledAt) * perSec * usedShare) / 1_000;
      meter.tokens = Math.min(perSec, meter.tokens + refilled);
      meter.refilledAt = Math.max(meter.refilledAt, now);
      if (now - meter.grantedAt > grantLostMs) meter.granted = 0;
      const gauge = gauges.get(contract.name);
      const queued = meter.granted + (gauge === undefined ? 0 : gauge.busy + gauge.waiting.length);
      const room = Math.min(concurrency * queuedPerSlot, Math.max(concurrency, Math.ceil(perSec * queuedSec)));
      if (what === 'submit' && queued >= room) return fullMs;
      if (meter.tokens < 1) {
        // In line, so that ten thousand that wait do not all ask again for the next place.
        meter.tail = Math.max(meter.tail, now) + 1_000 / (perSec * usedShare);
        return Math.min(maxWaitMs, Math.ceil(meter.tail - now));
      }
      meter.tokens -= 1;
      if (what === 'submit') {
        meter.granted += 1;
        meter.grantedAt = now;
      }
      return 0;
    },
    within: async (contract, waitMs, work) => {
      const meter = meters.get(contract.name);
      if (meter !== undefined) meter.granted = Math.max(0, meter.granted - 1);
      const gauge = gaugeOf(contract);
      const started = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => {
          waiter.over = true;
          resolve(false);
        }, waitMs);
        const waiter: Waiter = {
          over: false,
          start: () => {
            clearTimeout(timer);
            resolve(true);
          },
        };
        gauge.waiting.push(waiter);
        pump(gauge);
      });
      if (!started) return null;
      try {
        return await work();
      } finally {
        gauge.busy -= 1;
        pump(gauge);
      }
    },
  };
};
