import Table from 'cli-table3';
import pc from 'picocolors';

/** Width of tables: that of the terminal, and a fixed one in a pipe so that output compares. */
const width = (): number => (process.stdout.isTTY ? Math.max(60, process.stdout.columns ?? 100) : 120);

export const print = (text: string): void => void process.stdout.write(`${text}\n`);
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, process.stdout.isTTY ? 2 : 0));

/** Control characters of somebody else's text must not steer the reader's terminal. */
// eslint-disable-next-line no-control-regex
export const plain = (text: unknown): string =>
  String(text ?? '').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '·');

export const ago = (iso: string | null | undefined, now = Date.now()): string => {
  if (iso === null || iso === undefined) return '–';
  const seconds = Math.round((now - Date.parse(iso)) / 1_000);
  const abs = Math.abs(seconds);
  const text =
    abs < 90
      ? `${abs} s`
      : abs < 5_400
        ? `${Math.round(abs / 60)} min`
        : abs < 129_600
          ? `${Math.round(abs / 3_600)} h`
          : `${Math.round(abs / 86_400)} d`;
  return seconds >= 0 ? `${text} ago` : `in ${text}`;
};

/** Green settled, amber needs somebody, red went wrong; the word itself always stands there too. */
export const colour = (state: string): string => {
  if (
    /^(completed|succeeded|answered|adopted|final|run_started|update_applied|control_confirmed|response_adopted)$/.test(
      state,
    )
  )
    return pc.green(state);
  if (/^(failed|cancelled|interrupted|refused|conflict|denied|disputed|blocked|version_conflict)$/.test(state))
    return pc.red(state);
  if (/^(unknown|awaiting_approval|open|partial|parked|paused|cancelling)$/.test(state)) return pc.yellow(state);
  return state;
};

export const short = (id: string | null | undefined): string => (id === null || id === undefined ? '–' : id);

export type Columns<T> = readonly (readonly [title: string, of: (row: T) => string])[];

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, Math.max(1, max - 1))}…`;

export const table = <T>(rows: readonly T[], columns: Columns<T>, empty: string): void => {
  if (rows.length === 0) return print(empty);
  const cells = rows.map((row) => columns.map(([, of]) => plain(of(row)).replace(/\n/g, ' ')));
  const widest = columns.map(([title], index) =>
    Math.max(title.length, ...cells.map((row) => (row[index] ?? '').length)),
  );
  const spare = width() - widest.reduce((sum, one) => sum + one + 2, 0);
  const longest = widest.indexOf(Math.max(...widest));
  const limits = widest.map((one, index) => (index === longest && spare < 0 ? Math.max(12, one + spare) : one));
  const out = new Table({
    head: columns.map(([title]) => pc.dim(title)),
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '  ',
    },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  for (const row of cells) out.push(row.map((cell, index) => colour(cut(cell, limits[index] ?? cell.length))));
  print(out.toString());
};

export const fields = (entries: readonly (readonly [string, unknown])[]): void => {
  const left = Math.max(...entries.map(([name]) => name.length));
  for (const [name, value] of entries) print(`${pc.dim(name.padEnd(left))}  ${colour(plain(value ?? '–'))}`);
};
