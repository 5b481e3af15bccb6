/** A run of text that both have, that only the older has, or that only the newer has. */
export interface Piece {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Beyond this many cells of the table of two texts, the comparison goes by larger parts. */
const maxCells = 4_000_000;

const pieces = (parts: readonly string[], kind: Piece['kind']): Piece[] =>
  parts.length === 0 ? [] : [{ kind, text: parts.join('') }];

const join = (all: readonly Piece[]): Piece[] =>
  all.reduce<Piece[]>((done, piece) => {
    const last = done.at(-1);
    if (last !== undefined && last.kind === piece.kind)
      done[done.length - 1] = { ...last, text: last.text + piece.text };
    else done.push(piece);
    return done;
  }, []);

/** The longest common subsequence of two lists of parts. */
const compare = (older: readonly string[], newer: readonly string[]): Piece[] => {
  const width = newer.length + 1;
  if ((older.length + 1) * width > maxCells) return [...pieces(older, 'gone'), ...pieces(newer, 'new')];
  const table = new Uint32Array((older.length + 1) * width);
  const at = (row: number, column: number): number => table[row * width + column] ?? 0;
  for (let row = older.length - 1; row >= 0; row -= 1)
    for (let column = newer.length - 1; column >= 0; column -= 1)
      table[row * width + column] =
        older[row] === newer[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  const found: Piece[] = [];
  let [row, column] = [0, 0];
  while (row < older.length && column < newer.length) {
    const [before, after] = [older[row] ?? '', newer[column] ?? ''];
    if (before === after) {
      found.push({ kind: 'same', text: before });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      found.push({ kind: 'gone', text: before });
      row += 1;
    } else {
      found.push({ kind: 'new', text: after });
      column += 1;
    }
  }
  return join([...found, ...pieces(older.slice(row), 'gone'), ...pieces(newer.slice(column), 'new')]);
};

const lines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const words = (text: string): string[] => text.match(/\s+|[^\s]+/g) ?? [];

/** By lines first, then by words where lines took each other's place, so that it reads as prose. */
export const differenceOf = (older: string, newer: string): readonly Piece[] => {
  const byLine = compare(lines(older), lines(newer));
  const found: Piece[] = [];
  for (let index = 0; index < byLine.length; index += 1) {
    const [piece, next] = [byLine[index], byLine[index + 1]];
    if (piece?.kind === 'gone' && next?.kind === 'new') {
      found.push(...compare(words(piece.text), words(next.text)));
      index += 1;
    } else if (piece !== undefined) found.push(piece);
  }
  return join(found);
};
