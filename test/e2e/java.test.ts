import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { jarsOf, lacking } from '../support/java';
import { fresh, system, type System } from '../support/system';

jest.setTimeout(400_000);

const example = join(__dirname, '../../examples/java');
const missing = lacking();
const here = missing === null ? test : test.skip;

let stack: System;

beforeAll(async () => {
  if (missing === null) stack = await system();
});

here(
  `a foreign producer (Java, kafka-clients, the wire format by hand) gets its receipts; once more is the same message (A2, X1)${
    missing === null ? '' : `: skipped, this machine has no ${missing}`
  }`,
  async () => {
    const jars = jarsOf(join(example, 'pom.xml'));
    const [conversation, id] = [fresh('java'), fresh('j')];
    const send = async (): Promise<string[]> => {
      const printed = await new Promise<string>((resolve, reject) => {
        execFile(
          'java',
          ['-cp', join(jars, '*'), join(example, 'Upstream.java'), conversation, id, 'Compare IBM and AMZN since 2006'],
          { env: process.env, timeout: 90_000 },
          (error, stdout, stderr) => (error === null ? resolve(stdout) : reject(new Error(stderr))),
        );
      });
      return (JSON.parse(printed) as { statuses: string[] }).statuses;
    };
    expect((await send()).at(-1)).toBe('run_started');
    await send();
    const { items } = await stack.alice.get<{ items: { state: string; versions: { text: string }[] }[] }>(
      `/v1/runs?conversationId=${conversation}`,
    );
    expect(items.map(({ versions }) => versions[0]?.text)).toEqual(['Compare IBM and AMZN since 2006']);
  },
);
