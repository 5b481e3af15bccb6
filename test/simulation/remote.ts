import type { Answer } from '../../services/effect-ledger/outcome';
import type { Called } from '../../services/effect-ledger/call';
import { absentMeansFailedAfterMs, forgetsAfterMs } from './configuration';
import type { Random } from './random';

export type Behaviour =
  | 'accept'
  | 'accept_then_silence'
  | 'fail_after_doing'
  | 'fail_without_doing'
  | 'reject'
  | 'lose'
  | 'slow'
  | 'processing'
  | 'refuse_connection';

/** What the remote did and what the sender sees of it. `effectAfterMs` null = nothing happens there. */
export interface Reaction {
  readonly behaviour: Behaviour;
  readonly effectAfterMs: number | null;
  readonly answerAfterMs: number;
  readonly called: Called;
}

/** A remote outside our control that never forgets what it did, and keeps the promises of its contract and no others. */
export interface Remote {
  /** Effects by action key: the truth that everything is measured by. */
  readonly effects: Map<string, number>;
  readonly rejected: Set<string>;
  readonly react: (connector: string, actionKey: string, number: number, timeoutMs: number, now: number) => Reaction;
  /** False: it knew the key, or has cancelled it meanwhile. */
  readonly happen: (connector: string, actionKey: string, now: number) => boolean;
  readonly receipt: (connector: string, actionKey: string, now: number) => Answer | null;
  /** Its own cancel; what it takes back does not happen any more. */
  readonly cancel: (actionKey: string, now: number) => number;
}

const answered = (status: number, body: object = {}): Called => ({
  kind: 'answered',
  answer: { status, body: JSON.stringify(body), truncated: false },
});
const lost: Called = { kind: 'lost', code: 'timeout' };

/** A slow remote acts within its contract's time after the last moment of sending. */
const slowestMs = absentMeansFailedAfterMs - 20_000;

export const openRemote = (random: Random, calm: () => boolean, wanted: (name: string) => boolean): Remote => {
  const effects = new Map<string, number>();
  const rejected = new Set<string>();
  /** Effects on their way, with the times they arrive: as many as were sent. */
  const onTheirWay = new Map<string, number[]>();
  /** When a remote that knows its keys has first met one. */
  const met = new Map<string, number>();

  const behaviours: readonly (readonly [number, Behaviour])[] = [
    [5, 'accept'],
    [2, 'accept_then_silence'],
    [1, 'fail_after_doing'],
    [1, 'fail_without_doing'],
    [1, 'reject'],
    [2, 'lose'],
    [1, 'slow'],
    [1, 'processing'],
    [1, 'refuse_connection'],
  ];
  const misbehaves = (name: string): Behaviour => {
    const behaviour = calm() ? 'accept' : random.of(name).weighed(behaviours);
    return behaviour === 'accept' || wanted(name) ? behaviour : 'accept';
  };
  /** A key is known for as long as the contract says, and not a moment longer. */
  const knows = (connector: string, actionKey: string, now: number): boolean =>
    now < (met.get(actionKey) ?? -Infinity) + (forgetsAfterMs.get(connector) ?? 0);

  return {
    effects,
    rejected,
    react: (connector, actionKey, number, timeoutMs, now) => {
      const name = `remote on attempt ${number} of ${actionKey}`;
      const own = random.of(`${name} in detail`);
      const known = knows(connector, actionKey, now);
      if (!known) met.set(actionKey, now);
      const quick = own.whole(5, 300);
      const seen = known && (effects.has(actionKey) || onTheirWay.has(actionKey));
      if (seen) return { behaviour: 'accept', effectAfterMs: null, answerAfterMs: quick, called: answered(409) };
      // A remote that knows its keys says the same about the same key.
      if (known && rejected.has(actionKey))
        return { behaviour: 'reject', effectAfterMs: null, answerAfterMs: quick, called: answered(422) };
      const behaviour = misbehaves(name);
      const reaction = (effectAfterMs: number | null, answerAfterMs: number, called: Called): Reaction => {
        if (effectAfterMs !== null)
          onTheirWay.set(actionKey, [...(onTheirWay.get(actionKey) ?? []), now + effectAfterMs]);
        return { behaviour, effectAfterMs, answerAfterMs, called };
      };
      switch (behaviour) {
        case 'accept':
          return reaction(0, quick, own.chance(0.9) ? answered(200) : answered(200, { error: null }));
        case 'accept_then_silence':
          return reaction(0, timeoutMs, lost);
        case 'fail_after_doing':
          return reaction(0, quick, answered(500));
        case 'fail_without_doing':
          return reaction(null, quick, answered(500));
        case 'reject':
          rejected.add(actionKey);
          return reaction(null, quick, own.chance(0.5) ? answered(422) : answered(200, { error: 'no' }));
        case 'lose':
          return reaction(null, timeoutMs, own.chance(0.5) ? lost : { kind: 'lost', code: 'econnreset' });
        case 'slow':
          return reaction(own.whole(timeoutMs, slowestMs), timeoutMs, lost);
        case 'processing':
          return reaction(own.whole(100, slowestMs), quick, answered(202));
        case 'refuse_connection':
          return reaction(null, quick, { kind: 'not_sent', code: 'econnrefused' });
      }
    },
    happen: (connector, actionKey, now) => {
      const arriving = onTheirWay.get(actionKey) ?? [];
      if (arriving.length === 0) return false;
      if (arriving.length === 1) onTheirWay.delete(actionKey);
      else onTheirWay.set(actionKey, [...arriving].sort((a, b) => a - b).slice(1));
      if (effects.has(actionKey) && knows(connector, actionKey, now)) return false;
      effects.set(actionKey, (effects.get(actionKey) ?? 0) + 1);
      return true;
    },
    receipt: (connector, actionKey, now) => {
      if (!calm() && random.chance(0.15)) return null;
      const body = (state: string): Answer => ({ status: 200, body: JSON.stringify({ state }), truncated: false });
      // Where absence proves nothing, the register may have lost the key as well.
      if (forgetsAfterMs.has(connector) && !knows(connector, actionKey, now))
        return { status: 404, body: '', truncated: false };
      if (effects.has(actionKey) || (onTheirWay.get(actionKey) ?? []).some((at) => at <= now)) return body('done');
      if (onTheirWay.has(actionKey) && random.chance(0.5)) return body('processing');
      if (rejected.has(actionKey) && random.chance(0.5)) return body('rejected');
      return { status: 404, body: '', truncated: false };
    },
    cancel: (actionKey, now) => {
      const arriving = onTheirWay.get(actionKey) ?? [];
      if (effects.has(actionKey) || arriving.some((at) => at <= now)) return 409;
      if (!onTheirWay.delete(actionKey)) return 404;
      rejected.add(actionKey);
      return 200;
    },
  };
};
