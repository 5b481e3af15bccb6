import type { Action } from '../../services/effect-ledger/state';
import { fenceIdOf } from '../../services/effect-ledger/state';
import type { Document } from '../../services/publication/document';
import { conversationIdOf } from '../../services/run-executor/messages';
import type { ConnectorName } from './configuration';
import { all, runsOf } from './looking';
import type { Random } from './random';
import type { World } from './world';

const actsUntilMs = 120_000;
const longestPauseMs = 30_000;
/** A callback that a proxy has held back, or that the remote sends once more. */
const lateCallbackMs = 300_000;
const tenant = 'local';

const blank = { tenant, account: 'olga' };

/** People behind the scenes and the remote's own news: attestations, compensations, stopped connectors, callbacks. */
export interface Operators {
  readonly plan: () => void;
  /** What happened at the remote may come back by itself, once, twice, and before its own answer. */
  readonly hear: (connector: string, actionKey: string, state: 'succeeded' | 'failed' | 'pending') => void;
}

export const openOperators = (world: World): Operators => {
  const later = (random: Random, longestMs: number, what: string, run: () => void): void =>
    world.agenda.add({ at: world.now + random.whole(1, longestMs), what, run });
  const ledger = (message: object, what: string): void => world.call('effect-ledger', message, what);
  const some = (random: Random, status: readonly string[]): Action | undefined => {
    const found = all<Action>(world, 'effect-ledger', 'action').filter(({ state }) =>
      status.includes(state.standing.status),
    );
    return found.length === 0 ? undefined : random.pick(found).state;
  };

  /** Mostly what is true; the ledger has no way to know. */
  const attest = (random: Random): void => {
    const action = some(random, ['unknown', 'blocked', 'disputed', 'succeeded']);
    if (action === undefined) return;
    const { actionKey } = action;
    const done = world.remote.effects.has(actionKey) === random.chance(0.9);
    const message = { type: 'attest', ...blank, actionKey, outcome: done ? 'succeeded' : 'failed', evidence: 'I rang' };
    ledger(message, `attest ${actionKey}`);
    if (random.chance(0.3)) later(random, 5_000, 'attests again', () => ledger(message, `attest ${actionKey}`));
  };

  const compensate = (random: Random): void => {
    const action = some(random, random.chance(0.9) ? ['succeeded'] : ['failed', 'unknown', 'sending']);
    if (action === undefined) return;
    const { actionKey } = action;
    const message = { type: 'compensate', ...blank, actionKey, operation: 'share', subject: 'undo', params: '{"n":1}' };
    ledger(message, `compensate ${actionKey}`);
    if (random.chance(0.4)) later(random, 9_000, 'compensates again', () => ledger(message, `compensate ${actionKey}`));
  };

  const stopConnector = (random: Random): void => {
    const connector = random.pick<ConnectorName>(['asks', 'dedups', 'resends', 'blind']);
    const pause = { connector, from: world.now, until: world.now + random.whole(1_000, longestPauseMs) };
    world.desk.paused.push(pause);
    world.agenda.add({
      at: pause.until,
      what: `${connector} goes on`,
      run: () => {
        for (const { id, state } of all<Action>(world, 'effect-ledger', 'action'))
          if (state.connector === connector && state.standing.status === 'admitted')
            ledger({ type: 'released', actionKey: id, runId: fenceIdOf(state) }, `${id} is released`);
      },
    });
  };

  const askAgain = (random: Random): void => {
    const action = some(random, ['unknown', 'blocked']);
    if (action === undefined) return;
    const { actionKey } = action;
    ledger({ type: random.pick(['ask_again', 'ask_soon']), actionKey, tenant }, `ask about ${actionKey} again`);
  };

  const steer = (random: Random): void => {
    const runs = runsOf(world);
    if (runs.length === 0) return;
    const run = random.pick(runs);
    const verb = random.weighed([
      [3, 'release-lease'],
      [1, 'pause'],
      [2, 'resume'],
      [0.5, 'cancel'],
      [0.5, 'interrupt'],
    ]);
    const message = { type: 'steer', runId: run.runId, conversation: conversationIdOf(run), verb, reason: 'by hand' };
    world.call('run-executor', message, `an operator says ${verb} to ${run.runId}`);
  };

  /** From the two texts of an open conflict, or from two that are no such pair. */
  const integrate = (random: Random): void => {
    const documents = all<Document>(world, 'publication', 'document');
    if (documents.length === 0) return;
    const { id, state } = random.pick(documents);
    const open = state.conflicts.find((one) => one.resolvedBy === null);
    const basedOn = [state.current, open?.sha256 ?? state.texts[0]?.sha256 ?? ''];
    const body = Buffer.from(`both of ${basedOn.join(' and ')}`);
    const message = { type: 'resolve', id, basedOn, body, contentType: 'text/plain', account: state.account };
    world.call('publication', message, `resolves ${id}`);
    if (random.chance(0.3))
      later(random, 5_000, 'resolves again', () => world.call('publication', message, `resolves ${id}`));
  };

  const acts: readonly (readonly [number, (random: Random) => void])[] = [
    [3, attest],
    [3, compensate],
    [1, stopConnector],
    [1, askAgain],
    [2, steer],
    [2, integrate],
  ];

  return {
    plan: () => {
      const random = world.random.of('operators');
      for (let left = random.whole(0, 4); left > 0; left -= 1) {
        const name = `operator-${left}`;
        if (!world.wanted(name)) continue;
        const own = random.of(name);
        const act = own.weighed(acts);
        later(own, actsUntilMs, name, () => act(own));
      }
    },
    hear: (connector, actionKey, state) => {
      // Two of the remotes know callbacks.
      if (connector !== 'asks' && connector !== 'dedups') return;
      const name = `callback ${state} of ${actionKey}`;
      const random = world.random.of(name);
      const message = { type: 'callback', connector, tenant, eventId: name, actionKey, state, receipt: null };
      for (
        let times = random.weighed([
          [5, 0],
          [3, 1],
          [1, 2],
        ]);
        times > 0;
        times -= 1
      ) {
        if (!world.wanted(`${name} (${times})`)) continue;
        later(random, random.chance(0.7) ? 2_000 : lateCallbackMs, name, () => ledger(message, name));
      }
    },
  };
};
