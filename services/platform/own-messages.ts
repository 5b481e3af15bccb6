import type { BatchItem } from './batch-open';
import type { RawRecord } from './dead-letters';
import type { Row, Tick, Trace } from './decision';
import { incidentRow } from './incidents';
import type { RecordJob } from './intake';
import type { Settled } from './writer';

/** The record a message came from; null for what came from no partition. */
export const rawOf = <M>(item: BatchItem<M>): RawRecord | null => (item as RecordJob<M>).raw ?? null;

/** A message that came from no partition. */
export const jobOf = <M>(
  message: M,
  cause: string,
  trace: Trace,
  toldId: string | null,
  settle: (settled: Settled) => void,
): RecordJob<M> => ({
  message,
  cause,
  trace,
  toldId,
  claim: null,
  position: null,
  raw: null,
  bytes: 0,
  settle,
});

/** How long a message of the service to itself rests after a decision on it threw. */
const tellAgainMs = 60_000;

/**
 * What is no record has no dead-letter topic. A told message goes back to its table for later, a tick comes again by
 * itself; either way somebody is told, because the aggregate may be stuck until the defect is mended (R25).
 */
export const unburied = (item: BatchItem<unknown>, now: number): Row[] => {
  const tick = item.message as Partial<Tick>;
  if (item.toldId === null && tick.type !== 'tick') return [];
  const ref = item.toldId ?? `${tick.kind ?? ''} ${tick.id ?? ''}`;
  const incident = incidentRow({
    id: `defect/${ref}`,
    kind: 'defect',
    ref,
    reason: 'a decision on this throws; the log has the error',
    actions: ['report the error of the log', 'upgrade once it is mended: it is tried again by itself'],
  });
  if (item.toldId === null) return [incident];
  const values = {
    id: item.toldId,
    message: JSON.stringify(item.message),
    trace: JSON.stringify(item.trace),
    told_at: new Date(now + tellAgainMs),
  };
  return [incident, { table: 'told', values }];
};
