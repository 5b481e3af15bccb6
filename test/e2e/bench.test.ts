import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Result } from '../bench/result';

const run = promisify(execFile);
const root = join(__dirname, '../..');
const messages = 12;
/** Variables that would lead the benchmark to the servers and ports of the stack the other tests use. */
const ofAnotherStack = /^(KAFKA_|DATABASE_|TOPIC_PREFIX$|AUTH_|FAIRLEAD_|PORT$)|_URL$/;

jest.setTimeout(240_000);

describe('the benchmark, on a stack of its own', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

  test('E5: with many effects under way a service dies; every run gets its report and no effect happens twice', async () => {
    const args = ['--workload', 'crash', '--concurrency', `${messages}`, '--messages', `${messages}`, '--warm-up', '0'];
    const { stdout } = await run(process.execPath, [join(root, 'infra/local/bench.mjs'), ...args, '--json'], {
      cwd: root,
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofAnotherStack.test(name))),
        FAIRLEAD_HOME: home,
        FAIRLEAD_CACHE: process.env['FAIRLEAD_CACHE'] ?? join(root, '.fairlead/cache'),
      },
    });
    const { results } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { results: Result[] };
    expect(results.map(({ killed, effectsPerKey }) => [killed, effectsPerKey])).toEqual([
      ['run-executor', { 1: messages }],
      ['effect-ledger', { 1: messages }],
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ workload: 'crash', channel: 'kafka', inFlight: messages, messages });
      expect(result.recoverMs).toBeGreaterThan(0);
      expect(result.p50Ms).toBeLessThanOrEqual(result.p99Ms);
      expect(result.cpuSecPer1000['total']).toBeGreaterThan(0);
      expect(result.memoryMiB['run-executor']).toBeGreaterThan(0);
    }
  });
});
