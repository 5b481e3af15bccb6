import type { Result } from './result';
import { sameWork } from './result';
import type { Stage } from './stages';

const escape = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly was: number | undefined;
}

const rowHeight = 26;
const barLeft = 250;
const barWidth = 420;

/** One plot: a bar each, the earlier measurement as a thin line below it. */
const plot = (title: string, unit: string, bars: readonly Bar[]): string => {
  const most = Math.max(...bars.flatMap(({ value, was }) => [value, was ?? 0]), Number.MIN_VALUE);
  const lines = bars.map(({ label, value, was }, index) => {
    const y = index * rowHeight + 4;
    const width = (n: number): string => ((n / most) * barWidth).toFixed(1);
    const before =
      was === undefined ? '' : `<rect class="was" x="${barLeft}" y="${y + 15}" width="${width(was)}" height="3"/>`;
    return `<text x="${barLeft - 8}" y="${y + 12}" text-anchor="end">${escape(label)}</text>
<rect x="${barLeft}" y="${y}" width="${width(value)}" height="14"/>${before}
<text x="${barLeft + (value / most) * barWidth + 6}" y="${y + 12}">${value}${was === undefined ? '' : ` (was ${was})`}</text>`;
  });
  return `<h2>${escape(title)}, ${escape(unit)}</h2>
<svg viewBox="0 0 800 ${bars.length * rowHeight + 8}" role="img" aria-label="${escape(title)}">${lines.join('\n')}</svg>`;
};

const labelOf = (one: Result): string =>
  [
    one.workload === 'admit-run-effect-publish' ? 'run' : one.workload,
    one.killed ?? '',
    one.channel,
    one.ratePerSec === undefined ? `${one.inFlight} in flight` : `${one.ratePerSec}/s`,
    one.instances === undefined ? '' : `${one.instances} instances`,
    one.storedRows === undefined ? '' : `${one.storedRows.toLocaleString('en')} rows`,
  ]
    .filter((part) => part !== '')
    .join(' · ');

/** A page of its own, without scripts or anything from elsewhere: figures as plots and as the table behind them. */
export const htmlOf = (results: readonly Result[], baseline: readonly Result[], stages: readonly Stage[]): string => {
  const bars = (of: (one: Result) => number | undefined): Bar[] =>
    results.flatMap((one) => {
      const value = of(one);
      const other = baseline.find((was) => sameWork(was, one));
      return value === undefined
        ? []
        : [{ label: labelOf(one), value, was: other === undefined ? undefined : of(other) }];
    });
  const names = Object.keys(results[0]?.cpuSecPer1000 ?? {});
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Fairlead benchmark</title>
<style>
:root { color-scheme: light dark; } body { font: 15px/1.5 system-ui, sans-serif; max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
svg { width: 100%; } svg text { font-size: 12px; fill: currentColor; } rect { fill: #4c7fb8; } rect.was { fill: #b8863c; }
table { border-collapse: collapse; } td, th { padding: 2px 10px; text-align: right; } td:first-child, th:first-child { text-align: left; }
</style>
<h1>Fairlead benchmark</h1><p>${new Date().toISOString()}, Node ${escape(process.version)}</p>
${plot(
  'Speed',
  'runs/s',
  bars((one) => one.runsPerSec),
)}
${plot(
  'Latency p50',
  'ms',
  bars((one) => one.p50Ms),
)}
${plot(
  'Latency p99',
  'ms',
  bars((one) => one.p99Ms),
)}
${plot(
  'CPU',
  'seconds per 1000 runs',
  bars((one) => one.cpuSecPer1000['total']),
)}
<h2>CPU seconds per 1000 runs, and MiB, by process</h2>
<table><tr><th></th>${names.map((name) => `<th>${escape(name)}</th>`).join('')}</tr>
${results
  .map((one) => {
    const cells = names.map(
      (name) => `<td>${one.cpuSecPer1000[name] ?? ''}<br><small>${one.memoryMiB[name] ?? ''}</small></td>`,
    );
    return `<tr><td>${escape(labelOf(one))}</td>${cells.join('')}</tr>`;
  })
  .join('\n')}</table>
${
  stages.length === 0
    ? ''
    : `<h2>Where the time of one message goes</h2>
<table><tr><th>service</th><th>span</th><th>per run</th><th>begins, ms</th><th>p50 ms</th><th>p99 ms</th></tr>
${stages.map((one) => `<tr><td>${escape(one.service)}</td><td>${escape(one.span)}</td><td>${one.perRun}</td><td>${one.fromMs}</td><td>${one.p50Ms}</td><td>${one.p99Ms}</td></tr>`).join('\n')}</table>`
}
</html>
`;
};
