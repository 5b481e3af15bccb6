// npx fairlead service <name> [--instance N] [--role receipt-query]: this very process becomes the service and is the
// one its pid file names.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureKeyPair } from './auth.mjs';
import { withLock } from './lock.mjs';
import { freePort, isPortFree } from './network.mjs';
import { plainError } from './plain-error.mjs';
import { ports, repoRoot, runDir } from './ports.mjs';
import { announce, running, withdraw } from './processes.mjs';
import { ensureHome } from './servers.mjs';
import { processEnv, processNamed, processes } from './services.mjs';
import { joinStack } from './stack.mjs';

const maxInstances = 1_000;

const usage = () => {
  const names = processes.filter(({ role }) => role === undefined).map(({ name }) => name);
  return plainError(
    `usage: fairlead service <name> [--instance N] [--role receipt-query]\nservices: ${names.join(', ')}`,
  );
};

const parse = (args) => {
  try {
    const options = { instance: { type: 'string' }, role: { type: 'string' } };
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const instance = values.instance === undefined ? undefined : Number(values.instance);
    if (positionals.length !== 1) throw usage();
    if (instance !== undefined && !(Number.isInteger(instance) && instance >= 1 && instance <= maxInstances)) {
      throw plainError(`--instance must be a number from 1 to ${maxInstances}`);
    }
    return { service: positionals[0], instance, role: values.role };
  } catch (error) {
    throw error.plain ? error : usage();
  }
};

const definitionOf = (service, role) => {
  const definition = processNamed(role ? `${service}-${role}` : service);
  if (definition && definition.service === service && definition.role === role) return definition;
  if (role && processNamed(service)) throw plainError(`${service} has no role ${role}`);
  throw usage();
};

/** Instance 1 carries the plain name. */
const instanceName = (base, number) => (number === 1 ? base : `${base}-${number}`);

const chooseName = (home, base, wanted) => {
  if (wanted !== undefined) {
    const name = instanceName(base, wanted);
    const taken = running(home, name);
    if (taken) throw plainError(`${name} is running already (process ${taken.pid})`);
    return name;
  }
  for (let number = 1; number <= maxInstances; number += 1) {
    const name = instanceName(base, number);
    if (!running(home, name)) return name;
  }
  throw plainError(`there are ${maxInstances} instances of ${base} already`);
};

const choosePort = async (name, definition, env) => {
  if (env.PORT) return Number(env.PORT);
  const fixed = name === definition.name && definition.port ? ports(env)[definition.port] : undefined;
  return fixed !== undefined && (await isPortFree(fixed)) ? fixed : freePort();
};

export const becomeService = async (args) => {
  const { service, instance, role } = parse(args);
  const definition = definitionOf(service, role);
  const main = join(repoRoot(), definition.main);
  if (!existsSync(main)) throw plainError(`${definition.main} is missing, so ${service} cannot be started`);
  const { home, urls, portOf } = joinStack();
  ensureHome(home);
  ensureKeyPair(home);
  // Two instances that start together must not take the same name.
  const { name, port } = await withLock(join(runDir(home), 'instances.lock'), 'the naming of an instance', async () => {
    const chosen = chooseName(home, definition.name, instance);
    const chosenPort = await choosePort(chosen, definition, process.env);
    announce(home, chosen, process.pid, chosenPort);
    return { name: chosen, port: chosenPort };
  });
  process.once('exit', () => withdraw(home, name, process.pid));
  const env = processEnv(definition, { home, urls, portOf, port, instance: name });
  for (const variable of Object.keys(process.env)) if (!(variable in env)) delete process.env[variable];
  Object.assign(process.env, env);
  process.setSourceMapsEnabled(true);
  process.argv = [process.argv[0], main];
  console.error(`${name} (process ${process.pid}) on http://127.0.0.1:${port}`);
  await import(pathToFileURL(main).href);
};
