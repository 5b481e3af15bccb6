import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../schemas/avro';
import { codes } from '../../services/platform/errors';
import { configurationSchema } from '../../services/platform/configuration';

export const root = packageRoot(__dirname);
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The cells of every table row of a page, without the surrounding white space. */
export const rowsOf = (page: string): string[][] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|:-]+\|$/.test(line))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );

/** Everything a page sets in code type. */
export const codeIn = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code as string);

const table = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
};

const begin = '<!-- codes: written from services/platform/errors.ts -->';
const end = '<!-- /codes -->';

/** docs/codes.md with its table as the catalogue has it. */
export const withCodes = (page: string): string => {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error('docs/codes.md has lost the marks of its table');
  const rows = Object.entries(codes).map(([name, { http, stored, by, means }]) => [
    `\`${name}\``,
    String(http),
    stored ? 'yes' : 'no',
    by,
    means,
  ]);
  const text = table([['code', 'HTTP', 'stored', 'decided by', 'means'], ...rows]);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
};

export const configurationSchemaText = (): string =>
  `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Fairlead configuration (FAIRLEAD_CONFIG)',
      ...configurationSchema,
    },
    null,
    2,
  )}\n`;

interface Node {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

/** Every setting by its path: `*` stands for a name of one's own, `[]` for an entry of a list. */
export const settingPaths = (node: Node = configurationSchema as unknown as Node, path = ''): string[] => {
  const below = (name: string, child: Node): string[] => settingPaths(child, path === '' ? name : `${path}.${name}`);
  if (node.properties !== undefined)
    return Object.entries(node.properties).flatMap(([name, child]) => below(name, child));
  const own = Object.values(node.patternProperties ?? {})[0];
  if (own?.properties !== undefined) return below('*', own);
  if (node.type === 'array' && node.items?.properties !== undefined) return settingPaths(node.items, `${path}[]`);
  return [path];
};
