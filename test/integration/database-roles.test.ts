import { join } from 'node:path';
import { Client } from 'pg';
import { migrate, migrationFolders } from '../../services/platform/migrate';
import { root } from '../support/documents';
import { psql, say, testWith } from '../support/tools';

const client = psql();
const names = { database: 'fairlead_rolestest', owner: 'fairlead_rolestest_owner', role: 'fairlead_rolestest' };

const adminUrl = (): string => process.env['DATABASE_ADMIN_URL'] ?? '';
const urlOf = (role: string, password: string): string => {
  const url = new URL(adminUrl());
  [url.username, url.password, url.pathname] = [role, password, `/${names.database}`];
  return url.href;
};

const connected = async <T>(url: string, use: (db: Client) => Promise<T>): Promise<T> => {
  const db = new Client({ connectionString: url });
  await db.connect();
  try {
    return await use(db);
  } finally {
    await db.end();
  }
};

const drop = (): Promise<void> =>
  connected(adminUrl(), async (db) => {
    await db.query(`DROP DATABASE IF EXISTS ${names.database} WITH (FORCE)`);
    for (const role of [names.role, names.owner]) await db.query(`DROP ROLE IF EXISTS ${role}`);
  });

testWith({ psql: client })(
  'infra/database/roles.sql: the service reads and writes what migrations of the owner make, and changes no table',
  async () => {
    await drop();
    const variables = ['ON_ERROR_STOP=1', 'service=rolestest', 'owner_password=owner-secret', 'password=secret'];
    const args = [adminUrl(), ...variables.flatMap((one) => ['-v', one]), '-f', join(root, 'infra/database/roles.sql')];
    // The second time there is nothing left to make.
    for (let time = 0; time < 2; time += 1) expect(say(client, args)).toMatchObject({ ok: true });
    try {
      await migrate(urlOf(names.owner, 'owner-secret'), migrationFolders(root, 'run-executor'));
      await connected(urlOf(names.role, 'secret'), async (db) => {
        const { rows } = await db.query<{ tablename: string; allowed: boolean }>(
          `SELECT tablename, has_table_privilege(quote_ident(tablename), 'SELECT') AND has_table_privilege(quote_ident(tablename), 'INSERT')
             AND has_table_privilege(quote_ident(tablename), 'UPDATE') AND has_table_privilege(quote_ident(tablename), 'DELETE') AS allowed
           FROM pg_tables WHERE schemaname = 'public'`,
        );
        expect(rows.length).toBeGreaterThan(10);
        expect(rows.filter(({ allowed }) => !allowed)).toEqual([]);
        await expect(db.query('CREATE TABLE own (a int)')).rejects.toThrow('permission denied');
        await expect(db.query('DROP TABLE inbox')).rejects.toThrow('must be owner');
        await expect(db.query('TRUNCATE outbox')).rejects.toThrow('permission denied');
      });
    } finally {
      await drop();
    }
  },
);
