import { join } from 'node:path';
import { freePortBase } from '../../infra/local/network.mjs';
import { home as homeOf, portSpan } from '../../infra/local/ports.mjs';
import { stopServer } from '../../infra/local/servers.mjs';
import { down, up } from '../../infra/local/stack.mjs';
import { leaveLogs } from './own-stack';

/** A database server of one test file beside the other servers of the test run. */
export interface OwnPostgres {
  /** Ends all connections, stops the server, and resolves when it takes connections again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Changes this test file's environment, so that databases made afterwards are on the new server. */
export const ownPostgres = async (purpose: string): Promise<OwnPostgres> => {
  const home = join(homeOf(), 'beside', purpose);
  const env: NodeJS.ProcessEnv = { FAIRLEAD_HOME: home, FAIRLEAD_PORT_BASE: String(await freePortBase(portSpan)) };
  // What is not named here is started.
  for (const [name, value] of Object.entries(process.env))
    if (!/^DATABASE_ADMIN_URL$|_DATABASE_URL$/.test(name)) env[name] ??= value;
  const { urls } = await up({ env, only: [] });
  process.env['DATABASE_ADMIN_URL'] = urls['DATABASE_ADMIN_URL'];
  return {
    restart: async () => {
      await stopServer(home, 'postgres');
      await up({ env, only: [] });
    },
    close: async () => {
      await down({ env });
      leaveLogs(home);
    },
  };
};
