import { InvalidArgumentError, type Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { createParser } from 'eventsource-parser';
import pc from 'picocolors';
import { connect, localToken } from './remote';
import { fields, plain, print, printJson } from './show';

interface Receipt {
  readonly status: string;
  readonly duplicate: boolean;
  readonly runId: string | null;
  readonly taskId: string | null;
  readonly targetRunId: string | null;
  readonly requirementsVersion: number | null;
  readonly clientMessageId: string;
  readonly conversationId: string;
  readonly code: string | null;
  readonly field: string | null;
  readonly detail: string | null;
}

const showReceipt = (receipt: Receipt): void =>
  fields([
    ['status', receipt.status + (receipt.duplicate ? ' (duplicate)' : '')],
    ['conversation', receipt.conversationId],
    ['message', receipt.clientMessageId],
    ['run', receipt.runId ?? receipt.targetRunId],
    ['task', receipt.taskId],
    ['version', receipt.requirementsVersion],
    ...(receipt.code === null || receipt.code === undefined
      ? []
      : ([
          ['code', receipt.code],
          ['field', receipt.field],
          ['detail', receipt.detail],
        ] as const)),
  ]);

interface SendOptions {
  readonly conversation: string;
  readonly id?: string;
  readonly relation?: string;
  readonly run?: string;
  readonly expectedVersion?: string;
  readonly replace?: boolean;
  readonly control?: string;
  readonly agent?: string;
  readonly title?: string;
  readonly priority?: string;
  readonly requirements?: string;
  readonly interaction?: string;
  readonly requestRevision?: string;
  readonly mode?: string;
  readonly wait: string;
  readonly json?: boolean;
}

const messageOf = (content: string, options: SendOptions): Record<string, unknown> => {
  const number = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  const message = {
    clientMessageId: options.id ?? randomUUID(),
    content,
    relation: options.relation,
    targetRunId: options.run,
    expectedVersion: number(options.expectedVersion),
    amendKind: options.replace === true ? 'replace' : undefined,
    control: options.control,
    agent: options.agent,
    title: options.title,
    priority: number(options.priority),
    requirements: options.requirements,
    interactionRef: options.interaction,
    requestRevision: number(options.requestRevision),
    mode: options.mode,
  };
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined));
};

const wholeSeconds = (text: string): string => {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('must be a whole number of seconds');
  return text;
};

/** Follows a server-sent stream over lost connections, from where it was; ends when the server ends it. */
export const follow = async (
  path: string,
  on: (event: string, data: string) => void,
  signal: AbortSignal,
): Promise<void> => {
  const remote = connect();
  let last: string | null = null;
  const maxPauseMs = 5_000;
  for (let failures = 0; !signal.aborted;) {
    try {
      const response = await remote.stream(path, last, signal);
      failures = 0;
      const parser = createParser({
        onEvent: (event) => {
          if (event.id !== undefined) last = event.id;
          on(event.event ?? 'message', event.data);
        },
      });
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        parser.feed(decoder.decode(chunk, { stream: true }));
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (failures === 0 && last === null) throw error;
      failures += 1;
      process.stderr.write('connection lost, going on from the last event\n');
      await new Promise((resolve) => setTimeout(resolve, Math.min(maxPauseMs, 250 * 2 ** failures)));
    }
  }
};

interface StreamItem {
  readonly at: string;
  readonly item: Record<string, unknown>;
}

/** One line a fact: when, what, and what it says. */
export const factLine = (event: string, data: string): string => {
  const { at, item } = JSON.parse(data) as StreamItem;
  const say = (...names: readonly string[]): string =>
    names
      .flatMap((name) =>
        item[name] === null || item[name] === undefined || item[name] === '' ? [] : [`${name} ${plain(item[name])}`],
      )
      .join(' · ');
  const what =
    event === 'message'
      ? plain(item['content'])
      : event === 'run'
        ? say('runId', 'state', 'cause', 'requirementsVersion', 'appliedVersion')
        : event === 'action'
          ? say('actionKey', 'state', 'code', 'attempts')
          : event === 'interaction'
            ? say('interactionRef', 'kind', 'state', 'question')
            : event === 'report'
              ? say('runId', 'version', 'status', 'reportStatus', 'sha256')
              : event === 'turn'
                ? say('turn', 'number', 'outcome', 'requirementsVersion', 'understood')
                : say('status', 'clientMessageId', 'runId', 'requirementsVersion', 'code', 'field');
  return `${pc.dim(at.slice(11, 23))}  ${pc.bold(event.padEnd(11))} ${what}`;
};

