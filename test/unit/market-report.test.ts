import { decideTurn } from '../../services/run-executor/agents/market-report/market-report';
import type { ActionView, TurnInput } from '../../schemas/turn-protocol/input';
import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { actionOf, answerOf, ask, change, next, resultsFor, turnInput } from '../support/turn-input';

const demoText =
  'Compare MSFT and AAPL over the last three years, say which data it rests on. ' +
  'Ask me how to count returns. Share it with dana@example.com';
const plainText = 'Compare MSFT and AAPL over the last three years';

interface Step {
  input: TurnInput;
  output: TurnOutput;
}

/** First turn and the one with its results. */
const untilResults = async (texts: string[], fields: Partial<TurnInput> = {}): Promise<Step> => {
  const first = turnInput(texts, fields);
  const called = ask(first);
  const toolResults = [...first.toolResults, ...(await resultsFor(called, first.requirements.version))];
  const input = next(first, called, { toolResults });
  return { input, output: ask(input) };
};
const then = ({ input, output }: Step, fields: Partial<TurnInput>): Step => {
  const later = next(input, output, fields);
  return { input: later, output: ask(later) };
};
const amended = ({ input, output }: Step, text: string, fields: Partial<TurnInput> = {}): Step => {
  const texts = [...input.requirements.texts.map((one) => one.text), text];
  return then(
    { input, output },
    {
      requirements: turnInput(texts).requirements,
      toolResults: input.toolResults.map((result) => ({ ...result, needsRecheck: true })),
      changes: [change('amended', { version: texts.length, amendKind: 'SUPPLEMENT', text, messageId: 'm' })],
      ...fields,
    },
  );
};
const isWait = (output: TurnOutput) =>
  !['toolCalls', 'actions', 'ask', 'report', 'fail', 'again'].some((name) => name in output);

