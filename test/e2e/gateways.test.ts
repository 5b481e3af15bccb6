import { readFileSync } from 'node:fs';
import { connect, type Remote } from '../../services/cli/remote';
import { approveShare, fresh, system, type System } from '../support/system';

jest.setTimeout(180_000);

let stack: System;

/** An instance of its own beside those of other tests. */
const beside = async (service: string): Promise<Remote> => {
  await stack.start(service, { instance: 3 });
  const port = readFileSync(`${stack.home}/run/${service}-3.port`, 'utf8').trim();
  return connect([], 'alice', `http://127.0.0.1:${port}`);
};

interface Told {
  readonly cursor: string;
  readonly eventId: string;
}

/** All that the stream of an ended run tells; it ends by itself. */
const toldBy = async (remote: Remote, runId: string, after: string | null): Promise<Told[]> => {
  const response = await remote.stream(`/v1/runs/${runId}/events`, after, AbortSignal.timeout(30_000));
  return [...(await response.text()).matchAll(/^id: (.+)\nevent: .+\ndata: \{"eventId":"([^"]+)"/gm)].map(
    ([, cursor = '', eventId = '']) => ({ cursor, eventId }),
  );
};

beforeAll(async () => {
  stack = await system();
});

test('case 26, 27 P3: a cursor means the same at every gateway and every instance of publication: nothing twice, nothing left out', async () => {
  const [gateway, publication] = [await beside('gateway'), await beside('publication')];
  const runId = await stack.submit(
    fresh('cursors'),
    fresh('m'),
    'Compare MSFT and AAPL over the last year. Share it with dana@example.com',
  );
  await approveShare(stack, runId);
  await stack.completed(runId);
  const all = await toldBy(stack.alice, runId, null);
  expect(all.length).toBeGreaterThan(8);
  expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(all.length);
  // A finished run is no error to whoever comes late: it is told to its final state, and the stream ends by itself.
  const late = await stack.alice.stream(`/v1/runs/${runId}/events`, null, AbortSignal.timeout(30_000));
  expect([late.status, await late.text()]).toEqual([200, expect.stringContaining('"state":"completed"')]);
  // Facts that came in after the first reading may follow; what it read comes first, everywhere.
  for (const remote of [gateway, publication, stack.alice]) {
    expect((await toldBy(remote, runId, null)).slice(0, all.length)).toEqual(all);
    for (const at of [0, Math.floor(all.length / 2), all.length - 2])
      expect((await toldBy(remote, runId, all[at]?.cursor ?? '')).slice(0, all.length - at - 1)).toEqual(
        all.slice(at + 1),
      );
  }
});
