// Writes the dashboards of dashboards.mjs as JSON, for Grafana to load.
import { writeFileSync } from 'node:fs';
import { dashboards } from './dashboards.mjs';

for (const { file, dashboard } of dashboards())
  writeFileSync(new URL(file, import.meta.url), `${JSON.stringify(dashboard, null, 2)}\n`);
