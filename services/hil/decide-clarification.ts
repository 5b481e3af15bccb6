import type { SubmitClarification } from '../../schemas/generated/records';
import { none, type Context, type Row, type View } from '../platform/decision';
import { answer } from './answer';
import { deciding, type Decided } from './deciding';
import type { Actor } from './messages';
import { clarificationKey, interactionKey, messageDecided } from './records';
import { refusedRow } from './refused-row';
import type {
  Answered,
  Closed,
  Clarification,
  DecidedClarification,
  Interaction,
  Published,
  Submitted,
  Verdict,
} from './state';

/** A question may reach hil after its answer did; longer than this it does not exist (A10). */
export const unknownAfterMs = 60_000;
/** Answers listed as waiting for one question that is not here yet; more of them wait unlisted and end unknown. */
const maxWaiting = 100;

const submittedOf = (record: SubmitClarification): Submitted => {
  const { eventId, occurredAt, attempt, ...submitted } = record;
  return submitted;
};

const refusedVerdict = (code: string, detail: string, runId: string | null): Verdict => ({
  status: 'refused',
  runId,
  adoption: null,
  code,
  detail,
});

const storedVerdict = (state: Answered): Verdict => ({
  status: state.response.late
    ? 'response_late'
    : state.adoption.status === 'adopted'
      ? 'response_adopted'
      : state.adoption.status === 'void'
        ? 'response_void'
        : 'response_received',
  runId: state.asked.runId,
  adoption: state.adoption,
  code: null,
  detail: null,
});

interface Judged {
  /** The interaction where the answer changed it. */
  readonly state: Answered | Closed | null;
  readonly verdict: Verdict;
  readonly rows: readonly Row[];
}

/** Undefined = to this account there is no such question. Chat text brings no role: only who claimed it may answer. */
const judge = (state: Published, submitted: Submitted, now: number): Judged | undefined => {
  const { asked } = state;
  const own = asked.recipientKind === 'role' ? state.claimedBy : asked.recipient;
  if (asked.tenant !== submitted.tenant || own !== submitted.account) return undefined;
  if (asked.conversationId !== submitted.conversationId) return undefined;
  if (asked.kind !== 'question')
    return {
      state: null,
      verdict: refusedVerdict('not_answerable_by_text', `this is a ${asked.kind}: approve or deny it`, asked.runId),
      rows: [],
    };
  const actor: Actor = { tenant: submitted.tenant, account: submitted.account, roles: [] };
  const given = {
    requestRevision: submitted.requestRevision,
    clientResponseId: submitted.clientMessageId,
    text: submitted.content,
    choice: null,
    value: null,
    decision: null,
    previewSha256: null,
  };
  const outcome = answer(state, actor, given, now, submitted.messageId);
  if (outcome.type === 'refused')
    return {
      state: outcome.state,
      verdict: refusedVerdict(outcome.code, outcome.why, asked.runId),
      rows: [refusedRow(asked.interactionRef, actor, given, outcome.code, now)],
    };
  return {
    state: outcome.type === 'stored' ? outcome.state : null,
    verdict: storedVerdict(outcome.state),
    rows: [],
  };
};

/** An answer by chat; decided once by messageId, and told again whenever asked again. */
export const clarify = (view: View, record: SubmitClarification, context: Context): Decided => {
  const key = clarificationKey(record.messageId);
  const before = view.get<Clarification>(key.kind, key.id);
  if (before?.status === 'waiting') return none;
  if (before !== undefined)
    return {
      emit: [
        messageDecided(
          before,
          view.revision(key.kind, key.id),
          `${record.messageId}/answer/${record.attempt}/${view.revision(key.kind, key.id)}`,
        ),
      ],
    };
  const submitted = submittedOf(record);
  const state = view.get<Interaction>('interaction', record.interactionRef);
  const judged = state === undefined || state.status === 'awaited' ? undefined : judge(state, submitted, context.now);
  const draft = deciding(view);
  if (judged !== undefined) {
    if (judged.state !== null) draft.interaction(judged.state);
    draft.clarification({ status: 'decided', submitted, verdict: judged.verdict });
    return draft.done({ rows: judged.rows });
  }
  draft.put(key, { status: 'waiting', submitted, until: context.now + unknownAfterMs } satisfies Clarification);
  if (state === undefined || state.status === 'awaited') {
    const listed = state?.clarifications ?? [];
    if (listed.length < maxWaiting)
      draft.put(interactionKey(record.interactionRef), {
        status: 'awaited',
        clarifications: [...listed, record.messageId],
        withdrawn: state?.withdrawn ?? null,
      } satisfies Interaction);
  }
  return draft.done();
};

/** The request has come: what waited for it is decided in the order it arrived. */
export const reconsider = (
  view: View,
  arrived: Published,
  waiting: readonly string[],
  context: Context,
): { readonly state: Published; readonly decided: readonly DecidedClarification[]; readonly rows: readonly Row[] } => {
  let state = arrived;
  const decided: DecidedClarification[] = [];
  const rows: Row[] = [];
  for (const messageId of waiting) {
    const one = view.get<Clarification>('clarification', messageId);
    if (one?.status !== 'waiting') continue;
    const judged = judge(state, one.submitted, context.now);
    if (judged === undefined) continue;
    state = judged.state ?? state;
    decided.push({ status: 'decided', submitted: one.submitted, verdict: judged.verdict });
    rows.push(...judged.rows);
  }
  return { state, decided, rows };
};

export const tickClarification = (view: View, messageId: string, context: Context): Decided => {
  const state = view.get<Clarification>('clarification', messageId);
  if (state?.status !== 'waiting' || context.now < state.until) return none;
  const verdict = refusedVerdict('unknown_interaction', 'no such interaction for this account', null);
  return deciding(view).clarification({ status: 'decided', submitted: state.submitted, verdict }).done();
};
