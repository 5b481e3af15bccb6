// The local Kafka: one node in KRaft mode, formatted once.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { run } from './machine.mjs';
import { freePort, isPortFree } from './network.mjs';
import { plainError } from './plain-error.mjs';

const heap = '512m';
/** Few partitions of the broker's own topics make a first start quick; one node gains nothing from fifty. */
const internalPartitions = 5;

const remembered = (path, make) => {
  if (!existsSync(path)) writeFileSync(path, make());
  return readFileSync(path, 'utf8').trim();
};

/** The voters are named in the settings and not in the log, so the controller may move to another port. */
const controllerPort = async (folder) => {
  const path = join(folder, 'controller.port');
  if (existsSync(path)) {
    const port = Number(readFileSync(path, 'utf8'));
    if (await isPortFree(port)) return port;
  }
  const port = await freePort();
  writeFileSync(path, `${port}\n`);
  return port;
};

/**
 * A killed broker's registration is only taken over when its session has run out, so the session is shorter than the
 * default 9 s.
 */
const settings = (folder, port, controller) => `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${join(folder, 'data')}
log.retention.hours=168
message.max.bytes=1048588
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
broker.heartbeat.interval.ms=1000
broker.session.timeout.ms=5000
offsets.topic.num.partitions=${internalPartitions}
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=${internalPartitions}
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=${internalPartitions}
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
`;

const logging = `status = error
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %d{ISO8601} %p %m (%c{1})%n
rootLogger.level = warn
rootLogger.appenderRef.out.ref = out
logger.server.name = org.apache.kafka.server
logger.server.level = warn
logger.start.name = kafka.server.KafkaRaftServer
logger.start.level = info
`;

export const kafkaCommand = async ({ home, jars, port }) => {
  const folder = join(home, 'kafka');
  mkdirSync(folder, { recursive: true });
  const clusterId = remembered(join(folder, 'cluster.id'), () => randomBytes(16).toString('base64url'));
  const properties = join(folder, 'server.properties');
  const log4j = join(folder, 'log4j2.properties');
  writeFileSync(properties, settings(folder, port, await controllerPort(folder)));
  writeFileSync(log4j, logging);
  const classPath = ['-cp', join(jars, '*'), `-Dlog4j2.configurationFile=${log4j}`];
  if (!existsSync(join(folder, 'data', 'meta.properties'))) {
    const args = [
      ...classPath,
      'kafka.tools.StorageTool',
      'format',
      '-g',
      `--cluster-id=${clusterId}`,
      '-c',
      properties,
    ];
    const { ok, output } = await run('java', args);
    if (!ok) throw plainError(`Kafka's storage could not be formatted: ${output.trim().split('\n').at(-1)}`);
  }
  return {
    command: 'java',
    args: [`-Xmx${heap}`, `-Xms${heap}`, ...classPath, 'kafka.Kafka', properties],
    cwd: folder,
  };
};
