import type { PublishReport, RecordName, SupersedeVersion } from '../../schemas/generated/records';
import { sha256Hex } from '../../services/platform/canonical';
import { decideBatch, heldSet, viewOf } from '../../services/platform/decide-batch';
import { noTrace, type AggregateKey, type Service } from '../../services/platform/decision';
import { decide, keys, moreKeys } from '../../services/publication/decide';
import type { Outside } from '../../services/publication/decide-reports';
import { messageOf, type AnyMessage } from '../../services/publication/messages';
import type { ReportRun, Stream } from '../../services/publication/state';
import { shownStatus } from '../../services/publication/state';
import { kinds } from '../../services/publication/store';
import { streamIdOf } from '../../services/publication/timeline';

const service: Service<AnyMessage, Outside> = { name: 'publication', kinds, keys, moreKeys, decide: decide as never };

const world = () => {
  const held = heldSet();
  const hold = (list: readonly AggregateKey[]): void => {
    for (const key of list)
      if (held.get(key) === undefined) held.set({ key, loaded: 0, revision: 0, state: undefined, changed: false });
  };
  let count = 0;
  const batch = (messages: readonly AnyMessage[], now = 100) => {
    for (const message of messages) hold(keys(message));
    const view = viewOf(held, new Map());
    for (const message of messages) hold(moreKeys(message, view));
    const items = messages.map((message) => ({ message, cause: `c${(count += 1)}`, trace: noTrace }));
    const result = decideBatch(service, held, new Map(), items, { now, instance: 'test', capacity: 1 });
    const failed = result.outcomes.find((outcome) => !outcome.ok);
    if (failed !== undefined && !failed.ok) throw failed.error;
    return {
      facts: result.facts,
      timeline: result.rows.filter((row) => row.table === 'timeline').map((row) => row.values),
      reports: result.rows.filter((row) => row.table === 'reports').map((row) => row.values),
      woken: result.performs.flatMap((work) => (work.kind === 'wake' ? work.streams : [])),
    };
  };
  const run = (): ReportRun => held.get({ kind: 'report_run', id: 'run_1' })?.state as ReportRun;
  const stream = (id: string): Stream | undefined => held.get({ kind: 'stream', id })?.state as Stream | undefined;
  return { batch, run, stream };
};

const base = {
  eventId: 'e1',
  occurredAt: 5,
  tenant: 't',
  app: 'a',
  account: 'alice',
  conversationId: 'c1',
  taskId: 'task_1',
  runId: 'run_1',
  revision: 3,
};
const body = Buffer.from('{"b": 1.0,  "a":2}\n');
const publish = (version: number, seq: number, more: Partial<PublishReport> = {}): AnyMessage => ({
  type: 'publish',
  record: {
    ...base,
    version,
    seq,
    status: 'final',
    body,
    contentType: 'text/markdown',
    sha256: sha256Hex(body),
    sources: '[{"callId":"c"}]',
    actions: '[]',
    unsettledActions: [],
    document: null,
    basedOn: null,
    turn: 2,
    attempt: 1,
    ...more,
  },
});
const supersede = (version: number, more: Partial<SupersedeVersion> = {}): AnyMessage => ({
  type: 'supersede',
  record: { ...base, version, attempt: 1, ...more },
});
const record = (name: RecordName, value: Record<string, unknown>): AnyMessage => {
  const message = messageOf(name, { ...base, ...value } as never);
  if (message === undefined) throw new Error(`${name} is not for the timeline`);
  return message;
};
const runChanged = (revision: number, state: string): AnyMessage =>
  record('RunStateChanged', {
    revision,
    state,
    eventId: `run_1/${revision}`,
    waitingFor: '[]',
    startedAt: null,
    transition: null,
  });
const conversation = streamIdOf('t', 'alice', 'c1');
const account = streamIdOf('t', 'alice', null);

