import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { dashboards } from '../../infra/grafana/dashboards.mjs';
import { statuses as actionStates } from '../../services/effect-ledger/state';
import { openMetrics } from '../../services/platform/metrics';
import { terminalStatuses } from '../../services/run-executor/run-status';
import { liveStatuses } from '../../services/run-executor/state';
import { read, root } from '../support/documents';
import { promtool, say, testWith } from '../support/tools';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

interface AlertTest {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}

const alerts = (parse(read('infra/prometheus/alerts.yaml')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

/** Every metric there is: what the platform opens, and what a service adds by name. */
const exported = async (): Promise<Set<string>> => {
  const own = [...(await openMetrics('any', ['a.topic']).text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const added = readdirSync(join(root, 'services'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[^/]+\/\w+\.ts$/.test(name))
    .flatMap((name) => [...read(`services/${name}`).matchAll(/metrics\.(states|gauge|counter|seconds)\(\s*'(\w+)'/g)]);
  const found = [
    ...own.map(([, name = '', type]) => ({ name, histogram: type === 'histogram' })),
    ...added.map(([, type, name = '']) => ({ name, histogram: type === 'seconds' })),
  ];
  return new Set(
    found.flatMap(({ name, histogram }) =>
      histogram ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
    ),
  );
};

const words = new Set(['by', 'or', 'and', 'unless', 'offset', 'without', 'on', 'ignoring']);

/** The metrics a query reads: what is left without matchers, grouping, functions and words of the language. */
const metricsIn = (query: string): string[] =>
  [
    ...query
      .replace(/\{[^}]*\}|"[^"]*"|\[\w+\]/g, ' ')
      .replace(/\b(by|without)\s*\([^)]*\)/g, ' ')
      .matchAll(/\b[a-z_]\w*\b(?!\s*\()/g),
  ]
    .map(([name]) => name)
    .filter((name) => !words.has(name));

const queries = [
  ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
  ...dashboards().flatMap(({ file, dashboard }) =>
    dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: `${file}: ${title}`, expr }))),
  ),
];

test('alerts and dashboards read only metrics that are exported', async () => {
  // Prometheus itself says whether a target answers.
  const known = (await exported()).add('up');
  expect(metricsIn('sum by (a) (rate(x_total{b="c"}[5m])) > 0 or y_seconds offset 15m')).toEqual([
    'x_total',
    'y_seconds',
  ]);
  const unknown = queries.flatMap(({ where, expr }) =>
    metricsIn(expr).flatMap((name) => (known.has(name) ? [] : [`${where}: ${name}`])),
  );
  expect(unknown).toEqual([]);
});

test('states that alerts and dashboards choose are states of runs, actions and interactions', () => {
  const known: Readonly<Record<string, readonly string[]>> = {
    fairlead_runs: [...liveStatuses, ...terminalStatuses],
    fairlead_run_state_oldest_age_seconds: liveStatuses,
    fairlead_actions: actionStates,
    fairlead_interactions: ['open', 'answered', 'closed'],
  };
  const chosen = queries.flatMap(({ where, expr }) =>
    [...expr.matchAll(/(\w+)\{state[=!~]+"([^"]*)"\}/g)].flatMap(([, metric = '', states = '']) =>
      states.split('|').map((state) => ({ where, metric, state })),
    ),
  );
  expect(chosen.length).toBeGreaterThan(5);
  expect(chosen.filter(({ metric, state }) => known[metric]?.includes(state) !== true)).toEqual([]);
});

test('every alert has its section in the runbook, and every section its alert', () => {
  const sections = [...read('docs/runbook.md').matchAll(/^## (\S+)$/gm)].map(([, name]) => name);
  expect(alerts.map(({ alert }) => alert).sort()).toEqual([...sections].sort());
  for (const { alert, annotations, labels } of alerts) {
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    expect(['warning', 'critical']).toContain(labels.severity);
  }
});

test('every command of the runbook is one', () => {
  const commands = new Set(
    readdirSync(join(root, 'services/cli')).flatMap((name) =>
      [...read(`services/cli/${name}`).matchAll(/\.command\(\s*'([\w-]+)/g)].map(([, command]) => command),
    ),
  );
  const asked = [...read('docs/runbook.md').matchAll(/`npx fairlead ([a-z]+)(?: ([a-z]+))?/g)];
  expect(asked.length).toBeGreaterThan(10);
  for (const [, first, second] of asked) {
    expect(commands).toContain(first);
    if (second !== undefined && second !== 'unknown') expect(commands).toContain(second);
  }
});

test('every alert is tried by promtool where it is due and where it is not', () => {
  const { tests } = parse(read('infra/prometheus/alerts.test.yaml')) as { tests: AlertTest[] };
  const tried = tests.flatMap(({ alert_rule_test }) =>
    alert_rule_test.map(({ alertname, exp_alerts }) => `${alertname} ${exp_alerts.length > 0 ? 'due' : 'quiet'}`),
  );
  expect(tried.sort()).toEqual(alerts.flatMap(({ alert }) => [`${alert} due`, `${alert} quiet`]).sort());
});

const checker = promtool();
testWith({ promtool: checker })('promtool: the alerts are due when they should be', () => {
  const folder = join(root, 'infra/prometheus');
  expect(say(checker, ['check', 'rules', 'alerts.yaml'], folder)).toMatchObject({ ok: true });
  expect(say(checker, ['test', 'rules', 'alerts.test.yaml'], folder)).toMatchObject({ ok: true });
});

test('the dashboards are written from dashboards.mjs, and no panel lies on another', () => {
  expect(dashboards().map(({ file }) => file)).toEqual(['overview.json', 'service.json', 'ledger.json', 'people.json']);
  for (const { file, dashboard } of dashboards()) {
    expect(JSON.parse(read(`infra/grafana/${file}`))).toEqual(JSON.parse(JSON.stringify(dashboard)));
    const places = dashboard.panels.map(({ gridPos }) => gridPos);
    for (const [index, one] of places.entries())
      for (const other of places.slice(index + 1))
        expect(
          one.x + one.w <= other.x ||
            other.x + other.w <= one.x ||
            one.y + one.h <= other.y ||
            other.y + other.h <= one.y,
        ).toBe(true);
  }
});
