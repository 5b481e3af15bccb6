import { Client } from 'pg';
import { audit } from '../../services/cli/audit';
import { serviceDatabaseUrl } from '../../services/platform/migrate';
import { approveShare, fresh, system, type System } from '../support/system';
import { until } from '../support/until';

jest.setTimeout(240_000);

const victims = [
  'admission',
  'run-executor',
  'hil',
  'effect-ledger',
  'effect-ledger-receipt-query',
  'publication',
] as const;
let stack: System;

beforeAll(async () => {
  stack = await system();
});

const restart = (name: string): Promise<void> =>
  name === 'effect-ledger-receipt-query' ? stack.start('effect-ledger', { role: 'receipt-query' }) : stack.start(name);

describe('X3 kill -9 in mid-flow, and the same end state', () => {
  test.each(victims)(
    '%s dies while runs with shares are under way: every run ends once, one effect a key (E1, E2, case 20)',
    async (victim) => {
      const conversation = fresh('kill');
      const ids = Array.from({ length: 6 }, () => fresh('k'));
      // Every other share commits at the remote and then stays silent, so that receipts are needed while things die.
      await stack.behave('share', 'accept_then_timeout', 3);
      const submissions = ids.map((id) =>
        stack.submit(conversation, id, 'Compare MSFT and AAPL over the last year. Share it with dana@example.com'),
      );
      const first = await (submissions[0] as Promise<string>);
      await until('work is under way', async () => (await stack.run(first)).turns > 0);
      stack.kill(victim);
      await restart(victim);
      const runs = await Promise.all(submissions);
      await Promise.all(
        runs.map((runId) =>
          until(`the share of ${runId} is approved`, async () => (await approveShare(stack, runId), true)),
        ),
      );
      const ended = await Promise.all(runs.map((runId) => stack.completed(runId)));
      expect(ended.map((run) => run.state)).toEqual(ids.map(() => 'completed'));
      const keys = ended.flatMap((run) =>
        run.actions.filter((action) => action.state === 'succeeded').map((action) => action.actionKey ?? ''),
      );
      const effects = await stack.effects();
      expect(keys.map((key) => effects[key])).toEqual(ids.map(() => 1));
    },
  );
});

describe('X3 the counts of all services agree after all that', () => {
  /** Other tests leave dead letters on purpose. */
  const wrong = async (): Promise<string[]> =>
    (await audit()).filter(({ ok, what }) => !ok && !what.includes('dead letter')).map(({ what }) => what);

  test('X3 X1 what each service holds is what the others were told of it', async () => {
    await until('the counts agree', async () => (await wrong()).length === 0);
  });

  test('X3 a fact that was lost on the way would be noticed', async () => {
    const url = serviceDatabaseUrl(process.env['DATABASE_ADMIN_URL'] ?? '', 'publication');
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await client.query("CREATE TABLE lost AS SELECT * FROM timeline WHERE kind = 'run' AND ended LIMIT 1");
      await client.query(
        'DELETE FROM timeline t USING lost WHERE t.stream = lost.stream AND t.event_id = lost.event_id',
      );
      expect(await wrong()).toContain('the state of each run is the one that is shown');
      await client.query('INSERT INTO timeline SELECT * FROM lost');
      await client.query('DROP TABLE lost');
    } finally {
      await client.end();
    }
    expect(await wrong()).toEqual([]);
  });
});
