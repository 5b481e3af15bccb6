import type { Command } from 'commander';
import { connect } from './remote';
import { fields, printJson } from './show';

interface Purged {
  readonly conversationId: string;
  readonly account: string;
  readonly runs: number;
  readonly purgedAt: string;
}

export const purgeCommands = (program: Command): void => {
  program
    .command('purge')
    .description('remove content for good')
    .command('conversation')
    .description('the words, answers, inputs, sealed requests and reports of a conversation, in all services')
    .argument('<conversationId>')
    .requiredOption('--account <account>', 'whose conversation it is')
    .requiredOption('--reason <text>', 'kept in the audit')
    .option('--as <account>', 'the operator', 'operator')
    .option('--json', 'for machines')
    .action(
      async (
        conversationId: string,
        options: { account: string; reason: string; as: string; json?: boolean },
      ): Promise<void> => {
        const { account, reason } = options;
        const path = `/v1/conversations/${encodeURIComponent(conversationId)}/purge`;
        const { body } = await connect(['operator'], options.as).post<Purged>(path, { account, reason });
        if (options.json === true) return printJson(body);
        fields([
          ['conversation', `${body.conversationId} of ${body.account}`],
          ['runs', String(body.runs)],
          ['purged', `what came until ${body.purgedAt}; each service removes its part within seconds`],
        ]);
      },
    );
};
