/** A month is `YYYY-MM`: months compare as texts, and count as numbers. */
export const dataStart = '2000-01';
export const dataEnd = '2010-03';

export const monthNumber = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;

export const monthOf = (number: number): string => {
  const year = String(Math.floor(number / 12)).padStart(4, '0');
  return `${year}-${String((number % 12) + 1).padStart(2, '0')}`;
};

export const monthsBack = (month: string, count: number): string => monthOf(Math.max(0, monthNumber(month) - count));

export const monthsBetween = (from: string, to: string): number => monthNumber(to) - monthNumber(from);

export interface Period {
  from: string;
  to: string;
}

/** The part of a period that the data can cover at all; null when they have nothing of it. */
export const withinData = ({ from, to }: Period): Period | null => {
  const cut = { from: from < dataStart ? dataStart : from, to: to > dataEnd ? dataEnd : to };
  return cut.from > cut.to ? null : cut;
};
