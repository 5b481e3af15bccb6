import type { Row } from './decision';

/** Something stuck, with its reason and what an operator can do about it. */
export interface Incident {
  readonly id: string;
  readonly kind: string;
  readonly ref: string;
  readonly reason: string;
  readonly actions: readonly string[];
}

/** For decisions: the incident is opened by the transaction that finds it. The same id again is the same incident. */
export const incidentRow = (incident: Incident): Row => ({
  table: 'incidents',
  values: {
    id: incident.id,
    kind: incident.kind,
    ref: incident.ref,
    reason: incident.reason.slice(0, 1_000),
    actions: JSON.stringify(incident.actions),
  },
});
