import { approveShare, fresh, system, type System } from '../support/system';
import { until } from '../support/until';

jest.setTimeout(180_000);

const words = 'Compare MSFT and AAPL over the last two years. Share it with dana@example.com';
const longMs = 3_600_000;

interface ActionItem {
  readonly actionKey: string;
  readonly state: string;
  readonly evidence: readonly { readonly by: string }[];
}

let stack: System;
beforeAll(async () => {
  stack = await system();
});

const actionOf = async (runId: string, state: string): Promise<ActionItem> =>
  until(`an action of ${runId} is ${state}`, async () => {
    const { items } = await stack.alice.get<{ items: ActionItem[] }>(`/v1/actions?runId=${runId}`);
    return items.find((one) => one.state === state);
  });

test('E9 R16: a run is cancelled while the remote works on its action: the remote is asked to drop it, does, and is believed by its receipt', async () => {
  const conversation = fresh('dropped');
  await stack.behave('share', `pending_202:${longMs}`);
  const runId = await stack.submit(conversation, fresh('m'), words);
  await approveShare(stack, runId);
  const { actionKey } = await actionOf(runId, 'unknown');
  await stack.alice.post(`/v1/conversations/${conversation}/messages`, {
    ...{ clientMessageId: fresh('c'), content: 'stop', relation: 'control', control: 'cancel', targetRunId: runId },
  });
  expect(await stack.completed(runId)).toMatchObject({ state: 'cancelled', actions: [{ actionKey, state: 'failed' }] });
  const action = await actionOf(runId, 'failed');
  expect(action.evidence.map(({ by }) => by)).toContain('query');
  expect(await stack.effects()).not.toHaveProperty([actionKey]);
  const remote = process.env['DEMO_REMOTE_URL'] ?? '';
  const dropped = await fetch(`${remote}/by-key/${encodeURIComponent(actionKey)}`);
  expect(await dropped.json()).toMatchObject({ state: 'cancelled' });
});
