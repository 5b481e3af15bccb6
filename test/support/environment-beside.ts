import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { serviceDatabaseUrl } from '../../infra/local/database-url.mjs';
import { freePort, freePortBase } from '../../infra/local/network.mjs';
import { portSpan } from '../../infra/local/ports.mjs';
import { processEnv, processes, statefulServices } from '../../infra/local/services.mjs';
import { describeStack } from '../../infra/local/stack.mjs';
import { until } from './until';

/** Beyond the grace of a service's own stop. */
const stopMs = 40_000;

/** One more environment on the servers of this test run: its own topics, groups, databases and processes. */
export interface EnvironmentBeside {
  readonly gateway: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs the command line of the release in `root`; what it printed. */
  command(root: string, args: readonly string[]): string;
  /** Starts a process of the release in `root` under a name of its own; resolves with its port when it is ready. */
  start(root: string, definition: string, instance: string, more?: Readonly<Record<string, string>>): Promise<number>;
  /** SIGTERM, as an upgrade does; fails unless it exits with 0. */
  stop(instance: string): Promise<void>;
  /** What all processes that ever ran under this name have logged. */
  log(instance: string): { readonly level: number; readonly msg: string }[];
  /** Ends all that runs and drops the databases. */
  close(): Promise<void>;
}

export const environmentBeside = async (
  purpose: string,
  more: Readonly<Record<string, string>> = {},
): Promise<EnvironmentBeside> => {
  // Topics of an earlier run may still be there.
  const name = `${purpose}_${process.pid}_${Date.now().toString(36)}`;
  const admin = process.env['DATABASE_ADMIN_URL'];
  if (admin === undefined) throw new Error('this test wants the servers of npm test');
  const home = mkdtempSync(join(tmpdir(), `fairlead-${name}-`));
  mkdirSync(join(home, 'run'));
  const client = new Client({ connectionString: admin });
  await client.connect();
  const databases = statefulServices.map((service) => ({
    service,
    database: `${name}_${service.replaceAll('-', '_')}`,
  }));
  const given: Record<string, string> = {};
  for (const { service, database } of databases) {
    await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${database}`);
    const url = new URL(admin);
    url.pathname = `/${database}`;
    given[
      new URL(serviceDatabaseUrl(admin, service)).pathname.slice('/fairlead_'.length).toUpperCase() + '_DATABASE_URL'
    ] = url.href;
  }
  const base: NodeJS.ProcessEnv = {};
  for (const [variable, value] of Object.entries(process.env))
    // The addresses of the first environment's services are not this one's.
    if (!/^(ADMISSION|RUN_EXECUTOR|HIL|EFFECT_LEDGER|PUBLICATION|GATEWAY|DEMO_REMOTE|FAIRLEAD)_URL$/.test(variable))
      base[variable] = value;
  Object.assign(base, given, more, {
    FAIRLEAD_HOME: home,
    FAIRLEAD_PORT_BASE: String(await freePortBase(portSpan)),
    TOPIC_PREFIX: `${name}.`,
  });
  delete base['DATABASE_ADMIN_URL'];
  const { urls, portOf, env } = describeStack(base);
  const running = new Map<string, ChildProcess>();

  const api: EnvironmentBeside = {
    gateway: `http://127.0.0.1:${portOf('gateway')}`,
    env,
    command: (root, args) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(root, 'dist/services/cli/main.js'), ...args],
        { env, encoding: 'utf8' },
      );
      if (status !== 0) throw new Error(`fairlead ${args.join(' ')}: ${stdout}${stderr}`);
      return stdout;
    },
    start: async (root, wanted, instance, ofItsOwn = {}) => {
      const definition = processes.find((each) => each.name === wanted);
      if (definition === undefined) throw new Error(`no process is named ${wanted}`);
      // The first instance has the port that the gateway knows.
      const port = instance === wanted && definition.port !== undefined ? portOf(definition.name) : await freePort();
      const log = openSync(join(home, 'run', `${instance}.log`), 'a');
      const child = spawn(process.execPath, [join(root, definition.main)], {
        cwd: root,
        env: { ...processEnv(definition, { home, urls, portOf, port, instance, env: base }), ...ofItsOwn },
        stdio: ['ignore', log, log],
      });
      closeSync(log);
      running.set(instance, child);
      await until(`${instance} is ready`, async () => {
        if (child.exitCode !== null) throw new Error(`${instance} ended: see ${home}/run/${instance}.log`);
        return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
      });
      return port;
    },
    stop: async (instance) => {
      const child = running.get(instance);
      if (child === undefined) throw new Error(`${instance} does not run`);
      running.delete(instance);
      child.kill('SIGTERM');
      await until(`${instance} has stopped`, () => child.exitCode !== null || child.signalCode !== null, stopMs);
      if (child.exitCode !== 0) throw new Error(`${instance} stopped with ${child.exitCode ?? child.signalCode}`);
    },
    log: (instance) =>
      readFileSync(join(home, 'run', `${instance}.log`), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { level: number; msg: string }),
    close: async () => {
      for (const child of running.values()) child.kill('SIGKILL');
      await until('all have ended', () =>
        [...running.values()].every((child) => child.exitCode !== null || child.signalCode !== null),
      );
      for (const { database } of databases) await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      await client.end();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return api;
};