describe('market-report, the text of the demo', () => {
  test('turn 1 calls the price series of the period, by ids that carry the version', () => {
    const output = ask(turnInput([demoText]));
    expect(output.toolCalls).toEqual([
      {
        callId: 'prices.MSFT.2007-03.2010-03.v1',
        tool: 'price-series',
        input: { symbol: 'MSFT', from: '2007-03', to: '2010-03' },
      },
      {
        callId: 'prices.AAPL.2007-03.2010-03.v1',
        tool: 'price-series',
        input: { symbol: 'AAPL', from: '2007-03', to: '2010-03' },
      },
    ]);
    expect(output.understood).toContain('compare MSFT and AAPL over 2007-03 to 2010-03');
  });

  test('turn 2 asks, proposes the share for approval, and waits', async () => {
    const { output } = await untilResults([demoText]);
    expect(output.ask).toMatchObject([
      {
        questionId: 'returns',
        kind: 'question',
        mode: 'non_blocking',
        default: 'cumulative',
        choices: [{ id: 'cumulative' }, { id: 'annualised' }],
      },
    ]);
    expect(output.actions).toMatchObject([
      {
        proposalId: 'share.dana-example.com-07e2f139.v1',
        connector: 'contact-api',
        operation: 'share',
        subject: 'task-1.dana-example.com-07e2f139',
        approval: true,
        params: {
          recipient: 'dana@example.com',
          title: 'MSFT and AAPL, 2007-03 to 2010-03',
          symbols: ['MSFT', 'AAPL'],
        },
      },
    ]);
    expect(output.report).toBeUndefined();
    expect(output.toolCalls).toBeUndefined();
  });

  test('R7 R10 amended to the last year: reuses what covers it, proposes anew, keeps the question; reports when both are in', async () => {
    const v1 = await untilResults([demoText]);
    const withdrawn = actionOf(v1.output, 'withdrawn');
    const v2 = amended(v1, 'Only the last year', { actions: [withdrawn] });
    expect(v2.output.toolCalls).toBeUndefined();
    expect(v2.output.results).toEqual({
      reuse: ['prices.MSFT.2007-03.2010-03.v1', 'prices.AAPL.2007-03.2010-03.v1'],
      drop: [],
    });
    expect(v2.output.ask).toBeUndefined();
    expect(v2.output.actions).toMatchObject([
      {
        proposalId: 'share.dana-example.com-07e2f139.v2',
        subject: withdrawn.subject,
        params: { period: { from: '2009-03', to: '2010-03' } },
      },
    ]);
    const renewed = (state: ActionView['state'], fields: Partial<ActionView> = {}) => ({
      actions: [
        withdrawn,
        { ...actionOf(v2.output, state, fields), actionKey: `contact-api:share:${withdrawn.subject}:v2` },
      ],
    });
    const toolResults = v2.input.toolResults.map((result) => ({ ...result, needsRecheck: false }));
    const approving = then(v2, {
      ...renewed('awaiting_approval'),
      toolResults,
      changes: [change('action_awaiting_approval')],
    });
    expect(isWait(approving.output)).toBe(true);
    const answers = [answerOf('annualised', { needsRecheck: true })];
    const answered = then(approving, { answers, changes: [change('answered')] });
    expect(isWait(answered.output)).toBe(true);
    const unknown = then(answered, { ...renewed('unknown'), changes: [change('action_unknown')] });
    expect(isWait(unknown.output)).toBe(true);
    const receipt = { by: 'receipt', status: 'done', body: {}, at: null };
    const { output } = then(unknown, { ...renewed('succeeded', { receipt }), changes: [change('action_succeeded')] });
    expect(output.report?.sources).toEqual([
      { callId: 'prices.MSFT.2007-03.2010-03.v1' },
      { callId: 'prices.AAPL.2007-03.2010-03.v1' },
      { actionKey: `contact-api:share:${withdrawn.subject}:v2` },
    ]);
    const body = output.report?.body ?? '';
    expect(body).toContain('# MSFT and AAPL, 2009-03 to 2010-03');
    expect(body).toContain(`> ${demoText}`);
    expect(body).toContain('> Only the last year');
    expect(body).toContain('| MSFT | 17.99 (2009-03) | 28.80 (2010-03) | +60.1 % | +60.1 % |');
    expect(body).toContain('Your answer: annualised (asked under version 1, still good for this one)');
    expect(body).toContain('Share with dana@example.com: done, known by receipt');
    expect(body).toContain('vega-datasets 2.11.0, stocks.csv (BSD-3-Clause)');
    expect(body).toContain('13 rows, 2009-03 to 2010-03');
    expect(output.openQuestions).toBeUndefined();
  });
});

