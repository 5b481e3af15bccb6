import { openExecutorWorld, type Asked, type ExecutorWorld } from '../support/executor-world';
import type { ToyProcess } from '../support/platform-instances';
import { until } from '../support/until';

jest.setTimeout(90_000);

let world: ExecutorWorld;
let token: string;
beforeAll(async () => {
  world = await openExecutorWorld('executor-lease');
  token = await world.token();
});
afterAll(() => world.close());

interface RunView {
  readonly state: string;
  readonly turns: number;
  readonly leaseEpoch: number;
  readonly actions: readonly { readonly proposalId: string }[];
}

const send = async (executor: ToyProcess, method: string, path: string): Promise<RunView> => {
  const { status, body } = await executor.request(method, path, undefined, token);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

const asking = (runId: string, turn: number, attempt: number): Promise<Asked> =>
  until(`turn ${turn} of the run is asked, attempt ${attempt}`, () =>
    world.asked.find(({ input, attempt: n }) => input.for.runId === runId && input.for.turn === turn && n === attempt),
  );

const action = (proposalId: string) => ({
  proposalId,
  connector: 'remote',
  operation: 'send',
  subject: 'P7.C12',
  params: {},
});

test('case 7 R11 an executor stopped past its lease: another one goes on, and what the first brings is refused', async () => {
  const proposals = await world.tail('effect.commands.v1');
  const stopped = await world.spawn('stopped');
  const runId = await world.start('m1');
  const first = await asking(runId, 1, 1);
  const other = await world.spawn('other');
  stopped.kill('SIGSTOP');
  const second = await asking(runId, 1, 2);
  expect(second.sha256).toBe(first.sha256);
  expect(second.input).toEqual(first.input);
  second.answer({ actions: [action('mine')], again: true });
  const next = await asking(runId, 2, 1);
  const { leaseEpoch } = await send(other, 'GET', `/v1/runs/${runId}`);
  // The answer to the first asking is there when the stopped process wakes, and is brought to its commit.
  first.answer({ actions: [action('stale')], again: true });
  stopped.kill('SIGCONT');
  await until('the stopped one has brought its answer', async () => {
    const { body } = await stopped.request('GET', '/metrics');
    return /^fairlead_turn_seconds_count(\{.*\})? 1$/m.test(body);
  });
  expect(await send(other, 'GET', `/v1/runs/${runId}`)).toMatchObject({
    state: 'running',
    turns: 1,
    leaseEpoch,
    actions: [{ proposalId: 'mine' }],
  });
  // The one that was refused is as good as any for what follows.
  other.kill('SIGKILL');
  next.answer({ again: true });
  const third = await asking(runId, 2, 2);
  third.answer({ state: 1 });
  await until('turn 2 is committed', async () => (await send(stopped, 'GET', `/v1/runs/${runId}`)).turns === 2);
  expect(proposals.firsts()).toEqual([expect.stringMatching(/\/propose\/mine\/1$/)]);
  stopped.kill('SIGKILL');
});

test('R14 R17 POST resume recovers a run whose owner is gone, and changes nothing of one that is owned', async () => {
  const gone = await world.spawn('gone');
  const runId = await world.start('m2');
  const first = await asking(runId, 1, 1);
  const before = await send(gone, 'GET', `/v1/runs/${runId}`);
  expect(await send(gone, 'POST', `/v1/runs/${runId}/resume`)).toMatchObject({ state: 'running' });
  expect((await send(gone, 'GET', `/v1/runs/${runId}`)).leaseEpoch).toBe(before.leaseEpoch);
  gone.kill('SIGKILL');
  // This one never looks for what is due by itself.
  const asked = await world.spawn('asked', { FAIRLEAD_FAILPOINTS: 'due.scan=hold' });
  const second = await until('a resume finds the lease over', async () => {
    expect(await send(asked, 'POST', `/v1/runs/${runId}/resume`)).toMatchObject({ state: 'running' });
    return world.asked.find(({ input, attempt }) => input.for.runId === runId && attempt === 2);
  });
  expect(second.sha256).toBe(first.sha256);
});
