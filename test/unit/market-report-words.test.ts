import { readPeriod } from '../../services/run-executor/agents/market-report/period-words';
import { readRequest } from '../../services/run-executor/agents/market-report/read-request';
import { turnInput } from '../support/turn-input';

const read = (...texts: string[]) => readRequest(turnInput(texts));
const structured = (text: string, values: Record<string, unknown>) => {
  const input = turnInput([text]);
  return readRequest({ ...input, requirements: { ...input.requirements, structured: values } });
};

describe('market-report reads words', () => {
  test.each([
    ['over the last three years', '2007-03', '2010-03'],
    ['in the last year', '2009-03', '2010-03'],
    ['last 18 months', '2008-09', '2010-03'],
    ['the past two quarters', '2009-09', '2010-03'],
    ['the last couple of years', '2008-03', '2010-03'],
    ['2005 to 2008', '2005-01', '2008-12'],
    ['2005-2008', '2005-01', '2008-12'],
    ['between 2005 and 2008', '2005-01', '2008-12'],
    ['in 2007 and 2008', '2007-01', '2008-12'],
    ['from March 2006 to June 2008', '2006-03', '2008-06'],
    ['from 2006-03 until 2008-06', '2006-03', '2008-06'],
    ['2008 to 2005', '2005-01', '2008-12'],
    ['since 2006', '2006-01', '2010-03'],
    ['since Sept 2006', '2006-09', '2010-03'],
    ['until 2004', '2000-01', '2004-12'],
    ['in 2007', '2007-01', '2007-12'],
    ['all available data', '2000-01', '2010-03'],
  ])('the period of "%s" is %s to %s', (words, from, to) =>
    expect(readPeriod(`Compare MSFT and AAPL ${words}, please`)).toMatchObject({ from, to }),
  );

  test('no period: everything the data have', () => {
    expect(readPeriod('Compare MSFT and AAPL')).toBeNull();
    expect(read('Compare MSFT and AAPL').period).toEqual({ from: '2000-01', to: '2010-03' });
  });

  test('a period is cut to what the data have, one outside of them is empty', () => {
    expect(read('MSFT since 1990').period).toEqual({ from: '2000-01', to: '2010-03' });
    expect(read('MSFT 2008 to 2012').period).toEqual({ from: '2008-01', to: '2010-03' });
    expect(read('MSFT since 2015').period).toBeNull();
  });

  test.each<[string[], string[]]>([
    [['Compare msft and Apple'], ['MSFT', 'AAPL']],
    [['Google, Amazon.com and International Business Machines'], ['GOOG', 'AMZN', 'IBM']],
    [
      ['Compare MSFT with AAPL', 'also IBM'],
      ['MSFT', 'AAPL', 'IBM'],
    ],
    [
      ['Compare MSFT, IBM and AAPL', 'without AAPL'],
      ['MSFT', 'IBM'],
    ],
    [
      ['Compare MSFT and AAPL', 'use IBM instead of AAPL'],
      ['MSFT', 'IBM'],
    ],
    [
      ['Compare MSFT and AAPL', 'replace Apple with Google'],
      ['MSFT', 'GOOG'],
    ],
    [
      ['Compare MSFT and AAPL', 'only IBM and GOOG'],
      ['IBM', 'GOOG'],
    ],
    [
      ['Compare MSFT and AAPL', 'only the last year'],
      ['MSFT', 'AAPL'],
    ],
    [['Compare all stocks except Google'], ['MSFT', 'AMZN', 'IBM', 'AAPL']],
    [['MSFT and AAPL, not IBM'], ['MSFT', 'AAPL']],
    [['Do not wait, compare MSFT and IBM'], ['MSFT', 'IBM']],
    [['COMPARE MSFT AND AAPL OVER THE LAST THREE YEARS'], ['MSFT', 'AAPL']],
    [['Compare MSFT. Send it to team@google.com'], ['MSFT']],
    [['Share it with Apple and compare MSFT'], ['MSFT']],
    [['pineapples'], []],
  ])('R5 the instruments of %j are %j', (texts, symbols) => expect(read(...texts).symbols).toEqual(symbols));

  test('what the data do not have is named', () => {
    expect(read('Compare TSLA, Nvidia and MSFT in USD').unknown).toEqual(['TSLA', 'Nvidia']);
    expect(read('COMPARE MSFT AND AAPL NOW').unknown).toEqual([]);
  });

  test('R5 the latest text that names a period wins', () => {
    const { period, symbols } = read(
      'Compare MSFT and AAPL over the last three years',
      'only the last year',
      'also IBM',
    );
    expect({ period, symbols }).toEqual({
      period: { from: '2009-03', to: '2010-03' },
      symbols: ['MSFT', 'AAPL', 'IBM'],
    });
  });

  test.each<[string[], string[]]>([
    [['Share it with dana@example.com'], ['dana@example.com']],
    [['MSFT. Send it to bob@example.com.'], ['bob@example.com']],
    [['Please send the report to Dana, bob@example.com and Eve.'], ['Dana', 'bob@example.com', 'Eve']],
    [['Share it with the team'], ['team']],
    [['email eve@example.com the result'], ['eve@example.com']],
    [
      ['Share it with Dana', 'also send it to Eve'],
      ['Dana', 'Eve'],
    ],
    [['Share it with Dana', 'Send it to Eve instead'], ['Eve']],
    [['Share it with Dana', 'Do not share it'], []],
    [['Send it to me'], []],
    [['How did the share price of MSFT do with all that?'], []],
    [['alice@example.com asks for MSFT'], []],
  ])('%j is to be shared with %j', (texts, recipients) => expect(read(...texts).recipients).toEqual(recipients));

  test.each<[string, string | null, string]>([
    ['annualised returns', 'annualised', 'not_said'],
    ['CAGR please', 'annualised', 'not_said'],
    ['cumulative', 'cumulative', 'not_said'],
    ['cumulative or annualized, which I will tell you', null, 'asked_to_wait'],
    ['Ask me how to count returns.', null, 'asked_to_wait'],
    ["Don't ask me, do not wait", null, 'asked_not_to_wait'],
  ])('"%s": returns %p, %s', (text, returns, wait) => expect(read(text)).toMatchObject({ returns, wait }));

  test('structured values win over words, each for itself', () => {
    const values = {
      symbols: ['ibm', 'TSLA'],
      from: '2006',
      to: '2007-06',
      shareWith: 'eve@example.com',
      waitForAnswer: true,
    };
    expect(structured('Compare MSFT over the last year, annualised. Share it with Dana', values)).toMatchObject({
      symbols: ['IBM'],
      unknown: ['TSLA'],
      period: { from: '2006-01', to: '2007-06' },
      returns: 'annualised',
      recipients: ['eve@example.com'],
      wait: 'asked_to_wait',
      unread: [],
    });
    expect(structured('Compare MSFT over the last year', { to: 2009 })).toMatchObject({
      symbols: ['MSFT'],
      period: { from: '2009-03', to: '2009-12' },
    });
  });

  test('X4 structured values that cannot be read are named and not used', () => {
    const values = { symbols: 7, from: 'yesterday', waitForAnswer: 'yes', returns: {}, shareWith: [1] };
    const request = structured('Compare MSFT over the last year', values);
    expect(request.unread).toEqual(['symbols', 'from', 'returns', 'shareWith', 'waitForAnswer']);
    expect(request).toMatchObject({ symbols: ['MSFT'], period: { from: '2009-03', to: '2010-03' } });
  });
});
