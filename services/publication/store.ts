import type { Pool, PoolClient } from 'pg';
import { kind, type Kind } from '../platform/decision';
import { query } from '../platform/postgres';
import { inTransaction } from '../platform/transaction';
import { documentRowId, type Document } from './document';
import type { Fact, ReportRun, Stream, TimelineKind } from './state';
import { streamIdOf } from './timeline';
import type { Webhook } from './webhook';

/** In lock order. */
export const kinds: readonly Kind[] = [
  kind<ReportRun>({
    name: 'report_run',
    table: 'report_runs',
    columns: [
      { name: 'tenant', type: 'text', of: (state) => state.tenant },
      { name: 'account', type: 'text', of: (state) => state.account },
    ],
  }),
  kind<Document>({
    name: 'document',
    table: 'documents',
    columns: [
      { name: 'tenant', type: 'text', of: (state) => state.tenant },
      { name: 'account', type: 'text', of: (state) => state.account },
      { name: 'document_id', type: 'text', of: (state) => state.documentId },
      { name: 'updated_at', type: 'timestamptz', of: (state) => state.updatedAt },
    ],
  }),
  kind<Fact>({
    name: 'fact',
    table: 'facts',
    columns: [
      { name: 'kind', type: 'text', of: (state) => state.kind },
      { name: 'tenant', type: 'text', of: (state) => state.tenant },
      { name: 'account', type: 'text', of: (state) => state.account },
      { name: 'stream', type: 'text', of: (state) => state.stream },
      { name: 'seq', type: 'bigint', of: (state) => state.seq },
      { name: 'first_seq', type: 'bigint', of: (state) => state.firstSeq },
      { name: 'run_id', type: 'text', of: (state) => state.runId },
      { name: 'kept', type: 'boolean', of: (state) => state.kept },
    ],
  }),
  kind<Stream>({
    name: 'stream',
    table: 'streams',
    columns: [
      { name: 'tenant', type: 'text', of: (state) => state.tenant },
      { name: 'account', type: 'text', of: (state) => state.account },
      { name: 'conversation_id', type: 'text', of: (state) => state.conversationId },
      { name: 'epoch', type: 'text', of: (state) => state.epoch },
      { name: 'seq', type: 'bigint', of: (state) => state.seq },
      { name: 'updated_at', type: 'timestamptz', of: (state) => state.updatedAt },
    ],
  }),
  kind<Webhook>({
    name: 'webhook',
    table: 'webhooks',
    dueAt: (state) => state.nextAt,
    columns: [{ name: 'tenant', type: 'text', of: (state) => state.tenant }],
  }),
];

/** Who reads: an operator reads everything of the tenant. */
export interface Reader {
  readonly tenant: string;
  readonly account: string;
  readonly operator: boolean;
}

export const mayRead = (owner: { readonly tenant: string; readonly account: string }, reader: Reader): boolean =>
  owner.tenant === reader.tenant && (reader.operator || owner.account === reader.account);

export interface Known<S> {
  readonly id: string;
  readonly state: S;
}

interface DocRow {
  readonly id: string;
  readonly doc: string;
}

const known = <S>(rows: readonly DocRow[]): Known<S>[] =>
  rows.map((row) => ({ id: row.id, state: JSON.parse(row.doc) as S }));

/** A conversation is named within an account; an operator gets the account's of that name that was last active. */
export const conversationOf = async (
  pool: Pool,
  reader: Reader,
  conversationId: string,
): Promise<Known<Stream> | undefined> => {
  const own = streamIdOf(reader.tenant, reader.account, conversationId);
  const [row] = known<Stream>(
    reader.operator
      ? await query<DocRow>(
          pool,
          'SELECT id, doc FROM streams WHERE tenant = $1 AND conversation_id = $2 ORDER BY (id = $3) DESC, updated_at DESC LIMIT 1',
          [reader.tenant, conversationId, own],
        )
      : await query<DocRow>(pool, 'SELECT id, doc FROM streams WHERE id = $1', [own]),
  );
  return row;
};

export const conversationsOf = async (
  pool: Pool,
  reader: Reader,
  limit: number,
  after: { readonly at: number; readonly id: string } | null,
): Promise<Known<Stream>[]> =>
  known<Stream>(
    await query<DocRow>(
      pool,
      `SELECT id, doc FROM streams WHERE tenant = $1 AND account = $2 AND conversation_id IS NOT NULL
          AND ($3::bigint IS NULL OR (updated_at, id) < (to_timestamp($3::bigint / 1000.0), $4::text))
        ORDER BY updated_at DESC, id DESC LIMIT $5`,
      [reader.tenant, reader.account, after?.at ?? null, after?.id ?? null, limit],
    ),
  );

export const runFactOf = async (pool: Pool, tenant: string, runId: string): Promise<Fact | undefined> => {
  const [row] = known<Fact>(
    await query<DocRow>(pool, 'SELECT id, doc FROM facts WHERE id = $1', [`run:${tenant}:${runId}`]),
  );
  return row?.state;
};

