import { Client } from 'pg';
import { until } from './until';

const atOnce = 20;

/** Takes every connection that PostgreSQL has, also those of the services; resolves with how to give them back. */
export const takeConnections = async (adminUrl: string): Promise<() => Promise<void>> => {
  const held: Client[] = [];
  const open = async (): Promise<Client> => {
    const client = new Client({ connectionString: adminUrl, application_name: 'neighbour' });
    client.on('error', () => undefined);
    await client.connect();
    held.push(client);
    return client;
  };
  const first = await open();
  const evicted = async (): Promise<number> => {
    const { rows } = await first.query<{ n: number }>(
      "SELECT count(pg_terminate_backend(pid))::int AS n FROM pg_stat_activity WHERE usename LIKE 'fairlead\\_%'",
    );
    return rows[0]?.n ?? 0;
  };
  // The last few are for administrators only, so that whoever is put out does not get in again.
  await until('all connections are taken', async () => {
    const taken = await Promise.allSettled(Array.from({ length: atOnce }, open));
    return taken.some(({ status }) => status === 'rejected') && (await evicted()) === 0;
  });
  return async () => void (await Promise.all(held.map((client) => client.end())));
};
