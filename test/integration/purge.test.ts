import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import {
  carryOut as ofAdmission,
  ofConversation,
  outlived as outlivedMessages,
  purgeWords,
} from '../../services/admission/retention';
import { carryOut as ofLedger } from '../../services/effect-ledger/purge';
import { carryOut as ofHil } from '../../services/hil/purge';
import { ensureDatabase, migrate, roleOf, serviceNames, type ServiceName } from '../../services/platform/migrate';
import { carryOutDue, type CarryOut, type Purge } from '../../services/platform/purges';
import { documentRowId } from '../../services/publication/document';
import { carryOut as ofPublication } from '../../services/publication/purge';
import { factIdOf, streamIdOf } from '../../services/publication/timeline';
import { outlived as outlivedRuns, purgeBeside, runsToPurge, sweep } from '../../services/run-executor/purge';

jest.setTimeout(120_000);

const adminUrl = process.env['DATABASE_ADMIN_URL'] ?? '';
const suffix = randomBytes(3).toString('hex');
const databaseOf = (service: ServiceName): string => `test-purge-${service}-${suffix}`;
const migrations = (name: string): { name: string; path: string } => ({
  name,
  path: join(__dirname, '..', '..', 'services', name, 'migrations'),
});
const pools = {} as Record<ServiceName, Pool>;

beforeAll(async () => {
  for (const service of serviceNames) {
    const url = await ensureDatabase(adminUrl, databaseOf(service));
    await migrate(url, [migrations('platform'), migrations(service)]);
    pools[service] = new Pool({ connectionString: url, max: 2 });
  }
});
afterAll(async () => {
  await Promise.all(Object.values(pools).map((pool) => pool.end()));
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  for (const service of serviceNames) {
    await admin.query(`DROP DATABASE IF EXISTS ${roleOf(databaseOf(service))} WITH (FORCE)`);
    await admin.query(`DROP ROLE IF EXISTS ${roleOf(databaseOf(service))}`);
  }
  await admin.end();
});

