import type { Pool } from 'pg';
import { query } from '../platform/postgres';
import { rewrite, type CarryOut, type Purge } from '../platform/purges';
import { documentRowId, openConflicts, type Document } from './document';
import type { Item } from './items';
import type { Fact, ReportRun, Stream, TimelineKind } from './state';
import { factIdOf, streamIdOf } from './timeline';
import { purgedRun, withoutContent } from './without-content';

const rowsAtATime = 500;

interface Row {
  readonly seq: string;
  readonly kind: TimelineKind;
  readonly item: string;
}

/** Rewrites these rows of a stream; the events keep their numbers, ids and times, so every cursor still fits (P3). */
const strip = async (pool: Pool, stream: string, rows: readonly Row[], purgedAt: number): Promise<string[]> => {
  const items = rows.map((row) => JSON.parse(row.item) as Item);
  const next = items.flatMap((item, index) => {
    const row = rows[index] as Row;
    const left = withoutContent(row.kind, item, purgedAt);
    return left === null ? [] : [{ seq: row.seq, item: JSON.stringify(left) }];
  });
  if (next.length > 0)
    await query(
      pool,
      `UPDATE timeline t SET item = u.item FROM unnest($2::bigint[], $3::text[]) AS u(seq, item) WHERE t.stream = $1 AND t.seq = u.seq`,
      [stream, next.map(({ seq }) => seq), next.map(({ item }) => item)],
    );
  return items.flatMap(({ title }) => (typeof title === 'string' ? [title] : []));
};

/** All rows of a stream that `where` means, in steps; answers the titles that went with them. */
const stripAll = async (
  pool: Pool,
  stream: string,
  where: string,
  value: unknown,
  purgedAt: number,
): Promise<string[]> => {
  const titles: string[] = [];
  for (let after = '0', more = true; more;) {
    const rows = await query<Row>(
      pool,
      `SELECT seq, kind, item FROM timeline WHERE stream = $1 AND seq > $2 AND ${where} ORDER BY seq LIMIT ${rowsAtATime}`,
      [stream, after, value],
    );
    titles.push(...(await strip(pool, stream, rows, purgedAt)));
    more = rows.length === rowsAtATime;
    after = rows.at(-1)?.seq ?? after;
  }
  return titles;
};

/** A conversation is called after what it began with; where that has gone, so has the name. */
const untitle = (pool: Pool, stream: string, titles: readonly string[] | null): Promise<unknown> =>
  rewrite<Stream>(pool, 'streams', stream, (state) =>
    state.title !== null && (titles?.includes(state.title) ?? true) ? { ...state, title: null } : null,
  );

/** Texts of this run that hold no longer. The one that holds, and those in an open conflict, outlive their runs. */
const purgeDocument = async (pool: Pool, { tenant, account, runId }: Purge, name: string): Promise<void> => {
  const id = documentRowId(tenant, account, name);
  const [row] = await query<{ doc: string }>(pool, 'SELECT doc FROM documents WHERE id = $1', [id]);
  if (row === undefined) return;
  const document = JSON.parse(row.doc) as Document;
  const needed = new Set([
    document.current,
    ...openConflicts(document).flatMap(({ sha256, conflictsWith }) => [sha256, conflictsWith]),
    ...document.texts.filter(({ report }) => report?.runId !== runId).map(({ sha256 }) => sha256),
  ]);
  const gone = document.texts.map(({ sha256 }) => sha256).filter((sha256) => !needed.has(sha256));
  await query(pool, 'DELETE FROM document_texts WHERE document = $1 AND sha256 = ANY($2::text[])', [id, gone]);
};

const purgeRun = async (pool: Pool, purge: Purge, runId: string, stream: string): Promise<void> => {
  await rewrite<ReportRun>(pool, 'report_runs', runId, (run) => purgedRun(run, purge.before));
  await query(pool, 'DELETE FROM reports WHERE run_id = $1', [runId]);
  for (const name of purge.documents) await purgeDocument(pool, purge, name);
  // The words of its messages go when admission says so, which may be before or after the run's end.
  const titles = await stripAll(pool, stream, `run_id = $3 AND kind <> 'message'`, runId, purge.before);
  if (titles.length > 0) await untitle(pool, stream, titles);
};

const purgeMessage = async (pool: Pool, purge: Purge, messageId: string, stream: string): Promise<void> => {
  const id = factIdOf({ kind: 'message', tenant: purge.tenant, entity: messageId });
  const [row] = await query<{ doc: string }>(pool, 'SELECT doc FROM facts WHERE id = $1', [id]);
  if (row === undefined) return;
  const titles = await stripAll(pool, stream, 'seq = $3', (JSON.parse(row.doc) as Fact).seq, purge.before);
  if (titles.length > 0) await untitle(pool, stream, titles);
};

/** Reports' bytes and what a timeline tells of an ended run, of a message, or of all messages of a conversation. */
export const carryOut =
  (pool: Pool): CarryOut =>
  async (purge) => {
    const { tenant, account, conversationId, runId, messageId, before } = purge;
    const stream = streamIdOf(tenant, account, conversationId);
    if (runId !== null) await purgeRun(pool, purge, runId, stream);
    else if (messageId !== null) await purgeMessage(pool, purge, messageId, stream);
    else {
      const until = new Date(before).toISOString();
      await stripAll(pool, stream, `at <= $3 AND kind IN ('message', 'receipt')`, until, before);
      await untitle(pool, stream, null);
    }
    return true;
  };
