import type {
  Adoption,
  AnswerAdopted,
  RequestInteraction,
  RunStateChanged,
  WithdrawInteraction,
} from '../../schemas/generated/records';
import { none, type Context, type Row, type View } from '../platform/decision';
import { Malformed } from '../platform/errors';
import { expire, factsOf, isOver } from './answer';
import { reconsider } from './decide-clarification';
import type { Message } from './messages';
import { nudge, nudgesOf } from './nudges';
import { clarificationKey, interactionChanged, interactionKey, isDecided, runKey } from './records';
import {
  noAdoption,
  terminalStates,
  type Answered,
  type Asked,
  type Clarification,
  type Interaction,
  type Open,
  type Published,
  type Run,
} from './state';
import { closed, deciding, type Decided } from './deciding';

const askedOf = (record: RequestInteraction): Asked => {
  const { eventId, revision, attempt, remindAfterSec, escalateTo, preview, occurredAt, ...asked } = record;
  return { ...asked, mode: asked.mode === 'UNKNOWN' ? 'non_blocking' : asked.mode };
};

const check = (record: RequestInteraction, known: Published | undefined): void => {
  if (record.kind === 'UNKNOWN' || record.recipientKind === 'UNKNOWN')
    throw new Malformed('unknown_symbol', `${record.interactionRef}: a kind or recipient this version does not know`);
  const names = ['tenant', 'account', 'conversationId', 'runId', 'kind', 'owner'] as const;
  const other = names.find((name) => known !== undefined && known.asked[name] !== record[name]);
  if (other !== undefined)
    throw new Malformed('contradicting_request', `${record.interactionRef}: another ${other} than before`);
};

/** A compensation may be decided on after the run whose effect it answers to has ended (E9). */
const outlivesRun = (asked: { readonly compensates?: string | null }): boolean => asked.compensates != null;

const previewRow = (record: RequestInteraction): Row[] =>
  record.preview === null
    ? []
    : [
        {
          table: 'previews',
          values: {
            interaction_ref: record.interactionRef,
            request_revision: record.requestRevision,
            bytes: record.preview,
            sha256: record.previewSha256,
          },
        },
      ];

/** The same request delivered twice may find two states, and those are two facts. */
const againId = (view: View, ref: string, what: string): string =>
  `${ref}/${what}/${view.revision('interaction', ref)}`;

/** By natural key (interactionRef, requestRevision); a repeat is answered with what stands, the answer included (H10). */
export const request = (view: View, record: RequestInteraction, context: Context): Decided => {
  const ref = record.interactionRef;
  const before = view.get<Interaction>('interaction', ref);
  const known = before === undefined || before.status === 'awaited' ? undefined : before;
  check(record, known);
  const run = view.get<Run>('run', record.runId) ?? { ended: null, refs: [] };
  if (known !== undefined) {
    const revises = record.requestRevision > known.asked.requestRevision;
    if (!revises || known.status === 'answered' || known.runEnded)
      return {
        emit: [
          interactionChanged(
            known,
            view.revision('interaction', ref),
            againId(view, ref, `${record.requestRevision}/again/${record.attempt}`),
          ),
        ],
      };
  }
  const withdrawn = before?.status === 'awaited' ? before.withdrawn : null;
  const runEnded = run.ended !== null && !outlivesRun(record);
  const open: Open = {
    status: 'open',
    asked: askedOf(record),
    publishedAt: context.now,
    seenAt: null,
    claimedBy: known?.claimedBy ?? null,
    runEnded,
    changedAt: context.now,
    nudges: nudgesOf(record, context.now),
  };
  const state =
    withdrawn !== null
      ? closed(open, withdrawn, context.now)
      : runEnded
        ? closed(open, 'run_ended', context.now)
        : isOver(open, context.now)
          ? expire(open, context.now)
          : open;
  const waiting = before?.status === 'awaited' ? before.clarifications : [];
  const told = reconsider(view, state, waiting, context);
  const draft = deciding(view).interaction(told.state);
  if (!run.refs.includes(ref)) draft.put(runKey(record.runId), { ...run, refs: [...run.refs, ref] });
  for (const one of told.decided) draft.clarification(one);
  return draft.done({ rows: [...previewRow(record), ...told.rows] });
};

