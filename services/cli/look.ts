import type { Command } from 'commander';
import pc from 'picocolors';
import { exportReports } from './export';
import { connect } from './remote';
import { ago, fields, plain, print, printJson, table } from './show';

interface List<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}
interface RunItem {
  readonly runId: string;
  readonly taskId: string;
  readonly conversationId: string;
  readonly state: string;
  readonly cause: string | null;
  readonly detail: string | null;
  readonly title: string | null;
  readonly requirementsVersion: number;
  readonly appliedVersion: number;
  readonly turns: number;
  readonly enqueuedAt: string;
  readonly waitingFor: readonly { readonly kind: string; readonly ref: string; readonly deadline: string | null }[];
  readonly versions: readonly {
    readonly version: number;
    readonly kind: string;
    readonly text: string | null;
    readonly understood: string | null;
    readonly receivedAt: string;
    readonly appliedAt: string | null;
  }[];
  readonly actions: readonly {
    readonly actionKey: string | null;
    readonly state: string;
    readonly code: string | null;
  }[];
  readonly interactions: readonly {
    readonly interactionRef: string;
    readonly kind: string;
    readonly state: string;
    readonly adoption: string;
  }[];
  readonly steps: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly requirementsVersion: number;
    readonly needsRecheck: boolean;
  }[];
  readonly report: { readonly version: number; readonly seq: number; readonly sha256: string } | null;
  readonly budget: { readonly turnsLeft: number; readonly costLeft: number | null; readonly hardDeadline: string };
}
interface ActionItem {
  readonly actionKey: string;
  readonly state: string;
  readonly code: string | null;
  readonly runId: string;
  readonly attempts: readonly {
    readonly number: number;
    readonly outcome: string | null;
    readonly startedAt: string;
    readonly httpStatus: number | null;
  }[];
  readonly evidence: readonly Record<string, unknown>[];
}

const one = encodeURIComponent;
const query = (parameters: Record<string, string | undefined>): string => {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
};

const showRun = (run: RunItem): void => {
  fields([
    ['run', run.runId],
    ['state', run.state + (run.cause === null ? '' : ` (${run.cause})`)],
    ...(run.detail === null ? [] : ([['detail', run.detail]] as const)),
    ['waits for', run.waitingFor.map((each) => `${each.kind} ${each.ref}`).join(', ') || '–'],
    ['conversation', run.conversationId],
    ['task', run.taskId],
    ['version', `v${run.requirementsVersion} received, v${run.appliedVersion} applied`],
    ['turns', `${run.turns} done, ${run.budget.turnsLeft} left`],
    ['report', run.report === null ? '–' : `v${run.report.version}.${run.report.seq} sha256 ${run.report.sha256}`],
  ]);
  for (const version of run.versions)
    print(
      `\n${pc.bold(`v${version.version}`)} ${version.kind} · received ${ago(version.receivedAt)} · ${version.appliedAt === null ? 'applies at the next step' : `applied ${ago(version.appliedAt)}`}\n  ${plain(version.text ?? '(purged)').replace(/\n/g, '\n  ')}${version.understood === null ? '' : pc.dim(`\n  understood: ${plain(version.understood)}`)}`,
    );
  for (const step of run.steps)
    print(
      `  tool    ${step.tool} ${pc.dim(step.callId)} asked under v${step.requirementsVersion}${step.needsRecheck ? pc.yellow(' needs recheck') : ''}`,
    );
  for (const ask of run.interactions)
    print(`  ${ask.kind.padEnd(7)} ${ask.state} ${pc.dim(ask.interactionRef)} adoption ${ask.adoption}`);
  for (const action of run.actions)
    print(
      `  action  ${action.state}${action.code === null ? '' : ` (${action.code})`} ${pc.dim(action.actionKey ?? '')}`,
    );
};

