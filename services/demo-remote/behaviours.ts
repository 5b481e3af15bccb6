/** How this remote may behave: as it should, and in the ways remotes are known to misbehave. */
export type Behaviour =
  | { kind: 'accept' }
  | { kind: 'accept_then_timeout' }
  | { kind: 'accept_then_500' }
  | { kind: 'accept_then_reset' }
  | { kind: 'reject' }
  | { kind: 'slow'; delayMs: number }
  | { kind: 'lose' }
  | { kind: 'error_in_200' }
  | { kind: 'already_done_409' }
  | { kind: 'pending_202'; delayMs: number }
  | { kind: 'forget'; delayMs: number };

const plain = [
  'accept',
  'accept_then_timeout',
  'accept_then_500',
  'accept_then_reset',
  'reject',
  'lose',
  'error_in_200',
  'already_done_409',
] as const;
const timed = ['slow', 'pending_202', 'forget'] as const;
const defaultDelayMs = 1_000;
const delayMaxMs = 86_400_000;

/** Reads `accept`, `slow:250`, `pending_202:1000` and the like; null for what is none. */
export const readBehaviour = (text: string): Behaviour | null => {
  const [name, delay] = text.split(':');
  const plainKind = plain.find((kind) => kind === name);
  if (plainKind !== undefined) return delay === undefined ? { kind: plainKind } : null;
  const timedKind = timed.find((kind) => kind === name);
  const delayMs = delay === undefined ? defaultDelayMs : Number(delay);
  if (timedKind === undefined || !Number.isInteger(delayMs) || delayMs < 0 || delayMs > delayMaxMs) return null;
  return { kind: timedKind, delayMs };
};

export interface Rule {
  match: { operation?: string; subject?: string };
  behaviour: Behaviour;
  times: number;
}

/** The subject within an action key, `<connector>:<operation>:<subject>:v<n>`; a subject has no colons. */
export const subjectOf = (actionKey: string): string | null => actionKey.split(':').at(-2) ?? null;

/** The newest rule that matches and is not used up; using it counts. */
export const takeRule = (rules: Rule[], operation: string, subject: string | null): Behaviour | null => {
  const index = rules.findLastIndex(
    ({ match }) =>
      (match.operation === undefined || match.operation === operation) &&
      (match.subject === undefined || match.subject === subject),
  );
  const rule = rules[index];
  if (rule === undefined) return null;
  rule.times -= 1;
  if (rule.times <= 0) rules.splice(index, 1);
  return rule.behaviour;
};
