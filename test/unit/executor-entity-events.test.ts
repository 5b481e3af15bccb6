import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import type { ObserveRun } from '../../schemas/generated/records';
import { entityIdOf } from '../../services/run-executor/entity';
import { triageMs } from '../../services/run-executor/entity-events';
import { proposalOf } from '../../services/run-executor/triage';
import { executor, factsOf, report, saidAbout } from '../support/executor';

type X = ReturnType<typeof executor>;

const devices = (more: object = {}): X => {
  const x = executor();
  x.configure({ events: { device: { windowMs: 60_000, ...more } } });
  return x;
};
const said = (sent: ReturnType<X['event']>, id: string, x: X): (string | null)[] => {
  const decided = factsOf(sent, 'MessageDecided').filter((one) => one['messageId'] === x.ids(id).messageId);
  const first = decided[0] ?? {};
  return [first['status'] as string, (first['targetRunId'] ?? first['runId'] ?? null) as string | null];
};
const toolCall = { callId: 'c', tool: 'price-series', input: {} } as const;

describe('entity events by correlation and policy (A15)', () => {
  test('A15 case 48: device 07 pressure, device 07 temperature, device 08 pressure, with the same correlation for 07', () => {
    const x = devices();
    expect(said(x.event('e1', { correlationId: 'k' }), 'e1', x)).toEqual(['run_started', x.ids('e1').runId]);
    const merged = x.event('e2', { correlationId: 'k', eventKind: 'temperature' });
    expect(said(merged, 'e2', x)).toEqual(['event_merged', x.ids('e1').runId]);
    expect(said(x.event('e3', { correlationId: 'k', entityId: '08' }), 'e3', x)).toEqual([
      'run_started',
      x.ids('e3').runId,
    ]);
    expect(x.run('e1').pending.map(({ messageId }) => messageId)).toEqual([x.ids('e2').messageId]);
    expect(x.run('e3').entity).toEqual({ type: 'device', id: '08' });
  });

  test('A15 its own run sees the event in its first input, with the priority and agent of the configuration', () => {
    const x = devices({ priority: 7 });
    const sent = x.event('e1', { correlationId: 'k', eventAt: 1_000 });
    expect(x.run('e1')).toMatchObject({
      priority: 7,
      agent: 'market-report',
      relation: 'entity_event',
      mode: 'parallel',
    });
    expect(x.input(sent).changes).toEqual([
      {
        kind: 'entity_event',
        at: expect.any(String) as string,
        eventKind: 'pressure',
        eventAt: '1970-01-01T00:00:01.000Z',
        correlationId: 'k',
        text: 'pressure is high',
        messageId: x.ids('e1').messageId,
        confirmed: true,
      },
    ]);
    x.event('e9', { entityId: '09', priority: 2 });
    expect(x.run('e9').priority).toBe(2);
  });

  test.each([
    ['within the window, ask', { uncorrelated: 'ask' }, 1_000, 'event_unconfirmed'],
    ['within the window, own_run', { uncorrelated: 'own_run' }, 1_000, 'run_started'],
    ['outside the window', { uncorrelated: 'ask' }, 60_001, 'run_started'],
  ])('A15 same entity, no correlation, %s', (_name, policy, afterMs, expected) => {
    const x = devices(policy);
    x.event('e1');
    x.world.now += afterMs;
    expect(said(x.event('e2'), 'e2', x)[0]).toBe(expected);
  });

  test('A15 the window goes by the time of arrival, whatever the clock of the entity says (case 44)', () => {
    const x = devices();
    x.event('e1', { eventAt: 0 });
    expect(said(x.event('e2', { eventAt: 9_999_999_999_999 }), 'e2', x)[0]).toBe('event_unconfirmed');
  });

  test('A15 another correlation is no proof of anything else: the window and the policy decide', () => {
    const x = devices();
    x.event('e1', { correlationId: 'k1' });
    expect(said(x.event('e2', { correlationId: 'k2' }), 'e2', x)[0]).toBe('event_unconfirmed');
  });

  test('A15 a run that a person started about the entity takes its events', () => {
    const x = devices();
    x.start('m1', { entityType: 'device', entityId: '07' });
    expect(said(x.event('e1'), 'e1', x)).toEqual(['event_unconfirmed', x.run().runId]);
    expect(said(x.event('e2', { account: 'bob' }), 'e2', x)).toEqual(['run_started', x.ids('e2').runId]);
  });

  test('A15 the same event under another message id is ignored, under the same one it is told again', () => {
    const x = devices();
    x.event('e1', { correlationId: 'k', eventAt: 5 });
    expect(said(x.event('e2', { correlationId: 'k', eventAt: 5 }), 'e2', x)).toEqual([
      'event_ignored',
      x.ids('e1').runId,
    ]);
    expect(said(x.event('e1', { correlationId: 'k', eventAt: 5, attempt: 2 }), 'e1', x)[0]).toBe('run_started');
    x.event('e3', { correlationId: 'k', eventAt: 6 });
    expect(said(x.event('e3', { correlationId: 'k', eventAt: 6, attempt: 2 }), 'e3', x)[0]).toBe('event_merged');
    expect(x.run('e1').pending).toHaveLength(1);
    expect(said(x.event('e4', { correlationId: 'k', eventAt: 5, eventKind: 'other' }), 'e4', x)[0]).toBe(
      'event_merged',
    );
  });

  test('A15 never into a run that has ended or is on its way to', () => {
    const x = devices();
    x.event('e1', { correlationId: 'k' });
    x.answer({ report }, 'e1');
    expect(x.run('e1').status).toBe('publishing');
    expect(said(x.event('e2', { correlationId: 'k' }), 'e2', x)).toEqual(['run_started', x.ids('e2').runId]);
    x.control('k2', {}, 'e2');
    expect(said(x.event('e3', { correlationId: 'k' }), 'e3', x)).toEqual(['run_started', x.ids('e3').runId]);
  });

  test('A15 an entity outside the scope of the tenant is refused, and stays so', () => {
    const x = devices({ tenants: ['other'] });
    const sent = x.event('e1');
    expect(factsOf(sent, 'MessageDecided')[0]).toMatchObject({
      status: 'refused',
      code: 'not_granted',
      field: 'entityType',
    });
    x.configure({ events: { device: {} } });
    expect(said(x.event('e1', { attempt: 2 }), 'e1', x)[0]).toBe('refused');
    expect(said(x.event('e2', { entityType: 'unheard of' }), 'e2', x)[0]).toBe('refused');
  });

  test('A15 a merged event is applied with the next turn, and what was seen before it is to be looked at again (R7)', () => {
    const x = devices();
    x.event('e1', { correlationId: 'k' });
    x.answer({ toolCalls: [toolCall] }, 'e1');
    x.toolDone('c', 1, 'e1');
    x.event('e2', { correlationId: 'k', content: '' });
    const sent = x.answer({ again: true }, 'e1');
    expect(saidAbout(sent, x.ids('e2').messageId)).toEqual(['update_applied']);
    expect(x.input(sent).changes).toMatchObject([{ kind: 'entity_event', confirmed: true, text: '' }]);
    expect(x.input(sent).toolResults[0]?.needsRecheck).toBe(true);
  });

  test('R6 an event that no turn can take any more is told so', () => {
    const x = devices();
    x.event('e1', { correlationId: 'k' });
    x.event('e2', { correlationId: 'k' });
    const sent = x.control('c1', {}, 'e1');
    expect(saidAbout(sent, x.ids('e2').messageId)).toEqual(['update_not_applied']);
  });
});

