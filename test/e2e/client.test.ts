import { createHash } from 'node:crypto';
import { work } from '../../examples/upstream';
import { localToken } from '../../services/cli/remote';
import { createClient } from '../../services/client/client';
import { fresh, system, type System } from '../support/system';

jest.setTimeout(180_000);

let stack: System;

beforeAll(async () => {
  stack = await system();
});

test('H2 P1: the example of an upstream program sends, watches, answers and has the report to the byte', async () => {
  const client = createClient({
    url: `http://127.0.0.1:${process.env['FAIRLEAD_PORT_BASE'] ?? ''}`,
    token: () => localToken({ tenant: 'local', app: 'local', account: 'alice', roles: [] }),
  });
  const conversation = fresh('client');
  const said: string[] = [];
  const report = await work(client, conversation, (line) => said.push(line));
  expect(said.filter((line) => line.startsWith('asked: '))).toHaveLength(1);
  expect(said.at(-1)).toBe('run is completed');
  expect(report.sha256).toBe(createHash('sha256').update(report.bytes).digest('hex'));
  expect([report.requirementsVersion, report.status]).toEqual([1, 'final']);
  const runId = said[0]?.replace('run ', '') ?? '';
  expect((await stack.run(runId)).report?.sha256).toBe(report.sha256);

  const receipt = await client.receipt(conversation, `${conversation}-1`);
  expect([receipt?.relation, receipt?.runId]).toEqual(['new_task', runId]);
  expect(await client.receipt(conversation, 'nothing')).toBeNull();
  const refused = await client.send(conversation, { content: 'x', relation: 'amend' });
  expect([refused.status, refused.code]).toEqual(['refused', 'field_missing']);
});
