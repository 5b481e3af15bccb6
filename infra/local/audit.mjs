// npm run audit: known holes in the packages that run in production. What is accepted stands in infra/audit-allowed.json,
// each with its reason and the day until which that reason was looked at.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repoRoot } from './ports.mjs';

const waitMs = 60_000;

/** The advisories of a report of npm (format 2), each once, by the id that its page has. */
const advisoriesOf = (report) => {
  const found = new Map();
  for (const { via } of Object.values(report.vulnerabilities ?? {}))
    for (const one of via)
      if (typeof one === 'object') found.set(one.url.split('/').at(-1), { ...one, id: one.url.split('/').at(-1) });
  return [...found.values()];
};

/** What is wrong, one line each; nothing wrong = an empty list. `report` = null when npm brought none. */
export const judge = (report, allowed, today) => {
  const wrong = [];
  for (const { id, reason, until } of allowed) {
    if (typeof id !== 'string' || typeof reason !== 'string' || reason.length < 10 || !/^\d{4}-\d\d-\d\d$/.test(until))
      wrong.push(`infra/audit-allowed.json: ${id} needs a reason and an until`);
    else if (until < today) wrong.push(`infra/audit-allowed.json: ${id} was accepted until ${until}: look at it again`);
  }
  const known = new Set(allowed.map(({ id }) => id));
  const advisories = advisoriesOf(report);
  for (const { id, name, severity, title, range } of advisories)
    if (!known.has(id)) wrong.push(`${id} ${severity} ${name} ${range}: ${title}`);
  for (const { id } of allowed)
    if (!advisories.some((one) => one.id === id))
      wrong.push(`infra/audit-allowed.json: ${id} is no longer found: take it out`);
  return wrong;
};

/** What npm said, or why it could not be asked. */
export const reportOf = (text) => {
  try {
    const said = JSON.parse(text);
    return said.auditReportVersion === 2
      ? { report: said }
      : { why: said.message ?? said.error?.summary ?? 'no report' };
  } catch {
    return { why: 'npm said nothing that can be read' };
  }
};

const ask = () =>
  new Promise((resolve) =>
    execFile(
      'npm',
      ['audit', '--omit=dev', '--json', '--fetch-retries=1', '--fetch-timeout=20000'],
      { cwd: repoRoot(), timeout: waitMs, maxBuffer: 64 * 1024 * 1024 },
      // It ends with 1 when it has found something.
      (_error, stdout) => resolve(reportOf(stdout)),
    ),
  );

const main = async () => {
  const { report, why } = await ask();
  if (report === undefined) return console.log(`audit skipped: the registry's audit endpoint cannot be asked (${why})`);
  const allowed = JSON.parse(readFileSync(join(repoRoot(), 'infra/audit-allowed.json'), 'utf8'));
  const wrong = judge(report, allowed, new Date().toISOString().slice(0, 10));
  for (const line of wrong) console.error(line);
  console.log(
    wrong.length === 0 ? `audit passed, ${allowed.length} accepted` : `audit failed, ${wrong.length} findings`,
  );
  if (wrong.length > 0) process.exitCode = 1;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
