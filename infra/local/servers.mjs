// The four servers below Fairlead: started when no address of another one is given, each for itself.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { kafkaCommand } from './kafka.mjs';
import { becomesFree, httpReady, kafkaReady, postgresReady, redisReady } from './network.mjs';
import { provision, registryJar } from './install.mjs';
import { plainError } from './plain-error.mjs';
import { cacheDir } from './ports.mjs';
import { dataVersion, ensureRegistryDatabase, localAdminUrl, postgresCommand } from './postgres.mjs';
import { end, isAlive, lastLines, logPath, running } from './processes.mjs';

const readyPollMs = 50;
const readyWithinMs = 90_000;
const restartTries = 5;
const restartPauseMs = 1_000;

export const serverNames = ['kafka', 'registry', 'postgres', 'redis'];

/** How each server is asked to end, and how long it may take. PostgreSQL's SIGTERM would wait for its clients. */
export const stopRules = {
  kafka: { graceMs: 20_000 },
  registry: { graceMs: 10_000 },
  postgres: { graceMs: 20_000, stopSignal: 'SIGINT' },
  redis: { graceMs: 10_000 },
};

const registryUrl = (port) => `http://127.0.0.1:${port}/apis/ccompat/v7`;

const isReady = {
  kafka: kafkaReady,
  registry: (port) => httpReady(`${registryUrl(port)}/subjects`),
  postgres: postgresReady,
  redis: redisReady,
};

const registryCommand = ({ home, folder, port, database }) => ({
  command: 'java',
  args: [
    '-Xmx256m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    `-Dfairlead.home=${home}`,
    '-jar',
    registryJar(folder),
  ],
  env: {
    ...process.env,
    QUARKUS_HTTP_HOST: '127.0.0.1',
    QUARKUS_HTTP_PORT: String(port),
    QUARKUS_HTTP_ACCESS_LOG_ENABLED: 'false',
    APICURIO_STORAGE_KIND: 'sql',
    APICURIO_STORAGE_SQL_KIND: 'postgresql',
    APICURIO_DATASOURCE_URL: database.url,
    APICURIO_DATASOURCE_USERNAME: database.username,
    APICURIO_DATASOURCE_PASSWORD: database.password,
    // Its default of 20 to 100 connections would be taken from what the services may use.
    APICURIO_DATASOURCE_JDBC_INITIAL_SIZE: '2',
    APICURIO_DATASOURCE_JDBC_MIN_SIZE: '2',
    APICURIO_DATASOURCE_JDBC_MAX_SIZE: '20',
  },
  cwd: folder,
});

const redisCommand = ({ home, program, port }) => {
  const folder = join(home, 'redis');
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'redis.conf');
  const lines = ['bind 127.0.0.1', `port ${port}`, 'daemonize no', 'appendonly no', 'save ""', `dir ${folder}`];
  writeFileSync(config, `${lines.join('\n')}\n`);
  return { command: program, args: [config], cwd: folder };
};

/** Which servers have to be of this stack: those that no variable names. */
export const wantedServers = (env, databasesGiven = false) => {
  const registry = !env.SCHEMA_REGISTRY_URL;
  return [
    ...(env.KAFKA_BROKERS ? [] : ['kafka']),
    ...(registry ? ['registry'] : []),
    ...(env.DATABASE_ADMIN_URL || (databasesGiven && !registry) ? [] : ['postgres']),
    ...(env.REDIS_URL ? [] : ['redis']),
  ];
};

/** The addresses as the services take them; what the environment names wins over the local servers. */
export const serverUrls = (home, env, portOf) => {
  const local = {
    KAFKA_BROKERS: () => `127.0.0.1:${portOf('kafka')}`,
    SCHEMA_REGISTRY_URL: () => registryUrl(portOf('registry')),
    DATABASE_ADMIN_URL: () => localAdminUrl(home, portOf('postgres')),
    REDIS_URL: () => `redis://127.0.0.1:${portOf('redis')}`,
  };
  const servers = ['kafka', 'registry', 'postgres', 'redis'];
  const entries = Object.entries(local).map(([variable, url], index) => [
    variable,
    env[variable] || (portOf(servers[index]) === undefined ? undefined : url()),
  ]);
  return Object.fromEntries(entries.filter(([, url]) => url !== undefined));
};