export const talkCommands = (program: Command): void => {
  program
    .command('send')
    .description('send a message and show its receipt')
    .argument('<content>', 'the words, as they are')
    .requiredOption('-c, --conversation <id>', 'which conversation')
    .option('--id <clientMessageId>', 'your own id, to be able to send it again (default: a new one)')
    .option('-r, --relation <relation>', 'new_task, follow_up, amend, observe, control, clarification, …')
    .option('--run <runId>', 'the run that an amendment, observation or control is about')
    .option('--expected-version <n>', 'the requirements version you are changing')
    .option('--replace', 'an amendment that replaces instead of supplementing')
    .option('--control <verb>', 'progress, pause, resume, cancel')
    .option('--mode <mode>', 'queue or parallel, for a new task')
    .option('--agent <name>', 'which agent')
    .option('--title <text>', 'short, for people')
    .option('--priority <0-9>', '9 first')
    .option('--requirements <json>', 'structured requirements, a JSON object')
    .option('--interaction <ref>', 'the question a clarification answers')
    .option('--request-revision <n>', 'its revision')
    .option('--wait <seconds>', 'how long to wait for a settled receipt, up to 30', wholeSeconds, '2')
    .option('--json', 'for machines')
    .action(async (content: string, options: SendOptions) => {
      const remote = connect();
      const path = `/v1/conversations/${encodeURIComponent(options.conversation)}/messages`;
      const { body } = await remote.post<Receipt>(path, messageOf(content, options), {
        prefer: `wait=${options.wait}`,
      });
      if (options.json === true) printJson(body);
      else showReceipt(body);
    });

  program
    .command('receipt')
    .description('the newest receipt of a message')
    .argument('<conversation>')
    .argument('<clientMessageId>')
    .option('--json', 'for machines')
    .action(async (conversation: string, id: string, options: { json?: boolean }) => {
      const receipt = await connect().get<Receipt>(
        `/v1/conversations/${encodeURIComponent(conversation)}/messages/${encodeURIComponent(id)}`,
      );
      if (options.json === true) printJson(receipt);
      else showReceipt(receipt);
    });

  program
    .command('watch')
    .description('follow a conversation, or one run, live')
    .argument('[conversation]')
    .option('--run <runId>', 'one run; ends with it')
    .option('--json', 'one event a line')
    .action(async (conversation: string | undefined, options: { run?: string; json?: boolean }) => {
      const path =
        options.run !== undefined
          ? `/v1/runs/${encodeURIComponent(options.run)}/events`
          : conversation !== undefined
            ? `/v1/conversations/${encodeURIComponent(conversation)}/events`
            : '/v1/account/events';
      const abort = new AbortController();
      process.once('SIGINT', () => abort.abort());
      await follow(
        path,
        (event, data) => {
          if (options.json === true) print(JSON.stringify({ event, ...(JSON.parse(data) as object) }));
          else if (event === 'snapshot') print(pc.dim('— everything before this is in the snapshot —'));
          else print(factLine(event, data));
        },
        abort.signal,
      );
    });

  program
    .command('token')
    .description('a token for the local stack (24 h)')
    .requiredOption('--account <name>', 'whose')
    .option(
      '--role <role>',
      'approver, integrator, operator, platform-operator; may be repeated',
      (role: string, all: string[]) => [...all, role],
      [] as string[],
    )
    .option('--app <name>', 'which app', 'local')
    .option('--tenant <name>', 'which tenant', 'local')
    .action(async (options: { account: string; role: string[]; app: string; tenant: string }) =>
      print(
        await localToken({ account: options.account, roles: options.role, app: options.app, tenant: options.tenant }),
      ),
    );
};
