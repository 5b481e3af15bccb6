import type { Answer } from '../../services/effect-ledger/outcome';
import type { Called } from '../../services/effect-ledger/call';
import { dedups } from './configuration';
import type { Random } from './random';

export type Behaviour =
  | 'accept'
  | 'accept_then_silence'
  | 'fail_after_doing'
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
  readonly react: (connector: string, actionKey: string, timeoutMs: number, now: number) => Reaction;
  readonly happen: (connector: string, actionKey: string) => void;
  readonly receipt: (actionKey: string, now: number) => Answer | null;
}

const answered = (status: number, body: object = {}): Called => ({
  kind: 'answered',
  answer: { status, body: JSON.stringify(body), truncated: false },
});
const lost: Called = { kind: 'lost', code: 'timeout' };

/** A slow remote acts within its contract's time after the last moment of sending. */
const slowestMs = 40_000;

export const openRemote = (random: Random, calm: () => boolean): Remote => {
  const effects = new Map<string, number>();
  const rejected = new Set<string>();
  /** Effects on their way, with the time they arrive. */
  const onTheirWay = new Map<string, number>();

  const behaviours: readonly (readonly [number, Behaviour])[] = [
    [5, 'accept'],
    [2, 'accept_then_silence'],
    [1, 'fail_after_doing'],
    [1, 'reject'],
    [2, 'lose'],
    [1, 'slow'],
    [1, 'processing'],
    [1, 'refuse_connection'],
  ];

  return {
    effects,
    rejected,
    react: (connector, actionKey, timeoutMs, now) => {
      const seen = dedups.has(connector) && (effects.has(actionKey) || onTheirWay.has(actionKey));
      const quick = random.whole(5, 300);
      if (seen) return { behaviour: 'accept', effectAfterMs: null, answerAfterMs: quick, called: answered(409) };
      // A remote that knows its keys says the same about the same key.
      if (dedups.has(connector) && rejected.has(actionKey))
        return { behaviour: 'reject', effectAfterMs: null, answerAfterMs: quick, called: answered(422) };
      const behaviour = calm() ? 'accept' : random.weighed(behaviours);
      const reaction = (effectAfterMs: number | null, answerAfterMs: number, called: Called): Reaction => {
        if (effectAfterMs !== null) onTheirWay.set(actionKey, now + effectAfterMs);
        return { behaviour, effectAfterMs, answerAfterMs, called };
      };
      switch (behaviour) {
        case 'accept':
          return reaction(0, quick, random.chance(0.9) ? answered(200) : answered(200, { error: null }));
        case 'accept_then_silence':
          return reaction(0, timeoutMs, lost);
        case 'fail_after_doing':
          return reaction(0, quick, answered(500));
        case 'reject':
          rejected.add(actionKey);
          return reaction(null, quick, random.chance(0.5) ? answered(422) : answered(200, { error: 'no' }));
        case 'lose':
          return reaction(null, timeoutMs, random.chance(0.5) ? lost : { kind: 'lost', code: 'econnreset' });
        case 'slow':
          return reaction(random.whole(timeoutMs, slowestMs), timeoutMs, lost);
        case 'processing':
          return reaction(random.whole(100, slowestMs), quick, answered(202));
        case 'refuse_connection':
          return reaction(null, quick, { kind: 'not_sent', code: 'econnrefused' });
      }
    },
    happen: (connector, actionKey) => {
      onTheirWay.delete(actionKey);
      if (dedups.has(connector) && effects.has(actionKey)) return;
      effects.set(actionKey, (effects.get(actionKey) ?? 0) + 1);
    },
    receipt: (actionKey, now) => {
      if (!calm() && random.chance(0.15)) return null;
      const body = (state: string): Answer => ({ status: 200, body: JSON.stringify({ state }), truncated: false });
      if (effects.has(actionKey) || (onTheirWay.get(actionKey) ?? Infinity) <= now) return body('done');
      if (onTheirWay.has(actionKey) && random.chance(0.5)) return body('processing');
      if (rejected.has(actionKey) && random.chance(0.5)) return body('rejected');
      return { status: 404, body: '', truncated: false };
    },
  };
};