describe('an event that fits by entity and time only is asked about (A15)', () => {
  const asked = (x: X) => {
    x.event('e1');
    x.answer({ toolCalls: [toolCall] }, 'e1');
    x.toolDone('c', 1, 'e1');
    x.event('e2', { correlationId: 'k2', content: 'it is warm' });
    const sent = x.answer({ again: true }, 'e1');
    expect(x.input(sent).changes).toMatchObject([{ kind: 'entity_event', confirmed: false, text: 'it is warm' }]);
    expect(x.input(sent).toolResults[0]?.needsRecheck).toBe(false);
    const [question] = x.run('e1').questions;
    expect(question?.choices.map(({ id }) => id)).toEqual(['same', 'other']);
    return question?.questionId ?? '';
  };
  const answerWith = (x: X, questionId: string, choice: string) =>
    x.interaction(
      questionId,
      {
        state: 'answered',
        revision: 2,
        response: {
          responseId: 'r',
          clientResponseId: 'cr',
          text: null,
          choice,
          value: null,
          decision: null,
          respondedBy: 'alice',
          late: false,
          previewSha256: null,
        },
      },
      'e1',
    );

  test('A15 "yes" merges it, and the next event of its correlation needs no question', () => {
    const x = devices();
    answerWith(x, asked(x), 'same');
    const sent = x.answer({ again: true }, 'e1');
    expect(x.input(sent).changes).toMatchObject([
      { kind: 'answered' },
      { kind: 'entity_event', confirmed: true, messageId: x.ids('e2').messageId },
    ]);
    expect(x.input(sent).toolResults[0]?.needsRecheck).toBe(true);
    expect(said(x.event('e3', { correlationId: 'k2' }), 'e3', x)[0]).toBe('event_merged');
  });

  test('A15 "no" gives it a run of its own', () => {
    const x = devices();
    const questionId = asked(x);
    expect(x.run('e2')).toBeUndefined();
    answerWith(x, questionId, 'other');
    expect(x.run('e2')).toMatchObject({ status: 'running', entity: { type: 'device', id: '07' } });
    expect(said(x.event('e3', { correlationId: 'k2' }), 'e3', x)).toEqual(['event_merged', x.ids('e2').runId]);
  });
});

