import type { Pool } from 'pg';
import type { RawRecord } from './dead-letters';
import { query } from './postgres';

/** A record that was alone in flight at this many deaths of the process is poison (case 36). */
const deathsUntilPoison = 5;
/** How many records after repeated unclean starts are taken one by one. */
const carefulRecords = 1_000;
/** A process alive this long has left the cause of its last death behind. */
const healthyAfterMs = 60_000;

export interface Careful {
  readonly active: () => boolean;
  readonly before: (raw: RawRecord | null) => Promise<'go' | 'bury'>;
  readonly after: (raw: RawRecord | null) => Promise<void>;
  /** Marks the end as clean, so that the next start goes at full speed. */
  readonly left: () => Promise<void>;
}

/**
 * One kill -9 says nothing about the records in flight. A second unclean start in a row makes this process take its
 * records one at a time and count, before each, that it was alone in flight: what kills it five times is dead-lettered.
 */
export const beCareful = async (pool: Pool, instance: string): Promise<Careful> => {
  const [mark] = await query<{ crashes: number }>(
    pool,
    `INSERT INTO process_marks (instance, clean, crashes) VALUES ($1, false, 0)
     ON CONFLICT (instance) DO UPDATE SET clean = false, crashes = CASE WHEN process_marks.clean THEN 0 ELSE process_marks.crashes + 1 END
     RETURNING crashes`,
    [instance],
  );
  let left = (mark?.crashes ?? 0) >= 2 ? carefulRecords : 0;
  const calm = setTimeout(() => {
    left = 0;
    void query(pool, 'UPDATE process_marks SET crashes = 0 WHERE instance = $1', [instance]).catch(() => undefined);
  }, healthyAfterMs);
  calm.unref();
  return {
    active: () => left > 0,
    before: async (raw) => {
      if (raw === null) return 'go';
      const [row] = await query<{ deaths: number }>(
        pool,
        `INSERT INTO suspects (consumer, topic, partition, record_offset) VALUES ($1, $2, $3, $4)
         ON CONFLICT (consumer, topic, partition, record_offset) DO UPDATE SET deaths = suspects.deaths + 1 RETURNING deaths`,
        [raw.group, raw.topic, raw.partition, raw.offset],
      );
      return (row?.deaths ?? 0) >= deathsUntilPoison ? 'bury' : 'go';
    },
    after: async (raw) => {
      left -= 1;
      if (raw !== null)
        await query(
          pool,
          'DELETE FROM suspects WHERE consumer = $1 AND topic = $2 AND partition = $3 AND record_offset = $4',
          [raw.group, raw.topic, raw.partition, raw.offset],
        );
    },
    left: async () => {
      clearTimeout(calm);
      await query(pool, 'UPDATE process_marks SET clean = true, crashes = 0 WHERE instance = $1', [instance]);
    },
  };
};
