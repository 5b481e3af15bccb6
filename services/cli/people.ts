import type { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import pc from 'picocolors';
import { connect, localAccount } from './remote';
import { ago, fields, print, printJson, table } from './show';

interface InteractionItem {
  readonly interactionRef: string;
  readonly requestRevision: number;
  readonly kind: string;
  readonly state: string;
  readonly code: string | null;
  readonly question: string | null;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  readonly runId: string;
  readonly requirementsVersion: number;
  readonly expiresAt: string | null;
  readonly publishedAt: string;
  readonly answeredAt: string | null;
  readonly adoptedAt: string | null;
  readonly actionKey: string | null;
}

const path = (ref: string): string => `/v1/interactions/${encodeURIComponent(ref)}`;

const showFacts = (item: InteractionItem & { readonly seenAt?: string | null }): void =>
  fields([
    ['request', item.interactionRef],
    ['state', item.state + (item.code === null || item.code === undefined ? '' : ` (${item.code})`)],
    ['published', item.publishedAt],
    ['seen', item.seenAt],
    ['answered', item.answeredAt],
    ['adopted', item.adoptedAt],
  ]);

/** Sends one response; the revision is the one that is open now, unless a later one comes in between. */
const respond = async (
  ref: string,
  body: Record<string, unknown>,
  options: { readonly as: string; readonly json?: boolean },
): Promise<void> => {
  const remote = connect(['approver'], options.as);
  const item = await remote.get<InteractionItem>(path(ref));
  const { body: answered } = await remote.post<InteractionItem>(`${path(ref)}/responses`, {
    requestRevision: item.requestRevision,
    clientResponseId: randomUUID(),
    ...body,
  });
  if (options.json === true) printJson(answered);
  else showFacts(answered);
};

export const peopleCommands = (program: Command): void => {
  program
    .command('inbox')
    .description('what waits for a person')
    .option('--state <state>', 'open, answered or closed', 'open')
    .option('--as <account>', 'whose inbox', localAccount)
    .option('--json', 'for machines')
    .action(async (options: { state: string; as: string; json?: boolean }) => {
      const { items } = await connect(['approver'], options.as).get<{ items: InteractionItem[] }>(
        `/v1/interactions?state=${encodeURIComponent(options.state)}`,
      );
      if (options.json === true) return printJson(items);
      table(
        items,
        [
          ['request', (item) => item.interactionRef],
          ['kind', (item) => item.kind],
          [
            'what',
            (item) =>
              (item.question ?? '(purged)') +
              (item.choices.length === 0 ? '' : ` (${item.choices.map((choice) => choice.id).join(' | ')})`),
          ],
          ['run', (item) => `${item.runId.slice(0, 12)}… v${item.requirementsVersion}`],
          ['expires', (item) => ago(item.expiresAt)],
        ],
        `nothing ${options.state} for ${options.as}`,
      );
    });

  program
    .command('answer')
    .description('answer a question, in words, by choice or with a value')
    .argument('<ref>')
    .argument('[text]')
    .option('--choice <id>')
    .option('--value <json>')
    .option('--as <account>', 'who answers', localAccount)
    .option('--json', 'for machines')
    .action(
      async (
        ref: string,
        text: string | undefined,
        options: { choice?: string; value?: string; as: string; json?: boolean },
      ) => {
        const given = {
          ...(text === undefined ? {} : { text }),
          ...(options.choice === undefined ? {} : { choice: options.choice }),
          ...(options.value === undefined ? {} : { value: JSON.parse(options.value) as unknown }),
        };
        if (Object.keys(given).length !== 1) throw new Error('give exactly one of text, --choice, --value');
        await respond(ref, given, options);
      },
    );

  program
    .command('approve')
    .description('approve exactly what the preview shows')
    .argument('<ref>')
    .option('--yes', 'without showing the preview first')
    .option('--as <account>', 'who approves', localAccount)
    .option('--json', 'for machines')
    .action(async (ref: string, options: { yes?: boolean; as: string; json?: boolean }) => {
      const remote = connect(['approver'], options.as);
      const item = await remote.get<InteractionItem>(path(ref));
      if (item.kind !== 'approval') return respond(ref, { decision: 'approve' }, options);
      const { body, headers } = await remote.bytes(`${path(ref)}/preview`);
      if (options.yes !== true && options.json !== true)
        print(`${pc.dim('approving exactly these bytes:')}\n${body.toString('utf8')}\n`);
      await respond(
        ref,
        { decision: 'approve', previewSha256: (headers.get('etag') ?? '').replace(/^W\/|"/g, '') },
        options,
      );
    });

  program
    .command('deny')
    .description('deny a permission or an approval')
    .argument('<ref>')
    .option('--as <account>', 'who denies', localAccount)
    .option('--json', 'for machines')
    .action((ref: string, options: { as: string; json?: boolean }) => respond(ref, { decision: 'deny' }, options));
};
