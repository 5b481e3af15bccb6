import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { figuresOf, percent } from '../../services/run-executor/agents/market-report/figures';
import { priceSeries, type PriceSeries } from '../../services/run-executor/tools/price-series';
import { ToolRefusal } from '../../services/run-executor/tools/tool';

const csv = readFileSync(join(__dirname, '../../services/run-executor/agents/market-report/data/stocks.csv'));
const sealedFor = { conversationId: 'c', taskId: 't', runId: 'r', turn: 1, requirementsVersion: 1 };
const prices = async (input: unknown) =>
  (await priceSeries(
    { for: sealedFor, callId: 'a', tool: 'price-series', input },
    new AbortController().signal,
  )) as PriceSeries;

/** Read and reckoned another way than the agent does: by dates of the runtime, logarithms and pairs. */
const independently = (symbol: string, from: string, to: string) => {
  const rows = csv
    .toString('utf8')
    .split('\n')
    .map((line) => line.split(','))
    .filter(([name]) => name === symbol)
    .map(([, day, price]) => ({ day: new Date(`${day} UTC`), close: parseFloat(price ?? '') }))
    .filter(({ day }) => day >= new Date(`${from}-01T00:00Z`) && day <= new Date(`${to}-01T00:00Z`));
  const first = rows[0]!;
  const last = rows[rows.length - 1]!;
  const years =
    last.day.getUTCFullYear() - first.day.getUTCFullYear() + (last.day.getUTCMonth() - first.day.getUTCMonth()) / 12;
  const steps = rows.slice(1).map((row, i) => (row.close - rows[i]!.close) / rows[i]!.close);
  const falls = rows.flatMap((peak, i) => rows.slice(i).map(({ close }) => (close - peak.close) / peak.close));
  return {
    rows: rows.length,
    change: (last.close - first.close) / first.close,
    annualised: Math.exp(Math.log(last.close / first.close) / years) - 1,
    best: Math.max(...steps),
    worst: Math.min(...steps),
    maxDrawdown: Math.min(...falls),
  };
};

describe('market-report figures on the real data', () => {
  test('the file is the one SOURCE.md names, 560 prices', () => {
    const hash = createHash('sha256').update(csv).digest('hex');
    const source = readFileSync(
      join(__dirname, '../../services/run-executor/agents/market-report/data/SOURCE.md'),
      'utf8',
    );
    expect(source).toContain(hash);
    expect(csv.toString('utf8').trim().split('\n')).toHaveLength(561);
  });

  test.each([
    ['MSFT', '2007-03', '2010-03'],
    ['AAPL', '2007-03', '2010-03'],
    ['AAPL', '2000-01', '2010-03'],
    ['GOOG', '2004-08', '2010-03'],
    ['IBM', '2009-03', '2010-03'],
    ['AMZN', '2001-05', '2006-11'],
  ])('%s from %s to %s', async (symbol, from, to) => {
    const series = await prices({ symbol, from, to });
    const figures = figuresOf(symbol, series.rows, { from, to });
    const expected = independently(symbol, from, to);
    expect(figures?.rows).toBe(expected.rows);
    expect(figures?.change).toBeCloseTo(expected.change, 10);
    expect(figures?.annualised).toBeCloseTo(expected.annualised, 10);
    expect(figures?.best?.change).toBeCloseTo(expected.best, 10);
    expect(figures?.worst?.change).toBeCloseTo(expected.worst, 10);
    expect(figures?.maxDrawdown).toBeCloseTo(expected.maxDrawdown, 10);
  });

  test('figures worked out by hand', () => {
    const rows = [
      { date: '2001-01', close: 100 },
      { date: '2001-02', close: 120 },
      { date: '2001-03', close: 60 },
      { date: '2002-01', close: 110 },
    ];
    const figures = figuresOf('X', rows, { from: '2001-01', to: '2002-01' });
    expect(figures).toMatchObject({ rows: 4, months: 12, maxDrawdown: -0.5 });
    expect(figures?.change).toBeCloseTo(0.1, 12);
    expect(figures?.annualised).toBeCloseTo(0.1, 12);
    expect(figures?.worst).toEqual({ month: '2001-03', change: -0.5 });
  });

  test('less than a year is not annualised, one close has no change, none has no figures', async () => {
    const { rows } = await prices({ symbol: 'MSFT', from: '2009-01', to: '2010-03' });
    expect(figuresOf('MSFT', rows, { from: '2009-06', to: '2010-03' })?.annualised).toBeNull();
    expect(figuresOf('MSFT', rows, { from: '2010-03', to: '2010-03' })).toMatchObject({
      change: null,
      best: null,
      rows: 1,
    });
    expect(figuresOf('MSFT', rows, { from: '1999-01', to: '1999-03' })).toBeNull();
  });

  test.each([
    [0.1234, '+12.3 %'],
    [-0.1, '-10.0 %'],
    [0, '0.0 %'],
    [-0.0001, '0.0 %'],
    [0.0001, '0.0 %'],
    [null, 'n/a'],
  ])('%p is written %s', (ratio, text) => expect(percent(ratio)).toBe(text));

  test('price-series refuses what it does not have or cannot read, and tells what it has', async () => {
    await expect(prices({ symbol: 'TSLA', from: '2007-03', to: '2010-03' })).rejects.toMatchObject({
      code: 'unknown_symbol',
    });
    await expect(prices({ symbol: 'MSFT', from: '2007', to: '2010-03' })).rejects.toBeInstanceOf(ToolRefusal);
    await expect(prices({ symbol: 7, from: '2007-03', to: '2010-03' })).rejects.toMatchObject({
      code: 'field_invalid',
    });
    await expect(prices(null)).rejects.toMatchObject({ code: 'field_invalid' });
    expect((await prices({ symbol: 'goog', from: '1999-01', to: '2001-01' })).rows).toEqual([]);
    const { source } = await prices({ symbol: 'MSFT', from: '2007-03', to: '2010-03' });
    expect(source).toMatchObject({ name: 'vega-datasets', licence: 'BSD-3-Clause', file: 'stocks.csv' });
  });
});
