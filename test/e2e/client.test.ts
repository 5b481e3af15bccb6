import { createHash } from 'node:crypto';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { work } from '../../examples/upstream';
import { localToken } from '../../services/cli/remote';
import { createClient } from '../../services/client/client';
import { wholeDocument } from '../support/openapi';
import { fresh, system, type System } from '../support/system';

jest.setTimeout(180_000);

let stack: System;

beforeAll(async () => {
  stack = await system();
});

/** What the OpenAPI document says of answers is what they are: the client's types are made of it. */
const answersAreAsDescribed = async (conversation: string, runId: string): Promise<void> => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  const { paths } = (await wholeDocument()) as { paths: Record<string, { get?: Described }> };
  const shown = async (path: string, address: string): Promise<{ items?: Record<string, unknown>[] }> => {
    const schema = paths[path]?.get?.responses[200]?.content?.['application/json'].schema ?? false;
    const body = await stack.alice.get<{ items?: Record<string, unknown>[] }>(address);
    const check = ajv.compile(schema);
    check(body);
    expect({ path, errors: check.errors }).toEqual({ path, errors: null });
    return body;
  };
  await shown('/v1/runs/{runId}', `/v1/runs/${runId}`);
  await shown('/v1/runs', '/v1/runs?limit=500');
  await shown('/v1/queue', '/v1/queue');
  await shown('/v1/runs/{runId}/turns', `/v1/runs/${runId}/turns`);
  await shown('/v1/runs/{runId}/reports', `/v1/runs/${runId}/reports`);
  await shown('/v1/conversations', '/v1/conversations');
  await shown('/v1/conversations/{id}/snapshot', `/v1/conversations/${conversation}/snapshot`);
  await shown('/v1/actions', '/v1/actions?limit=500');
  const { items = [] } = await shown('/v1/interactions', '/v1/interactions?limit=500');
  const asked = items.find((one) => one['runId'] === runId);
  await shown('/v1/interactions/{ref}', `/v1/interactions/${String(asked?.['interactionRef'])}`);
};

interface Described {
  readonly responses: Record<number, { readonly content?: Record<'application/json', { readonly schema: object }> }>;
}

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

  await answersAreAsDescribed(conversation, runId);

  const receipt = await client.receipt(conversation, `${conversation}-1`);
  expect([receipt?.relation, receipt?.runId]).toEqual(['new_task', runId]);
  expect(await client.receipt(conversation, 'nothing')).toBeNull();
  const refused = await client.send(conversation, { content: 'x', relation: 'amend' });
  expect([refused.status, refused.code]).toEqual(['refused', 'field_missing']);
});
