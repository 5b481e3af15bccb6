import type { TurnInput } from '../../../../schemas/turn-protocol/input';
import type { TurnOutput } from '../../../../schemas/turn-protocol/output';
import type { Agent } from '../agent';
import { askReturns, countingOf, mustAsk, questionText, returnsQuestion, type Counting } from './counting';
import { figuresOf, type Figures } from './figures';
import { recall, sightOf, withIds, type Memory } from './memory';
import { dataEnd, dataStart, type Period } from './months';
import { readRequest, type MarketRequest } from './read-request';
import { planSeries, type SeriesPlan } from './series';
import { planShares, proposalOf, type Share } from './sharing';
import { allSymbols } from './symbol-words';
import { listOf, titleOf, writePlainReport, writeReport } from './write-report';

const refusalsMax = 5;

/** Compares instruments on real monthly prices. Deterministic: the same sealed input gives the same answer. */
export const marketReport: Agent = async (input) => decideTurn(input);

export const decideTurn = (input: TurnInput): TurnOutput => {
  const memory = recall(input);
  const request = readRequest(input);
  if (memory.refusals.count >= refusalsMax) {
    return {
      for: input.for,
      state: memory,
      fail: { code: 'report_refused', message: `the report was refused ${memory.refusals.count} times` },
    };
  }
  const reasons = reasonsAgainst(request);
  if (request.period === null || reasons.length > 0) return plainTurn(input, memory, request, reasons);
  const plan = planSeries(input, memory, request.symbols, request.period);
  if (plan.calls.length > 0) return callTurn(input, memory, request, plan);
  return workTurn(input, memory, request, request.period, plan);
};

const reasonsAgainst = (request: MarketRequest): string[] => {
  const { symbols, unknown, asked, period } = request;
  const reasons: string[] = [];
  if (symbols.length === 0) {
    reasons.push(
      unknown.length > 0
        ? `There are no prices for ${listOf(unknown)}: the data have ${listOf(allSymbols)}.`
        : 'The request names no instrument that the data have.',
    );
  }
  if (period === null) {
    reasons.push(`There are no prices from ${asked.from} to ${asked.to}: the data go from ${dataStart} to ${dataEnd}.`);
  }
  return reasons;
};

const understoodOf = (request: MarketRequest, counting: Counting | null): string => {
  const { symbols, period, asked, periodWords, recipients, wait } = request;
  const over = period ?? asked;
  const words = periodWords === null ? '' : ` ("${periodWords}")`;
  const returns =
    counting === null
      ? 'not said'
      : counting.from === 'default'
        ? `not said, ${counting.returns} by default`
        : counting.returns;
  return [
    `compare ${symbols.length === 0 ? 'no known instrument' : listOf(symbols)} over ${over.from} to ${over.to}${words}`,
    `returns: ${returns}`,
    ...(recipients.length === 0 ? [] : [`share with ${listOf(recipients)} once approved`]),
    ...(wait === 'asked_to_wait' ? ['wait for your answer'] : []),
    ...(wait === 'asked_not_to_wait' ? ['do not wait for an answer'] : []),
  ].join('; ');
};

const resultsOf = (plan: SeriesPlan): Pick<TurnOutput, 'results'> =>
  plan.reuse.length + plan.drop.length === 0 ? {} : { results: { reuse: [...plan.reuse], drop: [...plan.drop] } };

const callTurn = (input: TurnInput, memory: Memory, request: MarketRequest, plan: SeriesPlan): TurnOutput => {
  const called = withIds(
    memory.called,
    plan.calls.map(({ callId }) => callId),
  );
  return {
    for: input.for,
    state: { ...memory, called, waitedOn: null },
    understood: understoodOf(request, countingOf(input, memory, request)),
    toolCalls: [...plan.calls],
    ...resultsOf(plan),
  };
};

/** Actions that hold the report gate, or may still settle by themselves. */
const openStates: ReadonlySet<string> = new Set(['proposed', 'awaiting_approval', 'admitted', 'sending', 'unknown']);
const hasOpenAction = (input: TurnInput): boolean => input.actions.some(({ state }) => openStates.has(state));

const waitTurn = (input: TurnInput, memory: Memory): TurnOutput => ({
  for: input.for,
  state: { ...memory, waitedOn: sightOf(input) },
});

