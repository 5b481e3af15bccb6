import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePortBase } from '../../infra/local/network.mjs';
import { home as homeOf, ports, portSpan } from '../../infra/local/ports.mjs';
import { removeData } from '../../infra/local/postgres.mjs';
import { running } from '../../infra/local/processes.mjs';
import { processes } from '../../infra/local/services.mjs';
import { serverNames, stopServer } from '../../infra/local/servers.mjs';
import { describeStack, down, up } from '../../infra/local/stack.mjs';
import { impatientConfiguration } from './impatient';
import { smallDisk, type SmallDisk } from './small-disk';
import { system, type System } from './system';

export type ServerName = 'kafka' | 'registry' | 'postgres' | 'redis';

/** What would lead to the servers and services of the test run. */
const foreign =
  /^(KAFKA_BROKERS|SCHEMA_REGISTRY_URL|DATABASE_ADMIN_URL|REDIS_URL|TOPIC_PREFIX|AUTH_.*|FAIRLEAD_(?!CACHE$).*|DEMO_REMOTE_URL|.*_DATABASE_URL)$|^(ADMISSION|RUN_EXECUTOR|HIL|EFFECT_LEDGER|PUBLICATION|GATEWAY)_URL$/;

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly err?: { readonly message: string };
}

/** A whole stack with servers of its own, which a test may disturb as it likes. */
export interface OwnStack extends System {
  /** Names of its service processes. */
  readonly services: readonly string[];
  /** Where the services' databases are; null where none was asked for, or this machine lets nobody have one. */
  readonly disk: SmallDisk | null;
  pids(): Readonly<Record<string, number | undefined>>;
  /** Status of a probe; 0 when the process does not answer in time. */
  probe(service: string, path: '/livez' | '/readyz'): Promise<number>;
  stop(server: ServerName): Promise<void>;
  startServers(): Promise<void>;
  /** Stops every process of the server where it stands; sockets stay open and nobody answers. */
  freeze(server: ServerName): void;
  thaw(server: ServerName): void;
  /** What a service has logged since the stack was started. */
  log(service: string): LogLine[];
  close(): Promise<void>;
}

/** A probe that takes longer is no answer: whoever asks has given up by then. */
const probeMs = 5_000;

/** The process and all it has started, which for PostgreSQL is one for each connection. */
const family = (pid: number): number[] => {
  let children = '';
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    // It has ended meanwhile.
  }
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(family)];
};

/** Databases that are made from now on are on the small disk; the server's log of changes is not. */
const databasesOnSmallDisk = async (
  home: string,
  env: NodeJS.ProcessEnv,
  megabytes: number,
): Promise<SmallDisk | null> => {
  const data = readFileSync(join(home, 'postgres.path'), 'utf8').trim();
  const disk = smallDisk(join(data, 'small'), data, megabytes);
  if (disk === null) return null;
  const client = new Client({ connectionString: describeStack(env).urls['DATABASE_ADMIN_URL'] });
  await client.connect();
  await client.query(`CREATE TABLESPACE small LOCATION '${disk.folder}'`);
  await client.query('ALTER DATABASE template1 SET TABLESPACE small');
  await client.end();
  return disk;
};

/** Deletes what servers that have ended leave in their home, but for what they said. */
export const leaveLogs = (home: string): void => {
  removeData(home);
  for (const entry of readdirSync(home))
    if (entry !== 'run') rmSync(join(home, entry), { recursive: true, force: true });
};

/** Changes this test file's environment, so that whatever it calls afterwards means the new stack. */
export const ownStack = async (purpose: string, diskMegabytes?: number): Promise<OwnStack> => {
  const home = join(homeOf(), 'beside', purpose);
  for (const name of Object.keys(process.env)) if (foreign.test(name)) delete process.env[name];
  Object.assign(process.env, { FAIRLEAD_HOME: home, FAIRLEAD_PORT_BASE: String(await freePortBase(portSpan)) });
  const remoteUrl = `http://127.0.0.1:${ports(process.env)['demo-remote']}`;
  process.env['FAIRLEAD_CONFIG'] = impatientConfiguration(home, remoteUrl);
  /** Without addresses, so that servers which are missing are started again. */
  const bare = { ...process.env };
  await up({ env: bare, only: [] });
  const disk = diskMegabytes === undefined ? null : await databasesOnSmallDisk(home, bare, diskMegabytes);
  const inner = await system();
  const services = processes.map(({ name }) => name);
  const signal = (server: ServerName, name: NodeJS.Signals): void => {
    const found = running(home, server);
    if (found === undefined) throw new Error(`${server} does not run`);
    for (const pid of family(found.pid)) {
      try {
        process.kill(pid, name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  };
  return {
    ...inner,
    services,
    disk,
    pids: () => Object.fromEntries(services.map((name) => [name, running(home, name)?.pid])),
    probe: async (service, path) => {
      const port = running(home, service)?.port;
      const answer = fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(probeMs) });
      return answer.then(
        ({ status }) => status,
        () => 0,
      );
    },
    stop: async (server) => void (await stopServer(home, server)),
    startServers: async () => void (await up({ env: bare, only: [] })),
    freeze: (server) => signal(server, 'SIGSTOP'),
    thaw: (server) => signal(server, 'SIGCONT'),
    log: (service) =>
      readFileSync(join(home, 'run', `${service}.log`), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as LogLine),
    close: async () => {
      // A process that stands still cannot be asked to end.
      for (const server of serverNames) if (running(home, server) !== undefined) signal(server, 'SIGCONT');
      await down({ env: bare });
      disk?.remove();
      leaveLogs(home);
    },
  };
};
