import { connect } from '../../services/cli/remote';
import { root } from '../support/documents';
import { environmentBeside, type EnvironmentBeside } from '../support/environment-beside';
import { fresh, system, type RunView } from '../support/system';
import { until } from '../support/until';

jest.setTimeout(240_000);

let beside: EnvironmentBeside | null = null;
afterAll(() => beside?.close(), 60_000);

test('TOPIC_PREFIX: two environments share the servers, and neither sees a message of the other', async () => {
  const first = await system();
  const second = (beside = await environmentBeside('second'));
  second.command(root, ['migrate']);
  second.command(root, ['topics', 'apply']);
  const names = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication', 'gateway', 'demo-remote'];
  await Promise.all(names.map((name) => second.start(root, name, name)));
  const alice = connect([], 'alice', second.gateway);

  // The same identity in both: in one environment the second would be a duplicate of the first.
  const [conversation, id] = [fresh('env'), fresh('m')];
  const runOfFirst = await first.submit(conversation, id, 'Compare MSFT and AAPL since 2003');
  const url = `/v1/conversations/${conversation}/messages`;
  const { body } = await alice.post<{ duplicate: boolean }>(url, {
    clientMessageId: id,
    content: 'Compare MSFT and AAPL since 2005',
    relation: 'new_task',
  });
  expect(body.duplicate).toBe(false);
  const runOfSecond = await until('the second has its own run', async () => {
    const receipt = await alice.get<{ runId: string | null }>(`${url}/${id}`);
    return receipt.runId ?? false;
  });
  // Ids derive from the identity, so they are the same; what was asked and what came of it is each one's own.
  expect(runOfSecond).toBe(runOfFirst);
  const other = await first.submit(fresh('env'), fresh('m'), 'Compare IBM and AMZN since 2004');
  const ofFirst = await first.completed(runOfFirst);
  const ofSecond = await until('the second completes', async () => {
    const run = await alice.get<RunView>(`/v1/runs/${runOfSecond}`);
    return run.state === 'completed' && run;
  });
  expect(ofFirst.state).toBe('completed');
  expect(ofSecond.report?.sha256).not.toBe(ofFirst.report?.sha256);

  expect((await first.completed(other)).state).toBe('completed');
  await expect(alice.get(`/v1/runs/${other}`)).rejects.toThrow();
  const { items } = await alice.get<{ items: { runId: string }[] }>('/v1/runs?limit=500');
  expect(items.map(({ runId }) => runId)).toEqual([runOfSecond]);
});
