import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { askAgent } from '../../services/run-executor/agents/agent';
import { httpAgent } from '../../services/run-executor/agents/http-agent';
import { executor, factsOf, type SentMessages } from '../support/executor';
import { until } from '../support/until';

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

test('H5 R13 the Python agent of the docs asks, parks, is woken by the answer and reports', async () => {
  const port = await freePort();
  const python = spawn('python3', [join(__dirname, '../../docs/agent.py'), String(port)], { stdio: 'ignore' });
  try {
    const agent = httpAgent({ url: `http://127.0.0.1:${port}/`, headers: {}, turnTimeoutMs: 10_000, env: {} });
    const x = executor();
    const answerOf = (sent: SentMessages) => {
      const ask = sent.performs.find((intent) => intent.type === 'ask');
      if (ask?.type !== 'ask' || ask.inputBytes === null) throw new Error('no turn was asked');
      const { inputBytes, inputSha256, runId, turn, attempt } = ask;
      const call = { inputBytes, inputSha256, runId, turn, attempt, deadline: new Date(ask.deadline) };
      return askAgent(agent, { ...call, signal: new AbortController().signal });
    };
    const started = x.start();
    const first = await until('an answer of the Python agent', async () => {
      const outcome = await answerOf(started);
      return outcome.kind === 'output' ? outcome : undefined;
    });
    x.outcome(first);
    expect(x.run().status).toBe('parked');
    const reported = x.outcome(await answerOf(x.answerQuestion('tone', 'kind')));
    expect(factsOf(reported, 'PublishReport').map((one) => String(one['body']))).toEqual(['Tone: kind\n- do it']);
  } finally {
    python.kill();
  }
});
