import { topics } from './topics';

const begin = '<!-- topics: written by generate.ts from topics.ts -->';
const end = '<!-- /topics -->';
const dayMs = 86_400_000;

/** The topic map for people, as a Markdown table. */
export const topicTable = (): string => {
  const rows = topics.map((spec) => [
    code(spec.name),
    spec.owner,
    code(spec.key),
    spec.records.map(code).join(', '),
    spec.consumers.length === 0 ? 'upstream only' : spec.consumers.map(code).join(', '),
    `${spec.partitions}`,
    `${spec.retentionMs / dayMs} days`,
  ]);
  return table([['topic', 'owner', 'key', 'records', 'consumer groups', 'partitions', 'kept'], ...rows]);
};

/** The page with the table between its two marks brought up to date. */
export const withTopicTable = (page: string): string => {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('README.md has lost the marks of the topic table');
  return `${page.slice(0, from + begin.length)}\n\n${topicTable()}\n\n${page.slice(to)}`;
};

const code = (text: string): string => `\`${text}\``;

const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
};