describe('reports', () => {
  test('P1 the exact bytes are stored, the pointer moves, the command is answered', () => {
    const { batch, run } = world();
    const { facts, reports } = batch([publish(1, 1)]);
    expect(reports[0]).toMatchObject({ run_id: 'run_1', bytes: body, sha256: sha256Hex(body) });
    expect(facts).toMatchObject([
      { type: 'ReportPublished', key: 'c1', value: { reportStatus: 'final', current: true, version: 1, seq: 1 } },
    ]);
    expect(run().current).toEqual({ version: 1, seq: 1 });
  });

  test('R25 a repeat is answered again by its natural key and changes nothing', () => {
    const { batch, run } = world();
    const first = batch([publish(1, 1)]).facts[0];
    const before = run();
    const again = batch([publish(1, 1, { attempt: 2, eventId: 'e2' })]);
    expect(again.facts[0]?.value).toEqual({ ...first?.value });
    expect(again.facts[0]?.eventId).not.toBe(first?.eventId);
    expect([...again.timeline, ...again.reports]).toEqual([]);
    expect(run()).toBe(before);
  });

  test.each<[string, AnyMessage[], { status: string; current: { version: number; seq: number } | null }]>([
    [
      'P6 a partial, then the final one',
      [publish(1, 1, { status: 'partial' }), publish(1, 2)],
      { status: 'final', current: { version: 1, seq: 2 } },
    ],
    [
      'R4 an older version after a newer was announced',
      [supersede(2), publish(1, 1)],
      { status: 'superseded', current: null },
    ],
    [
      'P2 the new version after its announcement',
      [publish(1, 1), supersede(2), publish(2, 1)],
      { status: 'final', current: { version: 2, seq: 1 } },
    ],
    ['P1 never back', [publish(2, 1), publish(1, 2)], { status: 'late', current: { version: 2, seq: 1 } }],
    ['P2 history only', [publish(1, 1, { status: 'late' })], { status: 'late', current: null }],
  ])('%s', (_name, messages, expected) => {
    const { batch, run } = world();
    const { facts } = batch(messages);
    expect(facts.at(-1)?.value).toMatchObject({ reportStatus: expected.status });
    expect(run().current).toEqual(expected.current);
  });

  test('P1 what the pointer names says when it was superseded since, live too', () => {
    const { batch, run } = world();
    batch([publish(1, 1)]);
    const { facts, timeline } = batch([supersede(2)]);
    expect(facts).toMatchObject([{ type: 'VersionSuperseded', value: { version: 2 } }]);
    expect(run().current).toEqual({ version: 1, seq: 1 });
    expect(run().reports.map((report) => shownStatus(run(), report))).toEqual(['superseded']);
    expect(JSON.parse(String(timeline[0]?.['item']))).toMatchObject({ status: 'superseded', version: 1 });
    const again = batch([supersede(2, { attempt: 2 }), supersede(1)]);
    expect(again.facts.map((fact) => fact.type)).toEqual(['VersionSuperseded', 'VersionSuperseded']);
    expect(again.timeline).toEqual([]);
  });

  test('P1 bytes that do not have their hash are not stored', () => {
    const { batch } = world();
    expect(() => batch([publish(1, 1, { sha256: '0'.repeat(64) })])).toThrow(/do not have the hash/);
  });

  test('X1 another account never takes over a run', () => {
    const { batch } = world();
    batch([publish(1, 1)]);
    expect(() => batch([publish(1, 2, { account: 'bob' })])).toThrow(/another owner/);
  });
});

describe('timeline', () => {
  test('P3 numbers rise by one, in the conversation and in the account', () => {
    const { batch, stream } = world();
    const { timeline, woken } = batch([
      runChanged(1, 'running'),
      record('RunStateChanged', {
        runId: 'run_2',
        conversationId: 'c2',
        revision: 1,
        state: 'queued',
        waitingFor: '[]',
        startedAt: null,
      }),
      runChanged(2, 'publishing'),
      publish(1, 1),
    ]);
    expect(timeline.map((row) => [row['stream'] === conversation, row['seq'], row['account_seq']])).toEqual([
      [true, 1, 1],
      [false, 1, 2],
      [true, 2, 3],
      [true, 3, 4],
    ]);
    expect(stream(account)).toMatchObject({ seq: 4, conversationId: null });
    expect(new Set(woken)).toEqual(new Set([conversation, account, streamIdOf('t', 'alice', 'c2')]));
  });

  test('X1 old news and repeats never replace or repeat anything', () => {
    const { batch } = world();
    batch([runChanged(5, 'waiting')]);
    expect(batch([runChanged(4, 'running'), runChanged(5, 'waiting')]).timeline).toEqual([]);
    expect(batch([runChanged(6, 'running')]).timeline).toHaveLength(1);
  });

  test('P4 a run’s report is numbered before its end', () => {
    const { batch } = world();
    const { timeline } = batch([runChanged(1, 'publishing'), publish(1, 1), runChanged(2, 'completed')]);
    expect(timeline.map((row) => [row['kind'], row['ended']])).toEqual([
      ['run', false],
      ['report', false],
      ['run', true],
    ]);
  });

  test('A6 a refusal before admission shows in a conversation that exists and makes none; duplicates show nowhere', () => {
    const { batch, stream } = world();
    const receipt = (more: Record<string, unknown>) => ({
      clientMessageId: 'm1',
      duplicate: false,
      relation: 'AMEND',
      status: 'conflict',
      code: 'content_conflict',
      effectiveRequirements: null,
      progress: null,
      messageId: null,
      targetRunId: null,
      ...more,
    });
    expect(batch([record('ReceiptIssued', receipt({ revision: 0 }))]).timeline).toEqual([]);
    expect(stream(conversation)).toBeUndefined();
    batch([runChanged(1, 'running')]);
    expect(batch([record('ReceiptIssued', receipt({ revision: 0 }))]).timeline).toHaveLength(1);
    expect(messageOf('ReceiptIssued', { ...base, ...receipt({ duplicate: true }) } as never)).toBeUndefined();
  });

  test('the tenant is part of every name', () => {
    const { batch } = world();
    batch([runChanged(5, 'waiting')]);
    const other = record('RunStateChanged', {
      tenant: 'u',
      revision: 1,
      state: 'queued',
      waitingFor: '[]',
      startedAt: null,
    });
    expect(batch([other]).timeline).toHaveLength(1);
  });
});
