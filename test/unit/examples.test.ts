import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import agent from '../../examples/agent';
import type { TurnInput } from '../../schemas/turn-protocol/input';
import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { contractOf } from '../../services/effect-ledger/contract';
import { openTransport, type Carry } from '../../services/effect-ledger/transport';
import { parseConfiguration } from '../../services/platform/configuration';
import { checkOutput } from '../../services/run-executor/turn-protocol/check-output';
import { root } from '../support/documents';
import { actionOf, answerOf, next, turnInput } from '../support/turn-input';

describe('examples/agent.ts', () => {
  const turn = async (input: TurnInput): Promise<TurnOutput> => {
    const context = { signal: new AbortController().signal, attempt: 1, deadline: new Date() };
    const checked = checkOutput(await agent(input, context), input.for);
    if (!checked.ok) throw new Error(checked.message);
    return checked.output;
  };
  const answered = (choice: string) => ({ answers: [answerOf(choice, { questionId: 'write-letter' })] });

  test('R13: asks, proposes one letter under one subject, waits for its outcome, and reports with it as source', async () => {
    const first = turnInput(['Thank them']);
    const asked = await turn(first);
    expect(asked.ask?.map(({ questionId, kind }) => [questionId, kind])).toEqual([['write-letter', 'question']]);
    const second = next(first, asked, answered('yes'));
    const proposed = await turn(second);
    expect(proposed.actions?.map(({ subject }) => subject)).toEqual(['customer.task-1']);
    const waiting = await turn(next(second, proposed, { actions: [actionOf(proposed, 'unknown')] }));
    expect([waiting.report, waiting.actions]).toEqual([undefined, undefined]);
    const done = await turn(next(second, proposed, { actions: [actionOf(proposed, 'succeeded')] }));
    expect(done.report?.body).toContain('Letter: succeeded');
    expect(done.report?.sources).toEqual([{ actionKey: 'letters:post:customer.task-1:v1' }]);
  });

  test('R13: a no is reported without an action', async () => {
    const first = turnInput(['Thank them']);
    const done = await turn(next(first, await turn(first), answered('no')));
    expect([done.actions, done.report?.body.includes('not wanted')]).toEqual([undefined, true]);
  });
});

describe('examples/connector.ts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-letters-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const source = readFileSync(join(root, 'examples/connector.ts'), 'utf8');

  /** The configuration as the example's first lines have it. */
  const lines = source.split('\n').filter((line) => line.startsWith('//   '));
  const config = parseConfiguration(
    `tenants: { local: { defaultAgent: letters } }\nagents: { letters: { module: ./agent.ts } }\n${lines.map((line) => line.slice(5)).join('\n')}`,
  );

  const openExample = () => {
    process.env['LETTERS_FOLDER'] = folder;
    const { accept, transport } = openTransport();
    accept(config, join(root, 'examples'));
    const contract = contractOf(config, 'local', 'letters');
    if (contract === null) throw new Error('no connector is called letters');
    return (what: 'submit' | 'receipt', over: Partial<Carry> = {}) =>
      transport(contract, what, {
        actionKey: 'letters:post:customer.1:v1',
        operation: 'post',
        subject: 'customer.1',
        body: what === 'submit' ? Buffer.from('{"text":"Thank you"}') : null,
        target: null,
        traceparent: null,
        timeoutMs: 1_000,
        mayWrite: () => true,
        ...over,
      });
  };

  test('E1 E4 E5: absent before, once however often it is handed over, found by its key, and the sealed bytes unchanged', async () => {
    const call = openExample();
    const status = async (what: 'submit' | 'receipt'): Promise<unknown> => {
      const called = await call(what);
      return called.kind === 'answered' ? called.answer.status : called;
    };
    expect(await status('receipt')).toBe(404);
    expect([await status('submit'), await status('submit')]).toEqual([201, 409]);
    expect(await call('receipt')).toMatchObject({ answer: { status: 200, body: '{"state":"posted"}' } });
    const letters = readdirSync(folder);
    expect(letters).toEqual(['letters%3Apost%3Acustomer.1%3Av1.json']);
    expect(readFileSync(join(folder, letters[0] ?? ''), 'utf8')).toBe('{"text":"Thank you"}');
  });

  test('E2: after its time nothing is handed over, and that is said', async () => {
    const call = openExample();
    expect(await call('submit', { actionKey: 'late', mayWrite: () => false })).toMatchObject({ kind: 'not_sent' });
    expect(readdirSync(folder)).not.toContain('late.json');
  });
});
