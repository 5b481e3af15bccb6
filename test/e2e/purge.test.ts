import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { serviceDatabaseUrl, serviceNames, type ServiceName } from '../../services/platform/migrate';
import { approveShare, fresh, system, type System } from '../support/system';
import { until } from '../support/until';

jest.setTimeout(180_000);

let stack: System;
const folder = mkdtempSync(join(tmpdir(), 'fairlead-purge-'));

beforeAll(async () => {
  stack = await system();
});
afterAll(() => rmSync(folder, { recursive: true }));

const fairlead = (...args: string[]): Promise<{ readonly code: number; readonly said: string }> =>
  new Promise((resolve) => {
    const options = { env: process.env, timeout: 60_000 };
    execFile(process.execPath, [join(__dirname, '../../bin/fairlead.mjs'), ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : 1, said: stdout + stderr }),
    );
  });

const open = async (service: ServiceName): Promise<Client> => {
  const client = new Client({ connectionString: serviceDatabaseUrl(process.env['DATABASE_ADMIN_URL'] ?? '', service) });
  await client.connect();
  return client;
};

const rowsOf = async (service: ServiceName, from: string, value: string): Promise<number> => {
  const client = await open(service);
  try {
    return (await client.query(`SELECT 1 FROM ${from}`, [value])).rows.length;
  } finally {
    await client.end();
  }
};

/** Tables of all services that hold these words somewhere, as text or as bytes. */
const holding = async (words: string): Promise<string[]> => {
  const found: string[] = [];
  for (const service of serviceNames) {
    const client = new Client({
      connectionString: serviceDatabaseUrl(process.env['DATABASE_ADMIN_URL'] ?? '', service),
    });
    await client.connect();
    try {
      const tables = await client.query<{ name: string }>(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
      );
      for (const { name } of tables.rows) {
        const { rows } = await client.query(
          `SELECT 1 FROM ${name} t WHERE position($1 IN t::text) > 0 OR position($2 IN t::text) > 0 LIMIT 1`,
          [words, Buffer.from(words).toString('hex')],
        );
        if (rows.length > 0) found.push(`${service} ${name}`);
      }
    } finally {
      await client.end();
    }
  }
  return found.sort();
};

const statusOf = async (path: string): Promise<unknown> =>
  stack.alice.get(path).then(
    () => 'there',
    (error: { code?: string; message?: string }) => error.code ?? error.message,
  );

test('A2 A6 E1 P1: an operator purges a conversation from every service; what it was stays known, and nothing else does', async () => {
  const conversation = fresh('purge');
  const words = `nobody-else-${Date.now().toString(36)}`;
  const path = `/v1/conversations/${conversation}`;
  const content = `Compare MSFT and AAPL over the last year for ${words} and share it with partner@example.com`;
  const message = {
    clientMessageId: `${conversation}-1`,
    content,
    relation: 'new_task',
    mode: 'parallel',
    title: words,
  };
  const runId = await stack.submit(conversation, message.clientMessageId, content, { title: words });
  const purge = ['purge', 'conversation', conversation, '--account', 'alice', '--reason', 'asked for'];
  const refused = await fairlead(...purge);
  expect([refused.code, refused.said]).toEqual([1, expect.stringContaining('conversation_open')]);
  await approveShare(stack, runId);
  const before = await stack.completed(runId);
  const [action] = before.actions;
  expect(await holding(words)).toEqual(
    expect.arrayContaining(['admission blobs', 'publication timeline', 'run-executor inputs', 'run-executor runs']),
  );

  const sealed = (): Promise<number[]> =>
    Promise.all([
      rowsOf('effect-ledger', `blobs WHERE ref LIKE $1 || '/%'`, action?.actionKey ?? ''),
      rowsOf('hil', 'previews p JOIN interactions i ON i.id = p.interaction_ref WHERE i.run_id = $1', runId),
      rowsOf('publication', 'reports WHERE run_id = $1', runId),
      rowsOf('run-executor', 'inputs WHERE run_id = $1', runId),
    ]);
  expect(Math.min(...(await sealed()))).toBeGreaterThan(0);

  expect(await fairlead(...purge)).toMatchObject({ code: 0 });
  await until('the words are nowhere', async () => (await holding(words)).length === 0, 30_000).catch(async () => {
    throw new Error(`still in ${(await holding(words)).join(', ')}`);
  });

  await until('sealed bytes are gone', async () => Math.max(...(await sealed())) === 0, 30_000);

  // What it was stays: the run and its end, the action's outcome, the report's hash.
  const after = await stack.alice.get<typeof before & { purgedAt: string | null; versions: { text: string | null }[] }>(
    `/v1/runs/${runId}`,
  );
  expect(after).toMatchObject({ state: before.state, report: before.report, versions: [{ text: null }] });
  expect(after.purgedAt).not.toBeNull();
  expect(await stack.alice.get(`/v1/actions/${encodeURIComponent(action?.actionKey ?? '')}`)).toMatchObject({
    state: 'succeeded',
  });
  expect(await statusOf(`/v1/runs/${runId}/turns/1/input`)).toContain('content_purged');
  expect(await statusOf(`/v1/runs/${runId}/reports/current`)).toContain('content_purged');
  const reports = await stack.alice.get<{ items: { sha256: string }[] }>(`/v1/runs/${runId}/reports`);
  expect(reports.items[0]?.sha256).toBe(before.report?.sha256);
  const snapshot = await stack.alice.get<{ messages: unknown[] }>(`${path}/snapshot`);
  expect(snapshot).toMatchObject({ conversation: { title: null }, messages: [{ content: null, title: null }] });

  // The same message is still the same message, and starts nothing.
  const again = await stack.alice.post<{ duplicate: boolean; runId: string }>(`${path}/messages`, message);
  expect(again.body).toMatchObject({ duplicate: true, runId });
  expect((await stack.alice.get<{ items: unknown[] }>(`/v1/runs?conversationId=${conversation}`)).items).toHaveLength(
    1,
  );
  expect(await holding(words)).toEqual([]);

  // It can be taken along, which says what is gone.
  expect(await fairlead('export', 'conversation', conversation, '--to', folder)).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(folder, 'conversation.json'), 'utf8'))).toMatchObject({ purgedRuns: [runId] });
  const audit = await fairlead('doctor', '--audit', '--json');
  const findings = JSON.parse(audit.said) as { what: string; ok: boolean; found: string }[];
  expect(findings.filter(({ what, ok }) => !ok && /report|turn|state of|receipt/.test(what))).toEqual([]);
});

test('A7: only an operator purges, and what is not there is not there', async () => {
  const body = { account: 'alice', reason: 'x' };
  const said = (who: System['alice'], conversation: string): Promise<unknown> =>
    who.post(`/v1/conversations/${conversation}/purge`, body).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
  expect(await said(stack.alice, 'anything')).toContain('forbidden');
  expect(await said(stack.operator, fresh('never'))).toContain('unknown_conversation');
});
