// The checks that need no server, and how jest's projects are run and counted.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoRoot, stateDir } from './ports.mjs';

const phaseTimeoutMs = 25 * 60_000;
/** A test that left something open keeps jest from ending: it is a failure, and must not hold up the rest. */
const leftOpenMs = 20_000;

const formatted = '{services,schemas,examples,infra,test,bin,scripts}/**/*.{ts,tsx,mts,mjs,js,css}';

const checks = [
  { name: 'types', command: 'tsc', args: ['--noEmit', '-p', '.'] },
  { name: 'types of the console', command: 'tsc', args: ['--noEmit', '-p', 'services/console'] },
  {
    name: 'lint',
    command: 'eslint',
    args: ['.', '--max-warnings', '0', '--cache', '--cache-location', join(stateDir(), 'eslint.cache')],
  },
  {
    name: 'format',
    command: 'prettier',
    args: ['--check', '--log-level', 'warn', '--no-error-on-unmatched-pattern', formatted, '*.{mjs,cjs,js}'],
  },
  { name: 'imports', command: 'depcruise', args: ['services', 'schemas', '--output-type', 'err'] },
];

const children = new Set();

/** Ends the tools that are running, when the command is interrupted. */
export const endTools = () => children.forEach((child) => child.kill('SIGKILL'));

/** Runs a tool of node_modules/.bin with its output on ours; resolves with true when it exited with 0. */
const tool = (command, args, { env = process.env, quiet = false, signal } = {}) =>
  new Promise((resolve) => {
    const child = spawn(join(repoRoot(), 'node_modules', '.bin', command), args, {
      cwd: repoRoot(),
      env,
      signal,
      killSignal: 'SIGKILL',
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    });
    children.add(child);
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    const timer = setTimeout(() => {
      console.error(`${command} did not end within ${phaseTimeoutMs / 60_000} minutes`);
      child.kill('SIGKILL');
    }, phaseTimeoutMs);
    const finish = (ok) => {
      clearTimeout(timer);
      children.delete(child);
      resolve({ ok, output });
    };
    child.once('error', () => finish(false));
    child.once('close', (code) => finish(code === 0));
  });

/** Types, lint, format and imports, two at a time; resolves with the number that failed. */
export const runChecks = async () => {
  const waiting = [...checks];
  let failed = 0;
  const worker = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const { ok, output } = await tool(check.command, check.args, { quiet: true });
      console.error(`${ok ? 'ok    ' : 'FAILED'} ${check.name}`);
      if (ok) continue;
      failed += 1;
      console.error(output.trim());
    }
  };
  await Promise.all([worker(), worker()]);
  return failed;
};

const counts = (path, ok) => {
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 1 };
  }
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return { passed: report.numPassedTests, failed: ok ? failed : Math.max(failed, 1) };
};

/** Runs jest's projects; a run that crashes or leaves no report counts as one failure. */
export const runJest = async (projects, { env = process.env, inBand = false } = {}) => {
  console.error(`\n${projects.join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-jest-'));
  const report = join(folder, 'report.json');
  const abort = new AbortController();
  let writtenAt = null;
  const watch = setInterval(() => {
    if (writtenAt === null && existsSync(report)) writtenAt = Date.now();
    if (writtenAt === null || Date.now() - writtenAt < leftOpenMs) return;
    console.error(`${projects.join(', ')}: a test left something open, and jest did not end`);
    abort.abort();
  }, 1_000);
  try {
    const { ok } = await tool(
      'jest',
      [
        '--selectProjects',
        ...projects,
        ...(inBand ? ['--runInBand'] : ['--maxWorkers=2']),
        '--passWithNoTests',
        '--json',
        `--outputFile=${report}`,
      ],
      // With --json jest prints the report itself too; only its progress, on stderr, is of interest here.
      { env, quiet: false, signal: abort.signal },
    );
    return counts(report, ok);
  } finally {
    clearInterval(watch);
    rmSync(folder, { recursive: true, force: true });
  }
};