export const portBusy = (name, port) =>
  plainError(
    `port ${port} (${name}) is used by another program: choose other ports with FAIRLEAD_PORT_BASE, ` +
      'say FAIRLEAD_PORT_BASE=21000',
  );

/** Waits until the process answers; a process that ended or takes too long is an error with its last words. */
export const waitReady = async (home, { name, pid, exited }, ready, withinMs = readyWithinMs) => {
  const deadline = Date.now() + withinMs;
  let ended;
  void exited?.then((how) => {
    ended = how;
  });
  const problem = (what) =>
    plainError(`${name} ${what}; its log ${logPath(home, name)} ends with:\n${lastLines(home, name)}`);
  while (!(await ready())) {
    if (ended) throw problem(ended);
    if (pid !== undefined && !isAlive(pid)) throw problem('has ended');
    if (Date.now() > deadline) throw problem(`was not ready within ${withinMs / 1000} s`);
    await pause(readyPollMs);
  }
};

/**
 * Starts those of the wanted servers that are not running and waits for all. `session` keeps what this command
 * started; `ports` says where a new one is to listen. Resolves with the port of every wanted server.
 */
export const startServers = async (session, { wanted, ports, env = process.env }) => {
  const { home } = session;
  const found = new Map(wanted.map((name) => [name, running(home, name)]));
  const missing = wanted.filter((name) => !found.get(name));
  for (const name of missing) if (!(await becomesFree(ports[name]))) throw portBusy(name, ports[name]);
  const programs = await provision(cacheDir(env), missing, { postgresDataVersion: dataVersion(home) });
  const portOf = (name) => found.get(name)?.port ?? ports[name];

  const bring = async (name, command) => {
    const existing = found.get(name);
    const port = portOf(name);
    const launched = existing ?? session.launch({ name, port, ...(await command(port)) });
    await waitReady(home, launched, () => isReady[name](port));
  };

  /** The children of a killed PostgreSQL take a moment to notice; until then a new one refuses to start. */
  const bringPostgres = async () => {
    for (let tried = 1; ; tried += 1) {
      try {
        return await bring('postgres', (port) => postgresCommand({ home, bin: programs.postgres, port }));
      } catch (error) {
        if (tried === restartTries || session.stopping || running(home, 'postgres')) throw error;
        if (!/shared memory|lock file/.test(error.message)) throw error;
        await pause(restartPauseMs);
      }
    }
  };

  const databaseReady = wanted.includes('postgres') ? bringPostgres() : Promise.resolve();
  const starts = {
    kafka: () => bring('kafka', (port) => kafkaCommand({ home, jars: programs.kafka, port })),
    redis: () => bring('redis', (port) => redisCommand({ home, program: programs.redis, port })),
    postgres: () => databaseReady,
    registry: async () => {
      await databaseReady;
      await bring('registry', async (port) => {
        const adminUrl = env.DATABASE_ADMIN_URL || localAdminUrl(home, portOf('postgres'));
        const database = await ensureRegistryDatabase(adminUrl);
        return registryCommand({ home, folder: programs.registry, port, database });
      });
    },
  };
  const outcomes = await Promise.allSettled(wanted.map((name) => starts[name]()));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return Object.fromEntries(wanted.map((name) => [name, portOf(name)]));
};

/** Ends servers in the order of their dependence: the registry before the database it writes to. */
export const stopServers = async (home, processes) => {
  const stop = (process) => end(home, process, stopRules[process.name]);
  const first = processes.filter(({ name }) => name !== 'postgres');
  const ended = await Promise.all(first.map(stop));
  return [...ended, ...(await Promise.all(processes.filter(({ name }) => name === 'postgres').map(stop)))];
};

/** One server of a home by name, for tests that take it away and bring it back. */
export const stopServer = (home, name) => {
  const process = running(home, name);
  return process ? stopServers(home, [process]) : Promise.resolve([]);
};

export const ensureHome = (home) => {
  try {
    mkdirSync(join(home, 'run'), { recursive: true });
    writeFileSync(join(home, 'run', '.writable'), '');
  } catch (error) {
    if (!existsSync(home) || error.code === 'EACCES') {
      throw plainError(`${home} cannot be written (${error.code}): set FAIRLEAD_HOME to a folder of yours`);
    }
    throw error;
  }
};
