// npm test: every test there is, on servers of its own in a temporary FAIRLEAD_HOME. `npm test -- unit fault` runs only
// the named projects.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endTools, runChecks, runJest } from './checks.mjs';
import { freePortBase } from './network.mjs';
import { prepare } from './node-modules.mjs';
import { plainError, reportError } from './plain-error.mjs';
import { cacheDir, portSpan } from './ports.mjs';
import { removeData } from './postgres.mjs';
import { logPath } from './processes.mjs';
import { down, up } from './stack.mjs';
import { interruptible } from './signals.mjs';

const withoutServers = ['unit', 'contract', 'simulation'];
const withServers = ['integration', 'fault', 'e2e'];

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const isAsked = (project) => asked.length === 0 || asked.includes(project);

/** Variables that would lead the tests to servers or ports of somebody else's stack. */
const foreign =
  /^(KAFKA_|SCHEMA_REGISTRY_URL$|DATABASE_|REDIS_URL$|TOPIC_PREFIX$|AUTH_|FAIRLEAD_|PORT$)|_DATABASE_URL$/;

const testEnv = async () => {
  const home = mkdtempSync(join(tmpdir(), 'fairlead-test-'));
  // PostgreSQL runs as another user when we are root, and has to get in.
  chmodSync(home, 0o755);
  const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const base = await freePortBase(portSpan);
  return {
    ...Object.fromEntries(inherited),
    FAIRLEAD_HOME: home,
    FAIRLEAD_CACHE: cacheDir(),
    FAIRLEAD_PORT_BASE: String(base),
  };
};

/** Homes of stacks that tests made for themselves, and that an interrupted run has left. */
const homesBeside = (home) => {
  const folder = join(home, 'beside');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
};

/** After a failure the logs are what one needs; the data is not. */
const tidy = (home, keepLogs) => {
  for (const each of [home, ...homesBeside(home)]) removeData(each);
  if (!keepLogs) return rmSync(home, { recursive: true, force: true });
  for (const entry of readdirSync(home))
    if (entry !== 'run' && entry !== 'beside') rmSync(join(home, entry), { recursive: true, force: true });
  console.error(`the logs of this run: ${logPath(home, '*')}`);
};

const total = { passed: 0, failed: 0 };

const count = ({ passed, failed }) => {
  total.passed += passed;
  total.failed += failed;
};

const runWithServers = async (env, projects) => {
  try {
    const stack = await up({ env, only: [] });
    for (const project of projects) count(await runJest([project], { env: stack.env, inBand: true }));
  } catch (error) {
    reportError(error);
    count({ passed: 0, failed: 1 });
  }
};

const test = async (env) => {
  await prepare();
  if (asked.length === 0) count({ passed: 0, failed: await runChecks() });
  const quick = withoutServers.filter(isAsked);
  if (quick.length > 0) count(await runJest(quick));
  const slow = withServers.filter(isAsked);
  if (slow.length > 0) await runWithServers(env, slow);
};

/** The small disks of tests that were interrupted: their folders cannot be deleted before. */
const unmountAll = (home) => {
  if (!existsSync('/proc/mounts')) return;
  const places = readFileSync('/proc/mounts', 'utf8').split('\n');
  for (const [, place = ''] of places.map((line) => line.split(' ')))
    if (place.startsWith(`${home}/`)) spawnSync('umount', ['--lazy', place]);
};

const finish = async (env) => {
  endTools();
  for (const home of homesBeside(env.FAIRLEAD_HOME)) await down({ env: { ...env, FAIRLEAD_HOME: home } });
  await down({ env });
  unmountAll(env.FAIRLEAD_HOME);
  if (existsSync(env.FAIRLEAD_HOME)) tidy(env.FAIRLEAD_HOME, total.failed > 0);
};

try {
  const unknown = asked.filter((name) => ![...withoutServers, ...withServers].includes(name));
  if (unknown.length > 0) throw plainError(`no test project is named ${unknown.join(', ')}`);
  const env = await testEnv();
  await interruptible(
    () => test(env),
    () => finish(env),
  );
  await finish(env);
} catch (error) {
  reportError(error);
  total.failed += 1;
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 ? 1 : 0);
