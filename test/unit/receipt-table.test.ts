import type { MessageDecided } from '../../schemas/generated/records';
import { httpOf, isSettled, statuses } from '../../services/admission/receipts';
import { executor, factsOf, report, type SentMessages } from '../support/executor';
import { decided, runChanged, submit, world } from '../support/admission-world';

type X = ReturnType<typeof executor>;

const started = (...agent: Parameters<typeof executor>): X => {
  const x = executor(...agent);
  x.start('m1');
  return x;
};
const withEvents = (uncorrelated = 'ask'): X => {
  const x = executor();
  x.configure({ events: { device: { windowMs: 60_000, uncorrelated } } } as never);
  x.event('e1', { correlationId: 'k', eventAt: 5 });
  return x;
};
const ended = (): X => {
  const x = started();
  x.answer({ report });
  x.published();
  return x;
};
const questioned = (): X => {
  const x = started();
  x.control('p', { control: 'pause' });
  return x;
};

/** What the owner of the runs says, by its own deciders: status, HTTP of the receipt, and what leads to it. */
const byOwner: Readonly<Record<string, readonly [http: number, said: () => SentMessages]>> = {
  run_started: [201, () => executor().start('m1')],
  run_queued: [201, () => started().start('m2')],
  cancelled_before_start: [
    200,
    () => {
      const x = executor();
      x.control('k', { namedByMessage: true });
      return x.start('m1');
    },
  ],
  update_received: [200, () => started().amend('m2')],
  update_applied: [
    200,
    () => {
      const x = started();
      x.observe('m2');
      return x.answer({ again: true });
    },
  ],
  update_superseded: [
    200,
    () => {
      const x = started();
      x.amend('m2');
      x.amend('m3', { expectedVersion: 2, amendKind: 'replace' });
      return x.answer({});
    },
  ],
  update_not_applied: [
    200,
    () => {
      const x = started({ agent: { budget: { turns: 1 } } });
      x.observe('m2');
      return x.answer({ again: true });
    },
  ],
  follow_up_created: [201, () => ended().amend('m2')],
  version_conflict: [409, () => started().amend('m2', { expectedVersion: 9 })],
  event_merged: [200, () => withEvents().event('e2', { correlationId: 'k', eventKind: 'temperature' })],
  event_unconfirmed: [200, () => withEvents().event('e2', { eventKind: 'temperature' })],
  event_ignored: [200, () => withEvents().event('e2', { correlationId: 'k', eventAt: 5 })],
  control_requested: [200, () => started().control('k', { control: 'pause' })],
  control_confirmed: [
    200,
    () => {
      const x = executor();
      x.control('k', { namedByMessage: true });
      return x.start('m1');
    },
  ],
  control_superseded: [200, () => questioned().control('r', { control: 'resume' })],
  too_late: [200, () => ended().control('k')],
};

/** What admission says by itself. */
const byAdmission: Readonly<Record<string, readonly [http: number, said: () => string]>> = {
  admitted: [202, () => world().send(submit()).receipt.status],
  refused: [422, () => world().send(submit({ relation: 'AMEND' })).receipt.status],
  conflict: [
    409,
    () => {
      const { send } = world();
      send(submit());
      return send(submit({ content: 'other' })).receipt.status;
    },
  ],
  progress_reported: [
    200,
    () => {
      const { send } = world();
      send(runChanged('r1', 1));
      return send(submit({ relation: 'CONTROL', control: 'PROGRESS', content: '', targetRunId: 'r1' })).receipt.status;
    },
  ],
};

/** hil's, each shown over its own deciders in `unit/hil`. */
const byHil = { response_received: 200, response_adopted: 200, response_void: 200, response_late: 200 };

describe('A6 the table of receipts: every status comes about, with its HTTP status', () => {
  test.each(Object.entries(byOwner))('%s', (status, [http, said]) => {
    const decisions = factsOf(said(), 'MessageDecided') as unknown as MessageDecided[];
    const decision = decisions.find((one) => one.status === status);
    expect(decisions.map((one) => one.status)).toContain(status);
    const { send } = world();
    send(submit());
    const told = send(decided('m1', 1, status, { code: decision?.code ?? null }));
    expect(told.receipt).toMatchObject({ status, revision: 2 });
    expect(told.performs).toMatchObject([{ http }]);
  });

  test.each(Object.entries(byAdmission))('%s', (status, [http, said]) => {
    expect(said()).toBe(status);
    expect(httpOf({ status, code: status === 'conflict' ? 'content_conflict' : null })).toBe(http);
  });

  test.each(Object.entries(byHil))('%s', (status, http) => {
    const { send } = world();
    send(submit({ relation: 'CLARIFICATION', interactionRef: 'i', requestRevision: 1 }));
    expect(send(decided('m1', 1, status)).performs).toMatchObject([{ http }]);
  });

  test('and there is no other', () => {
    const all = [...Object.keys(byOwner), ...Object.keys(byAdmission), ...Object.keys(byHil)];
    expect([...statuses].sort()).toEqual(all.sort());
    expect(all.filter((status) => !isSettled(status))).toEqual(['admitted']);
  });
});

/** Codes by what leads to them; those of a receipt alone, those of other routes are shown where the routes are. */
describe('A6 the codes of refusals that admission decides', () => {
  const busy = (...runs: string[]): ReturnType<typeof world> => {
    const made = world();
    for (const run of runs) made.send(runChanged(run, 1));
    return made;
  };
  test.each<[string, string | null, () => { code: string | null; field: string | null; revision: number }]>([
    ['field_missing', 'content', () => world().send(submit({ content: '' })).receipt],
    ['field_not_allowed', 'control', () => world().send(submit({ control: 'PAUSE' })).receipt],
    ['field_invalid', 'priority', () => world().send(submit({ priority: 10 })).receipt],
    ['content_too_large', 'content', () => world().send(submit({ content: 'x'.repeat(262_145) })).receipt],
    ['unknown_agent', 'agent', () => world().send(submit({ agent: 'nobody' })).receipt],
    ['forbidden', null, () => world().send(submit({}, { tenant: 'nowhere' })).receipt],
    ['needs_target', 'relation', () => busy('r1').send(submit()).receipt],
    ['busy', null, () => busy('r1').send(submit({ agent: 'reject' })).receipt],
    ['rate_limited', null, () => world().send({ ...submit(), retryAfterSec: 1 }).receipt],
  ])('%s', (code, field, said) => expect(said()).toMatchObject({ status: 'refused', code, field, revision: 0 }));
});
