import type { PublishReport } from '../../schemas/generated/records';
import { sha256Hex } from '../../services/platform/canonical';
import { decideBatch, heldSet, viewOf } from '../../services/platform/decide-batch';
import { noTrace, type Service } from '../../services/platform/decision';
import { rangeOf } from '../../services/publication/byte-range';
import { decide, keys, moreKeys } from '../../services/publication/decide';
import type { Outside } from '../../services/publication/decide-reports';
import { documentRowId, openConflicts, type Document } from '../../services/publication/document';
import type { AnyMessage } from '../../services/publication/messages';
import { kinds } from '../../services/publication/store';

const service: Service<AnyMessage, Outside> = { name: 'publication', kinds, keys, moreKeys, decide: decide as never };
const id = documentRowId('t', 'alice', 'plan');

const hash = (text: string): string => sha256Hex(Buffer.from(text));

const report = (
  runId: string,
  text: string,
  basedOn: string | null,
  more: Partial<PublishReport> = {},
): AnyMessage => ({
  type: 'publish',
  record: {
    eventId: `e-${runId}`,
    occurredAt: 5,
    tenant: 't',
    app: 'a',
    account: 'alice',
    conversationId: 'c1',
    taskId: 'task_1',
    runId,
    revision: 3,
    version: 1,
    seq: 1,
    status: 'final',
    body: Buffer.from(text),
    contentType: 'text/markdown',
    sha256: hash(text),
    sources: '[]',
    actions: '[]',
    unsettledActions: [],
    document: 'plan',
    basedOn: basedOn === null ? null : hash(basedOn),
    turn: 2,
    attempt: 1,
    ...more,
  },
});

const resolution = (text: string, a: string, b: string): AnyMessage => ({
  type: 'resolve',
  id,
  basedOn: [hash(a), hash(b)],
  body: Buffer.from(text),
  contentType: 'text/markdown',
  account: 'ines',
});

/** Everything one document has been through, message by message, with the real deciders. */
const after = (...messages: readonly AnyMessage[]) => {
  const held = heldSet();
  for (const message of messages)
    for (const key of keys(message))
      if (held.get(key) === undefined) held.set({ key, loaded: 0, revision: 0, state: undefined, changed: false });
  viewOf(held, new Map());
  const items = messages.map((message, index) => ({ message, cause: `c${index}`, trace: noTrace }));
  const result = decideBatch(service, held, new Map(), items, { now: 100, instance: 'test', capacity: 1 });
  const outcomes = result.outcomes.map((outcome) => {
    if (!outcome.ok) throw outcome.error;
    return outcome.reply;
  });
  const document = held.get({ kind: 'document', id })?.state as Document | undefined;
  return {
    document,
    current: document?.current,
    open: document === undefined ? [] : openConflicts(document).map((one) => [one.sha256, one.conflictsWith]),
    facts: result.facts.map(({ type }) => type),
    texts: result.rows.filter(({ table }) => table === 'document_texts').map(({ values }) => values['sha256']),
    reports: result.rows.filter(({ table }) => table === 'reports').length,
    last: outcomes.at(-1),
  };
};

