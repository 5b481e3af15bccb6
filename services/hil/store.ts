import type { Pool } from 'pg';
import { kind, type Kind } from '../platform/decision';
import { query } from '../platform/postgres';
import type { Actor } from './messages';
import { escalatedTo, nudgeAt, type Recipient } from './nudges';
import type { Clarification, Interaction, Published, Run } from './state';

const published = (state: Interaction): Published | null => (state.status === 'awaited' ? null : state);

/** In lock order: a run names its interactions, an interaction the chat messages that answer it. */
export const kinds: readonly Kind[] = [
  kind<Run>({ name: 'run', table: 'runs', columns: [] }),
  kind<Interaction>({
    name: 'interaction',
    table: 'interactions',
    dueAt: interactionDueAt,
    columns: [
      { name: 'state', type: 'text', of: (state) => state.status },
      { name: 'tenant', type: 'text', of: (state) => published(state)?.asked.tenant ?? null },
      { name: 'account', type: 'text', of: (state) => recipient(state, 'account') },
      { name: 'role', type: 'text', of: (state) => recipient(state, 'role') },
      { name: 'also_account', type: 'text', of: (state) => alsoFor(state, 'account') },
      { name: 'also_role', type: 'text', of: (state) => alsoFor(state, 'role') },
      { name: 'claimed_by', type: 'text', of: (state) => published(state)?.claimedBy ?? null },
      { name: 'conversation_id', type: 'text', of: (state) => published(state)?.asked.conversationId ?? null },
      { name: 'run_id', type: 'text', of: (state) => published(state)?.asked.runId ?? null },
      { name: 'published_at', type: 'timestamptz', of: (state) => published(state)?.publishedAt ?? null },
      { name: 'expires_at', type: 'timestamptz', of: (state) => published(state)?.asked.expiresAt ?? null },
      { name: 'changed_at', type: 'timestamptz', of: (state) => published(state)?.changedAt ?? null },
    ],
  }),
  kind<Clarification>({
    name: 'clarification',
    table: 'clarifications',
    dueAt: (state) => (state.status === 'waiting' ? state.until : null),
    columns: [{ name: 'interaction_ref', type: 'text', of: (state) => state.submitted.interactionRef }],
  }),
];

/** The end of its time, or the next reminder or escalation before that. */
function interactionDueAt(state: Interaction): number | null {
  if (state.status !== 'open') return null;
  const times = [state.asked.expiresAt, state.nudges === undefined ? null : nudgeAt(state.nudges)].filter(
    (time) => time !== null,
  );
  return times.length === 0 ? null : Math.min(...times);
}

const alsoFor = (state: Interaction, as: Recipient['kind']): string | null => {
  const other = state.status === 'awaited' ? null : escalatedTo(state.nudges);
  return other?.kind === as ? other.name : null;
};

const recipient = (state: Interaction, as: 'account' | 'role'): string | null =>
  state.status !== 'awaited' && state.asked.recipientKind === as ? state.asked.recipient : null;

/** Roles of one token that are looked up; more than anybody holds. */
const maxRoles = 20;

export interface Listed {
  readonly id: string;
  readonly revision: number;
  readonly state: Published;
}

interface ListedRow {
  readonly id: string;
  readonly revision: number;
  readonly doc: string;
}

const listed = (rows: readonly ListedRow[]): Listed[] =>
  rows.map((row) => ({ id: row.id, revision: row.revision, state: JSON.parse(row.doc) as Published }));

/** One reading cursor: when it was published, and its ref where two share the millisecond. */
export const cursorOf = (row: Listed): string => `${row.state.publishedAt}.${row.id}`;

export interface Filter {
  readonly state: string | null;
  readonly conversationId: string | null;
  readonly after: string | null;
  readonly limit: number;
}

/** What waits for the caller, newest first: addressed to the account, or to a role of it and claimed by nobody else. */
export const inboxOf = async (pool: Pool, actor: Actor, filter: Filter): Promise<Listed[]> => {
  const [, at, ref] = /^(\d{1,15})\.(.+)$/.exec(filter.after ?? '') ?? [];
  const roles = actor.roles.slice(0, maxRoles);
  // A branch of its own for each way in, so that each reads its index in order and stops at the limit.
  const branch = (mine: string): string =>
    `(SELECT id, revision, doc, published_at FROM interactions
       WHERE tenant = $1 AND state <> 'awaited' AND ${mine}
         AND ($3::text IS NULL OR state = $3) AND ($4::text IS NULL OR conversation_id = $4)
         AND ($5::bigint IS NULL OR (published_at, id) < (to_timestamp($5::bigint / 1000.0), $6::text))
       ORDER BY published_at DESC, id DESC LIMIT $7)`;
  const all = roles.includes('operator');
  const branches = all
    ? [branch('$2::text IS NOT NULL')]
    : [
        branch('account = $2'),
        branch('also_account = $2 AND account IS DISTINCT FROM $2'),
        ...['role', 'also_role'].flatMap((column) =>
          roles.map((_, index) =>
            branch(
              `${column} = $${index + 8} AND (claimed_by IS NULL OR claimed_by = $2) AND account IS DISTINCT FROM $2`,
            ),
          ),
        ),
      ];
  return listed(
    await query<ListedRow>(
      pool,
      `SELECT DISTINCT ON (published_at, id) id, revision, doc, published_at FROM (${branches.join(' UNION ALL ')}) AS mine ORDER BY published_at DESC, id DESC LIMIT $7`,
      [
        actor.tenant,
        actor.account,
        filter.state,
        filter.conversationId,
        at ?? null,
        ref ?? null,
        filter.limit,
        ...(all ? [] : roles),
      ],
    ),
  );
};

export const oneOf = async (pool: Pool, ref: string): Promise<Published | undefined> => {
  const [row] = listed(
    await query<ListedRow>(pool, "SELECT id, revision, doc FROM interactions WHERE id = $1 AND state <> 'awaited'", [
      ref,
    ]),
  );
  return row?.state;
};

export const previewOf = async (
  pool: Pool,
  ref: string,
  requestRevision: number,
): Promise<{ readonly bytes: Buffer; readonly sha256: string } | undefined> => {
  const [row] = await query<{ bytes: Buffer; sha256: string }>(
    pool,
    'SELECT bytes, sha256 FROM previews WHERE interaction_ref = $1 AND request_revision = $2',
    [ref, requestRevision],
  );
  return row;
};

export interface Change {
  readonly id: string;
  readonly revision: number;
}

/** What changed lately, whoever it is for; the window outlasts any commit, so nothing slips between two looks. */
export const changedLately = async (pool: Pool, windowSec: number, limit: number): Promise<Change[]> =>
  query<{ id: string; revision: number }>(
    pool,
    `SELECT id, revision FROM interactions WHERE changed_at > clock_timestamp() - $1 * interval '1 second'
      ORDER BY changed_at DESC LIMIT $2`,
    [windowSec, limit],
  );

export const manyOf = async (pool: Pool, refs: readonly string[]): Promise<Listed[]> =>
  listed(
    await query<ListedRow>(
      pool,
      "SELECT id, revision, doc FROM interactions WHERE id = ANY($1::text[]) AND state <> 'awaited'",
      [refs],
    ),
  );

export const countByState = async (pool: Pool): Promise<Map<string, number>> =>
  new Map(
    (
      await query<{ state: string; n: number }>(
        pool,
        'SELECT state, count(*)::int AS n FROM interactions GROUP BY state',
      )
    ).map((row) => [row.state, row.n]),
  );