export const withdraw = (view: View, record: WithdrawInteraction, context: Context): Decided => {
  const ref = record.interactionRef;
  const state = view.get<Interaction>('interaction', ref);
  const code = record.code === '' ? 'withdrawn' : record.code;
  if (state === undefined || state.status === 'awaited') {
    const clarifications = state?.clarifications ?? [];
    return { put: [{ key: interactionKey(ref), state: { status: 'awaited', clarifications, withdrawn: code } }] };
  }
  if (state.asked.tenant !== record.tenant) return none;
  if (state.status === 'open')
    return deciding(view)
      .interaction(closed(state, code, context.now))
      .done();
  const again = againId(view, ref, `withdraw/${record.attempt}`);
  return { emit: [interactionChanged(state, view.revision('interaction', ref), again)] };
};

/** A run's end closes what is open; its questions from then on take late answers only (H6). */
export const runChanged = (view: View, record: RunStateChanged, context: Context): Decided => {
  const run = view.get<Run>('run', record.runId) ?? { ended: null, refs: [] };
  if (run.ended !== null || !terminalStates.has(record.state)) return none;
  const draft = deciding(view).put(runKey(record.runId), { ...run, ended: record.state } satisfies Run);
  const unadopted: Message[] = [];
  for (const ref of run.refs) {
    const state = view.get<Interaction>('interaction', ref);
    if (state === undefined || state.status === 'awaited' || outlivesRun(state.asked)) continue;
    if (state.status === 'open') draft.interaction({ ...closed(state, 'run_ended', context.now), runEnded: true });
    else draft.put(interactionKey(ref), { ...state, runEnded: true } satisfies Published);
    // Approvals are the ledger's to void: an attempt may stand under one, or be about to.
    if (state.status === 'answered' && state.adoption.status === 'pending' && state.asked.owner !== 'effect-ledger')
      unadopted.push({ type: 'void', ref });
  }
  return draft.done({ tell: unadopted.map((message) => ({ message })) });
};

/** Adopted wins over void, both over pending: whatever order they arrive in, the same stands in the end. */
const rank = { pending: 0, void: 1, adopted: 2 } as const;
const rankOf = (adoption: Adoption): number => rank[adoption.status as keyof typeof rank] ?? 0;

const adopt = (view: View, state: Answered, adoption: Adoption, at: number | null, context: Context): Decided => {
  if (rankOf(adoption) <= rankOf(state.adoption)) return none;
  const draft = deciding(view).interaction({ ...state, adoption, adoptedAt: at, changedAt: context.now });
  const { messageId } = state;
  const clarification =
    messageId === null ? undefined : view.get<Clarification>(clarificationKey(messageId).kind, messageId);
  if (isDecided(clarification))
    draft.clarification({
      ...clarification,
      verdict: {
        ...clarification.verdict,
        status: adoption.status === 'adopted' ? 'response_adopted' : 'response_void',
        adoption,
      },
    });
  return draft.done();
};

export const adopted = (view: View, record: AnswerAdopted, context: Context): Decided => {
  const state = view.get<Interaction>('interaction', record.interactionRef);
  if (state?.status !== 'answered' || state.asked.tenant !== record.tenant) return none;
  if (state.asked.requestRevision !== record.requestRevision || !(record.status in rank)) return none;
  const { status, reason, runId, turn, inputSha256 } = record;
  const at = status === 'adopted' ? record.occurredAt : null;
  return adopt(view, state, { status, reason, runId, turn, inputSha256 }, at, context);
};

export const voided = (view: View, ref: string, context: Context): Decided => {
  const state = view.get<Interaction>('interaction', ref);
  if (state?.status !== 'answered') return none;
  const adoption = { ...noAdoption, status: 'void', reason: 'run_ended', runId: state.asked.runId };
  return adopt(view, state, adoption, null, context);
};

/** Told again to whoever has not answered, and after a while to somebody else as well (H10). */
const remind = (view: View, state: Published, context: Context): Decided => {
  if (state.status !== 'open' || state.nudges === undefined) return none;
  const nudges = nudge(state.nudges, context.now);
  if (nudges === null) return none;
  return deciding(view)
    .interaction({ ...state, nudges, changedAt: context.now })
    .done();
};

export const tickInteraction = (view: View, ref: string, context: Context): Decided => {
  const state = view.get<Interaction>('interaction', ref);
  if (state === undefined || state.status === 'awaited') return none;
  if (!isOver(state, context.now)) return remind(view, state, context);
  return deciding(view)
    .interaction({ ...factsOf(state), ...expire(state, context.now) })
    .done();
};
