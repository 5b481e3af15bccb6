import { conversationIdOf } from '../../services/run-executor/messages';
import { executor } from '../support/executor';

/** Larger than what a run keeps in its document. */
const large = 'x'.repeat(10_000);

test('R7 two large tool results in one batch: the second decision finds what the first one kept', () => {
  const one = executor();
  one.start();
  one.answer({
    toolCalls: [
      { callId: 'a', tool: 'price-series', input: {} },
      { callId: 'b', tool: 'price-series', input: {} },
    ],
  });
  const run = one.run();
  const done = (callId: string) => ({
    cause: callId,
    message: {
      type: 'tool_done' as const,
      runId: run.runId,
      conversation: conversationIdOf(run),
      turn: run.turns,
      epoch: run.epoch,
      callId,
      outcome: { ok: true as const, output: `${callId} ${large}` },
    },
  });
  const { outcomes } = one.world.transact([done('a'), done('b')]);
  expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, true]);
  expect(one.run().turn?.number).toBe(2);
});
