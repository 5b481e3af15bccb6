import { readFileSync } from 'node:fs';
import { connect } from '../../services/cli/remote';
import { fresh, system, type RunView, type System } from '../support/system';
import { until } from '../support/until';

jest.setTimeout(180_000);

const services = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication'] as const;
let stack: System;

beforeAll(async () => {
  stack = await system();
});

test('A1 X3 a second instance of every service: each message has one run, and the first instances may die', async () => {
  await Promise.all(services.map((service) => stack.start(service, { instance: 2 })));
  const conversation = fresh('two');
  const ids = Array.from({ length: 30 }, () => fresh('m'));
  const submitted = ids.map((id, n) => stack.submit(conversation, id, `Compare MSFT and AAPL since ${2001 + (n % 8)}`));
  const runs = await Promise.all(submitted);
  expect(new Set(runs).size).toBe(ids.length);
  for (const service of services) stack.kill(service);
  const ended = await Promise.all(runs.map((runId) => waitOver(runId)));
  expect(ended.map((run) => run.state)).toEqual(ids.map(() => 'completed'));
  await Promise.all(services.map((service) => stack.start(service)));
});

/** The gateway knows the first instances only; while they are away the owner is asked through its second one. */
const waitOver = (runId: string): Promise<RunView> => {
  const port = readFileSync(`${stack.home}/run/run-executor-2.port`, 'utf8').trim();
  const direct = connect([], 'alice', `http://127.0.0.1:${port}`);
  return until(
    `run ${runId} completes`,
    async () => {
      const run = await direct.get<RunView>(`/v1/runs/${runId}`);
      return run.state === 'completed' && run;
    },
    60_000,
  );
};
