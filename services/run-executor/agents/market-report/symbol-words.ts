export const companies: Readonly<Record<string, string>> = {
  MSFT: 'Microsoft',
  AMZN: 'Amazon',
  IBM: 'IBM',
  GOOG: 'Google',
  AAPL: 'Apple',
};
export const allSymbols: readonly string[] = Object.keys(companies);

const aliases: Readonly<Record<string, string>> = {
  msft: 'MSFT',
  microsoft: 'MSFT',
  amzn: 'AMZN',
  amazon: 'AMZN',
  ibm: 'IBM',
  'international business machines': 'IBM',
  goog: 'GOOG',
  googl: 'GOOG',
  google: 'GOOG',
  alphabet: 'GOOG',
  aapl: 'AAPL',
  apple: 'AAPL',
};

/** Instruments people ask for that the data do not have; named so that the report can say so. */
const strangers = ['tesla', 'nvidia', 'netflix', 'facebook', 'meta', 'intel', 'oracle', 'samsung', 'sony', 'nokia'];

/** Capitals that are no symbol. */
const capitals = new Set(
  'AI API ASAP BSD CAGR CEO CFO CSV DM EOD ETF EU EUR FAQ FYI GBP HTML ID IT JSON LLM MAX MIN NB NO NOT OK OR AND PDF PM PS Q Q1 Q2 Q3 Q4 TBD TODO TV UK URL US USA USD UTC VS YOY YTD'.split(
    ' ',
  ),
);

export const knownSymbol = (name: string): string | null => aliases[name.trim().toLowerCase()] ?? null;

const names = Object.keys(aliases)
  .sort((a, b) => b.length - a.length)
  .join('|');
const everything =
  '(?:all|every|each)(?:\\s+(?:of|the|five|available|known))*\\s+(?:stocks?|shares|instruments?|company|companies|symbols?|series|five)';

const tokens = new RegExp(
  [
    `(?<all>\\b${everything}\\b)`,
    `(?<symbol>\\b(?:${names})\\b)`,
    `(?<unknown>\\b(?:${strangers.join('|')})\\b)`,
    '(?<add>\\b(?:not\\s+(?:only|just)|also|add|adding|plus|include|including|with|use|take|by|too)\\b)',
    `(?<remove>\\b(?:without|except(?:\\s+for)?|excluding|exclude|drop|remove|minus|leave\\s+out|instead\\s+of|rather\\s+than|replace|swap|not(?=\\s+(?:${names})))\\b)`,
    '(?<only>\\b(?:only|just|solely)\\b)',
    '(?<boundary>[.;!?\\n]|\\bbut\\b)',
    '(?<capitals>\\b[A-Za-z]{2,5}\\b)',
  ].join('|'),
  'gi',
);

export interface SymbolReading {
  symbols: readonly string[];
  unknown: readonly string[];
}

const isShouted = (text: string): boolean => {
  const letters = text.replace(/[^A-Za-z]/g, '');
  return letters.length > 12 && letters.replace(/[^A-Z]/g, '').length > letters.length * 0.6;
};

/**
 * What a text does to the instruments named so far: it adds them, `only` starts anew, `without` takes out. A word
 * holds until the end of its sentence or until another such word.
 */
export const readSymbols = (text: string, before: SymbolReading): SymbolReading => {
  const symbols = new Set(before.symbols);
  const unknown = new Set(before.unknown);
  const shouted = isShouted(text);
  let mode: 'add' | 'remove' | 'only' = 'add';
  for (const { 0: word, groups = {} } of text.matchAll(tokens)) {
    if (groups.boundary !== undefined || groups.add !== undefined) mode = 'add';
    else if (groups.remove !== undefined) mode = 'remove';
    else if (groups.only !== undefined) mode = 'only';
    else if (groups.all !== undefined) allSymbols.forEach((symbol) => symbols.add(symbol));
    else if (groups.symbol !== undefined) {
      const symbol = knownSymbol(word) ?? '';
      if (mode === 'only') {
        symbols.clear();
        unknown.clear();
        mode = 'add';
      }
      if (mode === 'remove') symbols.delete(symbol);
      else symbols.add(symbol);
    } else if (groups.unknown !== undefined || (!shouted && word === word.toUpperCase() && !capitals.has(word))) {
      if (mode === 'remove') unknown.delete(word);
      else unknown.add(word);
    }
  }
  return { symbols: [...symbols], unknown: [...unknown] };
};
