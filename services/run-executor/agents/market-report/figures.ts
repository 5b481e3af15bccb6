import type { PriceRow } from '../../tools/price-series';
import { monthsBetween, type Period } from './months';

export interface MonthChange {
  month: string;
  change: number;
}

/** Of one instrument over one period; changes are ratios, 0.1 is ten per cent. */
export interface Figures {
  symbol: string;
  rows: number;
  first: PriceRow;
  last: PriceRow;
  months: number;
  change: number | null;
  /** Null for less than a year: what a few months would make of a year is no finding. */
  annualised: number | null;
  best: MonthChange | null;
  worst: MonthChange | null;
  maxDrawdown: number;
}

const monthsPerYear = 12;

export const figuresOf = (symbol: string, allRows: readonly PriceRow[], period: Period): Figures | null => {
  const rows = allRows.filter(({ date }) => date >= period.from && date <= period.to);
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return null;
  const months = monthsBetween(first.date, last.date);
  const growth = last.close / first.close;
  const changes = rows
    .slice(1)
    .map((row, i) => ({ month: row.date, change: row.close / (rows[i]?.close ?? row.close) - 1 }));
  const ordered = [...changes].sort((a, b) => b.change - a.change);
  return {
    symbol,
    rows: rows.length,
    first,
    last,
    months,
    change: months === 0 ? null : growth - 1,
    annualised: months < monthsPerYear ? null : growth ** (monthsPerYear / months) - 1,
    best: ordered[0] ?? null,
    worst: ordered.at(-1) ?? null,
    maxDrawdown: maxDrawdownOf(rows),
  };
};

/** The deepest fall of a monthly close below the highest one before it, as a negative ratio. */
const maxDrawdownOf = (rows: readonly PriceRow[]): number => {
  let peak = 0;
  let deepest = 0;
  for (const { close } of rows) {
    peak = Math.max(peak, close);
    deepest = Math.min(deepest, close / peak - 1);
  }
  return deepest;
};

export const percent = (ratio: number | null): string => {
  if (ratio === null) return 'n/a';
  const text = (ratio * 100).toFixed(1);
  return `${ratio > 0 && text !== '0.0' ? '+' : ''}${text === '-0.0' ? '0.0' : text} %`;
};
