import type { Response } from '../../schemas/generated/records';
import { canonicalBytes, sha256Hex } from '../platform/canonical';
import type { Code } from '../platform/errors';
import { fit } from './contract';
import { escalatedTo } from './nudges';
import type { Actor, Answer } from './messages';
import { noAdoption, type Answered, type Asked, type Closed, type Published } from './state';

export type AnswerOutcome =
  | { readonly type: 'stored'; readonly state: Answered }
  /** The very same response came before; nothing changes. */
  | { readonly type: 'same'; readonly state: Answered }
  /** `state` is set where the refusal found out that the time is over. */
  | {
      readonly type: 'refused';
      readonly code: Code;
      readonly field: string | null;
      readonly why: string;
      readonly state: Closed | null;
    };

/** The recipient's own: the account, or whoever of the role claimed it or may still claim it. */
export const isRecipient = (state: Published, actor: Actor): boolean => {
  const { asked } = state;
  if (asked.tenant !== actor.tenant) return false;
  const is = (kind: string, name: string): boolean =>
    kind === 'role' ? actor.roles.includes(name) : name === actor.account;
  const other = escalatedTo(state.nudges);
  return is(asked.recipientKind, asked.recipient) || (other !== null && is(other.kind, other.name));
};

/** Whether one person of several has to take it. */
export const isForRole = (state: Published): boolean =>
  state.asked.recipientKind === 'role' || escalatedTo(state.nudges)?.kind === 'role';

export const mayRead = (state: Published, actor: Actor): boolean =>
  isRecipient(state, actor) || (state.asked.tenant === actor.tenant && actor.roles.includes('operator'));

const meaningOf = (answer: Answer): string => {
  const { clientResponseId: _id, value, ...rest } = answer;
  return sha256Hex(canonicalBytes({ ...rest, value: value === null ? null : (JSON.parse(value) as unknown) }));
};

const responseIdLength = 26;
const responseIdOf = (asked: Asked, account: string, clientResponseId: string): string =>
  `rsp_${sha256Hex(canonicalBytes([asked.interactionRef, account, clientResponseId])).slice(0, responseIdLength)}`;

const refused = (code: Code, why: string, field: string | null = null, state: Closed | null = null): AnswerOutcome => ({
  type: 'refused',
  code,
  field,
  why,
  state,
});

export const isOver = (state: Published, now: number): boolean =>
  state.status === 'open' && state.asked.expiresAt !== null && state.asked.expiresAt <= now;

export const expire = (state: Published, now: number): Closed => ({
  ...factsOf(state),
  status: 'closed',
  code: 'expired',
  changedAt: now,
});

export const factsOf = (state: Published): Omit<Closed, 'status' | 'code'> => ({
  asked: state.asked,
  publishedAt: state.publishedAt,
  seenAt: state.seenAt,
  claimedBy: state.claimedBy,
  runEnded: state.runEnded,
  changedAt: state.changedAt,
  ...(state.nudges === undefined ? {} : { nudges: state.nudges }),
  ...(state.purgedAt === undefined ? {} : { purgedAt: state.purgedAt }),
});

/** Absent in documents of earlier builds. */
const requesterOf = (asked: Asked): string => asked.requestedBy ?? asked.account;

const says = (given: Answer): boolean => given.text !== null || given.choice !== null || given.value !== null;

/** In the one order that callers are told about; the caller has looked at "unknown" already. */
export const answer = (
  state: Published,
  actor: Actor,
  given: Answer,
  now: number,
  messageId: string | null,
): AnswerOutcome => {
  const { asked } = state;
  const meaning = meaningOf(given);
  if (state.status === 'answered') {
    const same =
      state.response.respondedBy === actor.account && state.response.clientResponseId === given.clientResponseId;
    if (!same) return refused('already_answered', 'another response was accepted first');
    return state.meaning === meaning
      ? { type: 'same', state }
      : refused('response_conflict', 'this clientResponseId was used with another meaning', 'clientResponseId');
  }
  // Nobody can answer what cannot be read any more, not even late.
  if (state.purgedAt !== undefined) return refused('content_purged', 'what was asked was purged');
  if (state.claimedBy !== null && state.claimedBy !== actor.account)
    return refused('already_claimed', 'another person of the role has claimed it');
  const late = asked.kind === 'question' && state.runEnded;
  if (!late) {
    if (state.status === 'closed')
      return state.code === 'expired'
        ? refused('expired', 'the request expired before the response')
        : refused('interaction_closed', `the request is closed: ${state.code}`);
    if (isOver(state, now))
      return refused('expired', 'the request expired before the response', null, expire(state, now));
  }
  if (!late && given.requestRevision !== asked.requestRevision)
    return refused('old_revision', `the current revision is ${asked.requestRevision}`, 'requestRevision');
  if (asked.kind === 'approval' && given.decision === 'approve' && given.previewSha256 !== asked.previewSha256)
    return refused('preview_mismatch', 'previewSha256 must be the hash of the current preview', 'previewSha256');
  const fitted = fit(asked, given);
  // What was said too late is kept as it was said: nothing acts on it, and a Continue shows it as a lead.
  if (!fitted.fits && !(late && says(given))) return refused('contract_violated', fitted.why, fitted.field);
  if (asked.selfApproval === 'forbidden' && given.decision === 'approve' && requesterOf(asked) === actor.account)
    return refused('forbidden', 'the requester may not approve this');
  const { text, choice, value, decision, previewSha256, clientResponseId } = fitted.fits ? fitted.answer : given;
  const response: Response = {
    responseId: responseIdOf(asked, actor.account, clientResponseId),
    clientResponseId,
    text,
    choice,
    value,
    decision,
    respondedBy: actor.account,
    late,
    previewSha256,
  };
  return {
    type: 'stored',
    state: {
      ...factsOf(state),
      status: 'answered',
      claimedBy: isForRole(state) ? actor.account : state.claimedBy,
      response,
      meaning,
      answeredAt: now,
      adoption: late
        ? { ...noAdoption, status: 'void', reason: 'run_ended', runId: asked.runId }
        : { ...noAdoption, status: 'pending', runId: asked.runId },
      adoptedAt: null,
      messageId,
      changedAt: now,
    },
  };
};
