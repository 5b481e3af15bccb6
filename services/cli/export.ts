import type { Command } from 'commander';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Remote } from './remote';
import { plain, print } from './show';

type Item = Readonly<Record<string, unknown>>;
interface List<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}
interface ReportItem extends Item {
  readonly version: number;
  readonly seq: number;
  readonly contentType: string;
  /** Its bytes are gone. */
  readonly purgedAt?: string;
}
type Snapshot = { readonly cursor: string; readonly conversation: Item } & Readonly<
  Record<'messages' | 'receipts', readonly Item[]>
>;

const one = encodeURIComponent;
/** What becomes a name of a file must not lead out of the folder that was asked for, whoever said it. */
const fileName = (id: unknown, of: string): string => {
  if (!/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/.test(String(id))) throw new Error(`${plain(id)} is no id of a ${of}`);
  return String(id);
};
const pageItems = 500;
/** A longer list is refused: a file that is quietly a part of the whole would be taken for it. */
const maxItems = 50_000;
/** A snapshot shows no more of a kind. */
const snapshotItems = 500;

const all = async <T>(remote: Remote, path: string): Promise<T[]> => {
  const found: T[] = [];
  for (let after = ''; found.length < maxItems;) {
    const from = after === '' ? '' : `&after=${one(after)}`;
    const { items, next } = await remote.get<List<T>>(
      `${path}${path.includes('?') ? '&' : '?'}limit=${pageItems}${from}`,
    );
    found.push(...items);
    if (next === null) return found;
    after = next;
  }
  throw new Error(`${path} has more than ${maxItems} entries: not exported`);
};

const endings: Readonly<Record<string, string>> = { 'text/markdown': 'md', 'application/json': 'json' };

/** The exact bytes: of each version the newest as `v1.md`, with `earlier` the sequences before it as `v1.1.md`. */
const writeReports = async (
  remote: Remote,
  folder: string,
  runId: string,
  earlier: boolean,
): Promise<{ readonly reports: readonly ReportItem[]; readonly paths: readonly string[] }> => {
  const target = join(folder, 'runs', fileName(runId, 'run'), 'reports');
  const reports = await all<ReportItem>(remote, `/v1/runs/${one(runId)}/reports`);
  const newest = new Map<number, number>();
  for (const { version, seq } of reports) newest.set(version, Math.max(seq, newest.get(version) ?? 0));
  mkdirSync(target, { recursive: true });
  const paths: string[] = [];
  for (const { version, seq, contentType, purgedAt } of reports) {
    // Its hash is in the index still.
    if (purgedAt !== undefined) continue;
    const isNewest = newest.get(version) === seq;
    if (!isNewest && !earlier) continue;
    const path = join(
      target,
      `v${Number(version)}${isNewest ? '' : `.${Number(seq)}`}.${endings[contentType] ?? 'txt'}`,
    );
    writeFileSync(path, (await remote.bytes(`/v1/runs/${one(runId)}/reports/${version}/${seq}`)).body);
    paths.push(path);
  }
  return { reports, paths };
};

export const exportReports = async (folder: string, runId: string): Promise<void> => {
  const { paths } = await writeReports(connect(['operator']), folder, runId, false);
  for (const path of paths) print(path);
};

const exportConversation = async (folder: string, conversationId: string): Promise<void> => {
  const remote = connect();
  const put = (name: string, value: unknown): void => {
    const path = join(folder, name);
    writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
    print(path);
  };
  const snapshot = await remote.get<Snapshot>(`/v1/conversations/${one(conversationId)}/snapshot`);
  for (const kind of ['messages', 'receipts'] as const)
    if (snapshot[kind].length >= snapshotItems)
      throw new Error(`the conversation has ${snapshotItems} ${kind} or more: not exported`);
  mkdirSync(folder, { recursive: true });
  const runs = await all<Item & { readonly runId: string; readonly purgedAt: string | null }>(
    remote,
    `/v1/runs?conversationId=${one(conversationId)}`,
  );
  const actions: Item[] = [];
  for (const run of runs) {
    const { runId } = run;
    const { reports, paths } = await writeReports(remote, folder, runId, true);
    for (const path of paths) print(path);
    put(join('runs', runId, 'run.json'), run);
    put(join('runs', runId, 'turns.json'), await all(remote, `/v1/runs/${one(runId)}/turns`));
    put(join('runs', runId, 'reports', 'index.json'), reports);
    actions.push(...(await all<Item>(remote, `/v1/actions?runId=${one(runId)}`)));
  }
  put('messages.json', snapshot.messages);
  put('receipts.json', snapshot.receipts);
  put('interactions.json', await all(remote, `/v1/interactions?conversationId=${one(conversationId)}`));
  put('actions.json', actions);
  // Written last: a folder without it was broken off.
  put('conversation.json', {
    ...snapshot.conversation,
    cursor: snapshot.cursor,
    runs: runs.map(({ runId }) => runId),
    // What was purged is nowhere any more: its files hold names, hashes, states and times, and no reports.
    purgedRuns: runs.flatMap(({ runId, purgedAt }) => (purgedAt === null ? [] : [runId])),
    exportedAt: new Date().toISOString(),
  });
};

export const exportCommands = (program: Command): void => {
  program
    .command('export')
    .description('take things along as files')
    .command('conversation')
    .description('messages, receipts, runs with their reports, interactions and actions of a conversation')
    .argument('<conversationId>')
    .option('--to <folder>', 'where; default: a folder named like the conversation')
    .action((conversationId: string, options: { to?: string }) =>
      exportConversation(
        options.to ?? `conversation-${fileName(conversationId, 'conversation').replaceAll(':', '_')}`,
        conversationId,
      ),
    );
};
