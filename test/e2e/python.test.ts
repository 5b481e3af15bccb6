import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pythonWith } from '../support/python';
import { fresh, system, type System } from '../support/system';

jest.setTimeout(240_000);

let stack: System;
let python: string;

beforeAll(async () => {
  stack = await system();
  python = await pythonWith('confluent-kafka[avro,schemaregistry]==2.16.1');
});

test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'])(
  'a foreign producer (Python, AvroSerializer, %s) gets its receipts, and its words are kept byte for byte (A17, X1)',
  async (codec) => {
    const [conversation, id] = [fresh('py'), fresh('p')];
    const printed = await new Promise<string>((resolve, reject) => {
      execFile(
        python,
        [join(__dirname, '../../examples/upstream.py'), conversation, id, codec],
        { env: process.env, timeout: 60_000 },
        (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Error(stderr))),
      );
    });
    const { statuses, runId } = JSON.parse(printed) as { statuses: string[]; runId: string };
    expect(statuses.at(-1)).toBe('run_started');
    const run = await stack.completed(runId);
    expect(run.state).toBe('completed');
    const { versions } = await stack.alice.get<{ versions: { text: string }[] }>(`/v1/runs/${runId}`);
    expect(versions[0]?.text).toBe('Compare IBM and AMZN since 2006 — üöä 😀');
  },
);
