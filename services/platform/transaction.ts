import type { Pool, PoolClient } from 'pg';

/**
 * One transaction on a connection of a pool; `begin` says of what kind. What is written here locks no more than one
 * aggregate at a time, so that no order of locks is at stake; decisions go through the writer.
 */
export const inTransaction = async <T>(
  pool: Pool,
  begin: `BEGIN${string}`,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((failed: Error) => onError(failed));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
};