export const lookCommands = (program: Command): void => {
  program
    .command('runs')
    .description('runs, newest first')
    .option('-c, --conversation <id>')
    .option('--state <state>')
    .option('--limit <n>', 'how many', '50')
    .option('--json', 'for machines')
    .action(async (options: { conversation?: string; state?: string; limit: string; json?: boolean }) => {
      const { items } = await connect().get<List<RunItem>>(
        `/v1/runs${query({ conversationId: options.conversation, state: options.state, limit: options.limit })}`,
      );
      if (options.json === true) return printJson(items);
      table(
        items,
        [
          ['run', (run) => run.runId],
          ['state', (run) => run.state],
          ['version', (run) => `v${run.requirementsVersion}`],
          ['turns', (run) => String(run.turns)],
          ['started', (run) => ago(run.enqueuedAt)],
          ['what', (run) => run.title ?? run.versions[0]?.text ?? ''],
        ],
        'no runs yet; try: npx fairlead send "Compare MSFT and AAPL" -c first',
      );
    });

  program
    .command('run')
    .description('one run: versions, steps, questions, actions')
    .argument('<runId>')
    .option('--json', 'for machines')
    .action(async (runId: string, options: { json?: boolean }) => {
      const run = await connect(['operator']).get<RunItem>(`/v1/runs/${one(runId)}`);
      if (options.json === true) printJson(run);
      else showRun(run);
    });

  program
    .command('turns')
    .description('the journal of a run; --input N prints the exact sealed bytes of a turn')
    .argument('<runId>')
    .option('--input <n>')
    .option('--json', 'for machines')
    .action(async (runId: string, options: { input?: string; json?: boolean }) => {
      const remote = connect(['operator']);
      if (options.input !== undefined)
        return void process.stdout.write(
          (await remote.bytes(`/v1/runs/${one(runId)}/turns/${one(options.input)}/input`)).body,
        );
      const { items } = await remote.get<
        List<{
          number: number;
          attempts: number;
          requirementsVersion: number;
          outcome: string | null;
          inputSha256: string;
          startedAt: string;
        }>
      >(`/v1/runs/${one(runId)}/turns`);
      if (options.json === true) return printJson(items);
      table(
        items,
        [
          ['turn', (turn) => String(turn.number)],
          ['version', (turn) => `v${turn.requirementsVersion}`],
          ['outcome', (turn) => turn.outcome ?? 'being asked'],
          ['attempts', (turn) => String(turn.attempts)],
          ['sealed', (turn) => ago(turn.startedAt)],
          ['input sha256', (turn) => turn.inputSha256],
        ],
        'no turn yet',
      );
    });

  program
    .command('actions')
    .description('what was proposed and what really happened outside')
    .argument('[actionKey]')
    .option('--state <state>')
    .option('--run <runId>')
    .option('--json', 'for machines')
    .action(async (actionKey: string | undefined, options: { state?: string; run?: string; json?: boolean }) => {
      const remote = connect(['operator']);
      if (actionKey !== undefined) {
        const action = await remote.get<ActionItem>(`/v1/actions/${one(actionKey)}`);
        if (options.json === true) return printJson(action);
        fields([
          ['action', action.actionKey],
          ['state', action.state],
          ['code', action.code],
          ['run', action.runId],
        ]);
        for (const attempt of action.attempts)
          print(
            `  attempt ${attempt.number}: ${attempt.outcome ?? 'on its way'}, ${attempt.httpStatus ?? 'no status'}, ${ago(attempt.startedAt)}`,
          );
        for (const evidence of action.evidence) print(`  evidence: ${plain(JSON.stringify(evidence))}`);
        return;
      }
      const { items } = await remote.get<List<ActionItem>>(
        `/v1/actions${query({ state: options.state, runId: options.run })}`,
      );
      if (options.json === true) return printJson(items);
      table(
        items,
        [
          ['action', (action) => action.actionKey],
          ['state', (action) => action.state],
          ['code', (action) => action.code ?? ''],
          ['attempts', (action) => String(action.attempts.length)],
          ['run', (action) => action.runId],
        ],
        'no actions yet: agents propose them, nothing acts by itself',
      );
    });

  const reports = program.command('reports').description('the reports of a run; with --version the exact bytes');
  reports
    .argument('[runId]')
    .option('--version <n>', 'print the exact bytes of this version, or "current"')
    .option('--json', 'for machines')
    .action(async (runId: string | undefined, options: { version?: string; json?: boolean }) => {
      if (runId === undefined) throw new Error('which run? npx fairlead reports <runId>');
      const remote = connect(['operator']);
      if (options.version !== undefined)
        return void process.stdout.write(
          (await remote.bytes(`/v1/runs/${one(runId)}/reports/${one(options.version)}`)).body,
        );
      const { items } = await remote.get<
        List<{ version: number; seq: number; status: string; sha256: string; contentType: string; publishedAt: string }>
      >(`/v1/runs/${one(runId)}/reports`);
      if (options.json === true) return printJson(items);
      table(
        items,
        [
          ['report', (item) => `v${item.version}.${item.seq}`],
          ['status', (item) => item.status],
          ['type', (item) => item.contentType],
          ['published', (item) => ago(item.publishedAt)],
          ['sha256', (item) => item.sha256],
        ],
        'no report yet',
      );
    });
  reports
    .command('export')
    .description('write the reports of a run to runs/<run>/reports/v1.md …')
    .argument('<runId>')
    .option('--to <folder>', 'where', '.')
    .action((runId: string, options: { to: string }) => exportReports(options.to, runId));
};
