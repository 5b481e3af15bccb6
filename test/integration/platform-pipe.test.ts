import { pino } from 'pino';
import { openPipe } from '../../services/platform/postgres';
import { openWorld, type World } from '../support/platform-world';
import { until } from '../support/until';

jest.setTimeout(60_000);

describe('the writing connection', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld('pipe');
    await world.sql('CREATE TABLE kept (n int)');
  });
  afterAll(() => world.close());

  test('case 42: a transaction whose connection was ended does not go on on the next one, where each part would stand alone', async () => {
    const said: string[] = [];
    const pipe = openPipe(
      world.databaseUrl,
      'pipe under test',
      pino({}, { write: (line: string) => void said.push(line) }),
    );
    const [, first] = await pipe.begin([
      { text: 'INSERT INTO kept VALUES (1)' },
      { text: 'SELECT pg_current_xact_id()::text AS xid' },
    ]);
    const { xid } = first?.rows[0] as { xid: string };
    await world.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pipe under test'`,
    );
    await until('the loss is noticed', () => said.some((line) => line.includes('connection was lost')));
    await expect(pipe.burst([{ text: 'INSERT INTO kept VALUES (2)' }])).rejects.toThrow(/transaction was lost/);
    await expect(pipe.commit([{ text: 'INSERT INTO kept VALUES (3)' }], xid)).rejects.toThrow(/transaction was lost/);
    await pipe.rollback();
    expect(await world.sql('SELECT n FROM kept')).toEqual([]);
    await pipe.begin([{ text: 'INSERT INTO kept VALUES (4)' }]);
    await pipe.commit([], xid);
    expect(await world.sql('SELECT n FROM kept')).toEqual([{ n: 4 }]);
    await pipe.close();
  });
});
