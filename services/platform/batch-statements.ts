import { sha256Hex } from './canonical';
import type { Row } from './decision';
import type { Statement } from './postgres';

// What a batch tells the database besides its aggregates and its outbox. Nothing to tell is no statement.

/** Identity of a record for the inbox; absent for commands, ticks and for the ingress, which has the identity gate. */
export interface Claim {
  readonly consumer: string;
  readonly topic: string;
  readonly eventId: string;
}

export interface Position {
  readonly consumer: string;
  readonly topic: string;
  readonly partition: number;
  readonly nextOffset: string;
}

export const claimId = ({ consumer, topic, eventId }: Claim): string => `${consumer} ${topic} ${eventId}`;

export const claimed = (items: readonly { readonly claim: Claim | null }[]): Statement[] => {
  // In one order in every process, each once: two instances that were given the same records must not deadlock.
  const claims = [...new Map(items.flatMap(({ claim }) => (claim === null ? [] : [[claimId(claim), claim] as const])))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, claim]) => claim);
  if (claims.length === 0) return [];
  return [
    {
      name: 'inbox_claim',
      text: `INSERT INTO inbox (consumer, topic, event_id) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
             ON CONFLICT DO NOTHING RETURNING consumer, topic, event_id`,
      values: [claims.map((c) => c.consumer), claims.map((c) => c.topic), claims.map((c) => c.eventId)],
    },
  ];
};

export const toldClaim = (items: readonly { readonly toldId: string | null }[]): Statement[] => {
  const ids = items.flatMap((item) => (item.toldId === null ? [] : [item.toldId]));
  return ids.length === 0
    ? []
    : [{ name: 'told_claim', text: 'DELETE FROM told WHERE id = ANY($1::text[]) RETURNING id', values: [ids.sort()] }];
};

export const positions = (items: readonly { readonly position: Position | null }[]): Statement[] => {
  const latest = new Map<string, Position>();
  for (const { position } of items)
    if (position !== null) latest.set(`${position.consumer} ${position.topic} ${position.partition}`, position);
  if (latest.size === 0) return [];
  const rows = [...latest.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, position]) => position);
  return [
    {
      name: 'positions_save',
      text: `INSERT INTO positions (consumer, topic, partition, next_offset) SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::bigint[])
             ON CONFLICT (consumer, topic, partition) DO UPDATE SET next_offset = excluded.next_offset`,
      values: [
        rows.map((r) => r.consumer),
        rows.map((r) => r.topic),
        rows.map((r) => r.partition),
        rows.map((r) => r.nextOffset),
      ],
    },
  ];
};

const jsonOf = (value: unknown): unknown => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : (value ?? null));

/**
 * Insert-only rows, one statement a table; a repeat of a natural key is the same fact and is ignored. The rows travel as
 * one JSON text that the server reads by the table's own types: so the statement is the same whatever their number, and
 * is planned once. A list of VALUES was planned anew each time, at ten milliseconds for some hundred rows.
 */
export const insertRows = (rows: readonly Row[]): Statement[] => {
  const byTable = new Map<string, Row[]>();
  for (const row of rows) {
    const group = byTable.get(row.table);
    if (group === undefined) byTable.set(row.table, [row]);
    else group.push(row);
  }
  return [...byTable.entries()].map(([table, group]) => {
    const columns = Object.keys(group[0]?.values ?? {});
    const list = columns.join(', ');
    const records = group.map((row) => Object.fromEntries(columns.map((name) => [name, jsonOf(row.values[name])])));
    return {
      name: `rows_${table}_${sha256Hex(Buffer.from(list)).slice(0, 8)}`,
      text: `INSERT INTO ${table} (${list}) SELECT ${list} FROM json_populate_recordset(NULL::${table}, $1::json) ON CONFLICT DO NOTHING`,
      values: [JSON.stringify(records)],
    };
  });
};

/** Dead-lettered records leave no inbox row behind, so that a redrive passes the dedup (case 25). */
export const reclaimable = (items: readonly { readonly claim: Claim | null }[]): Statement[] => {
  const claims = items.flatMap((item) => (item.claim === null ? [] : [item.claim]));
  if (claims.length === 0) return [];
  return [
    {
      name: 'inbox_reclaim',
      text: `DELETE FROM inbox USING unnest($1::text[], $2::text[], $3::text[]) AS u(c, t, e) WHERE consumer = c AND topic = t AND event_id = e`,
      values: [claims.map((c) => c.consumer), claims.map((c) => c.topic), claims.map((c) => c.eventId)],
    },
  ];
};
