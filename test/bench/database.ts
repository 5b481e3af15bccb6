import { Client } from 'pg';
import { serviceDatabaseUrl, type ServiceName } from '../../services/platform/migrate';

/** What a benchmark puts into a service's tables, or counts there, goes past the service. */
export const withDatabase = async <T>(service: ServiceName, work: (client: Client) => Promise<T>): Promise<T> => {
  const own = process.env[`${service.replaceAll('-', '_').toUpperCase()}_DATABASE_URL`];
  const url = own ?? serviceDatabaseUrl(process.env['DATABASE_ADMIN_URL'] ?? '', service);
  const client = new Client({ connectionString: url, application_name: 'fairlead bench' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const lookEveryMs = 50;

/** Waits for what a query counts, with an early end. */
export const untilCount = async (
  what: string,
  enough: number,
  count: () => Promise<number>,
  withinMs: number,
): Promise<void> => {
  const started = performance.now();
  for (let n = await count(); n < enough; n = await count()) {
    if (performance.now() - started > withinMs) throw new Error(`${what}: ${n} of ${enough} after ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
};
