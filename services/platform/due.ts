import type { Pool } from 'pg';
import { due } from './aggregate';
import type { Kind, Tick, Trace } from './decision';
import { failpoint } from './failpoints';
import type { Logger } from './log';
import { backoffMs, pause } from './pause';
import { query } from './postgres';
import { steadyMs } from './clocks';

const pollMs = 250;
const dueLimit = 200;
/** Messages told by a process that died before deciding them are picked up by any instance after this long. */
const strandedAfterMs = 1_000;

export interface DueDeps<M> {
  readonly pool: Pool;
  readonly kinds: readonly Kind[];
  readonly log: Logger;
  readonly full: () => boolean;
  readonly tick: (tick: Tick, done: (ok: boolean) => void) => void;
  readonly told: (id: string, message: M, trace: Trace, done: () => void) => void;
}

/**
 * Timers, leases and deadlines are one thing: a column that says when its aggregate next needs a look. Whoever finds it
 * sends the aggregate a tick; ticks are decided like any message, so finding one twice does no harm, and none is lost
 * with the process that was going to act on it.
 */
export const watchDue = <M>(deps: DueDeps<M>): { readonly stop: () => Promise<void> } => {
  let stopped = false;
  /** Ticks on their way, and ticks that failed with the time they may be tried again. */
  const asked = new Map<string, number>();
  const failures = new Map<string, number>();

  const ask = (kind: string, id: string): void => {
    const name = `${kind} ${id}`;
    if ((asked.get(name) ?? 0) > steadyMs()) return;
    asked.set(name, Number.POSITIVE_INFINITY);
    deps.tick({ type: 'tick', kind, id }, (ok) => {
      if (ok) {
        asked.delete(name);
        failures.delete(name);
      } else {
        const tries = (failures.get(name) ?? 0) + 1;
        failures.set(name, tries);
        asked.set(name, steadyMs() + backoffMs(tries, 1_000, 60_000));
      }
    });
  };

  const text = due(deps.kinds, dueLimit);
  const scan = async (): Promise<boolean> => {
    if (text === null) return false;
    // Not named: a plan made while a table was empty would read it whole for ever.
    const { rows } = await deps.pool.query<{ kind: string; id: string }>(text);
    for (const { kind, id } of rows) ask(kind, id);
    const counts = new Map<string, number>();
    for (const { kind } of rows) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return [...counts.values()].some((count) => count === dueLimit);
  };

  const scanStranded = async (): Promise<boolean> => {
    const stranded = await query<{ id: string; message: string; trace: string }>(
      deps.pool,
      `SELECT id, message, trace FROM told WHERE told_at < clock_timestamp() - interval '${strandedAfterMs} milliseconds' ORDER BY told_at LIMIT ${dueLimit}`,
    );
    for (const row of stranded) {
      if (asked.has(row.id)) continue;
      asked.set(row.id, Number.POSITIVE_INFINITY);
      deps.told(row.id, JSON.parse(row.message) as M, JSON.parse(row.trace) as Trace, () => void asked.delete(row.id));
    }
    return stranded.length === dueLimit;
  };

  const loop = async (): Promise<void> => {
    for (let strandedAt = 0; !stopped;) {
      let more = false;
      try {
        await failpoint('due.scan');
        if (!deps.full()) {
          more = await scan();
          if (steadyMs() >= strandedAt) strandedAt = steadyMs() + ((await scanStranded()) ? 0 : strandedAfterMs);
        }
      } catch (error) {
        deps.log.debug({ err: error }, 'what is due could not be read');
        await pause(1_000);
      }
      await pause(more ? 20 : pollMs * (0.8 + Math.random() * 0.4));
    }
  };
  const running = loop();
  return {
    stop: async () => {
      stopped = true;
      await running;
    },
  };
};