describe('P5: documents that several runs write', () => {
  const table: readonly (readonly [string, readonly AnyMessage[], { current: string; open: [string, string][] }])[] = [
    ['the first text holds', [report('run_1', 'one', null)], { current: 'one', open: [] }],
    [
      'a text written from the one that holds takes its place',
      [report('run_1', 'one', null), report('run_2', 'two', 'one')],
      { current: 'two', open: [] },
    ],
    [
      'two from the same state: who comes second is a conflict',
      [report('run_1', 'one', null), report('run_2', 'two', 'one'), report('run_3', 'three', 'one')],
      { current: 'two', open: [['three', 'two']] },
    ],
    [
      'two from nothing: likewise',
      [report('run_1', 'one', null), report('run_2', 'two', null)],
      { current: 'one', open: [['two', 'one']] },
    ],
    [
      'the very same text from two runs is none',
      [report('run_1', 'one', null), report('run_2', 'one', null)],
      { current: 'one', open: [] },
    ],
    [
      "a run's later version takes the place of its own",
      [report('run_1', 'one', null), report('run_1', 'two', null, { version: 2 })],
      { current: 'two', open: [] },
    ],
    [
      'a partial report writes no document',
      [report('run_1', 'one', null), report('run_2', 'two', 'one', { status: 'partial' })],
      { current: 'one', open: [] },
    ],
    [
      'a report that came too late writes none',
      [
        report('run_1', 'one', null),
        report('run_2', 'two', 'one', { version: 2 }),
        report('run_2', 'late', 'two', { version: 1 }),
      ],
      { current: 'two', open: [] },
    ],
    [
      'an integrator resolves from both',
      [report('run_1', 'one', null), report('run_2', 'two', null), resolution('both', 'two', 'one')],
      { current: 'both', open: [] },
    ],
    [
      'a second conflict stays open against what holds now',
      [
        report('run_1', 'one', null),
        report('run_2', 'two', null),
        report('run_3', 'three', null),
        resolution('both', 'one', 'two'),
      ],
      { current: 'both', open: [['three', 'one']] },
    ],
    [
      'taking one of the two as it is resolves too',
      [report('run_1', 'one', null), report('run_2', 'two', null), resolution('two', 'one', 'two')],
      { current: 'two', open: [] },
    ],
  ];

  test.each(table)('%s', (_name, messages, { current, open }) => {
    const found = after(...messages);
    expect(found.current).toBe(hash(current));
    expect(found.open).toEqual(open.map(([text, other]) => [hash(text), hash(other)]));
  });

  test('a conflict is told beside the completion, and both texts are kept', () => {
    const found = after(report('run_1', 'one', null), report('run_2', 'two', null));
    expect(found.facts).toEqual(['ReportPublished', 'ReportPublished', 'DocumentConflicted']);
    expect(found.reports).toBe(2);
    expect(found.texts).toEqual([hash('one'), hash('two')]);
  });

  test('the same report told again is no second conflict', () => {
    const second = report('run_2', 'two', null);
    const found = after(report('run_1', 'one', null), second, second);
    expect(found.facts.filter((type) => type === 'DocumentConflicted')).toHaveLength(1);
    expect(found.open).toHaveLength(1);
  });

  test('a resolution based on what does not hold any more is refused; the same one again changes nothing', () => {
    const two = [report('run_1', 'one', null), report('run_2', 'two', null)];
    expect(after(...two, resolution('both', 'zero', 'two')).last).toBe('moved');
    const once = resolution('both', 'one', 'two');
    const found = after(...two, once, once);
    expect(found.last).toBe('resolved_before');
    expect(found.document?.texts).toHaveLength(3);
    expect(after(once).last).toBe('unknown_document');
  });

  test("another account's document of the same name is another document", () => {
    const found = after(report('run_1', 'one', null), report('run_2', 'two', null, { account: 'bob' }));
    expect([found.current, found.open]).toEqual([hash('one'), []]);
  });
});

test.each([
  [undefined, 'whole'],
  ['bytes=0-3', { from: 0, to: 3 }],
  ['bytes=8-', { from: 8, to: 9 }],
  ['bytes=4-100', { from: 4, to: 9 }],
  ['bytes=-3', { from: 7, to: 9 }],
  ['bytes=-100', { from: 0, to: 9 }],
  ['bytes=10-', 'beyond'],
  ['bytes=-0', 'beyond'],
  ['bytes=5-2', 'whole'],
  ['bytes=0-1,3-4', 'whole'],
  ['lines=0-1', 'whole'],
  ['bytes=-', 'whole'],
] as const)('P1: of 10 bytes, %s is %j', (header, expected) => {
  expect(rangeOf(header, 10)).toEqual(expected);
});
