import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { purgeContent } from '../../services/admission/retention';
import { ensureDatabase, migrate, roleOf } from '../../services/platform/migrate';

jest.setTimeout(60_000);

const name = `test-retention-${randomBytes(3).toString('hex')}`;
const adminUrl = process.env['DATABASE_ADMIN_URL'] ?? '';
const migrations = (service: string): { name: string; path: string } => ({
  name: service,
  path: join(__dirname, '..', '..', 'services', service, 'migrations'),
});
let pool: Pool;

beforeAll(async () => {
  const url = await ensureDatabase(adminUrl, name);
  await migrate(url, [migrations('platform'), migrations('admission')]);
  pool = new Pool({ connectionString: url, max: 1 });
});
afterAll(async () => {
  await pool.end();
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${roleOf(name)} WITH (FORCE)`);
  await admin.query(`DROP ROLE IF EXISTS ${roleOf(name)}`);
  await admin.end();
});

const message = async (id: string, tenant: string | null, ageDays: number, undecided = false): Promise<void> => {
  await pool.query(
    `INSERT INTO messages (id, revision, doc, due_at, settled, received_at) VALUES ($1, 1, '{}', $2, true, now())`,
    [id, undecided ? new Date() : null],
  );
  await pool.query(
    `INSERT INTO blobs (ref, bytes, tenant, stored_at) VALUES ($1, 'words', $2, now() - make_interval(days => $3))`,
    [id, tenant, ageDays],
  );
};

test('A6 the words of old, decided messages of the tenant go; every identity stays', async () => {
  await message('old', 'local', 31);
  await message('young', 'local', 29);
  await message('undecided', 'local', 31, true);
  await message('of-another', 'other', 31);
  await message('of-before', null, 31);
  await pool.query(
    `INSERT INTO blobs (ref, bytes, tenant, stored_at) VALUES ('run/c/r', 'facts', NULL, now() - interval '99 days')`,
  );
  expect(await purgeContent(pool, 'local', 30)).toBe(1);
  const left = (await pool.query<{ ref: string }>('SELECT ref FROM blobs ORDER BY ref')).rows.map(({ ref }) => ref);
  expect(left).toEqual(['of-another', 'of-before', 'run/c/r', 'undecided', 'young']);
  expect((await pool.query('SELECT 1 FROM messages')).rowCount).toBe(5);
  expect(await purgeContent(pool, 'local', 30)).toBe(0);
});
