// The dashboards as data. `node infra/grafana/write.mjs` writes the JSON files beside this one.
const datasource = { type: 'prometheus', uid: '${datasource}' };
const by = 'service=~"$service"';

/** `targets`: pairs of a query and its legend. */
const panel = (title, targets, { unit = 'short', kind = 'timeseries' } = {}) => ({ title, targets, unit, kind });
const stat = (title, query, unit = 'short') => panel(title, [[query, '']], { unit, kind: 'stat' });
const p99 = (metric, more = '') => `histogram_quantile(0.99, sum by (le${more}) (rate(${metric}_bucket[5m])))`;

const boards = {
  overview: {
    title: 'Fairlead: overview',
    panels: [
      stat(
        'Runs that are not at an end',
        'sum(max by (state) (fairlead_runs{state!~"completed|partial|failed|cancelled|interrupted"}))',
      ),
      stat('Messages not decided', 'max(fairlead_messages_undecided)'),
      stat('Open incidents', 'sum(max by (service, kind) (fairlead_incidents))'),
      stat('Blocked outbox keys', 'sum(max by (service) (fairlead_outbox_blocked_keys))'),
      panel('Runs by state', [['max by (state) (fairlead_runs)', '{{state}}']]),
      panel('Ends a minute', [
        [
          'sum by (state) (clamp_min(delta(fairlead_runs{state=~"completed|partial|failed|cancelled|interrupted"}[5m]), 0)) / 5',
          '{{state}}',
        ],
      ]),
      panel(
        'Age of the oldest record not read',
        [['max by (service, topic) (fairlead_consumer_time_lag_seconds)', '{{service}} {{topic}}']],
        { unit: 's' },
      ),
      panel('Records waiting', [['sum by (consumergroup) (kafka_consumergroup_lag)', '{{consumergroup}}']]),
      panel('Until a settled receipt', [[p99('fairlead_receipt_seconds'), 'p99']], { unit: 's' }),
      panel('A turn', [[p99('fairlead_turn_seconds'), 'p99']], { unit: 's' }),
      panel('Dead letters an hour', [
        ['sum by (service, code) (increase(fairlead_dlt_records_total[1h]))', '{{service}} {{code}}'],
      ]),
      panel('Requests at the gateway a second', [
        ['sum(rate(fairlead_gateway_requests_total[5m]))', 'passed on'],
        ['sum(rate(fairlead_gateway_unavailable_total[5m]))', 'no owner'],
      ]),
    ],
  },
  service: {
    title: 'Fairlead: one service',
    variables: ['service'],
    panels: [
      panel(
        'Age of the oldest record not read',
        [[`max by (topic) (fairlead_consumer_time_lag_seconds{${by}})`, '{{topic}}']],
        { unit: 's' },
      ),
      panel(
        'Since the last commit while records wait',
        [[`max by (topic) (fairlead_consumer_progress_age_seconds{${by}})`, '{{topic}}']],
        { unit: 's' },
      ),
      panel('Records waiting', [[`sum by (topic) (kafka_consumergroup_lag{${by}})`, '{{topic}}']]),
      panel('Commits a second', [
        [`sum by (instance) (rate(fairlead_batch_seconds_count{${by}}[5m]))`, '{{instance}}'],
      ]),
      panel('Messages a commit', [
        [
          `sum(rate(fairlead_batch_items_sum{${by}}[5m])) / clamp_min(sum(rate(fairlead_batch_items_count{${by}}[5m])), 0.001)`,
          'mean',
        ],
      ]),
      panel(
        'A commit',
        [[`histogram_quantile(0.99, sum by (le) (rate(fairlead_batch_seconds_bucket{${by}}[5m])))`, 'p99']],
        { unit: 's' },
      ),
      panel('Outbox', [
        [`max(fairlead_outbox_pending{${by}})`, 'waiting'],
        [`max(fairlead_outbox_blocked_keys{${by}})`, 'blocked keys'],
      ]),
      panel('Oldest in the outbox', [[`max(fairlead_outbox_oldest_pending_age_seconds{${by}})`, 'age']], { unit: 's' }),
      panel('Delivered again', [[`sum(rate(fairlead_inbox_duplicates_total{${by}}[5m]))`, 'a second']]),
      panel('Incidents', [[`max by (kind) (fairlead_incidents{${by}})`, '{{kind}}']]),
      panel('CPU', [[`rate(process_cpu_seconds_total{${by}}[5m])`, '{{instance}}']]),
      panel('Memory', [[`process_resident_memory_bytes{${by}}`, '{{instance}}']], { unit: 'bytes' }),
      panel('Event loop', [[`nodejs_eventloop_lag_p99_seconds{${by}}`, '{{instance}}']], { unit: 's' }),
    ],
  },
  ledger: {
    title: 'Fairlead: effects',
    panels: [
      stat('Unknown', 'max(fairlead_actions{state="unknown"})'),
      stat('Blocked', 'max(fairlead_actions{state="blocked"})'),
      stat('Disputed', 'max(fairlead_actions{state="disputed"})'),
      stat('Oldest unknown', 'max(fairlead_action_oldest_unknown_age_seconds)', 's'),
      panel('Actions not settled', [
        ['max by (state) (fairlead_actions{state!~"succeeded|failed|denied|withdrawn"})', '{{state}}'],
      ]),
      panel('Actions settled', [
        ['max by (state) (fairlead_actions{state=~"succeeded|failed|denied|withdrawn"})', '{{state}}'],
      ]),
      panel('Receipt queries waiting', [
        ['sum(kafka_consumergroup_lag{topic=~".*effect.receipt-queries.v1"})', 'records'],
      ]),
      panel(
        'Oldest receipt query',
        [['max(fairlead_consumer_time_lag_seconds{topic="effect.receipt-queries.v1"})', 'age']],
        { unit: 's' },
      ),
      panel('Incidents of the ledger', [['max by (kind) (fairlead_incidents{service="effect-ledger"})', '{{kind}}']]),
    ],
  },
  people: {
    title: 'Fairlead: people',
    panels: [
      stat('Open questions and approvals', 'max(fairlead_interactions{state="open"})'),
      stat('Runs parked for a person', 'max(fairlead_runs{state="parked"})'),
      stat('Actions awaiting approval', 'max(fairlead_actions{state="awaiting_approval"})'),
      stat('Event streams open', 'sum(fairlead_event_readers)'),
      panel('Interactions', [['max by (state) (fairlead_interactions)', '{{state}}']]),
      panel('Runs that wait', [['max by (state) (fairlead_runs{state=~"waiting|parked|paused"})', '{{state}}']]),
      panel(
        'Longest in a state',
        [['max by (state) (fairlead_run_state_oldest_age_seconds{state=~"waiting|parked|paused"})', '{{state}}']],
        { unit: 's' },
      ),
      panel('Until an answer is stored', [[p99('fairlead_answer_seconds'), 'p99']], { unit: 's' }),
      panel('Until a settled receipt', [[p99('fairlead_receipt_seconds'), 'p99']], { unit: 's' }),
    ],
  },
};

