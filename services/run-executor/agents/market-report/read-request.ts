import type { TurnInput } from '../../../../schemas/turn-protocol/input';
import { dataEnd, dataStart, withinData, type Period } from './months';
import { readPeriod, readStructuredDate } from './period-words';
import { readRecipients, withoutRecipients } from './share-words';
import { knownSymbol, readSymbols } from './symbol-words';

export type Returns = 'cumulative' | 'annualised';

export interface MarketRequest {
  texts: readonly { version: number; text: string }[];
  symbols: readonly string[];
  unknown: readonly string[];
  /** As asked, and as far as the data go; the latter is null when they have nothing of it. */
  asked: Period;
  period: Period | null;
  periodWords: string | null;
  returns: Returns | null;
  recipients: readonly string[];
  /** Whether to hold the report for an answer. */
  wait: 'asked_to_wait' | 'asked_not_to_wait' | 'not_said';
  /** Structured values that could not be read, by name. */
  unread: readonly string[];
}

type Reading = Omit<MarketRequest, 'texts' | 'period'>;

const nothing: Reading = {
  symbols: [],
  unknown: [],
  asked: { from: dataStart, to: dataEnd },
  periodWords: null,
  returns: null,
  recipients: [],
  wait: 'not_said',
  unread: [],
};

/** The whole effective set, in the order it was said: a later text narrows or widens what the earlier ones ask for. */
export const readRequest = (input: TurnInput): MarketRequest => {
  const own = input.requirements.texts.map(({ version, text }) => ({ version, text }));
  const earlier = input.materials
    .filter(({ kind, available }) => available && (kind === 'original_request' || kind === 'amendment'))
    .flatMap(({ text }) => (text === null ? [] : [text]));
  const reading = withStructured(readOwn(input, earlier, own), input.requirements.structured ?? {});
  return { ...reading, texts: own, period: withinData(reading.asked) };
};

const readOwn = (input: TurnInput, earlier: readonly string[], own: readonly { text: string }[]): Reading => {
  const before = earlier.reduce(readText, nothing);
  const words = own.map(({ text }) => text);
  // A continued run goes on with the request of its parent. A follow-up is a task of its own: it takes from the earlier
  // one only the instruments and the period it does not name itself, never the wish to send something to somebody.
  if (input.run.continuationOfRunId !== null) return words.reduce(readText, before);
  const fresh = words.reduce(readText, nothing);
  const named = fresh.symbols.length > 0 || fresh.unknown.length > 0;
  const inherited: Reading = {
    ...nothing,
    ...(named ? {} : { symbols: before.symbols, unknown: before.unknown }),
    asked: before.asked,
    periodWords: before.periodWords,
  };
  return words.reduce(readText, inherited);
};

const readText = (before: Reading, text: string): Reading => {
  const words = withoutRecipients(text);
  const period = readPeriod(words);
  return {
    ...before,
    ...readSymbols(words, before),
    asked: period === null ? before.asked : { from: period.from, to: period.to },
    periodWords: period?.words ?? before.periodWords,
    returns: readReturns(words) ?? before.returns,
    recipients: readRecipients(text, before.recipients),
    wait: readWait(words) ?? before.wait,
  };
};

/** Null when a text names neither or both: then it has not been said. */
export const readReturns = (text: string): Returns | null => {
  const annualised = /\b(?:annuali[sz]ed?|annually|annual\s+returns?|per\s+(?:year|annum)|p\.a\.|cagr)/i.test(text);
  const cumulative = /\b(?:cumulatively|cumulative|total\s+returns?|overall\s+returns?)\b/i.test(text);
  if (annualised === cumulative) return null;
  return annualised ? 'annualised' : 'cumulative';
};

const readWait = (text: string): MarketRequest['wait'] | null => {
  if (/\b(?:do\s+not|don['’]t|no\s+need\s+to)\s+(?:wait|ask)\b|\bwithout\s+(?:waiting|asking)\b/i.test(text)) {
    return 'asked_not_to_wait';
  }
  const asksToWait = /\bask\s+me\b|\bi(?:['’]ll|\s+will)\s+(?:tell|let)\s+you\b|\bwait\s+for\s+(?:my|the)\s+answer\b/i;
  return asksToWait.test(text) ? 'asked_to_wait' : null;
};

const textsOf = (value: unknown): string[] | null => {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const texts = list.filter((item) => typeof item === 'string' && item.trim() !== '') as string[];
  return texts.length === list.length ? texts : null;
};

/** Structured values win over words, each for itself. */
const withStructured = (reading: Reading, structured: Readonly<Record<string, unknown>>): Reading => {
  let result = reading;
  const unread: string[] = [];
  const take = <T>(name: string, read: (value: unknown) => T | null, use: (value: T) => Partial<Reading>) => {
    if (!Object.hasOwn(structured, name)) return;
    const value = read(structured[name]);
    if (value === null) unread.push(name);
    else result = { ...result, ...use(value) };
  };
  take('symbols', textsOf, (names) => ({
    symbols: [...new Set(names.flatMap((name) => knownSymbol(name) ?? []))],
    unknown: names.filter((name) => knownSymbol(name) === null),
  }));
  take(
    'from',
    (value) => readStructuredDate(value, false),
    (from) => ({ asked: { ...result.asked, from }, periodWords: null }),
  );
  take(
    'to',
    (value) => readStructuredDate(value, true),
    (to) => ({ asked: { ...result.asked, to }, periodWords: null }),
  );
  take(
    'returns',
    (value) => (typeof value === 'string' ? readReturns(value) : null),
    (returns) => ({ returns }),
  );
  take('shareWith', textsOf, (recipients) => ({ recipients }));
  take(
    'waitForAnswer',
    (value) => (typeof value === 'boolean' ? value : null),
    (waits) => ({
      wait: waits ? ('asked_to_wait' as const) : ('asked_not_to_wait' as const),
    }),
  );
  return { ...result, unread };
};
