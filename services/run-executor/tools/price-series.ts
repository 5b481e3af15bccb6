import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolRefusal, type Tool } from './tool';

/** A month is `YYYY-MM`: in this form, months compare as texts. */
export interface PriceRow {
  date: string;
  close: number;
}
export interface PriceSeries {
  symbol: string;
  rows: PriceRow[];
  source: PriceSource;
}
export interface PriceSource {
  name: string;
  version: string;
  file: string;
  licence: string;
  url: string;
}

const source: PriceSource = {
  name: 'vega-datasets',
  version: '2.11.0',
  file: 'stocks.csv',
  licence: 'BSD-3-Clause',
  url: 'https://github.com/vega/vega-datasets',
};

const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const dataPath = join(__dirname, '../agents/market-report/data/stocks.csv');
let loaded: ReadonlyMap<string, readonly PriceRow[]> | undefined;

/** Lines look like `MSFT,Jan 1 2000,39.81`, in the order of time within a symbol. */
const readSeries = (): ReadonlyMap<string, readonly PriceRow[]> => {
  const series = new Map<string, PriceRow[]>();
  for (const line of readFileSync(dataPath, 'utf8').trim().split(/\r?\n/).slice(1)) {
    const [symbol = '', day = '', price = ''] = line.split(',');
    const [monthName = '', , year = ''] = day.split(' ');
    const month = String(monthNames.indexOf(monthName) + 1).padStart(2, '0');
    series.set(symbol, [...(series.get(symbol) ?? []), { date: `${year}-${month}`, close: Number(price) }]);
  }
  return series;
};

const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/;

interface PriceSeriesInput {
  symbol: string;
  from: string;
  to: string;
}

const readInput = (input: unknown): PriceSeriesInput => {
  const { symbol, from, to } = (input ?? {}) as Record<string, unknown>;
  if (typeof symbol !== 'string') throw new ToolRefusal('field_invalid', 'symbol: must be a text');
  if (typeof from !== 'string' || !monthPattern.test(from))
    throw new ToolRefusal('field_invalid', 'from: must be YYYY-MM');
  if (typeof to !== 'string' || !monthPattern.test(to)) throw new ToolRefusal('field_invalid', 'to: must be YYYY-MM');
  return { symbol, from, to };
};

/** Monthly prices of one instrument, both ends included; no rows where the file has none. */
export const priceSeries: Tool = async (request) => {
  const { symbol, from, to } = readInput(request.input);
  loaded ??= readSeries();
  const rows = loaded.get(symbol.toUpperCase());
  if (rows === undefined) {
    throw new ToolRefusal('unknown_symbol', `no series for ${symbol}; there are ${[...loaded.keys()].join(', ')}`);
  }
  return {
    symbol: symbol.toUpperCase(),
    rows: rows.filter((row) => row.date >= from && row.date <= to),
    source,
  } satisfies PriceSeries;
};

export const priceSeriesSpec = {
  name: 'price-series',
  description: 'Monthly closing prices of one instrument, both ends included.',
  schema: {
    type: 'object',
    properties: {
      symbol: { type: 'string' },
      from: { type: 'string', pattern: monthPattern.source },
      to: { type: 'string', pattern: monthPattern.source },
    },
    required: ['symbol', 'from', 'to'],
  },
};
