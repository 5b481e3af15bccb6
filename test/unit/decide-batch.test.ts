import { decideBatch, heldSet } from '../../services/platform/decide-batch';
import { emit, noTrace, type Service } from '../../services/platform/decision';
import type { NewOutboxRow } from '../../services/platform/outbox';

const key = { kind: 'thing', id: 'one' };

/** Counts its messages and says each of them. */
const service: Service<string, never> = {
  name: 'counting',
  kinds: [],
  keys: () => [key],
  decide: (view, message) => {
    const count = (view.get<{ count: number }>('thing', 'one')?.count ?? 0) + 1;
    return {
      put: [{ key, state: { count } }],
      emit: [emit(key, 'run.events.v1', 'TurnCommitted', 'c', { detail: message } as never)],
      rows: [{ table: 'journal', values: { message } }],
      reply: count,
    };
  },
};

const encode = (fact: { readonly value: unknown; readonly eventId: string }): NewOutboxRow => {
  if ((fact.value as { detail: string }).detail === 'too large') throw new Error('this record has too many bytes');
  return { eventId: fact.eventId } as NewOutboxRow;
};

test('X4 a fact that cannot be encoded is the fault of its message alone, and nothing of that message stays', () => {
  const held = heldSet();
  held.set({ key, loaded: 0, revision: 0, state: undefined, changed: false });
  const items = ['first', 'too large', 'last'].map((message) => ({ message, cause: message, trace: noTrace }));
  const result = decideBatch(service, held, new Map(), items, { now: 0, instance: 'i', capacity: 1 }, encode);
  expect(result.outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
  expect(held.get(key)).toMatchObject({ state: { count: 2 }, revision: 2 });
  expect(result.outbox.map(({ eventId }) => eventId)).toEqual(['one/1/0/TurnCommitted', 'one/2/0/TurnCommitted']);
  expect(result.rows.map(({ values }) => values['message'])).toEqual(['first', 'last']);
});