const plainTurn = (
  input: TurnInput,
  memory: Memory,
  request: MarketRequest,
  reasons: readonly string[],
): TurnOutput => {
  const understood = understoodOf(request, null);
  if (hasOpenAction(input) && !memory.idle) return { ...waitTurn(input, memory), understood };
  const body = writePlainReport({ version: input.requirements.version, request, reasons, notes: memory.notes });
  return { for: input.for, state: memory, understood, report: { body, contentType: 'text/markdown', sources: [] } };
};

const workTurn = (
  input: TurnInput,
  memory: Memory,
  request: MarketRequest,
  period: Period,
  plan: SeriesPlan,
): TurnOutput => {
  const figures = plan.found.flatMap(({ symbol, series }) => figuresOf(symbol, series.rows, period) ?? []);
  if (figures.length === 0) return plainTurn(input, memory, request, reasonsForNoFigures(request, plan, period));
  const counting = countingOf(input, memory, request);
  const understood = understoodOf(request, counting);
  const shares = planShares(input, memory, request.recipients);
  const proposals = shares
    .filter(({ state }) => state.kind === 'propose')
    .map((share) =>
      proposalOf(
        share,
        titleOf(
          figures.map(({ symbol }) => symbol),
          period,
        ),
        period,
        figures,
      ),
    );
  const asks = mustAsk(input, memory, counting) ? [askReturns()] : [];
  const acted: Memory = {
    ...memory,
    proposed: withIds(
      memory.proposed,
      proposals.flatMap(({ proposalId }) => proposalId ?? []),
    ),
    asked: withIds(
      memory.asked,
      asks.map(({ questionId }) => questionId),
    ),
  };
  const steps: Partial<TurnOutput> = {
    understood,
    ...(proposals.length === 0 ? {} : { actions: proposals }),
    ...(asks.length === 0 ? {} : { ask: asks }),
    ...resultsOf(plan),
  };
  if (proposals.length > 0 || mustWait(input, acted, request, shares, counting)) {
    return { ...waitTurn(input, acted), ...steps };
  }
  return { ...steps, ...reportTurn(input, acted, { request, period, plan, figures, shares, counting, understood }) };
};

const reasonsForNoFigures = (request: MarketRequest, plan: SeriesPlan, period: Period): string[] =>
  plan.gaps.length > 0
    ? plan.gaps.map(({ symbol, reason }) => `The prices of ${symbol} could not be read: ${reason}.`)
    : [`There are no prices of ${listOf(request.symbols)} from ${period.from} to ${period.to}.`];

const mustWait = (
  input: TurnInput,
  memory: Memory,
  request: MarketRequest,
  shares: readonly Share[],
  counting: Counting,
): boolean => {
  if (memory.idle) return false;
  if (hasOpenAction(input) || shares.some(({ state }) => state.kind === 'wait')) return true;
  const mayAnswer = memory.asked.includes(returnsQuestion) && memory.closed[returnsQuestion] === undefined;
  const answered = input.answers.some(({ questionId }) => questionId === returnsQuestion);
  return counting.from === 'default' && request.wait === 'asked_to_wait' && mayAnswer && !answered;
};

interface Findings {
  request: MarketRequest;
  period: Period;
  plan: SeriesPlan;
  figures: readonly Figures[];
  shares: readonly Share[];
  counting: Counting;
  understood: string;
}

const reportTurn = (input: TurnInput, memory: Memory, findings: Findings): TurnOutput => {
  const { period, plan, figures, shares, counting } = findings;
  const version = input.requirements.version;
  const body = writeReport({ ...findings, version, found: plan.found, gaps: plan.gaps, notes: memory.notes });
  const cited = shares.flatMap(({ state }) =>
    state.kind === 'settled' ? [{ actionKey: state.action.actionKey }] : [],
  );
  return {
    for: input.for,
    state: { ...memory, waitedOn: null },
    report: {
      body,
      contentType: 'text/markdown',
      sources: [...plan.found.map(({ callId }) => ({ callId })), ...cited],
    },
    summary: `${titleOf(
      figures.map(({ symbol }) => symbol),
      period,
    )}: ${counting.returns} returns, version ${version}.`,
    ...(counting.from === 'default' ? { openQuestions: [questionText] } : {}),
  };
};
