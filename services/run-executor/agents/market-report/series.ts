import type { ToolResult, TurnInput } from '../../../../schemas/turn-protocol/input';
import type { ToolCall } from '../../../../schemas/turn-protocol/output';
import type { PriceSeries } from '../../tools/price-series';
import type { Memory } from './memory';
import type { Period } from './months';

export const priceTool = 'price-series';

export interface ReadSeries {
  symbol: string;
  callId: string;
  series: PriceSeries;
}
export interface SeriesPlan {
  found: readonly ReadSeries[];
  calls: readonly ToolCall[];
  gaps: readonly { symbol: string; reason: string }[];
  reuse: readonly string[];
  drop: readonly string[];
}

/** Results are this agent's own calls to a tool whose output has passed the executor: only the shape is checked. */
const asSeries = (result: ToolResult): PriceSeries | null => {
  const output = result.output as Partial<PriceSeries> | null;
  const sound = result.ok && typeof output === 'object' && output !== null && Array.isArray(output.rows);
  return sound && typeof output.source === 'object' ? (output as PriceSeries) : null;
};

const covers = (result: ToolResult, symbol: string, period: Period): boolean => {
  const { symbol: asked, from, to } = (result.input ?? {}) as Partial<Record<string, string>>;
  return asked === symbol && from !== undefined && to !== undefined && from <= period.from && to >= period.to;
};

/**
 * R7: a result of an earlier version that still covers what is asked is reused by name, and so becomes evidence for
 * this one; one that does not is dropped and its series called anew. A call's id carries the version, so that a call
 * dropped under one is another call under the next.
 */
export const planSeries = (
  input: TurnInput,
  memory: Memory,
  symbols: readonly string[],
  period: Period,
): SeriesPlan => {
  const { version, stale } = memory.refusals;
  const usable = input.toolResults.filter(({ tool, needsRecheck }) => tool === priceTool && !(stale && needsRecheck));
  const found: ReadSeries[] = [];
  const calls: ToolCall[] = [];
  const gaps: { symbol: string; reason: string }[] = [];
  for (const symbol of symbols) {
    const result = usable.findLast((candidate) => asSeries(candidate) !== null && covers(candidate, symbol, period));
    const series = result === undefined ? null : asSeries(result);
    if (result !== undefined && series !== null) {
      found.push({ symbol, callId: result.callId, series });
      continue;
    }
    const callId = `prices.${symbol}.${period.from}.${period.to}.v${version}${stale ? '.again' : ''}`;
    const failed = input.toolResults.find((candidate) => candidate.callId === callId);
    if (failed !== undefined) gaps.push({ symbol, reason: failed.error?.message ?? 'the answer had no prices' });
    else if (memory.called.includes(callId)) gaps.push({ symbol, reason: 'the result is not at hand' });
    else calls.push({ callId, tool: priceTool, input: { symbol, from: period.from, to: period.to } });
  }
  const used = new Set(found.map(({ callId }) => callId));
  const rechecked = input.toolResults.filter(({ needsRecheck }) => needsRecheck).map(({ callId }) => callId);
  return {
    found,
    calls,
    gaps,
    reuse: rechecked.filter((callId) => used.has(callId)),
    drop: rechecked.filter((callId) => !used.has(callId)),
  };
};