describe('market-report, its question', () => {
  test('H5 nobody asked to be asked: it asks, and reports at once with the default, saying so', async () => {
    const { output } = await untilResults([plainText]);
    expect(output.ask).toHaveLength(1);
    expect(output.report?.body).toContain('Not answered, so the default was used: cumulative');
    expect(output.report?.body).toContain('The answer "annualised" would change');
    expect(output.openQuestions).toEqual(['Should returns be cumulative or annualised?']);
    expect(output.report?.contentType).toBe('text/markdown');
  });

  test('the wording says how: nothing is asked', async () => {
    const { output } = await untilResults([`${plainText}, annualised`]);
    expect(output.ask).toBeUndefined();
    expect(output.report?.body).toContain('Returns are annualised, as you wrote.');
    expect(output.report?.body).toContain('Annualised change of the monthly close');
  });

  test('asked to wait: waits; an answer in words is read', async () => {
    const asking = await untilResults([`${plainText}. Ask me how to count returns.`]);
    expect(asking.output.report).toBeUndefined();
    const observed = then(asking, { changes: [change('observed', { text: 'Note the split', messageId: 'm' })] });
    expect(isWait(observed.output)).toBe(true);
    const { output } = then(observed, {
      answers: [answerOf(null, { text: 'per year please' })],
      changes: [change('answered')],
    });
    expect(output.report?.body).toContain('Your answer: annualised.');
    expect(output.report?.body).toContain('Observation:\n\n> Note the split');
  });

  test.each([
    ['expired', 'The question expired, so the default was used'],
    ['interaction_withdrawn', 'The question was withdrawn, so the default was used'],
  ] as const)('%s: goes on with the default', async (kind, words) => {
    const asking = await untilResults([`${plainText}. Ask me how to count returns.`]);
    expect(then(asking, { changes: [change(kind)] }).output.report?.body).toContain(words);
  });

  test('an answer that names neither: the default, said so', async () => {
    const asking = await untilResults([`${plainText}. Ask me how to count returns.`]);
    const { output } = then(asking, { answers: [answerOf(null, { text: 'whatever' })], changes: [change('answered')] });
    expect(output.report?.body).toContain('Your answer names neither, so the default was used');
  });

  test('H5 a scheduled run asks nobody', async () => {
    const run = { ...turnInput([]).run, scheduled: true };
    const { output } = await untilResults([`${plainText}. Ask me how to count returns.`], { run });
    expect(output.ask).toBeUndefined();
    expect(output.report).toBeDefined();
  });

  test('R8 a question withheld with its turn is asked again', async () => {
    const asking = await untilResults([`${plainText}. Ask me how to count returns.`]);
    const v2 = amended(asking, 'also IBM', { changes: [change('withheld', { what: 'ask', ids: ['returns'] })] });
    const toolResults = [...v2.input.toolResults, ...(await resultsFor(v2.output, 2))];
    expect(then(v2, { toolResults }).output.ask).toHaveLength(1);
  });

  test('A12 a continued run reads the original request and a late answer of its parent', async () => {
    const material = {
      sha256: null,
      available: true,
      unavailableReason: null,
      historical: true,
      trust: 'verified' as const,
      fromRunId: 'p',
      requirementsVersion: 1,
      producedAt: null,
      truncatedFromBytes: null,
    };
    const materials: TurnInput['materials'] = [
      { ...material, kind: 'original_request', ref: 'o', text: `${plainText}. Ask me how to count returns.` },
      { ...material, kind: 'late_answer', ref: 'l', text: 'annualised' },
    ];
    const run = { ...turnInput([]).run, continuationOfRunId: 'p' };
    const { output } = await untilResults(['Go on'], { run, materials });
    expect(output.report?.body).toContain('Your late answer to the earlier run: annualised.');
    expect(output.report?.body).toContain('# MSFT and AAPL, 2007-03 to 2010-03');
  });

  test('A9 a follow-up takes instruments and period from the earlier request, not its share', async () => {
    const materials: TurnInput['materials'] = [
      {
        kind: 'original_request',
        ref: 'o',
        text: demoText,
        sha256: null,
        available: true,
        unavailableReason: null,
        historical: true,
        trust: 'verified',
        fromRunId: 'p',
        requirementsVersion: 1,
        producedAt: null,
        truncatedFromBytes: null,
      },
    ];
    const { output } = await untilResults(['And IBM, annualised?'], { materials });
    expect(output.report?.body).toContain('# IBM, 2007-03 to 2010-03');
    expect(output.actions).toBeUndefined();
  });
});

