import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfiguration } from '../../services/platform/configuration';
import { buildAgents } from '../../services/run-executor/agents/build-agents';
import { askAgent } from '../../services/run-executor/agents/agent';
import { checkOutput } from '../../services/run-executor/turn-protocol/check-output';
import { read, root } from '../support/documents';
import { turnInput } from '../support/turn-input';

/** The first example of the README in this language. */
const example = (language: string): string => {
  const [, text] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(read('README.md')) ?? [];
  if (text === undefined) throw new Error(`README.md has no example in ${language}`);
  return text;
};

test('the configuration of the README is one, and its TypeScript agent answers a turn with a report', async () => {
  const config = parseConfiguration(example('yaml'));
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-readme-'));
  try {
    writeFileSync(join(folder, 'echo.ts'), example('ts').replace("'../services/", `'${root}/services/`));
    const agent = buildAgents(config.agents, { env: {}, baseDir: folder }).get('echo');
    if (agent === undefined) throw new Error('no agent is called echo');
    const input = turnInput(['say it back']);
    const outcome = await askAgent(agent, {
      inputBytes: Buffer.from(JSON.stringify(input)),
      inputSha256: '',
      runId: input.for.runId,
      turn: input.for.turn,
      attempt: 1,
      deadline: new Date(),
      signal: new AbortController().signal,
    });
    if (outcome.kind !== 'output') throw new Error(JSON.stringify(outcome));
    const checked = checkOutput(outcome.raw, input.for);
    expect(checked).toMatchObject({ ok: true, output: { report: { contentType: 'text/markdown' } } });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
