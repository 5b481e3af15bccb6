import type { Command } from 'commander';
import { connect } from './remote';
import { ago, fields, plain, print, printJson, table } from './show';

interface Queued {
  readonly place: number;
  readonly runId: string;
  readonly conversationId: string;
  readonly priority: number;
  readonly enqueuedAt: string;
  readonly waitingFor: readonly { readonly kind: string; readonly ref: string }[];
}
interface DocumentText {
  readonly sha256: string;
  readonly runId: string | null;
  readonly version: number | null;
  readonly by: string;
  readonly at: string;
  readonly body: string;
}
interface DocumentItem {
  readonly documentId: string;
  readonly current: DocumentText;
  readonly conflicts: readonly (DocumentText & { readonly conflictsWith: string })[];
}

type Json = { readonly json?: boolean };

export const workCommands = (program: Command): void => {
  program
    .command('resume')
    .description('recover a run whose work was interrupted; what is over stays over, what runs is left alone')
    .argument('<runId>')
    .option('--json', 'for machines')
    .action(async (runId: string, { json }: Json) => {
      const { body } = await connect().post<{ runId: string; state: string; cause: string | null }>(
        `/v1/runs/${encodeURIComponent(runId)}/resume`,
      );
      if (json === true) return printJson(body);
      fields([
        ['run', body.runId],
        ['state', body.state],
        ['cause', body.cause],
      ]);
    });

  program
    .command('queue')
    .description('runs that wait for their turn, in order, each with what it waits for')
    .option('--json', 'for machines')
    .action(async ({ json }: Json) => {
      const { items } = await connect().get<{ items: readonly Queued[] }>('/v1/queue');
      if (json === true) return printJson(items);
      table(
        items,
        [
          ['place', (row) => String(row.place)],
          ['run', (row) => row.runId],
          ['conversation', (row) => row.conversationId],
          ['priority', (row) => String(row.priority)],
          ['since', (row) => ago(row.enqueuedAt)],
          ['waits for', (row) => row.waitingFor.map(({ kind, ref }) => `${kind} ${ref}`).join(', ')],
        ],
        'no run waits for its turn',
      );
    });

  program
    .command('documents')
    .description('a document that runs write: the text that holds and what contradicts it')
    .argument('<documentId>')
    .option('--body', 'the text that holds, and nothing else')
    .option('--json', 'for machines')
    .action(async (documentId: string, { body, json }: Json & { body?: boolean }) => {
      const document = await connect().get<DocumentItem>(`/v1/documents/${encodeURIComponent(documentId)}`);
      if (json === true) return printJson(document);
      if (body === true) return void process.stdout.write(document.current.body);
      const texts = [
        { ...document.current, stands: 'holds' },
        ...document.conflicts.map((one) => ({ ...one, stands: `conflicts with ${one.conflictsWith.slice(0, 12)}` })),
      ];
      table(
        texts,
        [
          ['text', (row) => row.sha256.slice(0, 12)],
          ['stands', (row) => row.stands],
          ['by', (row) => row.by],
          ['run', (row) => (row.runId === null ? '–' : `${row.runId} v${row.version ?? ''}`)],
          ['at', (row) => ago(row.at)],
        ],
        'no text',
      );
      if (document.conflicts.length > 0)
        print(plain('\nan integrator resolves with POST /v1/documents/{id}/resolutions, based on both texts'));
    });
};
