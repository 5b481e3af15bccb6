import { handleBatch, type BatchDeps } from '../../services/platform/batch';
import type { BatchItem } from '../../services/platform/batch-open';
import { kind, noTrace, type AggregateKey, type Service } from '../../services/platform/decision';
import { openLog } from '../../services/platform/log';
import { openPipe } from '../../services/platform/postgres';
import { openWorld, type World } from '../support/platform-world';

jest.setTimeout(60_000);

type Message = { readonly kind: 'low' | 'high'; readonly id: string; readonly names?: AggregateKey };

const kinds = ['low', 'high'].map((name) => kind<{ count: number }>({ name, table: `${name}s`, columns: [] }));

/** Locks what a message is about, and then what that names: as a run names its conversation. */
const service: Service<Message, never> = {
  name: 'crossing',
  kinds,
  keys: ({ kind: of, id }) => [{ kind: of, id }],
  moreKeys: ({ names }) => (names === undefined ? [] : [names]),
  decide: (view, { kind: of, id, names }) => ({
    put: [{ kind: of, id }, ...(names === undefined ? [] : [names])].map((key) => ({
      key,
      state: { count: (view.get<{ count: number }>(key.kind, key.id)?.count ?? 0) + 1 },
    })),
  }),
};

const item = (message: Message): BatchItem<Message> => ({
  message,
  cause: message.id,
  trace: noTrace,
  claim: null,
  position: null,
  toldId: null,
});

describe('the one order of all writers', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld('locks');
    for (const { table } of kinds)
      await world.sql(
        `CREATE TABLE ${table} (id text PRIMARY KEY, revision int NOT NULL, doc text NOT NULL, due_at timestamptz)`,
      );
  });
  afterAll(() => world.close());

  test('X3: two instances whose batches name each other’s aggregates late do not wait for each other', async () => {
    const log = openLog('test', 'test', 'silent');
    const pipes = ['one', 'two'].map((name) => openPipe(world.databaseUrl, name, log));
    const deps = pipes.map((pipe): BatchDeps<Message, never> => ({
      pipe,
      service,
      instance: 'i',
      writer: 'w',
      capacity: () => 0,
      encoder: () => () => {
        throw new Error('nothing is said here');
      },
      behind: () => false,
      bury: () => ({ rows: [], outbox: [] }),
    }));
    const batch = (own: string, other: string): BatchItem<Message>[] => [
      item({ kind: 'high', id: own }),
      item({ kind: 'low', id: own, names: { kind: 'high', id: other } }),
      item({ kind: 'low', id: other, names: { kind: 'low', id: own } }),
    ];
    // The rows are there first: making one is not what is in question.
    await handleBatch(deps[0] as BatchDeps<Message, never>, [...batch('a', 'b'), ...batch('b', 'a')]);
    const rounds = 40;
    await Promise.all(
      deps.map(async (one, index) => {
        const [own, other] = index === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const);
        for (let round = 0; round < rounds; round += 1) await handleBatch(one, batch(own, other));
      }),
    );
    const rows = await world.sql<{ doc: string }>('SELECT doc FROM lows UNION ALL SELECT doc FROM highs');
    const counted = rows.reduce((sum, { doc }) => sum + (JSON.parse(doc) as { count: number }).count, 0);
    expect(counted).toBe(5 * 2 * (rounds + 1));
    await Promise.all(pipes.map((pipe) => pipe.close()));
  });
});