const run = (runId: string, more: Partial<Purge> = {}): Purge => ({
  tenant: 'local',
  account: 'alice',
  conversationId: 'c1',
  taskId: 'task_1',
  runId,
  messageId: null,
  before: Date.now() + 60_000,
  documents: [],
  ...more,
});
const count = async (pool: Pool, from: string): Promise<number> =>
  (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`)).rows[0]?.n ?? 0;
const insert = (pool: Pool, table: string, row: Readonly<Record<string, unknown>>): Promise<unknown> =>
  pool.query(
    `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
      .map((_, index) => `$${index + 1}`)
      .join(', ')})`,
    Object.values(row),
  );
const ago = (days: number): Date => new Date(Date.now() - days * 86_400_000);

describe('admission', () => {
  const told: string[] = [];
  const submit = (message: object): Promise<unknown> => {
    told.push((message as { messageId: string }).messageId);
    return Promise.resolve();
  };
  const message = async (
    id: string,
    more: { days?: number; tenant?: string; conversation?: string | null; undecided?: boolean } = {},
  ) => {
    const { days = 31, tenant = 'local', conversation = null, undecided = false } = more;
    const pool = pools.admission;
    const doc = JSON.stringify({ conversationId: 'c1', account: 'alice' });
    await insert(pool, 'messages', {
      id,
      revision: 1,
      doc,
      due_at: undecided ? new Date() : null,
      settled: true,
      received_at: new Date(),
    });
    await insert(pool, 'blobs', {
      ref: id,
      bytes: 'words',
      tenant,
      stored_at: ago(days),
      account: conversation === null ? null : 'alice',
      conversation_id: conversation,
    });
  };

  test('A6: the words of old, decided messages of the tenant go; every identity stays', async () => {
    const pool = pools.admission;
    await message('old');
    await message('young', { days: 29 });
    await message('undecided', { undecided: true });
    await message('of-another', { tenant: 'other' });
    await insert(pool, 'blobs', { ref: 'run/c/r', bytes: 'facts', stored_at: ago(99) });
    const refs = await outlivedMessages(pool, 'local', 30);
    expect(refs).toEqual(['old']);
    await purgeWords(pool, submit, refs, 'age');
    expect([told.splice(0), await outlivedMessages(pool, 'local', 30)]).toEqual([['old'], []]);
    expect([await count(pool, 'messages'), await count(pool, 'blobs')]).toEqual([4, 4]);
  });

  test('a conversation: its own decided messages, of this release and of the one before; the rest is waited for', async () => {
    const pool = pools.admission;
    await message('mine', { conversation: 'c1', days: 0 });
    await message('elsewhere', { conversation: 'c2', days: 0 });
    const purge = run('', { runId: null });
    expect((await ofConversation(pool, purge)).map(({ ref }) => ref).sort()).toEqual(['mine', 'undecided', 'young']);
    const carryOut = ofAdmission(pool, submit);
    expect([await carryOut(purge), told.splice(0).sort()]).toEqual([false, ['mine', 'young']]);
    await pool.query(`UPDATE messages SET due_at = NULL`);
    expect([await carryOut(purge), told.splice(0)]).toEqual([true, ['undecided']]);
    expect(await count(pool, `blobs WHERE ref = 'elsewhere'`)).toBe(1);
  });
});

describe('run-executor', () => {
  const row = (id: string, more: Readonly<Record<string, unknown>> = {}): Promise<unknown> =>
    insert(pools['run-executor'], 'runs', {
      ...{ id, revision: 1, doc: '{}', tenant: 'local', account: 'alice', conversation_id: 'c1', task_id: 'task_1' },
      ...{ state: 'completed', created_at: ago(40), state_since: ago(31), ...more },
    });

  test('ended runs beyond their days, of this tenant, with nobody to be asked again', async () => {
    const pool = pools['run-executor'];
    await row('run_1');
    await row('run_10');
    await row('run_young', { state_since: ago(29) });
    await row('run_paused', { state: 'paused' });
    await row('run_asks', { due_at: new Date() });
    await row('run_purged', { purged_at: new Date() });
    await row('run_other', { tenant: 'other' });
    expect((await outlivedRuns(pool, 'local', 30)).sort()).toEqual(['run_1', 'run_10']);
    const told: unknown[] = [];
    const submit = (message: object): Promise<unknown> => Promise.resolve(told.push(message));
    expect(await sweep(pool, submit, [['local', 30]])).toBe(false);
    expect(told).toHaveLength(2);
    expect(await runsToPurge(pool, { tenant: 'local', account: 'alice', conversationId: 'c1' })).toEqual({
      live: 1,
      ended: 4,
    });
  });

  test('R12: sealed inputs, kept texts and journal words of this run only; the hash of each turn stays', async () => {
    const pool = pools['run-executor'];
    for (const id of ['run_1', 'run_10']) {
      await insert(pool, 'inputs', {
        run_id: id,
        turn: 1,
        requirements_version: 1,
        sha256: 's',
        bytes: 'b',
        sealed_at: new Date(),
      });
      await insert(pool, 'blobs', { ref: `${id}/abc`, bytes: 'b' });
      await insert(pool, 'turns', {
        ...{ run_id: id, number: 1, attempts: 1, requirements_version: 1, input_sha256: 'hash', outcome: 'report' },
        ...{
          doc: '{"toolCalls":[],"understood":"SECRET","detail":"SECRET"}',
          started_at: new Date(),
          ended_at: new Date(),
        },
      });
    }
    await insert(pool, 'tasks', {
      task_id: 'task_1',
      tenant: 'local',
      account: 'alice',
      conversation_id: 'c1',
      title: 'SECRET',
    });
    await purgeBeside(pool, 'run_1', 'task_1');
    expect((await pool.query('SELECT run_id FROM inputs')).rows).toEqual([{ run_id: 'run_10' }]);
    expect((await pool.query('SELECT ref FROM blobs')).rows).toEqual([{ ref: 'run_10/abc' }]);
    const { rows } = await pool.query(
      `SELECT doc::json->>'understood' AS said, input_sha256 FROM turns ORDER BY run_id`,
    );
    expect(rows).toEqual([
      { said: null, input_sha256: 'hash' },
      { said: 'SECRET', input_sha256: 'hash' },
    ]);
    expect(await count(pool, `tasks WHERE title = 'SECRET'`)).toBe(1);
    await pool.query(`UPDATE runs SET purged_at = now()`);
    await purgeBeside(pool, 'run_1', 'task_1');
    expect(await count(pool, `tasks WHERE title = 'SECRET'`)).toBe(0);
  });
});

test('hil: questions, answers, previews, refused and chat answers of a run go; an open approval is waited for', async () => {
  const pool = pools.hil;
  const interaction = (id: string, state: string): Promise<unknown> =>
    insert(pool, 'interactions', {
      ...{ id, revision: 3, state, tenant: 'local', account: 'alice', run_id: 'run_1', published_at: new Date() },
      doc: JSON.stringify({ status: state, code: 'x', asked: { question: 'SECRET', choices: [] } }),
    });
  await insert(pool, 'runs', {
    id: 'run_1',
    revision: 1,
    doc: JSON.stringify({ ended: 'completed', refs: ['int_1', 'int_2'] }),
  });
  await interaction('int_1', 'closed');
  await interaction('int_2', 'open');
  for (const ref of ['int_1', 'int_2']) {
    await insert(pool, 'previews', { interaction_ref: ref, request_revision: 1, bytes: 'b', sha256: 's' });
    await insert(pool, 'refused_responses', {
      ...{ interaction_ref: ref, account: 'a', client_response_id: 'r' },
      code: 'expired',
      at: new Date(),
      answer: 'SECRET',
    });
    await insert(pool, 'clarifications', {
      id: `m-${ref}`,
      revision: 1,
      interaction_ref: ref,
      doc: JSON.stringify({ status: 'decided', submitted: { content: 'SECRET' } }),
    });
  }
  expect(await ofHil(pool)(run('run_1'))).toBe(false);
  const holding = async (table: string, column: string): Promise<number> =>
    count(pool, `${table} WHERE ${column} LIKE '%SECRET%'`);
  expect([
    await holding('interactions', 'doc'),
    await holding('refused_responses', 'answer'),
    await holding('clarifications', 'doc'),
    await count(pool, 'previews'),
  ]).toEqual([1, 1, 1, 1]);
  expect((await pool.query(`SELECT revision FROM interactions`)).rows).toEqual([{ revision: 3 }, { revision: 3 }]);
  await pool.query(`UPDATE interactions SET doc = replace(doc, '"status":"open"', '"status":"closed"')`);
  expect(await ofHil(pool)(run('run_1'))).toBe(true);
  expect([
    await holding('interactions', 'doc'),
    await holding('clarifications', 'doc'),
    await count(pool, 'previews'),
  ]).toEqual([0, 0, 0]);
});

test('E1 effect-ledger: bytes of settled actions go, unsettled ones are waited for, their keys stay', async () => {
  const pool = pools['effect-ledger'];
  const action = async (id: string, status: string): Promise<void> => {
    await insert(pool, 'actions', {
      ...{
        id,
        revision: 2,
        tenant: 'local',
        account: 'alice',
        run_id: 'run_1',
        connector: 'c',
        subject: 's',
        state: status,
        opened_at: new Date(),
      },
      doc: JSON.stringify({
        actionKey: id,
        standing: { status, nextAt: 5 },
        approval: null,
        attempts: [{ number: 1, body: 'SECRET' }],
        evidence: [],
      }),
    });
    for (const what of ['request', 'preview']) await insert(pool, 'blobs', { ref: `${id}/${what}`, bytes: 'b' });
  };
  await action('c:o:s:v1', 'succeeded');
  await action('c:o:t:v1', 'unknown');
  expect(await ofLedger(pool)(run('run_1'))).toBe(false);
  expect((await pool.query('SELECT ref FROM blobs ORDER BY ref')).rows).toEqual([
    { ref: 'c:o:t:v1/preview' },
    { ref: 'c:o:t:v1/request' },
  ]);
  expect((await pool.query(`SELECT id, revision FROM actions WHERE doc NOT LIKE '%SECRET%'`)).rows).toEqual([
    { id: 'c:o:s:v1', revision: 2 },
  ]);
});

describe('publication', () => {
  const stream = streamIdOf('local', 'alice', 'c1');
  const event = (seq: number, kind: string, runId: string | null, item: object): Promise<unknown> =>
    insert(pools.publication, 'timeline', {
      ...{
        stream,
        seq,
        account_stream: 'acct',
        account_seq: seq,
        run_id: runId,
        kind,
        event_id: `e${seq}`,
        at: new Date(),
      },
      ...{ item: JSON.stringify(item), ended: false },
    });
  const saying = (): Promise<number> => count(pools.publication, `timeline WHERE item LIKE '%SECRET%'`);

  test('P1 P3: bytes of reports and words of the timeline go; numbers, hashes and what a document holds stay', async () => {
    const pool = pools.publication;
    const title = { title: 'SECRET', tenant: 'local', account: 'alice', conversationId: 'c1' };
    await insert(pool, 'streams', {
      id: stream,
      revision: 1,
      doc: JSON.stringify(title),
      tenant: 'local',
      account: 'alice',
      epoch: 'e',
      seq: 4,
      updated_at: new Date(),
    });
    await event(1, 'message', 'run_1', { content: 'SECRET', title: 'SECRET' });
    await event(2, 'run', 'run_1', { title: 'SECRET' });
    await event(3, 'turn', 'run_1', { understood: 'SECRET' });
    await event(4, 'run', 'run_2', { title: 'SECRET' });
    await insert(pool, 'report_runs', {
      id: 'run_1',
      revision: 1,
      doc: JSON.stringify({ reports: [{ sha256: 'hash' }] }),
      tenant: 'local',
      account: 'alice',
    });
    for (const id of ['run_1', 'run_2'])
      await insert(pool, 'reports', {
        run_id: id,
        version: 1,
        seq: 1,
        sha256: 'hash',
        content_type: 'text/plain',
        bytes: 'b',
      });
    expect(await ofPublication(pool)(run('run_1'))).toBe(true);
    expect((await pool.query('SELECT run_id FROM reports')).rows).toEqual([{ run_id: 'run_2' }]);
    expect(
      (
        await pool.query(
          `SELECT doc::json->'purgedAt' IS NOT NULL AS purged, doc::json->'reports'->0->>'sha256' AS sha256 FROM report_runs`,
        )
      ).rows,
    ).toEqual([{ purged: true, sha256: 'hash' }]);
    // The message's own words go when admission says so, and another run's stay.
    expect([await saying(), await count(pool, 'timeline')]).toEqual([2, 4]);
    expect(await count(pool, `streams WHERE doc LIKE '%SECRET%'`)).toBe(0);
    expect(
      (await pool.query(`SELECT event_id FROM timeline ORDER BY seq`)).rows.map(
        (row: { event_id: string }) => row.event_id,
      ),
    ).toEqual(['e1', 'e2', 'e3', 'e4']);
  });

  test('a message, by its own name', async () => {
    const pool = pools.publication;
    const id = factIdOf({ kind: 'message', tenant: 'local', entity: 'm1' });
    await insert(pool, 'facts', {
      ...{ id, revision: 1, doc: JSON.stringify({ seq: 1 }), kind: 'message', tenant: 'local' },
      ...{ account: 'alice', stream, seq: 1, first_seq: 1, kept: true },
    });
    await ofPublication(pool)(run('', { runId: null, messageId: 'm1' }));
    expect(await saying()).toBe(1);
  });

  test('a document loses what holds no longer, and keeps what holds or is contradicted', async () => {
    const pool = pools.publication;
    const text = (sha256: string, runId: string): object => ({ sha256, report: { runId } });
    const id = documentRowId('local', 'alice', 'notes');
    await insert(pool, 'documents', {
      ...{ id, revision: 1, tenant: 'local', account: 'alice', document_id: 'notes', updated_at: new Date() },
      doc: JSON.stringify({
        current: 'now',
        texts: [text('old', 'run_1'), text('theirs', 'run_2'), text('now', 'run_1'), text('second', 'run_1')],
        conflicts: [{ sha256: 'second', conflictsWith: 'now', resolvedBy: null }],
      }),
    });
    for (const sha256 of ['old', 'theirs', 'now', 'second'])
      await insert(pool, 'document_texts', { document: id, sha256, bytes: 'b' });
    await ofPublication(pool)(run('run_1', { documents: ['notes', 'unknown'] }));
    expect(
      (await pool.query('SELECT sha256 FROM document_texts ORDER BY sha256')).rows.map(
        (row: { sha256: string }) => row.sha256,
      ),
    ).toEqual(['now', 'second', 'theirs']);
  });
});

test('X1: a purge is looked at again for as long as old records may come, and live content is waited for', async () => {
  const pool = pools.hil;
  const put = (id: string): Promise<unknown> => insert(pool, 'purges', { id, what: JSON.stringify(run(id)) });
  const next = async (id: string): Promise<readonly [number, number, number | null]> => {
    const { rows } = await pool.query<{ looks: number; delays: number; sec: number | null }>(
      `SELECT looks, delays, round(extract(epoch FROM next_at - clock_timestamp()))::int AS sec FROM purges WHERE id = $1`,
      [id],
    );
    const [row] = rows;
    return [row?.looks ?? -1, row?.delays ?? -1, row?.sec ?? null];
  };
  const due = (): Promise<unknown> =>
    pool.query('UPDATE purges SET next_at = clock_timestamp() WHERE next_at IS NOT NULL');
  const unexpected = (error: unknown): never => {
    throw error;
  };
  await put('over');
  const seen: (readonly [number, number, number | null])[] = [];
  for (let looks = 0; looks < 6; looks += 1) {
    await due();
    await carryOutDue(pool, () => Promise.resolve(true), unexpected);
    seen.push(await next('over'));
  }
  expect(seen.map(([looks, , sec]) => [looks, sec])).toEqual([
    [1, 60],
    [2, 3_600],
    [3, 86_400],
    [4, 691_200],
    [5, 3_974_400],
    // After the last look the row is gone.
    [-1, null],
  ]);
  expect(await carryOutDue(pool, () => Promise.resolve(true), unexpected)).toBe(0);
  await put('live');
  for (const sec of [60, 120, 240]) {
    await due();
    await carryOutDue(pool, () => Promise.resolve(false), unexpected);
    expect(await next('live')).toEqual([0, Math.log2(sec / 60) + 1, sec]);
  }
  // One that fails comes again later, and holds up no other.
  await put('other');
  await due();
  const failures: unknown[] = [];
  const broken: CarryOut = (purge) =>
    purge.runId === 'live' ? Promise.reject(new Error('odd content')) : Promise.resolve(true);
  expect(await carryOutDue(pool, broken, (error) => failures.push(error))).toBe(2);
  expect(failures).toHaveLength(1);
  expect([await next('live'), await next('other')]).toEqual([
    [0, 4, 480],
    [1, 0, 60],
  ]);
});