describe('market-report, its versions', () => {
  test('R7 what does not cover the new period is dropped, called anew, never cited', async () => {
    const v1 = await untilResults([`${plainText}. Ask me how to count returns.`]);
    const v2 = amended(v1, 'since 2005, without AAPL, also IBM');
    expect(v2.output.toolCalls?.map(({ callId }) => callId)).toEqual([
      'prices.MSFT.2005-01.2010-03.v2',
      'prices.IBM.2005-01.2010-03.v2',
    ]);
    expect(v2.output.results).toEqual({ reuse: [], drop: v1.input.toolResults.map(({ callId }) => callId) });
    const toolResults = [...v2.input.toolResults, ...(await resultsFor(v2.output, 2))];
    const answers = [answerOf('cumulative', { needsRecheck: true })];
    const { output } = then(v2, { toolResults, answers });
    expect(output.report?.sources).toEqual([
      { callId: 'prices.MSFT.2005-01.2010-03.v2' },
      { callId: 'prices.IBM.2005-01.2010-03.v2' },
    ]);
  });

  test('R7 a result before a merged entity event is reused by name', async () => {
    const v1 = await untilResults([`${plainText}. Ask me how to count returns.`]);
    const event = change('entity_event', {
      eventKind: 'split',
      eventAt: '2010-01-01T00:00:00Z',
      correlationId: null,
      text: 'AAPL may split',
      messageId: 'm',
      confirmed: false,
    });
    const toolResults = v1.input.toolResults.map((result) => ({ ...result, needsRecheck: true }));
    const { output } = then(v1, { toolResults, changes: [event], answers: [answerOf('cumulative')] });
    expect(output.results?.reuse).toHaveLength(2);
    expect(output.report?.body).toContain('Event, unconfirmed (split):\n\n> AAPL may split');
  });

  test('R22 stale_source: the results are called again; refused for ever: it fails and says why', async () => {
    const v1 = await untilResults([plainText]);
    const refused = change('report_refused', { code: 'stale_source', detail: null });
    const toolResults = v1.input.toolResults.map((result) => ({ ...result, needsRecheck: true }));
    let step = then(v1, { toolResults, changes: [refused] });
    expect(step.output.toolCalls?.[0]?.callId).toBe('prices.MSFT.2007-03.2010-03.v1.again');
    step = then(step, { toolResults: [...toolResults, ...(await resultsFor(step.output, 1))] });
    expect(step.output.report?.sources).toEqual([
      { callId: 'prices.MSFT.2007-03.2010-03.v1.again' },
      { callId: 'prices.AAPL.2007-03.2010-03.v1.again' },
    ]);
    for (let i = 0; i < 4; i += 1) step = then(step, { changes: [refused] });
    expect(step.output.fail).toMatchObject({ code: 'report_refused' });
  });

  test('R13 asked again although nothing moved: it reports instead of waiting for ever', async () => {
    const waiting = await untilResults([`${plainText}. Ask me how to count returns.`]);
    expect(then(waiting, {}).output.report?.body).toContain('the default was used');
  });

  test('R13 a call whose result never came is a gap, not a call again', async () => {
    const first = turnInput([plainText]);
    const called = ask(first);
    const { output } = then(
      { input: first, output: called },
      { toolResults: (await resultsFor(called, 1)).slice(0, 1) },
    );
    expect(output.report?.body).toContain('AAPL: could not be read (the result is not at hand)');
    expect(output.report?.sources).toEqual([{ callId: 'prices.MSFT.2007-03.2010-03.v1' }]);
  });

  test('R24 a tool that is not granted: a plain report, no failure', async () => {
    const first = turnInput(['Compare MSFT']);
    const called = ask(first);
    const [result] = await resultsFor(called, 1);
    const refused = { ...result!, ok: false, output: null, error: { code: 'not_granted', message: 'not granted' } };
    const { output } = then({ input: first, output: called }, { toolResults: [refused] });
    expect(output.report?.body).toContain('The prices of MSFT could not be read: not granted.');
  });
});

