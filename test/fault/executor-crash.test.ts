import { openExecutorWorld, type Asked, type ExecutorWorld } from '../support/executor-world';
import { until } from '../support/until';

jest.setTimeout(120_000);

// A lease and a session run out before somebody else goes on: the tests of this file wait for that side by side.
const inWorld =
  (name: string, test: (world: ExecutorWorld) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const world = await openExecutorWorld(name);
    try {
      await test(world);
    } finally {
      await world.close();
    }
  };

const asking = (world: ExecutorWorld, runId: string, turn: number, attempt: number): Promise<Asked> =>
  until(`turn ${turn} is asked, attempt ${attempt}`, () =>
    world.asked.find(({ input, attempt: n }) => input.for.runId === runId && input.for.turn === turn && n === attempt),
  );

const action = { proposalId: 'p', connector: 'remote', operation: 'send', subject: 'P7.C12', params: {} };

for (const [moment, point, before] of [
  ['before the agent is asked', 'turn.ask', 0],
  ['with an answer that nobody has stored', 'turn.answered', 1],
] as const)
  test.concurrent(
    `X3 R14: an executor killed ${moment}: the next asks with the same bytes, and one answer counts`,
    inWorld(point.replace('.', '-'), async (world) => {
      const proposals = await world.tail('effect.commands.v1');
      const mortal = await world.spawn('mortal', { FAIRLEAD_FAILPOINTS: `${point}=exit` });
      const runId = await world.start('m1');
      const first = before === 0 ? null : await asking(world, runId, 1, 1);
      first?.answer({ actions: [action], again: true });
      expect(await mortal.exited).toBe('SIGKILL');
      expect(world.asked).toHaveLength(before);
      await world.spawn('next');
      const again = await asking(world, runId, 1, 2);
      if (first !== null) expect([again.sha256, again.input]).toEqual([first.sha256, first.input]);
      again.answer({ actions: [action], again: true });
      await asking(world, runId, 2, 1);
      await until('its proposal is out', () => proposals.firsts().length > 0);
      expect(proposals.firsts()).toEqual([expect.stringMatching(/\/propose\/p\/1$/)]);
    }),
  );

test.concurrent(
  'X3 R7: an executor killed with a tool result that nobody has stored: that call is made again, no other, and one result counts',
  inWorld('tool-done', async (world) => {
    const mortal = await world.spawn('mortal', { FAIRLEAD_FAILPOINTS: 'tool.done=exit:2' });
    const runId = await world.start('m1');
    (await asking(world, runId, 1, 1)).answer({ toolCalls: [{ callId: 'one', tool: 'look', input: {} }] });
    (await asking(world, runId, 2, 1)).answer({ toolCalls: [{ callId: 'two', tool: 'look', input: {} }] });
    expect(await mortal.exited).toBe('SIGKILL');
    await world.spawn('next');
    const third = await asking(world, runId, 3, 1);
    expect(world.called).toEqual([
      { callId: 'one', turn: 1 },
      { callId: 'two', turn: 2 },
      { callId: 'two', turn: 2 },
    ]);
    expect(third.input.toolResults.filter(({ callId }) => callId === 'two')).toMatchObject([
      { ok: true, output: 'seen 3 times' },
    ]);
  }),
);

test.concurrent(
  'X3: an executor killed while it looks for what is due: the next one finds it, and a lost owner is followed',
  inWorld('due-scan', async (world) => {
    const gone = await world.spawn('gone');
    const runId = await world.start('m1');
    const first = await asking(world, runId, 1, 1);
    gone.kill('SIGKILL');
    await gone.exited;
    const mortal = await world.spawn('mortal', { FAIRLEAD_FAILPOINTS: 'due.scan=exit', NOT_READY: 'yes' });
    expect(await mortal.exited).toBe('SIGKILL');
    expect(world.asked).toHaveLength(1);
    await world.spawn('next');
    const again = await asking(world, runId, 1, 2);
    expect(again.sha256).toBe(first.sha256);
    again.answer({ again: true });
    await asking(world, runId, 2, 1);
  }),
);
