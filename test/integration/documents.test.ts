import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TurnInput } from '../../schemas/turn-protocol/input';
import { sha256Hex } from '../../services/platform/canonical';
import { openRelationsWorld, type RelationsWorld } from '../support/relations-world';
import { until } from '../support/until';

jest.setTimeout(120_000);

const document = 'plan';
const integrator = { roles: ['integrator'] };
let world: RelationsWorld;
let agent: Server;

/** Reports the first word of its text as the document, based on the second. */
const answer = (input: TurnInput): object => {
  const [body = '', basedOn] = (input.requirements.texts[0]?.text ?? '').split(' ');
  const report = { body, contentType: 'text/plain', document, ...(basedOn === undefined ? {} : { basedOn }) };
  return { for: input.for, report };
};

beforeAll(async () => {
  agent = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer(JSON.parse(Buffer.concat(chunks).toString('utf8')) as TurnInput)));
    });
  });
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`;
  world = await openRelationsWorld(
    'documents',
    `
tenants: { local: { defaultAgent: writing, onBusy: parallel } }
ingress: [{ topic: ingress.messages.v1, tenant: local, app: local, accounts: asserted }]
agents: { writing: { url: "${url}" } }
`,
    ['admission', 'run-executor', 'publication'],
  );
});
afterAll(async () => {
  await world.close();
  agent.closeAllConnections();
  await new Promise((resolve) => agent.close(resolve));
});

interface Shown {
  readonly sha256: string;
  readonly body: string;
}
interface ShownDocument {
  readonly current: Shown;
  readonly conflicts: readonly (Shown & { readonly conflictsWith: string })[];
  readonly resolved: readonly object[];
}
const shown = async (): Promise<ShownDocument> =>
  (await world.call('publication', 'GET', `/v1/documents/${document}`)).body as unknown as ShownDocument;

/** A run that writes the document; resolves once it is completed. */
const write = async (body: string, basedOn?: string): Promise<string> => {
  const said = await world.say(
    `writes-${body}`,
    { clientMessageId: body, content: [body, basedOn].filter(Boolean).join(' '), relation: 'new_task' },
    { prefer: 'wait=30' },
  );
  const runId = String(said.body['runId']);
  await until(`${body} is published`, async () => {
    const { body: run } = await world.call('run-executor', 'GET', `/v1/runs/${runId}`);
    return run['state'] === 'completed';
  });
  return runId;
};

test('P5 case 45: of two runs based on one text the second is a conflict with both texts, until an integrator has resolved it', async () => {
  await write('first');
  const first = sha256Hex('first');
  expect((await shown()).current).toMatchObject({ sha256: first, body: 'first' });
  await write('second', first);
  const late = await write('third', first);
  const conflicted = await shown();
  expect(conflicted.current).toMatchObject({ sha256: sha256Hex('second'), body: 'second' });
  expect(conflicted.conflicts).toMatchObject([
    { sha256: sha256Hex('third'), body: 'third', runId: late, conflictsWith: sha256Hex('second') },
  ]);
  // The report itself is out whatever the document says.
  expect((await world.call('publication', 'GET', `/v1/runs/${late}/reports`)).body['items']).toHaveLength(1);

  const both = [sha256Hex('second'), sha256Hex('third')];
  const resolve = (basedOn: readonly string[], roles: readonly string[]) =>
    world.call(
      'publication',
      'POST',
      `/v1/documents/${document}/resolutions`,
      { basedOn, body: 'both', contentType: 'text/plain' },
      { roles },
    );
  expect((await resolve(both, [])).status).toBe(403);
  expect((await resolve([first, sha256Hex('third')], integrator.roles)).status).toBe(409);
  expect((await resolve(both, integrator.roles)).status).toBe(201);
  const resolved = await shown();
  expect(resolved).toMatchObject({ current: { body: 'both', basedOn: both }, conflicts: [] });
  expect(resolved.resolved).toHaveLength(1);
});