describe('a model may propose where an event belongs, and the policy decides (A15)', () => {
  const triaged = (more: object = {}): X => {
    const x = devices({ triage: { url: 'http://model/' }, ...more });
    x.event('e1', { correlationId: 'k' });
    x.event('other', { entityId: '08' });
    return x;
  };
  const entity = entityIdOf({ tenant: 'local', account: 'alice', type: 'device', id: '07' });
  const propose = (x: X, messageId: string, proposal: { runId: string | null } | null) =>
    x.world.settle({ type: 'triaged', entity, messageId, proposal });

  test('A15 it is asked after the commit, sees candidates of this entity and account only, and the event waits', () => {
    const x = triaged();
    const sent = x.event('e2');
    expect(factsOf(sent, 'MessageDecided')).toEqual([]);
    expect(sent.performs).toEqual([
      expect.objectContaining({ type: 'triage', url: 'http://model/', messageId: x.ids('e2').messageId }),
    ]);
    const [intent] = sent.performs;
    expect(intent?.type === 'triage' ? intent.question.candidates.map(({ runId }) => runId) : []).toEqual([
      x.ids('e1').runId,
    ]);
    expect(factsOf(x.event('e2', { attempt: 2 }), 'MessageDecided')).toEqual([]);
  });

  test('A15 a correlated event, an own_run policy and an entity without candidates ask no model', () => {
    const x = triaged();
    expect(x.event('e2', { correlationId: 'k' }).performs.some((one) => one.type === 'triage')).toBe(false);
    expect(x.event('e3', { entityId: '09' }).performs.some((one) => one.type === 'triage')).toBe(false);
    const y = triaged({ uncorrelated: 'own_run' });
    expect(y.event('e2').performs.some((one) => one.type === 'triage')).toBe(false);
  });

  test.each<[string, (x: X) => { runId: string | null } | null, string, string]>([
    ['a candidate', (x) => ({ runId: x.ids('e1').runId }), 'event_unconfirmed', 'e1'],
    ['none of them', () => ({ runId: null }), 'run_started', 'e2'],
    ['a run of another entity', (x) => ({ runId: x.ids('other').runId }), 'event_unconfirmed', 'e1'],
    ['nothing usable', () => null, 'event_unconfirmed', 'e1'],
  ])('A15 a proposal of %s', (_name, proposal, status, into) => {
    const x = triaged();
    x.event('e2');
    const sent = propose(x, x.ids('e2').messageId, proposal(x));
    expect(said(sent, 'e2', x)).toEqual([status, x.ids(into).runId]);
    expect(factsOf(propose(x, x.ids('e2').messageId, null), 'MessageDecided')).toEqual([]);
  });

  test('A15 a proposal is decided again on the run as it is by then', () => {
    const x = triaged();
    x.event('e2');
    x.control('c1', {}, 'e1');
    const sent = propose(x, x.ids('e2').messageId, { runId: x.ids('e1').runId });
    expect(said(sent, 'e2', x)).toEqual(['run_started', x.ids('e2').runId]);
  });

  test('A15 a model that does not answer, or whose process dies, leaves the event to the policy', () => {
    const x = triaged();
    x.event('e2');
    const tick = () => x.world.settle({ type: 'tick', kind: 'entity', id: entity });
    expect(factsOf(tick(), 'MessageDecided')).toEqual([]);
    x.world.now += triageMs;
    expect(said(tick(), 'e2', x)).toEqual(['event_unconfirmed', x.ids('e1').runId]);
    expect(factsOf(tick(), 'MessageDecided')).toEqual([]);
  });

  test('A15 an event that is refused while a model is asked is not asked about for ever', () => {
    const x = triaged();
    x.event('e2');
    x.configure({ events: {} });
    expect(said(propose(x, x.ids('e2').messageId, null), 'e2', x)[0]).toBe('refused');
    expect(x.world.dueAt(x.kinds[0] as never, entity)).toBeNull();
  });
});

