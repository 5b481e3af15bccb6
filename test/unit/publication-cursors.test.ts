import * as fc from 'fast-check';
import * as publication from '../../services/publication/decide';
import type { AnyMessage } from '../../services/publication/messages';
import { placeOf, startAt } from '../../services/publication/readers';
import { cursorOf } from '../../services/publication/snapshot';
import type { Fact, Stream, TimelineKind } from '../../services/publication/state';
import { kinds } from '../../services/publication/store';
import { messageOf } from '../../services/publication/messages';
import { inMemory } from '../support/in-memory';

const { keys, moreKeys, decide } = publication;

const news = fc.record({
  kind: fc.constantFrom<TimelineKind>('run', 'action', 'message'),
  entity: fc.constantFrom('x', 'y', 'z'),
  conversationId: fc.constantFrom('c1', 'c2'),
  revision: fc.integer({ min: 1, max: 6 }),
});
type News = typeof news extends fc.Arbitrary<infer T> ? T : never;

/** What a thing says at one revision is always the same. */
const happened = ({ kind, entity, conversationId, revision }: News): AnyMessage => ({
  type: 'happened',
  event: {
    ...{ kind, conversationId, revision, tenant: 't', account: 'alice', entity: `${entity} of ${conversationId}` },
    ...{ runId: 'r', eventId: `${entity}/${revision}`, at: 1, item: { entity, revision } },
    ...{ title: null, ended: false, kept: true },
  },
});

const epochs = fc.stringMatching(/^[0-9a-f]{8}$/);

describe('cursors', () => {
  test('case 59 P3: numbers follow commits: no gap, no repeat, and the newest of each thing has its place, however it is batched', () => {
    fc.assert(
      fc.property(fc.array(fc.array(news, { minLength: 1, maxLength: 5 }), { maxLength: 15 }), (batches) => {
        const store = inMemory({ name: 'publication', kinds, keys, moreKeys, decide: decide as never });
        const rows = batches.flatMap(
          (batch) => store.transact(batch.map((one, index) => ({ message: happened(one), cause: `${index}` }))).rows,
        );
        const numbers = new Map<string, number[]>();
        for (const { values } of rows)
          for (const [stream, seq] of [
            [values['stream'], values['seq']],
            [values['account_stream'], values['account_seq']],
          ])
            numbers.set(String(stream), [...(numbers.get(String(stream)) ?? []), Number(seq)]);
        for (const id of store.ids('stream')) {
          const seen = numbers.get(id) ?? [];
          expect(seen).toEqual(seen.map((_, index) => index + 1));
          expect(store.state<Stream>('stream', id)?.seq).toBe(seen.length);
        }
        for (const id of store.ids('fact')) {
          const fact = store.state<Fact>('fact', id) as Fact;
          const own = rows.filter(
            ({ values }) => values['stream'] === fact.stream && `${String(values['kind'])}` === fact.kind,
          );
          const place = own.find(({ values }) => values['seq'] === fact.seq);
          expect(JSON.parse(String(place?.values['item']))).toMatchObject({ revision: fact.revision });
        }
      }),
      { numRuns: 300, seed: 3 },
    );
  });

  test('P3 a cursor that was given is read as it was given', () => {
    fc.assert(
      fc.property(epochs, fc.integer({ min: 0, max: 1_000_000_000 }), (epoch, seq) => {
        expect(placeOf(cursorOf(epoch, seq))).toEqual({ epoch, seq });
      }),
    );
  });

  test('case 26 P3: `after` goes on behind its event or begins with a snapshot, and never leaves out what is kept', () => {
    fc.assert(
      fc.property(
        fc.record({ epoch: epochs, seq: fc.integer({ min: 0, max: 30 }) }),
        fc.oneof(fc.constant<string | null>(null), epochs),
        fc.integer({ min: 0, max: 40 }),
        fc.option(fc.integer({ min: 1, max: 30 })),
        (head, other, seq, kept) => {
          const first = kept === null ? null : Math.min(kept, Math.max(1, head.seq));
          const start = startAt({ epoch: other ?? head.epoch, seq }, head, head.seq === 0 ? null : first);
          if (start.type === 'snapshot') return;
          expect(other ?? head.epoch).toBe(head.epoch);
          expect(start.seq).toBe(seq);
          expect(seq).toBeLessThanOrEqual(head.seq);
          // Everything after it is still there to be read.
          if (seq < head.seq) expect(first).not.toBeNull();
          expect(seq).toBeGreaterThanOrEqual((first ?? head.seq + 1) - 1);
        },
      ),
    );
  });

  test('P3 X4 any other text begins with a snapshot', () => {
    const head = { epoch: '0123abcd', seq: 9 };
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
        const place = placeOf(text);
        if (place === null) expect(startAt(place, head, 1)).toEqual({ type: 'snapshot' });
        else expect(text).toMatch(/^[0-9a-f]{8}\.\d+$/);
      }),
    );
    expect(startAt(placeOf('0123abcd.4'), head, 1)).toEqual({ type: 'after', seq: 4 });
  });

  test('P3 E1 an action that runs of two conversations wait for is shown in both, whoever is told last', () => {
    const changed = (runId: string, conversationId: string, revision: number, state: string): AnyMessage =>
      messageOf('ActionStateChanged', {
        ...{ eventId: `${runId}/${revision}`, occurredAt: 1, tenant: 't', app: 'a', account: 'alice' },
        ...{ conversationId, taskId: 'task', runId, actionKey: 'mail:send:S:v1', revision, state, receipt: null },
      } as never) as AnyMessage;
    const store = inMemory({ name: 'publication', kinds, keys, moreKeys, decide: decide as never });
    const told = [
      changed('run_1', 'c1', 1, 'sending'),
      changed('run_2', 'c2', 1, 'sending'),
      changed('run_1', 'c1', 2, 'succeeded'),
      changed('run_2', 'c2', 2, 'succeeded'),
    ];
    for (const message of told) store.send(message);
    const facts = store.ids('fact').map((id) => store.state<Fact>('fact', id));
    expect(facts.map((fact) => [fact?.runId, fact?.seq, fact?.firstSeq])).toEqual([
      ['run_1', 2, 1],
      ['run_2', 2, 1],
    ]);
    // Read once more in any order, it is no news (X1).
    for (const message of told) expect(store.send(message).rows).toEqual([]);
  });
});
