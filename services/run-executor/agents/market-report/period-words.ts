import { dataEnd, dataStart, monthsBack, type Period } from './months';

const numberWords: Readonly<Record<string, number>> = {
  a: 1,
  one: 1,
  two: 2,
  couple: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  eighteen: 18,
  'twenty-four': 24,
  'thirty-six': 36,
};
const monthWords = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthsIn: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12, decade: 120 };
const countMax = 1200;

const count = `(?:(\\d{1,4}|${Object.keys(numberWords).join('|')})\\s+(?:of\\s+)?)?`;
const name =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const date = `((?:${name}\\.?\\s+)?(?:19|20)\\d{2}(?:-(?:0[1-9]|1[0-2])(?!\\d))?)`;

/** One date in words or digits, as the month where it starts or ends. */
const readDate = (text: string, end: boolean): string => {
  const digits = /(\d{4})(?:-(\d{2}))?/.exec(text);
  const year = digits?.[1] ?? '';
  const named = monthWords.indexOf(text.trim().slice(0, 3).toLowerCase());
  const month = named >= 0 ? String(named + 1).padStart(2, '0') : digits?.[2];
  return `${year}-${month ?? (end ? '12' : '01')}`;
};

type Reading = (...groups: (string | undefined)[]) => Period;

const back: Reading = (number, unit) => {
  const wanted = number === undefined ? 1 : (numberWords[number.toLowerCase()] ?? Number(number));
  const months = Math.min(wanted * (monthsIn[(unit ?? '').toLowerCase()] ?? 1), countMax);
  return { from: monthsBack(dataEnd, months), to: dataEnd };
};
const whole: Reading = () => ({ from: dataStart, to: dataEnd });
const range: Reading = (from = '', to = '') => {
  const [start, end] = [readDate(from, false), readDate(to, true)];
  return start <= end ? { from: start, to: end } : { from: readDate(to, false), to: readDate(from, true) };
};
const since: Reading = (from = '') => {
  const start = readDate(from, false);
  return { from: start, to: start > dataEnd ? start : dataEnd };
};
const until: Reading = (to = '') => {
  const end = readDate(to, true);
  return { from: end < dataStart ? end : dataStart, to: end };
};
const within: Reading = (at = '') => ({ from: readDate(at, false), to: readDate(at, true) });

/** In the order of preference for phrases that start at the same place. */
const readings: readonly (readonly [string, Reading])[] = [
  [`(?:last|past|previous|trailing|recent)\\s+${count}(month|quarter|year|decade)s?`, back],
  ['(?:whole|entire|full|all(?:\\s+the)?(?:\\s+available)?)\\s+(?:period|history|range|time|data|months|years)', whole],
  [`(?:(?:between|from|in|during|for)\\s+)?${date}\\s*(?:to|until|till|through|and|-|–|—)\\s*${date}`, range],
  [`(?:since|after|from|starting(?:\\s+in)?)\\s+${date}`, since],
  [`(?:until|till|before|up\\s+to)\\s+${date}`, until],
  [`(?:in|during|for|of|year)\\s+${date}`, within],
  [`\\b${date}\\b`, within],
];
const patterns = readings.map(([source, read]) => ({ pattern: new RegExp(`\\b${source}\\b`, 'i'), read }));

export interface NamedPeriod extends Period {
  words: string;
}

/** The first period that a text names. Relative ones count back from where the data end, not from today. */
export const readPeriod = (text: string): NamedPeriod | null => {
  const found = patterns
    .map(({ pattern, read }) => ({ match: pattern.exec(text), read }))
    .flatMap(({ match, read }) => (match === null ? [] : [{ match, read }]))
    .sort((a, b) => a.match.index - b.match.index)[0];
  return found === undefined ? null : { ...found.read(...found.match.slice(1)), words: found.match[0].trim() };
};

/** The same for a structured value: `2006`, `2006-03` or `2006-03-15`. */
export const readStructuredDate = (value: unknown, end: boolean): string | null => {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-\d{2})?)?$/.test(text)) return null;
  return readDate(text.slice(0, 7), end);
};
