import { Command } from 'commander';
import { serviceNames, type ServiceName } from '../platform/migrate';
import { completionCommand } from './completion';
import { deadLetterCommands } from './dead-letters';
import { exportCommands } from './export';
import { lookCommands } from './look';
import { operateCommands } from './operate';
import { purgeCommands } from './purge';
import { peopleCommands } from './people';
import { settleCommands } from './settle';
import { stuckCommands } from './stuck';
import { talkCommands } from './talk';
import { workCommands } from './work';
import { applyAllTopics, migrateAll, topicDrift } from './setup';

const program = new Command('fairlead').description('Fairlead: long agent work that stays true').showHelpAfterError();
const say = (line: string): void => void process.stdout.write(`${line}\n`);

program
  .command('migrate')
  .description('create or upgrade the databases of all services, or of one')
  .argument('[service]', serviceNames.join(' | '))
  .action(async (service?: string) => {
    if (service !== undefined && !(serviceNames as readonly string[]).includes(service))
      throw new Error(`no service is named ${service}`);
    await migrateAll((service as ServiceName | undefined) ?? null, say);
  });

const topicsCommand = program.command('topics').description('topics and schemas of this environment');
const numberOr = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
const replicas = ['--replication-factor <n>', 'copies of each partition', '1'] as const;
const insync = ['--min-insync <n>', 'copies that must acknowledge', '1'] as const;
topicsCommand
  .command('apply')
  .description('create missing topics, set compatibility, register schemas')
  .option(...replicas)
  .option(...insync)
  .action(async (options: { replicationFactor: string; minInsync: string }) => {
    // What differs is said and left: settings of topics in use are an operator's to change (`topics diff` fails on it).
    await applyAllTopics(Number(options.replicationFactor), Number(options.minInsync), say);
  });
topicsCommand
  .command('diff')
  .description('what differs from the topic map')
  .option(replicas[0], 'copies of each partition; unless given, what most topics have is right')
  .option(insync[0], 'copies that must acknowledge; likewise')
  .option('--json', 'for machines')
  .action(async (options: { replicationFactor?: string; minInsync?: string; json?: boolean }) => {
    const drift = await topicDrift(numberOr(options.replicationFactor), numberOr(options.minInsync));
    if (options.json === true) say(JSON.stringify(drift));
    else if (drift.length === 0) say('topics and schemas are as the map says');
    else for (const one of drift) say(`${one.what}: expected ${one.expected}, found ${one.actual}`);
    if (drift.length > 0) process.exitCode = 1;
  });

talkCommands(program);
lookCommands(program);
peopleCommands(program);
settleCommands(program);
operateCommands(program);
deadLetterCommands(program);
stuckCommands(program);
workCommands(program);
exportCommands(program);
purgeCommands(program);
completionCommand(program);

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
