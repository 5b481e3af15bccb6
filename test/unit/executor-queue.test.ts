import * as fc from 'fast-check';
import { plan, preemptorOf, type SlotClaim, type Slots } from '../../services/run-executor/slots';
import { waitingFor } from '../../services/run-executor/waiting-for';
import { executor, report } from '../support/executor';

const parallel = { mode: 'parallel' } as const;
const states = (x: ReturnType<typeof executor>, ...ids: string[]) => ids.map((id) => x.run(id).status);
const finish = (x: ReturnType<typeof executor>, id: string) => {
  x.answer({ report }, id);
  x.published(true, id);
};

describe('limits queue, they never refuse (R19)', () => {
  test.each([
    ['activeRuns of the tenant', { tenant: { limits: { activeRuns: 1 } } }, {}, 'tenant'],
    ['perAccount', { tenant: { limits: { perAccount: 1 } } }, {}, 'account:alice'],
    [
      'perEntity',
      { tenant: { limits: { perEntity: 1 } } },
      { entityType: 'device', entityId: '07' },
      'entity:device/07',
    ],
    ['concurrency of the agent', { agent: { limits: { concurrency: 1 } } }, {}, 'agent:market-report'],
    ['a named resource', { agent: { resource: 'gpu' } }, {}, 'resource:gpu'],
  ])('R19 A13 a limit queues and refuses nobody: %s', (_, more, started, counter) => {
    const x = executor(more);
    x.start('m1', { ...parallel, ...started });
    x.start('m2', { ...parallel, ...started });
    expect(states(x, 'm1', 'm2')).toEqual(['running', 'queued']);
    expect(waitingFor(x.run('m2'))).toMatchObject([{ kind: 'slot', ref: counter }]);
    finish(x, 'm1');
    expect(x.run('m2').status).toBe('running');
  });

  test('R19 another entity does not wait behind one that is busy', () => {
    const x = executor({ tenant: { limits: { perEntity: 1 } } });
    const on = (entityId: string) => ({ ...parallel, entityType: 'device', entityId });
    x.start('m1', on('07'));
    x.start('m2', on('07'));
    x.start('m3', on('08'));
    expect(states(x, 'm1', 'm2', 'm3')).toEqual(['running', 'queued', 'running']);
  });

  test.each([
    ['waiting', { ask: [{ questionId: 'q', kind: 'question', question: '?' }] }],
    ['parked', { ask: [{ questionId: 'q', kind: 'question', question: '?', mode: 'blocking' }] }],
  ] as const)('R19 R18 a %s run holds no slot, and takes one again before it goes on', (status, output) => {
    const x = executor({ tenant: { limits: { activeRuns: 1 } } });
    x.start('m1', parallel);
    x.start('m2', parallel);
    x.answer({ ask: [...output.ask] }, 'm1');
    expect(states(x, 'm1', 'm2')).toEqual([status, 'running']);
    expect(x.answerQuestion('q', 'yes', 2, 'm1').performs).toEqual([]);
    expect(x.run('m1')).toMatchObject({ status: 'waiting', slot: { state: 'waiting', blockedBy: 'tenant' } });
    finish(x, 'm2');
    expect(x.run('m1').status).toBe('running');
  });

  test('R19 R16 paused and cancelled runs leave the queue', () => {
    const x = executor({ tenant: { limits: { activeRuns: 1 } } });
    for (const id of ['m1', 'm2', 'm3', 'm4']) x.start(id, parallel);
    x.control('p', { control: 'pause' }, 'm2');
    x.control('c', {}, 'm3');
    finish(x, 'm1');
    expect(states(x, 'm2', 'm3', 'm4')).toEqual(['paused', 'cancelled', 'running']);
    expect(x.world.state<Slots>('slots', 'local')).toMatchObject({ held: [{}], waiting: [] });
    x.control('r', { control: 'resume' }, 'm2');
    expect(x.run('m2').status).toBe('queued');
    finish(x, 'm4');
    expect(x.run('m2').status).toBe('running');
  });

  test('R21 the parent’s slot is its children’s', () => {
    const x = executor({ tenant: { limits: { activeRuns: 1 } } });
    x.start('m1', parallel);
    x.start('m2', parallel);
    x.answer({ spawn: [{ childId: 'k', agent: 'market-report', text: 't' }] }, 'm1');
    expect(x.run(x.run('m1').children[0]?.runId).status).toBe('running');
    expect(states(x, 'm1', 'm2')).toEqual(['waiting', 'queued']);
  });

  test('R19 priority goes before time as far as the tenant’s ageing says', () => {
    const x = executor({ tenant: { limits: { activeRuns: 1 }, queue: { ageingSecPerPriority: 10 } } });
    x.start('m1', parallel);
    x.start('m2', { ...parallel, priority: 5 });
    x.world.now += 30_000;
    x.start('m3', { ...parallel, priority: 7 });
    x.start('m4', { ...parallel, priority: 9 });
    finish(x, 'm1');
    expect(states(x, 'm2', 'm3', 'm4')).toEqual(['queued', 'queued', 'running']);
    finish(x, 'm4');
    expect(states(x, 'm2', 'm3')).toEqual(['running', 'queued']);
  });

  test('R19 preemption only where configured, above the margin, at a boundary, at most once in so many turns', () => {
    const x = executor({ agent: { resource: 'gpu', preempt: { margin: 2, everyTurns: 2 } } });
    x.start('m1', parallel);
    x.start('m2', { ...parallel, priority: 9 });
    x.answer({ again: true }, 'm1');
    expect(states(x, 'm1', 'm2')).toEqual(['running', 'queued']);
    x.answer({ again: true }, 'm1');
    expect(states(x, 'm1', 'm2')).toEqual(['waiting', 'running']);
    finish(x, 'm2');
    expect(x.run('m1')).toMatchObject({ status: 'running', turns: 2 });
    const y = executor({ agent: { resource: 'gpu' } });
    y.start('m1', parallel);
    y.start('m2', { ...parallel, priority: 9 });
    for (let n = 0; n < 4; n += 1) y.answer({ again: true }, 'm1');
    expect(states(y, 'm1', 'm2')).toEqual(['running', 'queued']);
  });
});