const statWidth = 6;
const graphWidth = 12;

const laidOut = (panels) => {
  let x = 0;
  let y = 0;
  return panels.map(({ title, targets, unit, kind }, index) => {
    const [w, h] = kind === 'stat' ? [statWidth, 4] : [graphWidth, 8];
    // Figures stand in a row of their own above the graphs.
    if (kind !== 'stat' && panels[index - 1]?.kind === 'stat' && x > 0) [x, y] = [0, y + 4];
    const gridPos = { x, y, w, h };
    x += w;
    if (x >= 24) [x, y] = [0, y + h];
    return {
      id: index + 1,
      type: kind,
      title,
      datasource,
      gridPos,
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      options: kind === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { legend: { displayMode: 'list' } },
      targets: targets.map(([expr, legendFormat], at) => ({ refId: 'ABCD'[at], datasource, expr, legendFormat })),
    };
  });
};

const chosen = {
  service: {
    name: 'service',
    label: 'service',
    type: 'query',
    datasource,
    query: 'label_values(fairlead_batch_seconds_count, service)',
    refresh: 2,
  },
};

/** File name and content of each dashboard. */
export const dashboards = () =>
  Object.entries(boards).map(([name, { title, variables = [], panels }]) => ({
    file: `${name}.json`,
    dashboard: {
      uid: `fairlead-${name}`,
      title,
      tags: ['fairlead'],
      schemaVersion: 39,
      version: 1,
      refresh: '30s',
      time: { from: 'now-3h', to: 'now' },
      templating: {
        list: [
          { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
          ...variables.map((each) => chosen[each]),
        ],
      },
      panels: laidOut(panels),
    },
  }));