describe('market-report, its actions', () => {
  const text = `${plainText}, cumulative. Share it with Dana`;

  test.each<[ActionView['state'], string]>([
    ['denied', 'not sent: the approval was denied'],
    ['failed', 'the other side confirmed that it failed'],
    ['blocked', 'whether it was sent cannot be found out'],
    ['disputed', 'the evidence about it contradicts itself'],
    ['withdrawn', 'not sent: it was withdrawn'],
    ['succeeded', 'done'],
  ])('%s is reported in plain words', async (state, words) => {
    const proposed = await untilResults([text]);
    expect(proposed.output.actions?.[0]?.subject).toBe('task-1.Dana');
    const { output } = then(proposed, {
      actions: [actionOf(proposed.output, state)],
      changes: [change('action_failed')],
    });
    expect(output.report?.body).toContain(words);
    expect(output.actions).toBeUndefined();
  });

  test.each<ActionView['state']>(['proposed', 'awaiting_approval', 'admitted', 'sending', 'unknown'])(
    'E1 R22 %s: it waits, and proposes nothing twice',
    async (state) => {
      const proposed = await untilResults([text]);
      const { output } = then(proposed, {
        actions: [actionOf(proposed.output, state)],
        changes: [change('action_unknown')],
      });
      expect(isWait(output)).toBe(true);
    },
  );

  test.each([
    ['already_done', 'had been done before, not sent again — `contact-api:share:task-1.Dana:v1`'],
    ['earlier_action_unsettled', 'an earlier try is not settled yet'],
    ['not_granted', 'not sent: refused (not_granted)'],
  ])('E1 refused as %s', async (code, words) => {
    const proposed = await untilResults([text]);
    const refusal = change('action_refused', {
      proposalId: 'share.Dana.v1',
      code,
      actionKey: 'contact-api:share:task-1.Dana:v1',
    });
    expect(then(proposed, { changes: [refusal] }).output.report?.body).toContain(words);
  });

  test('E1 done under an earlier version: not done again, and the report says which figures went out', async () => {
    const v1 = await untilResults([text]);
    const { output } = amended(v1, 'Only the last year', { actions: [actionOf(v1.output, 'succeeded')] });
    expect(output.actions).toBeUndefined();
    expect(output.report?.body).toContain('it was sent for version 1, before your change, and is not sent twice');
  });

  test('H4 denied under an earlier version: not proposed again', async () => {
    const v1 = await untilResults([text]);
    const { output } = amended(v1, 'Only the last year', { actions: [actionOf(v1.output, 'denied')] });
    expect(output.actions).toBeUndefined();
    expect(output.report?.body).toContain('the approval was denied');
  });

  test('R8 a proposal withheld with its turn is made again, under the new version', async () => {
    const v1 = await untilResults([text]);
    const withheld = change('withheld', { what: 'actions', ids: ['share.Dana.v1'] });
    const { output } = amended(v1, 'Only the last year', { changes: [withheld] });
    expect(output.actions).toMatchObject([{ proposalId: 'share.Dana.v2' }]);
  });

  test('two recipients are two subjects, however alike', async () => {
    const { output } = await untilResults([`${plainText}, cumulative. Share it with a+b@x.org and a-b@x.org`]);
    expect(new Set(output.actions?.map(({ subject }) => subject)).size).toBe(2);
  });
});

describe('market-report, what it cannot do', () => {
  test.each([
    ['Please write me a poem', 'The request names no instrument that the data have.'],
    ['Compare TSLA and NVDA', 'There are no prices for TSLA and NVDA: the data have MSFT, AMZN, IBM, GOOG and AAPL.'],
    ['Compare MSFT since 2015', 'There are no prices from 2015-01 to 2015-01: the data go from 2000-01 to 2010-03.'],
    ['', 'The request names no instrument that the data have.'],
  ])('X4 "%s" is answered in plain words, at once', (text, words) => {
    const output = ask(turnInput([text]));
    expect(output.report).toMatchObject({ contentType: 'text/markdown' });
    expect(output.report?.body).toContain(words);
    expect(output.report?.body).toContain('For example: Compare MSFT and AAPL over the last three years.');
    expect(output.fail).toBeUndefined();
  });

  test('a period before an instrument began: no figures for it', async () => {
    const { output } = await untilResults(['Compare GOOG 2001 to 2002']);
    expect(output.report?.body).toContain('There are no prices of GOOG from 2001-01 to 2002-12.');
  });

  test('partly unknown, partly shorter: told beside the figures', async () => {
    const { output } = await untilResults(['Compare GOOG, MSFT and TSLA since 2003, cumulative']);
    expect(output.report?.body).toContain('No data for TSLA');
    expect(output.report?.body).toContain('GOOG starts 2004-08');
  });

  test('deterministic, and untouched by a state it did not write', async () => {
    const { input, output } = await untilResults([demoText]);
    expect(decideTurn(structuredClone(input))).toEqual(decideTurn(input));
    expect(output.usage).toBeUndefined();
    const foreign = ask({ ...input, state: { value: null, requirementsVersion: 1 } });
    expect(foreign.actions).toEqual(output.actions);
  });
});
