import type { ReceiptOutcome } from '../../schemas/generated/records';
import type { Contract } from './contract';

/** What one attempt came to (E3). */
export type AttemptOutcome = 'not_sent' | 'succeeded' | 'failed' | 'unknown';

export interface Verdict<O> {
  readonly outcome: O;
  readonly code: string | null;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The body was longer than what is read; what it says as a whole is not known. */
  readonly truncated: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

type Json = { readonly value: unknown } | null;

const parse = (answer: Answer): Json => {
  if (answer.truncated) return null;
  try {
    return { value: JSON.parse(answer.body) as unknown };
  } catch {
    return null;
  }
};

/** A JSON path of member names and indexes: `error`, `$.result.state`, `items.0.state`. */
export const at = (value: unknown, path: string): unknown =>
  path
    .replace(/^\$\.?/, '')
    .split('.')
    .filter((step) => step !== '')
    .reduce<unknown>(
      (inner, step) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
          ? (inner as Record<string, unknown>)[step]
          : undefined,
      value,
    );

/** A status means only what the connector's contract declares; everything else leaves the attempt unknown (E3). */
export const judgeResponse = (
  outcome: Contract['outcome'],
  answer: Answer,
): Verdict<'succeeded' | 'failed' | 'unknown'> => {
  const { status } = answer;
  if (outcome.alreadyDone.includes(status)) return { outcome: 'succeeded', code: 'already_done' };
  if (outcome.failed.includes(status)) return { outcome: 'failed', code: `http_${status}` };
  if (outcome.pending.includes(status)) return { outcome: 'unknown', code: 'pending' };
  if (!outcome.succeeded.includes(status)) return { outcome: 'unknown', code: `http_${status}` };
  if (outcome.errorPath === null || answer.body.trim() === '') return { outcome: 'succeeded', code: null };
  const json = parse(answer);
  if (json === null) return { outcome: 'unknown', code: 'unreadable_answer' };
  return at(json.value, outcome.errorPath)
    ? { outcome: 'failed', code: 'error_in_answer' }
    : { outcome: 'succeeded', code: null };
};

/** What the remote's authority says by key; a state it does not declare says nothing. */
export const judgeReceipt = (receipt: NonNullable<Contract['receipt']>, answer: Answer): ReceiptOutcome => {
  if (receipt.absent?.status.includes(answer.status)) return 'absent';
  if (answer.status < 200 || answer.status > 299) return 'unreachable';
  const json = parse(answer);
  const state = json === null ? undefined : at(json.value, receipt.statePath);
  if (typeof state !== 'string') return 'unreachable';
  if (receipt.succeeded.includes(state)) return 'succeeded';
  if (receipt.failed.includes(state)) return 'failed';
  return receipt.pending.includes(state) ? 'pending' : 'unreachable';
};
