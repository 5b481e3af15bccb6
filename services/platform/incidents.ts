import type { Pool } from 'pg';
import type { Row } from './decision';
import type { Logger } from './log';
import type { Statement } from './postgres';

/** Something stuck, with its reason and what an operator can do about it. */
export interface Incident {
  readonly id: string;
  readonly kind: string;
  readonly ref: string;
  readonly reason: string;
  readonly actions: readonly string[];
}

const table = 'incidents';

/** For decisions: the incident is opened by the transaction that finds it. The same id again is the same incident. */
export const incidentRow = (incident: Incident): Row => ({
  table,
  values: {
    id: incident.id,
    kind: incident.kind,
    ref: incident.ref,
    reason: incident.reason.slice(0, 1_000),
    actions: JSON.stringify(incident.actions),
  },
});

/** Of an outbox row that Kafka refuses; opened by the relay, closed by whoever frees the row. */
export const blockedIncident = (outboxId: string): string => `outbox-blocked/${outboxId}`;

export const isIncident = (row: Row): boolean => row.table === table;

const columns = ['id', 'kind', 'ref', 'reason', 'actions'] as const;

/** What was closed and is found again is open again; what is open stays as it was first told. */
export const openIncidents = (rows: readonly Row[]): Statement[] => {
  const byId = new Map(rows.map((row) => [String(row.values['id']), row.values]));
  if (byId.size === 0) return [];
  const sorted = [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, values]) => values);
  return [
    {
      name: 'incidents_open',
      text: `INSERT INTO incidents (${columns.join(', ')}) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
             ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, actions = excluded.actions,
               opened_at = clock_timestamp(), acknowledged_at = NULL, closed_at = NULL WHERE incidents.closed_at IS NOT NULL`,
      values: columns.map((column) => sorted.map((values) => values[column])),
    },
  ];
};

export const closeIncidents = (ids: readonly string[]): Statement[] =>
  ids.length === 0
    ? []
    : [
        {
          name: 'incidents_close',
          text: 'UPDATE incidents SET closed_at = clock_timestamp() WHERE id = ANY($1::text[]) AND closed_at IS NULL',
          values: [[...ids].sort()],
        },
      ];

/** For what is found outside of decisions. A failure is only logged: what is still stuck is found again. */
export interface Incidents {
  readonly open: (incident: Incident) => Promise<void>;
  readonly close: (ids: readonly string[]) => Promise<void>;
  /** One for all instances, as they are given the same file. */
  readonly configuration: (path: string, problem: string | null) => Promise<void>;
}

export const incidentsIn = (pool: Pool, log: Logger): Incidents => {
  const run = async (statements: readonly Statement[], ref: unknown): Promise<void> => {
    for (const { text, values } of statements)
      await pool
        .query(text, values as unknown[])
        .catch((error: unknown) => log.warn({ err: error, ref }, 'an incident could not be recorded'));
  };
  const open: Incidents['open'] = (incident) => run(openIncidents([incidentRow(incident)]), incident);
  const close: Incidents['close'] = (ids) => run(closeIncidents(ids), ids);
  return {
    open,
    close,
    configuration: (path, problem) => {
      const id = `configuration/${path}`;
      if (problem === null) return close([id]);
      const reason = `the changed configuration is not taken: ${problem}`;
      return open({
        id,
        kind: 'configuration',
        ref: path,
        reason,
        actions: ['correct the file'],
      });
    },
  };
};
