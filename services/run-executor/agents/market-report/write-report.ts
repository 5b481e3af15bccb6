import { percent, type Figures } from './figures';
import { dataEnd, dataStart, type Period } from './months';
import { questionText, type Counting } from './counting';
import type { MarketRequest, Returns } from './read-request';
import type { ReadSeries } from './series';
import { shareWords, type Share } from './sharing';
import { allSymbols, companies } from './symbol-words';

export interface ReportParts {
  version: number;
  request: MarketRequest;
  understood: string;
  period: Period;
  found: readonly ReadSeries[];
  figures: readonly Figures[];
  gaps: readonly { symbol: string; reason: string }[];
  counting: Counting;
  shares: readonly Share[];
  notes: readonly { kind: string; text: string }[];
}

const quote = (text: string): string =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n');

export const listOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

export const titleOf = (symbols: readonly string[], period: Period): string =>
  `${listOf(symbols)}, ${period.from} to ${period.to}`;

const asked = (request: MarketRequest, version: number): string[] => [
  '## What was asked',
  `Requirements version ${version}, in your own words:`,
  ...request.texts.map(({ version: since, text }) => `${quote(text)}\n>\n> — version ${since}`),
];

const countedIn = (figures: Figures, returns: Returns): number | null =>
  returns === 'annualised' ? figures.annualised : figures.change;

const finding = (figures: readonly Figures[], returns: Returns): string => {
  // Under a year there is no annualised figure; the finding then says what there is.
  const how = figures.some((one) => countedIn(one, returns) === null) ? 'cumulative' : returns;
  const ranked = figures
    .flatMap((one) => {
      const value = countedIn(one, how);
      return value === null ? [] : [{ symbol: one.symbol, value, months: one.months }];
    })
    .sort((a, b) => b.value - a.value);
  if (ranked.length === 0) return 'There are too few prices in this period to say how they changed.';
  const told = ranked.map(({ symbol, value, months }) => `${symbol} ${percent(value)} in ${months} months`).join(', ');
  const counted = how === 'annualised' ? 'Annualised' : 'Cumulative';
  const best = ranked.length > 1 ? ` ${ranked[0]?.symbol} did best.` : '';
  const fallback = how === returns ? '' : ' (Annualised figures need at least a year of prices.)';
  return `${counted} change of the monthly close: ${told}.${best}${fallback}`;
};

const table = (figures: readonly Figures[]): string =>
  [
    '| instrument | first close | last close | change | annualised change | best month | worst month | max drawdown |',
    '|---|---|---|---|---|---|---|---|',
    ...figures.map((one) => {
      const month = (at: Figures['best']) => (at === null ? 'n/a' : `${percent(at.change)} (${at.month})`);
      const close = (row: Figures['first']) => `${row.close.toFixed(2)} (${row.date})`;
      const cells = [one.symbol, close(one.first), close(one.last), percent(one.change), percent(one.annualised)];
      return `| ${[...cells, month(one.best), month(one.worst), percent(one.maxDrawdown)].join(' | ')} |`;
    }),
  ].join('\n');

const data = (parts: ReportParts): string[] => [
  '## Which data it rests on',
  ...parts.found.map(({ symbol, callId, series }) => {
    const figures = parts.figures.find((one) => one.symbol === symbol);
    const rows =
      figures === undefined ? 'no rows' : `${figures.rows} rows, ${figures.first.date} to ${figures.last.date}`;
    const { name, version, file, licence } = series.source;
    return `- ${symbol}: ${rows}; ${name} ${version}, ${file} (${licence}); read by \`${callId}\``;
  }),
  ...parts.gaps.map(({ symbol, reason }) => `- ${symbol}: could not be read (${reason})`),
  ...(parts.request.unknown.length === 0
    ? []
    : [`- No data for ${listOf(parts.request.unknown)}: the file has ${listOf(allSymbols)}.`]),
  ...parts.figures
    .filter((one) => one.first.date > parts.period.from)
    .map((one) => `- ${one.symbol} starts ${one.first.date}: its figures cover less than the period.`),
  `- Monthly prices as the file gives them, ${dataStart} to ${dataEnd}; it says neither the currency nor whether they are`,
  '  adjusted for dividends and splits. "Last" and "past" count back from the end of the data, not from today.',
];

const otherOf = (returns: Returns): Returns => (returns === 'annualised' ? 'cumulative' : 'annualised');

const questions = ({ counting }: ReportParts): string[] => {
  const { returns, from, askedUnderVersion } = counting;
  const under =
    askedUnderVersion === null ? '' : ` (asked under version ${askedUnderVersion}, still good for this one)`;
  const words: Record<Counting['from'], string> = {
    words: `Returns are ${returns}, as you wrote.`,
    answer: `${questionText} Your answer: ${returns}${under}.`,
    late_answer: `${questionText} Your late answer to the earlier run: ${returns}.`,
    default:
      `${questionText} ${counting.whyDefault ?? 'Not answered'}, so the default was used: ${returns}. ` +
      `The answer "${otherOf(returns)}" would change which figures the result names; the table has both.`,
  };
  return ['## Questions', `- ${words[from]}`];
};

const actions = ({ shares, version }: ReportParts): string[] =>
  shares.length === 0
    ? []
    : ['## Actions', ...shares.map((share) => `- Share with ${share.recipient}: ${shareWords(share, version)}`)];

const notes = (parts: Pick<ReportParts, 'notes' | 'request'>): string[] => {
  const unread = parts.request.unread.map(
    (name) => `The structured value \`${name}\` could not be read and was not used.`,
  );
  const told = parts.notes.map(({ kind, text }) => `${kind}:\n\n${quote(text)}`);
  return unread.length + told.length === 0 ? [] : ['## Noted', ...unread, ...told];
};

const join = (blocks: readonly string[]): string =>
  `${blocks.reduce((text, block) => `${text}${/^- /.test(block) || block.startsWith('  ') ? '\n' : '\n\n'}${block}`)}\n`;

export const writeReport = (parts: ReportParts): string =>
  join([
    `# ${titleOf(
      parts.figures.map(({ symbol }) => symbol),
      parts.period,
    )}`,
    ...asked(parts.request, parts.version),
    `Read as: ${parts.understood}`,
    '## Result',
    finding(parts.figures, parts.counting.returns),
    table(parts.figures),
    ...data(parts),
    ...questions(parts),
    ...actions(parts),
    ...notes(parts),
  ]);

/** For a request that has no figures as its answer: what was not possible, and what would be. */
export const writePlainReport = (parts: {
  version: number;
  request: MarketRequest;
  reasons: readonly string[];
  notes: readonly { kind: string; text: string }[];
}): string =>
  join([
    '# No comparison was made',
    ...asked(parts.request, parts.version),
    '## Why',
    ...parts.reasons.map((reason) => `- ${reason}`),
    '## What is possible',
    `- Comparing ${listOf(allSymbols.map((symbol) => (companies[symbol] === symbol ? symbol : `${symbol} (${companies[symbol]})`)))}, by symbol or name.`,
    `- Over any period from ${dataStart} to ${dataEnd} (GOOG from 2004-08): "over the last three years", "2005 to 2008", "since 2006".`,
    '- For example: Compare MSFT and AAPL over the last three years.',
    ...notes(parts),
  ]);
