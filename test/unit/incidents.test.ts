import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { decideBatch, heldSet } from '../../services/platform/decide-batch';
import { noTrace, type Decision, type Service } from '../../services/platform/decision';
import { incidentRow } from '../../services/platform/incidents';
import { openConfiguration } from '../../services/platform/live-configuration';
import { until } from '../support/until';

const stuck = incidentRow({ id: 'stuck/1', kind: 'stuck', ref: '1', reason: 'it is', actions: [] });
const steps: Record<string, Decision<string, never>> = {
  open: { rows: [stuck] },
  close: { close: ['stuck/1'] },
};
const service: Service<string, never> = {
  name: 'test',
  kinds: [],
  keys: () => [],
  decide: (_view, message) => steps[message] ?? {},
};

describe('incidents of one batch', () => {
  test.each([
    [['close'], ['stuck/1']],
    [['open', 'close'], ['stuck/1']],
    [['close', 'open'], []],
    [['close', 'open', 'close'], ['stuck/1']],
  ] as const)('%j', (messages, expected) => {
    const items = messages.map((message, index) => ({ message: message as string, cause: `${index}`, trace: noTrace }));
    const result = decideBatch(service, heldSet(), new Map(), items, { now: 0, instance: 'i', capacity: 1 });
    // Rows are written before anything is closed: what is closed here ends closed.
    expect(result.closed).toEqual(expected);
  });
});

describe('X4 a changed configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'fairlead.yaml');
  const text = (agent: string): string =>
    `tenants: { local: { defaultAgent: ${agent} } }\nagents: { ${agent}: { url: 'http://127.0.0.1:1/' } }\n`;
  /** As editors and mounted volumes do it: a new file in the place of the old one. */
  const put = (content: string): void => {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  };

  test('is taken as a whole or not at all, again and again', async () => {
    put(text('first'));
    const refused = (name: string): void => {
      if (name === 'refused') throw new Error('this agent cannot be built');
    };
    const live = openConfiguration(path, pino({ level: 'silent' }), (config) =>
      Object.keys(config.agents).forEach(refused),
    );
    const told: (string | null)[] = [];
    live.follow((problem) => told.push(problem));
    const agent = (): string | undefined => live.current().tenants['local']?.defaultAgent;
    try {
      put(text('refused'));
      await until('the file is refused', () => live.problem() === 'this agent cannot be built');
      expect(agent()).toBe('first');
      put(text('second'));
      await until('the next one is taken', () => agent() === 'second');
      expect(told).toEqual([null, 'this agent cannot be built', null]);
    } finally {
      live.close();
    }
  });
});