export const reportRunOf = async (pool: Pool, runId: string): Promise<ReportRun | undefined> => {
  const [row] = known<ReportRun>(await query<DocRow>(pool, 'SELECT id, doc FROM report_runs WHERE id = $1', [runId]));
  return row?.state;
};

/** One's own; whoever reads all of the tenant's gets, after their own, the one of that name that was last written. */
export const documentOf = async (
  pool: Pool,
  reader: { readonly tenant: string; readonly account: string; readonly all: boolean },
  documentId: string,
): Promise<Known<Document> | undefined> => {
  const own = documentRowId(reader.tenant, reader.account, documentId);
  const [row] = known<Document>(
    reader.all
      ? await query<DocRow>(
          pool,
          'SELECT id, doc FROM documents WHERE tenant = $1 AND document_id = $2 ORDER BY (id = $3) DESC, updated_at DESC LIMIT 1',
          [reader.tenant, documentId, own],
        )
      : await query<DocRow>(pool, 'SELECT id, doc FROM documents WHERE id = $1', [own]),
  );
  return row;
};

export const documentTextsOf = async (
  pool: Pool,
  id: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> => {
  const rows = await query<{ sha256: string; bytes: Buffer }>(
    pool,
    'SELECT sha256, bytes FROM document_texts WHERE document = $1 AND sha256 = ANY($2::text[])',
    [id, hashes],
  );
  return new Map(rows.map((row) => [row.sha256, row.bytes]));
};

export const reportBytesOf = async (
  pool: Pool,
  runId: string,
  version: number,
  seq: number,
): Promise<Buffer | undefined> => {
  const [row] = await query<{ bytes: Buffer }>(
    pool,
    'SELECT bytes FROM reports WHERE run_id = $1 AND version = $2 AND seq = $3',
    [runId, version, seq],
  );
  return row?.bytes;
};

export interface TimelineRow {
  readonly seq: number;
  readonly epoch: string;
  readonly kind: TimelineKind;
  readonly eventId: string;
  readonly at: string;
  /** JSON text. */
  readonly item: string;
  readonly ended: boolean;
}

/** What a client follows: a conversation, one run of it, or everything of an account. */
export interface Scope {
  readonly stream: string;
  readonly by: 'conversation' | 'account';
  readonly runId: string | null;
}

const columnsOf = (scope: Scope): { readonly stream: string; readonly seq: string } =>
  scope.by === 'account' ? { stream: 'account_stream', seq: 'account_seq' } : { stream: 'stream', seq: 'seq' };

/** At most so many rows and, but for the first one, so many bytes of them. */
export const rowsAfter = async (
  pool: Pool,
  scope: Scope,
  after: number,
  limit: { readonly rows: number; readonly bytes: number },
): Promise<TimelineRow[]> => {
  const { stream, seq } = columnsOf(scope);
  const rows = await query<{
    seq: string;
    epoch: string;
    kind: TimelineKind;
    event_id: string;
    at: Date;
    item: string;
    ended: boolean;
  }>(
    pool,
    `SELECT seq, (SELECT epoch FROM streams WHERE id = $1) AS epoch, kind, event_id, at, item, ended FROM (
       SELECT *, coalesce(sum(octet_length(item)) OVER (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before FROM (
         SELECT ${seq} AS seq, kind, event_id, at, item, ended
           FROM timeline WHERE ${stream} = $1 AND ${seq} > $2 AND ${scope.runId === null ? '$3::text IS NULL' : 'run_id = $3'}
          ORDER BY ${seq} LIMIT $4) first) sized
      WHERE before < $5 ORDER BY seq`,
    [scope.stream, after, scope.runId, limit.rows, limit.bytes],
  );
  return rows.map((row) => ({
    seq: Number(row.seq),
    epoch: row.epoch,
    kind: row.kind,
    eventId: row.event_id,
    at: row.at.toISOString(),
    item: row.item,
    ended: row.ended,
  }));
};

export interface Head {
  readonly id: string;
  readonly epoch: string;
  readonly seq: number;
}

export const headsOf = async (pool: Pool, ids: readonly string[]): Promise<Head[]> =>
  (
    await query<{ id: string; epoch: string; seq: string }>(
      pool,
      'SELECT id, epoch, seq FROM streams WHERE id = ANY($1::text[])',
      [ids],
    )
  ).map((row) => ({ ...row, seq: Number(row.seq) }));

/** The first number that is still kept; null in an empty stream. */
export const firstKept = async (pool: Pool, scope: Scope): Promise<number | null> => {
  const { stream, seq } = columnsOf(scope);
  const [row] = await query<{ seq: string }>(
    pool,
    `SELECT ${seq} AS seq FROM timeline WHERE ${stream} = $1 ORDER BY ${seq} LIMIT 1`,
    [scope.stream],
  );
  return row === undefined ? null : Number(row.seq);
};

/** Snapshot and cursor have to come from one consistent read (P3). */
export const consistently = <T>(pool: Pool, read: (client: PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', read);
