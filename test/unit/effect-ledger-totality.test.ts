import * as fc from 'fast-check';
import { statuses, type Action } from '../../services/effect-ledger/state';
import type { Message } from '../../services/effect-ledger/messages';
import {
  answer,
  attempted,
  interaction,
  propose,
  raiseFence,
  receiptAnswer,
  startModel,
  type Model,
} from '../support/effect-ledger-model';

const key = 'asks-resends:contact:S:v1';
const connector = 'asks-resends';

type Step = (model: Model, action: Action | null) => Message | null;

const withAction =
  (step: (action: Action, model: Model) => Message | null): Step =>
  (model, action) =>
    action === null ? null : step(action, model);

const steps: { readonly [name: string]: Step } = {
  propose: () => propose({ connector, proposalId: 'p1' }),
  'propose with approval': () => propose({ connector, proposalId: 'p2', approval: true }),
  'propose another': () => propose({ connector, params: '{"a":2}' }),
  'propose from elsewhere': () => propose({ connector, runId: 'other' }),
  'fence 1': () => raiseFence(1, 1, 'hold'),
  'fence 2': () => raiseFence(2, 1, 'open'),
  'fence 3': () => raiseFence(3, 2, 'open'),
  'fence 4': () => raiseFence(4, 2, 'closed'),
  tick: withAction((action, model) => {
    model.tick(action.actionKey);
    return null;
  }),
  open: withAction((action) => interaction(action)),
  approve: withAction((action) => answer(action, 'approve')),
  deny: withAction((action) => answer(action, 'deny')),
  closed: withAction((action) => interaction(action, { state: 'closed', code: 'expired' })),
  start: withAction((action) => ({ type: 'start', actionKey: action.actionKey, runId: action.runId })),
  ...Object.fromEntries(
    (['succeeded', 'failed', 'pending', 'absent', 'unreachable'] as const).map((outcome) => [
      `receipt ${outcome}`,
      withAction((action) => receiptAnswer(action, outcome)),
    ]),
  ),
  ...Object.fromEntries(
    (['not_sent', 'succeeded', 'failed', 'unknown'] as const).map((outcome) => [
      `attempt ${outcome}`,
      ((model) => {
        const send = model.sends.at(-1);
        return send === undefined ? null : attempted(send, outcome);
      }) satisfies Step,
    ]),
  ),
  attest: withAction((action) => ({
    type: 'attest',
    actionKey: action.actionKey,
    tenant: 'local',
    account: 'o',
    outcome: 'failed',
    evidence: 'e',
  })),
  ...Object.fromEntries(
    (['succeeded', 'failed', 'pending'] as const).map((state) => [
      `callback ${state}`,
      withAction((action) => ({
        type: 'callback',
        connector,
        tenant: 'local',
        eventId: `e ${state} ${action.evidence.length}`,
        actionKey: action.actionKey,
        state,
        receipt: null,
      })),
    ]),
  ),
  'cancel accepted': withAction((action) => ({
    type: 'cancel_answered',
    actionKey: action.actionKey,
    outcome: 'accepted',
    httpStatus: 200,
  })),
  compensate: withAction((action) => ({
    type: 'compensate',
    actionKey: action.actionKey,
    tenant: 'local',
    account: 'o',
    operation: 'share',
    subject: 'undo',
    params: '{}',
  })),
  released: withAction((action) => ({ type: 'released', actionKey: action.actionKey, runId: action.runId })),
  'ask soon': withAction((action) => ({ type: 'ask_soon', actionKey: action.actionKey, tenant: 'local' })),
  pause: (model) => {
    model.paused = !model.paused;
    return null;
  },
  'ask again': withAction((action) => ({ type: 'ask_again', actionKey: action.actionKey, tenant: 'local' })),
  full: (model) => {
    model.capacity = model.capacity === 0 ? 100 : 0;
    return null;
  },
};

const actionOrNull = (model: Model): Action | null => {
  try {
    return model.action(key);
  } catch {
    return null;
  }
};

/** What holds after every step, whatever came before. */
const check = (model: Model): void => {
  const action = actionOrNull(model);
  if (action === null) return;
  const open = action.attempts.filter((attempt) => attempt.outcome === null);
  expect(open.length).toBeLessThanOrEqual(1);
  if (action.standing.status === 'sending') expect(open).toHaveLength(1);
  if (action.standing.status === 'withdrawn' || action.standing.status === 'denied')
    expect(action.attempts.every((attempt) => attempt.outcome === 'not_sent')).toBe(true);
  if (action.standing.status === 'failed')
    expect(
      action.evidence.some((one) => one.outcome === 'failed') ||
        action.attempts.every((attempt) => attempt.outcome === 'not_sent'),
    ).toBe(true);
  if (action.standing.status === 'succeeded')
    expect(action.evidence.some((one) => one.outcome === 'succeeded')).toBe(true);
  // One id, one fact: what is said again under the same id says the same.
  const said = new Map<string, unknown>();
  for (const { eventId, value } of model.facts) {
    if (said.has(eventId)) expect(value).toEqual(said.get(eventId));
    said.set(eventId, value);
  }
};

test('totality: every message in every state that messages can lead to returns, and the invariants hold (E1 to E8)', () => {
  const reached = new Set<string>();
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 1, maxLength: 25 }), (names) => {
      const model = startModel();
      let closedAt: number | null = null;
      for (const name of names) {
        const action = actionOrNull(model);
        const sent = model.sends.length;
        const message = steps[name]!(model, action);
        if (message !== null) model.decide(message);
        check(model);
        const fence = ((): { mode: string } | null => {
          try {
            return model.fence('run');
          } catch {
            return null;
          }
        })();
        // After an acknowledged closed fence nothing of the run starts, ever (E7).
        if (closedAt !== null) expect(model.sends.slice(sent).filter((send) => send.runId === 'run')).toEqual([]);
        if (fence?.mode === 'closed') closedAt ??= sent;
        const status = actionOrNull(model)?.standing.status;
        if (status !== undefined) reached.add(status);
        model.now += 700;
      }
    }),
    { numRuns: 1_500, seed: 7 },
  );
  expect([...reached].sort()).toEqual(
    statuses.filter((status) => status !== 'blocked' || reached.has('blocked')).sort(),
  );
});
