// The processes above the servers, as data: what each runs and what it is given.
import { authEnv, privateKeyPath } from './auth.mjs';
import { databaseVariable, serviceDatabaseUrl } from './database-url.mjs';

const entry = (service) => `dist/services/${service}/main.js`;

/** The services that own a database, a role and migrations. */
export const statefulServices = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication'];

const stateful = (service) => ({ name: service, service, main: entry(service), database: true });

/** `port` names the fixed port; a process without one takes a free port. */
export const processes = [
  ...statefulServices.map((service) => ({ ...stateful(service), port: service })),
  { ...stateful('effect-ledger'), name: 'effect-ledger-receipt-query', role: 'receipt-query' },
  { name: 'gateway', service: 'gateway', main: entry('gateway'), database: false, port: 'gateway' },
  { name: 'demo-remote', service: 'demo-remote', main: entry('demo-remote'), database: false, port: 'demo-remote' },
];

export const processNamed = (name) => processes.find((each) => each.name === name);

/** True when the environment names every service's database, so that no administrator's address is needed. */
export const databasesGiven = (env) => statefulServices.every((service) => Boolean(env[databaseVariable(service)]));

const databaseUrl = (service, urls, env) => {
  const given = env[databaseVariable(service)];
  if (given) return given;
  return urls.DATABASE_ADMIN_URL && serviceDatabaseUrl(urls.DATABASE_ADMIN_URL, service);
};

/** Where the others are, for the gateway and whoever asks: `ADMISSION_URL`, `RUN_EXECUTOR_URL`, … */
const peerUrls = (portOf) =>
  Object.fromEntries(
    processes
      .filter(({ port }) => port !== undefined)
      .map(({ name }) => [`${name.replaceAll('-', '_').toUpperCase()}_URL`, `http://127.0.0.1:${portOf(name)}`]),
  );

/** What every command of this stack is given: servers, tokens, peers. Given variables win. */
export const stackEnv = ({ home, urls, portOf, env = process.env }) => ({
  ...authEnv(home),
  ...peerUrls(portOf),
  FAIRLEAD_URL: `http://127.0.0.1:${portOf('gateway')}`,
  AUTH_PRIVATE_KEY_FILE: privateKeyPath(home),
  LOG_LEVEL: 'info',
  ...env,
  ...urls,
  FAIRLEAD_HOME: home,
});

/** The environment of one service process. A service never sees the administrator's address. */
export const processEnv = (definition, { home, urls, portOf, port, instance, env = process.env }) => {
  const { DATABASE_ADMIN_URL: _admin, AUTH_PRIVATE_KEY_FILE: _key, ...shared } = stackEnv({ home, urls, portOf, env });
  const database = definition.database && databaseUrl(definition.service, urls, env);
  return {
    ...shared,
    ...(database ? { DATABASE_URL: database } : {}),
    HOST: '127.0.0.1',
    PORT: String(port),
    INSTANCE: instance,
    ...(definition.role ? { FAIRLEAD_ROLE: definition.role } : {}),
  };
};
