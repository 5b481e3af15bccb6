import { Pool } from 'pg';
import { openExecutorWorld, type ExecutorWorld } from '../support/executor-world';
import { ownPostgres, type OwnPostgres } from '../support/own-postgres';
import type { ToyProcess } from '../support/platform-instances';
import type { Tail } from '../support/topic-tail';
import { until } from '../support/until';

jest.setTimeout(120_000);

const runs = 20;

let postgres: OwnPostgres;
let world: ExecutorWorld;
let events: Tail;
let pool: Pool;
/** Of the runs of the test at hand. */
let owner: { readonly name: string; readonly process: ToyProcess };
beforeAll(async () => {
  postgres = await ownPostgres('takeover');
  world = await openExecutorWorld('executor-takeover');
  events = await world.tail('run.events.v1');
  pool = new Pool({ connectionString: world.databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  owner = { name: 'first', process: await world.spawn('first') };
});
afterAll(async () => {
  await pool.end();
  await world.close();
  await postgres.close();
});

const column = async (text: string): Promise<unknown[]> =>
  (await pool.query<unknown[]>({ text, rowMode: 'array' })).rows.map(([value]) => value);

/** A renewed lease has its time in a row of its own. */
const forgotten = `SELECT id FROM runs WHERE state <> 'failed' AND due_at IS NULL
                      AND NOT EXISTS (SELECT 1 FROM leases WHERE leases.id = runs.id AND leases.due_at IS NOT NULL)`;

/** Lets the database stop while somebody waits for the lock. */
const restartWithLock = async (lock: string, meanwhile: () => Promise<void>): Promise<void> => {
  const holder = await pool.connect();
  holder.on('error', () => undefined);
  try {
    await holder.query('BEGIN');
    await holder.query(lock);
    await until('the takeover waits for the lock', async () => {
      const waiting = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await column(waiting)).length > 0;
    });
    await meanwhile();
    await postgres.restart();
  } finally {
    holder.release(true);
  }
};

// The first lock is on the last ten in the order of locking: the takeover has the other ten. The second is on what the
// new owner reads, after its commit, to ask again.
for (const [moment, lock, taken] of [
  ['in its transaction', `SELECT FROM runs WHERE state = 'running' ORDER BY id DESC LIMIT 10 FOR UPDATE`, false],
  ['after its commit', 'LOCK TABLE inputs IN ACCESS EXCLUSIVE MODE', true],
] as const)
  test(`case 11 X3 R14: the database restarts while one owner takes over ${runs} runs, ${moment}: none is left without owner or timer`, async () => {
    const ids = await Promise.all(Array.from({ length: runs }, (_, index) => world.start(`${moment} ${index}`)));
    const asked = (id: string): boolean => world.asked.some(({ input }) => input.for.runId === id);
    await until('the first turn of all is asked', () => ids.every(asked));
    const next = { name: moment.replaceAll(' ', '-'), process: await world.spawn(moment.replaceAll(' ', '-')) };
    owner.process.kill('SIGKILL');
    await owner.process.exited;
    let answered = world.asked.length;
    await restartWithLock(lock, async () => {
      const owners = await column(`SELECT DISTINCT lease_owner FROM runs WHERE state = 'running'`);
      expect(owners).toContain(taken ? next.name : owner.name);
    });
    owner = next;
    expect(await column(forgotten)).toEqual([]);
    await until('all have ended', async () => {
      for (const { input, answer } of world.asked.slice(answered))
        answer(input.for.turn === 1 ? { again: true } : { fail: { code: 'enough', message: 'of it' } });
      answered = world.asked.length;
      return (await column(`SELECT id FROM runs WHERE state <> 'failed'`)).length === 0;
    });
    const told = (id: string): string[] =>
      events.firsts().filter((event) => event.startsWith(`${id}/`) && event.endsWith('/TurnCommitted'));
    const commits = (): number[] => ids.map((id) => told(id).length);
    await until('all commits are told', () => commits().every((count) => count >= 2));
    expect(commits()).toEqual(ids.map(() => 2));
    const sealed = world.asked.filter(({ input }) => ids.includes(input.for.runId) && input.for.turn === 1);
    expect(new Set(sealed.map(({ sha256 }) => sha256)).size).toBe(runs);
  });
