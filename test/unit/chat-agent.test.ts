import { askAgent } from '../../services/run-executor/agents/agent';
import { buildAgents } from '../../services/run-executor/agents/build-agents';
import { toolSpecs } from '../../services/run-executor/tools/build-tools';
import { executor, factsOf, type SentMessages } from '../support/executor';
import { openModel, type ModelReply } from '../support/openai-stand-in';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const open = async (replies: ModelReply[], more: object = {}) => {
  const model = await openModel(replies);
  closing.push(model.close);
  const agents = buildAgents(
    { chat: { builtin: 'chat', baseUrl: model.baseUrl, model: 'm-1', apiKeyEnv: 'KEY', ...more } },
    { env: { KEY: 'secret' }, baseDir: '.' },
    { tools: toolSpecs({}), connectors: ['contact-api'] },
  );
  const agent = agents.get('chat');
  if (agent === undefined) throw new Error('no agent');
  const x = executor();
  /** One turn: the sealed bytes go to the agent, and its answer goes back. */
  const turn = async (sent: SentMessages): Promise<SentMessages> => {
    const ask = sent.performs.find((intent) => intent.type === 'ask');
    if (ask?.type !== 'ask' || ask.inputBytes === null) throw new Error('no turn was asked');
    const { inputBytes, inputSha256, runId, attempt } = ask;
    const call = { inputBytes, inputSha256, runId, turn: ask.turn, attempt, deadline: new Date(ask.deadline) };
    return x.outcome(await askAgent(agent, { ...call, signal: new AbortController().signal }));
  };
  return { model, x, turn };
};

const series = { name: 'price-series', args: { symbol: 'MSFT', from: '2008-01', to: '2008-03' } };

describe('the chat agent against a strict stand-in of an OpenAI-compatible endpoint', () => {
  test.each([[false], [true]])(
    'R13 one model request a turn; calls, results and the report, streamed: %s',
    async (stream) => {
      const { model, x, turn } = await open([{ calls: [series] }, { content: 'MSFT **fell**.' }], { stream });
      const asked = await turn(x.start());
      expect(asked.performs).toMatchObject([{ type: 'tool', tool: 'price-series', callId: 't1.1' }]);
      expect(model.requests).toHaveLength(1);
      expect(model.keys).toEqual(['Bearer secret']);
      expect(model.requests[0]?.tools?.map((one) => one.function.name)).toEqual([
        'price-series',
        'ask_user',
        'propose_action',
        'report',
      ]);
      const done = await turn(x.toolDone('t1.1', { rows: [1, 2] }));
      expect(model.requests[1]?.messages.map(({ role, content }) => [role, content])).toEqual([
        ['system', expect.any(String)],
        ['assistant', null],
        ['tool', '{"rows":[1,2]}'],
        ['user', expect.stringContaining('The goal is version 1 of the requirements, and only this:\ndo it')],
      ]);
      expect(factsOf(done, 'PublishReport')).toMatchObject([
        { contentType: 'text/markdown', sources: '[{"callId":"t1.1"}]', status: 'final' },
      ]);
      expect(x.run().budget.costLeft).toBe(99);
    },
  );

  test('R5 R7 the newest version is the goal; older results are labelled historical', async () => {
    const { model, x, turn } = await open([{ calls: [series] }, { content: 'new' }]);
    await turn(x.start());
    x.amend('a');
    await turn(x.toolDone('t1.1', { rows: [] }));
    const [, , tool, goal] = model.requests[1]?.messages ?? [];
    expect(tool?.content).toBe('historical result of version 1, to be rechecked: {"rows":[]}');
    expect(goal?.content).toContain(
      'The goal is version 2 of the requirements, and only this:\ndo it\nonly the new products',
    );
  });

  test('H5 E1 asks the user, proposes an action, and is told what became of both', async () => {
    const { model, x, turn } = await open([
      {
        calls: [
          { name: 'ask_user', args: { question: 'Which?', choices: ['blue', 'red'] } },
          {
            name: 'propose_action',
            args: { connector: 'contact-api', operation: 'contact', subject: 'S1', params: { a: 1 } },
          },
        ],
      },
      { calls: [{ name: 'report', args: { body: 'done', contentType: 'text/plain' } }] },
    ]);
    const asked = await turn(x.start());
    expect(factsOf(asked, 'RequestInteraction')).toMatchObject([
      {
        question: 'Which?',
        choices: [
          { id: 'c1', label: 'blue' },
          { id: 'c2', label: 'red' },
        ],
      },
    ]);
    expect(factsOf(asked, 'ProposeEffect')).toMatchObject([{ proposalId: 't1.2', params: '{"a":1}' }]);
    x.proposalAccepted('t1.2', { state: 'sending' });
    const done = await turn(x.answerQuestion('t1.1', 'blue'));
    expect(model.requests[1]?.messages.filter((one) => one.role === 'tool').map((one) => one.content)).toEqual([
      '"blue"',
      'the action is sending',
    ]);
    // The gate waits for the action; the report is kept and the model told at its end.
    expect(factsOf(done, 'PublishReport')).toMatchObject([{ status: 'late' }]);
    x.published();
    expect(x.run().status).toBe('waiting');
  });

  test('X4 what the model says wrong is told to it as the result of that call, and costs a turn, not the run', async () => {
    const { model, x, turn } = await open([
      {
        calls: [
          { name: 'nothing', args: {} },
          { name: 'report', args: { body: 'x' } },
          { name: 'ask_user', args: 'no json' },
        ],
      },
      { content: 'fine' },
    ]);
    const again = await turn(x.start());
    await turn(again);
    expect(model.requests[1]?.messages.filter((one) => one.role === 'tool').map((one) => one.content)).toEqual([
      'not accepted: there is no function nothing',
      'not accepted: nothing else may be called beside report',
      'not accepted: the arguments are not a JSON object',
    ]);
    expect(x.run().status).toBe('publishing');
  });

  test('R14 429 and 5xx are asked again, another status ends the run by name', async () => {
    const { x, turn } = await open([{ status: 429 }, { status: 401 }]);
    await turn(x.start());
    expect(x.run().turn?.retryAt).not.toBeNull();
    const y = await open([{ status: 401 }]);
    await y.turn(y.x.start());
    expect(y.x.run()).toMatchObject({ status: 'failed', cause: 'malformed_output' });
    expect(y.x.run().detail).toContain('401');
  });

  test('history is bounded: the oldest steps go first, never a call without its result', async () => {
    const long = (n: number): ModelReply => ({
      content: 'x'.repeat(3_000),
      calls: [{ ...series, args: { ...series.args, n } }],
    });
    const { model, x, turn } = await open([long(1), long(2), long(3), long(4), { content: 'end' }], {
      contextTokens: 4_000,
    });
    let sent = x.start();
    for (let n = 1; n <= 4; n += 1) {
      await turn(sent);
      sent = x.toolDone(`t${n}.1`, { n });
    }
    await turn(sent);
    const last = model.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(last).length).toBeLessThan(4_000 * 4);
    expect(last[1]?.content).toContain('earlier steps are left out');
    expect(x.run().status).toBe('publishing');
  });
});