describe('the call of the triage hook (A15)', () => {
  let server: Server;
  let answer: { status: number; body: string };
  let got: unknown;
  const log = pino({ level: 'silent' });
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        got = JSON.parse(body);
        if (answer.status === 0) return;
        response.writeHead(answer.status).end(answer.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const question = {
    entity: { type: 'device', id: '07' },
    event: { kind: 'pressure', at: '2026-01-01T00:00:00.000Z', correlationId: null, text: 'high' },
    candidates: [{ runId: 'run_1', title: null, state: 'running', requirementsVersion: 1, startedAt: null }],
  };

  test.each([
    ['a candidate', 200, '{"runId":"run_1"}', { runId: 'run_1' }],
    ['none of them', 200, '{"runId":null}', { runId: null }],
    ['a run it was not shown', 200, '{"runId":"run_2"}', null],
    ['another shape', 200, '{"run":"run_1"}', null],
    ['no JSON', 200, 'run_1', null],
    ['too much', 200, JSON.stringify({ runId: 'run_1', more: 'x'.repeat(70_000) }), null],
    ['an error', 500, '{"runId":"run_1"}', null],
    ['nothing in time', 0, '', null],
  ])('A15 the model answers with %s', async (_name, status, body, expected) => {
    answer = { status, body };
    const { port } = server.address() as AddressInfo;
    expect(await proposalOf({ url: `http://127.0.0.1:${port}/`, question }, 300, log)).toEqual(expected);
    expect(got).toEqual(question);
  });

  test('A15 a model that is away is as good as none', async () => {
    expect(await proposalOf({ url: 'http://127.0.0.1:1/', question }, 300, log)).toBeNull();
  });
});

test('A15 an event is known by kind, time and correlation, not by its words', () => {
  const x = devices();
  const same: Partial<ObserveRun> = { eventAt: 1, eventKind: 'pressure', correlationId: 'k' };
  x.event('e1', { ...same, content: 'a' });
  expect(said(x.event('e2', { ...same, content: 'b' }), 'e2', x)[0]).toBe('event_ignored');
});
