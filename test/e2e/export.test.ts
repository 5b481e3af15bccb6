import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { approveShare, fresh, system, type System } from '../support/system';

jest.setTimeout(180_000);

let stack: System;
const folder = mkdtempSync(join(tmpdir(), 'fairlead-export-'));

beforeAll(async () => {
  stack = await system();
});
afterAll(() => rmSync(folder, { recursive: true }));

const exported = (conversation: string, to: string): Promise<{ readonly code: number; readonly said: string }> =>
  new Promise((resolve) => {
    const args = ['export', 'conversation', conversation, '--to', to];
    execFile(
      process.execPath,
      [join(__dirname, '../../bin/fairlead.mjs'), ...args],
      { env: process.env, timeout: 60_000 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, said: stdout + stderr }),
    );
  });

test('P1 X5: a conversation is taken along as files: words, receipts, runs, actions with evidence, reports to the byte', async () => {
  const conversation = fresh('export');
  const words = 'Compare MSFT and AAPL over the last year and share it with partner@example.com';
  const runId = await stack.submit(conversation, `${conversation}-1`, words);
  await approveShare(stack, runId);
  const run = await stack.completed(runId);
  expect((await exported(conversation, folder)).code).toBe(0);

  const json = <T>(name: string): T => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
  expect(json('messages.json')).toMatchObject([{ clientMessageId: `${conversation}-1`, content: words }]);
  expect(json('receipts.json')).toMatchObject([{ clientMessageId: `${conversation}-1`, runId }]);
  expect(json('conversation.json')).toMatchObject({ conversationId: conversation, runs: [runId] });
  expect(json(`runs/${runId}/run.json`)).toMatchObject({ runId, state: run.state, versions: [{ text: words }] });
  expect(json<unknown[]>(`runs/${runId}/turns.json`).length).toBeGreaterThan(0);
  expect(json('actions.json')).toMatchObject([{ runId, state: 'succeeded', evidence: [{ outcome: 'succeeded' }] }]);
  expect(json<{ kind: string }[]>('interactions.json').map(({ kind }) => kind)).toContain('approval');
  const reports = json<{ version: number; sha256: string }[]>(`runs/${runId}/reports/index.json`);
  const bytes = readFileSync(join(folder, `runs/${runId}/reports/v1.md`));
  expect(reports[0]?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(reports[0]?.sha256).toBe(run.report?.sha256);
});

test('a conversation that is not there is said, and no file is written', async () => {
  const to = join(folder, 'nothing');
  const { code, said } = await exported('nobody-knows-it', to);
  expect([code, said.includes('unknown_conversation'), existsSync(to)]).toEqual([1, true, false]);
});