const claims = fc.uniqueArray(
  fc.record({
    runId: fc.stringMatching(/^r[0-9]{1,3}$/),
    order: fc.integer({ min: 0, max: 1_000 }),
    priority: fc.integer({ min: 0, max: 9 }),
    counters: fc.uniqueArray(fc.constantFrom('tenant', 'agent:a', 'agent:b', 'entity:x', 'resource:gpu'), {
      minLength: 1,
    }),
  }),
  { selector: (claim) => claim.runId, maxLength: 40 },
);
const limits = fc.record({
  tenant: fc.integer({ min: 1, max: 6 }),
  'agent:a': fc.integer({ min: 1, max: 3 }),
  'agent:b': fc.integer({ min: 1, max: 3 }),
  'entity:x': fc.constant(1),
  'resource:gpu': fc.constant(1),
});

describe('the plan of the queue', () => {
  test('R19 no counter is ever held more often than its limit, and whoever is admitted fits', () => {
    fc.assert(
      fc.property(claims, limits, (waiting, most) => {
        const limitOf = (counter: string) => most[counter as keyof typeof most];
        const { admitted } = plan({ held: [], waiting }, limitOf);
        for (const counter of Object.keys(most))
          expect(admitted.filter((claim) => claim.counters.includes(counter)).length).toBeLessThanOrEqual(
            limitOf(counter),
          );
      }),
    );
  });

  test('R19 the same on any instance, in whatever order the claims were written', () => {
    fc.assert(
      fc.property(claims, limits, fc.integer(), (waiting, most, seed) => {
        const limitOf = (counter: string) => most[counter as keyof typeof most];
        const shuffled = [...waiting].sort((a, b) => ((a.order * seed) % 7) - ((b.order * seed) % 7));
        const ids = (list: readonly SlotClaim[]) => list.map((claim) => claim.runId);
        expect(ids(plan({ held: [], waiting: shuffled }, limitOf).admitted)).toEqual(
          ids(plan({ held: [], waiting }, limitOf).admitted),
        );
      }),
    );
  });

  test('R19 no starvation: with later ones coming for ever, everybody goes within a bounded number of ends', () => {
    fc.assert(
      fc.property(claims, limits, (first, most) => {
        const limitOf = (counter: string) => most[counter as keyof typeof most];
        const slots = { held: [] as SlotClaim[], waiting: [...first] };
        const left = new Set(first.map((claim) => claim.runId));
        for (let step = 0; step < first.length * 8 + 8 && left.size > 0; step += 1) {
          const { admitted } = plan(slots, limitOf);
          for (const claim of admitted) left.delete(claim.runId);
          slots.held = [...slots.held, ...admitted].slice(1);
          slots.waiting = slots.waiting.filter((claim) => !admitted.includes(claim));
          // Somebody later and narrower, who would take one counter at a time from a wide claim.
          slots.waiting.push({
            runId: `later${step}`,
            order: 2_000 + step,
            priority: 9,
            counters: [(['tenant', 'agent:a', 'agent:b', 'entity:x', 'resource:gpu'] as const)[step % 5] ?? 'tenant'],
          });
        }
        expect([...left]).toEqual([]);
      }),
    );
  });

  test('R19 no thrashing: who was preempted does not preempt in turn', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        (a, b, margin) => {
          const claim = (runId: string, priority: number): SlotClaim => ({
            runId,
            order: 0,
            priority,
            counters: ['resource:gpu'],
          });
          const one = claim('a', a);
          const two = claim('b', b);
          const first = preemptorOf({ held: [one], waiting: [two] }, one, margin, () => 1);
          const back = preemptorOf({ held: [two], waiting: [one] }, two, margin, () => 1);
          expect(first !== null && back !== null).toBe(false);
        },
      ),
    );
  });
});
