import type { Pool, PoolClient } from 'pg';
import { time } from './items';
import type { Stream, TimelineKind } from './state';
import { consistently, type Scope } from './store';

/** A page does not show more of a kind; what is older is in the lists and in the event stream. */
const maxPerKind = 500;
const maxConversations = 100;

const names = {
  messages: 'message',
  receipts: 'receipt',
  runs: 'run',
  interactions: 'interaction',
  actions: 'action',
  reports: 'report',
} as const satisfies Record<string, TimelineKind>;

export const cursorOf = (epoch: string, seq: number): string => `${epoch}.${seq}`;
/** Of a stream that has no event yet: everything that comes follows it. */
export const noCursor = cursorOf('00000000', 0);

export const conversationItem = (stream: Stream): Record<string, unknown> => ({
  conversationId: stream.conversationId,
  account: stream.account,
  title: stream.title,
  createdAt: time(stream.createdAt),
  updatedAt: time(stream.updatedAt),
});

export interface Snapshot {
  readonly cursor: string;
  readonly epoch: string;
  readonly seq: number;
  /** JSON text of `{cursor, …}`. */
  readonly json: string;
}

const object = (members: readonly (readonly [string, string])[]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;

const things = async (client: PoolClient, scope: Scope): Promise<[string, string][]> => {
  const { rows } = await client.query<{ kind: TimelineKind; item: string }>(
    `SELECT k.kind, t.item FROM unnest($2::text[]) AS k(kind)
      CROSS JOIN LATERAL (SELECT seq, first_seq FROM facts
        WHERE stream = $1 AND kept AND kind = k.kind AND ${scope.runId === null ? '$3::text IS NULL' : 'run_id = $3'}
        ORDER BY first_seq DESC LIMIT ${maxPerKind}) AS f
      JOIN timeline t ON t.stream = $1 AND t.seq = f.seq
      ORDER BY f.first_seq`,
    [scope.stream, Object.values(names), scope.runId],
  );
  return Object.entries(names).map(([name, kind]) => [
    name,
    `[${rows
      .filter((row) => row.kind === kind)
      .map((row) => row.item)
      .join(',')}]`,
  ]);
};

const conversations = async (client: PoolClient, stream: Stream): Promise<[string, string][]> => {
  const { rows } = await client.query<{ doc: string }>(
    `SELECT doc FROM streams WHERE tenant = $1 AND account = $2 AND conversation_id IS NOT NULL
      ORDER BY updated_at DESC, id DESC LIMIT ${maxConversations}`,
    [stream.tenant, stream.account],
  );
  return [
    ['account', JSON.stringify(stream.account)],
    ['conversations', JSON.stringify(rows.map((row) => conversationItem(JSON.parse(row.doc) as Stream)))],
  ];
};

/** What stands, and the cursor of exactly that: events after the cursor are what the snapshot does not have. */
export const snapshotOf = (pool: Pool, scope: Scope): Promise<Snapshot> =>
  consistently(pool, async (client) => {
    const found = await client.query<{ doc: string }>('SELECT doc FROM streams WHERE id = $1', [scope.stream]);
    const [row] = found.rows;
    if (row === undefined)
      return { cursor: noCursor, epoch: '', seq: 0, json: object([['cursor', JSON.stringify(noCursor)]]) };
    const stream = JSON.parse(row.doc) as Stream;
    const cursor = cursorOf(stream.epoch, stream.seq);
    const members: [string, string][] =
      scope.by === 'account'
        ? await conversations(client, stream)
        : [['conversation', JSON.stringify(conversationItem(stream))], ...(await things(client, scope))];
    return {
      cursor,
      epoch: stream.epoch,
      seq: stream.seq,
      json: object([['cursor', JSON.stringify(cursor)], ...members]),
    };
  });
