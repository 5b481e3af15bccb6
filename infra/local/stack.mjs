// Bringing the local stack up and down: servers, migrations and topics, services.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureKeyPair } from './auth.mjs';
import { withLock } from './lock.mjs';
import { becomesFree, freePort, httpReady } from './network.mjs';
import { plainError } from './plain-error.mjs';
import { announcedPort, home as homeOf, ports as portsOf, repoRoot, runDir } from './ports.mjs';
import { allRunning, running } from './processes.mjs';
import { ensureHome, portBusy, serverUrls, startServers, waitReady, wantedServers } from './servers.mjs';
import { databasesGiven, processEnv, processes, stackEnv } from './services.mjs';
import { createSession, stopProcesses } from './session.mjs';

const cli = 'dist/services/cli/main.js';
const nodeArgs = ['--enable-source-maps'];

const lockOf = (home) => join(runDir(home), 'lock');

/** Port of a process by name: what it announced while it is alive, else where it would be started. */
const portLookup = (home, ports) => (name) => (running(home, name) && announcedPort(name, home)) ?? ports[name];

/** The environment of commands that join a stack which is up; throws a plain error when a needed server is not. */
export const joinStack = (env = process.env) => {
  const home = homeOf(env);
  const missing = wantedServers(env, databasesGiven(env)).filter((name) => !running(home, name));
  if (missing.length > 0) {
    throw plainError(`the stack of ${home} is not running (${missing.join(', ')}): npm start brings it up`);
  }
  return describeStack(env);
};

/** Addresses of this home, for what runs and what does not yet. */
export const describeStack = (env = process.env) => {
  const home = homeOf(env);
  const portOf = portLookup(home, portsOf(env));
  const urls = serverUrls(home, env, portOf);
  return { home, portOf, urls, env: stackEnv({ home, urls, portOf, env }) };
};

const runCli = (args, env) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeArgs, join(repoRoot(), cli), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(plainError(`fairlead ${args.join(' ')} failed:\n${output.trim()}`));
    });
  });

/** FAIRLEAD_ONLY=servers starts no service; FAIRLEAD_ONLY=admission,gateway only these beside the servers. */
const wantedProcesses = (env, only) => {
  const names = only ?? (env.FAIRLEAD_ONLY ? env.FAIRLEAD_ONLY.split(',').map((name) => name.trim()) : undefined);
  if (names === undefined) return processes;
  const unknown = names.filter((name) => name !== 'servers' && !processes.some((each) => each.name === name));
  if (unknown.length > 0) throw plainError(`no service is named ${unknown.join(', ')}`);
  return processes.filter(({ name }) => names.includes(name));
};

const startProcess = async (session, definition, { urls, portOf, env, ports }) => {
  const { home } = session;
  const { name, main } = definition;
  const existing = running(home, name);
  const port = existing?.port ?? (definition.port ? ports[definition.port] : await freePort());
  const launched =
    existing ??
    session.launch({
      name,
      port,
      command: process.execPath,
      args: [...nodeArgs, join(repoRoot(), main)],
      env: processEnv(definition, { home, urls, portOf, port, instance: name, env }),
      cwd: repoRoot(),
    });
  await waitReady(home, launched, () => httpReady(`http://127.0.0.1:${port}/readyz`));
};

const checkBeforeStart = async (home, missing, ports) => {
  for (const { name, main, port } of missing) {
    if (!existsSync(join(repoRoot(), main))) throw plainError(`${main} is missing, so ${name} cannot be started`);
    if (port !== undefined && !(await becomesFree(ports[port]))) throw portBusy(name, ports[port]);
  }
};

const bringUp = async (session, env, only) => {
  const { home } = session;
  const ports = portsOf(env);
  const definitions = wantedProcesses(env, only);
  const missing = definitions.filter(({ name }) => !running(home, name));
  await checkBeforeStart(home, missing, ports);
  ensureKeyPair(home);
  await startServers(session, { wanted: wantedServers(env, databasesGiven(env)), ports, env });
  const { urls, portOf, env: shared } = describeStack(env);
  if (definitions.length > 0) await Promise.all([runCli(['migrate'], shared), runCli(['topics', 'apply'], shared)]);
  const outcomes = await Promise.allSettled(
    definitions.map((definition) => startProcess(session, definition, { urls, portOf, env, ports })),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
};

/**
 * Starts what is missing of the stack of FAIRLEAD_HOME and resolves when all of it is ready. `only`: names of the
 * services wanted (`[]`: servers alone). On failure everything this call started is ended again.
 * The session's `stop()` ends exactly what this call started; `env` is what its clients need.
 */
export const up = async ({ env = process.env, only, session = createSession(homeOf(env)) } = {}) => {
  const { home } = session;
  ensureHome(home);
  await withLock(lockOf(home), 'the start or stop', async () => {
    try {
      await bringUp(session, env, only);
    } catch (error) {
      await session.stop();
      throw error;
    }
  });
  return { session, ...describeStack(env) };
};

/** Ends everything of the home, services started by hand too. Resolves with what was ended. */
export const down = async ({ env = process.env } = {}) => {
  const home = homeOf(env);
  if (!existsSync(runDir(home))) return [];
  return withLock(lockOf(home), 'the start or stop', () => stopProcesses(home, allRunning(home)));
};

/** Lines for people: each part of the running stack with its address. */
export const addresses = (env = process.env) => {
  const { home, urls } = describeStack(env);
  const rows = processes
    .map(({ name }) => running(home, name))
    .filter((found) => found !== undefined)
    .map(({ name, port }) => [name, `http://127.0.0.1:${port}`]);
  const servers = [
    ['kafka', urls.KAFKA_BROKERS],
    ['registry', urls.SCHEMA_REGISTRY_URL],
    ['postgres', urls.DATABASE_ADMIN_URL && withoutPassword(urls.DATABASE_ADMIN_URL)],
    ['redis', urls.REDIS_URL],
  ].filter(([, url]) => url);
  return [...rows, ...servers].map(([name, url]) => `${name.padEnd(28)} ${url}`);
};

const withoutPassword = (url) => {
  const copy = new URL(url);
  copy.password = '';
  return copy.href;
};
