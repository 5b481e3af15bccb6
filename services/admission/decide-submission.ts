import { emit, type Context, type View } from '../platform/decision';
import { commandOf, askAgainAfterMs } from './commands';
import { progressOf, withRun } from './conversation';
import { conflictOf } from './fingerprint';
import {
  conversationAt,
  conversationKey,
  messageAt,
  messageKey,
  runKnown,
  type Answer,
  type Outcome,
  type Settlement,
} from './messages';
import type { Policy } from './policy';
import { counted, limitReached } from './quota';
import { httpOf, isSettled, repeatedReceipt, sparse, storedReceipt, tell, unstoredReceipt } from './receipts';
import { resolve, type Plan } from './resolve';
import type { KeptOutcome, Message } from './state';
import type { Admissible, Ids, Submit } from './submission';

const messagesTopic = 'admission.messages.v1';
/** Receipts are counted by what they say, not by how often the row was written: 0 is for what is not stored. */
const firstRevision = 1;
/** How long a progress request waits for news of a run that this projection has not seen, and how often it looks. */
export const lookForMs = 10_000;
export const lookEveryMs = 500;

const answer = (receipt: Answer['receipt'], http: number): Answer => ({ receipt, http });

/** Stores nothing: the id may come again, corrected (A6). */
const turnAway = (
  message: Submit,
  context: Context,
  policy: Policy,
  outcome: KeptOutcome,
  more: Pick<Answer, 'retryAfterSec'> = {},
): Outcome => {
  const about = { kind: 'delivery', id: message.deliveryId };
  const { relation, contentSha256 } = message;
  const receipt = unstoredReceipt(message, message.requestEventId, `${message.deliveryId}/receipt`, context.now, {
    relation,
    contentSha256,
    ...outcome,
  });
  return { emit: tell(about, receipt, policy), reply: { ...answer(receipt, httpOf(receipt)), ...more } };
};

const repeated = (message: Submit, known: Message, ids: Ids, context: Context, policy: Policy): Outcome => {
  // A delivery that comes again may find another receipt, and that is another fact.
  const eventId = `${ids.messageId}/${message.deliveryId}/${known.receipt.revision}`;
  const receipt = repeatedReceipt(known, message.requestEventId, eventId, context.now);
  return { emit: tell(messageKey(ids.messageId), receipt, policy), reply: answer(receipt, known.http ?? 202) };
};

/** The run that a message leads to: what it started or created, else what it was aimed at, else what it would start. */
export const namedRun = (
  view: View,
  target: Ids | null,
): { readonly runId: string; readonly messageId: string } | null => {
  if (target === null) return null;
  const receipt = messageAt(view, target.messageId)?.receipt;
  return { runId: receipt?.runId ?? receipt?.targetRunId ?? target.runId, messageId: target.messageId };
};

/** The ingress in one function: identity gate, checks, resolution, admission (A1 to A8). */
export const decideSubmission = (view: View, message: Submit, context: Context, policy: Policy): Outcome => {
  const { identity, verdict } = message;
  const known = identity === null ? undefined : messageAt(view, identity.ids.messageId);
  if (identity !== null && known !== undefined) {
    const code = conflictOf(known.fingerprint, identity.fingerprint);
    return code === null
      ? repeated(message, known, identity.ids, context, policy)
      : turnAway(message, context, policy, {
          status: 'conflict',
          code,
          detail: 'this clientMessageId is stored with another intent; the stored message is untouched',
        });
  }
  const refuse = (outcome: Omit<KeptOutcome, 'status'>): Outcome =>
    turnAway(message, context, policy, { status: 'refused', ...outcome });
  if (!verdict.ok) return refuse(verdict.issue);
  if (identity === null) throw new Error('an admissible submission without an identity');
  if (!policy.knowsTenant(message.tenant))
    return refuse({ code: 'forbidden', detail: 'this tenant is not configured here' });
  const limited = limitReached(view, message, context.now);
  if (limited !== null) {
    const { detail, retryAfterSec } = limited;
    return turnAway(message, context, policy, { status: 'refused', code: 'rate_limited', detail }, { retryAfterSec });
  }
  const { submission } = verdict;
  if (submission.agent !== null && !policy.knowsAgent(message.tenant, submission.agent))
    return refuse({ code: 'unknown_agent', field: 'agent', detail: `agent: none is called ${submission.agent}` });
  const conversation = conversationAt(view, verdict.conversation);
  const plan = resolve(submission, {
    ids: identity.ids,
    conversation,
    onBusy: policy.onBusy(message.tenant, submission.agent),
    run: (runId) => runKnown(view, verdict.conversation, runId),
    named: namedRun(view, verdict.target),
  });
  if (plan.does === 'refuse') {
    const { code, field, detail, candidates } = plan;
    return refuse({ code, field, detail, candidates: [...candidates] });
  }
  return admit(view, message, { ...verdict, ...identity }, plan, context, policy);
};

const firstOutcome = (plan: Exclude<Plan, { does: 'refuse' }>): KeptOutcome => {
  switch (plan.does) {
    case 'ask':
      return { status: 'admitted', relation: plan.relation, ...plan.outcome };
    case 'report':
      return {
        status: 'progress_reported',
        relation: 'CONTROL',
        targetRunId: plan.targetRunId,
        progress: plan.progress,
      };
    case 'look':
      return { status: 'admitted', relation: 'CONTROL', targetRunId: plan.targetRunId };
  }
};

type Admitted = Admissible & NonNullable<Submit['identity']>;

const stored = (
  message: Submit,
  { ids, fingerprint }: Admitted,
  plan: Exclude<Plan, { does: 'refuse' }>,
  now: number,
): Message => {
  const { tenant, app, account, conversationId, clientMessageId, requestEventId } = message;
  const outcome = firstOutcome(plan);
  const base = {
    tenant,
    app,
    account,
    conversationId,
    clientMessageId,
    requestEventId,
    fingerprint,
    receivedAt: now,
    receipt: {
      ...sparse({ ...outcome, messageId: ids.messageId, contentSha256: message.contentSha256 }),
      status: outcome.status,
      revision: firstRevision,
      at: now,
    },
    http: isSettled(outcome.status) ? httpOf(outcome) : null,
  };
  switch (plan.does) {
    case 'ask':
      return { ...base, status: 'asking', command: plan.command, attempts: 1, askAt: now + askAgainAfterMs(1) };
    case 'report':
      return { ...base, status: 'decided', ownerRevision: 0 };
    case 'look':
      return {
        ...base,
        status: 'looking',
        targetRunId: plan.targetRunId,
        lookAt: now + lookEveryMs,
        until: now + lookForMs,
      };
  }
};

/** Message, receipt, stored content and the command that follows, all of it or nothing (A1). */
const admit = (
  view: View,
  message: Submit,
  admitted: Admitted,
  plan: Exclude<Plan, { does: 'refuse' }>,
  context: Context,
  policy: Policy,
): Outcome => {
  const { ids, submission } = admitted;
  const key = messageKey(ids.messageId);
  const state = stored(message, admitted, plan, context.now);
  const receipt = storedReceipt(ids.messageId, state);
  const started =
    plan.does === 'ask' && plan.run !== null ? withRun(conversationAt(view, admitted.conversation), plan.run) : null;
  const sent = {
    content: submission.content,
    contentSha256: message.contentSha256 ?? '',
    receivedAt: context.now,
    attempt: 1,
  };
  return {
    put: [
      { key, state },
      ...(started === null ? [] : [{ key: conversationKey(admitted.conversation), state: started.conversation }]),
      ...counted(view, message, context.now),
    ],
    rows: [
      {
        table: 'blobs',
        values: {
          ref: ids.messageId,
          bytes: Buffer.from(submission.content, 'utf8'),
          tenant: message.tenant,
          account: message.account,
          conversation_id: message.conversationId,
        },
      },
    ],
    emit: [
      emit(key, messagesTopic, 'MessageStored', message.conversationId, {
        tenant: message.tenant,
        app: message.app,
        account: message.account,
        conversationId: message.conversationId,
        clientMessageId: message.clientMessageId,
        messageId: ids.messageId,
        relation: (state.receipt.relation ?? '').toLowerCase(),
        content: submission.content,
        contentSha256: sent.contentSha256,
        title: submission.title,
        targetRunId: state.receipt.targetRunId ?? null,
        receivedAt: context.now,
        revision: firstRevision,
      }),
      ...tell(key, receipt, policy),
      ...(plan.does === 'ask' ? [commandOf(key, message, plan.command, sent)] : []),
    ],
    ...(state.http === null ? {} : { perform: [settlement(receipt, state, context.now)] }),
    reply: answer(receipt, state.http ?? 202),
  };
};

export const settlement = (receipt: Answer['receipt'], state: Message, now: number): Settlement => ({
  type: 'settled',
  receipt,
  http: state.http ?? 202,
  seconds: Math.max(0, now - state.receivedAt) / 1_000,
});

/** A progress request that waited for its run: answered as soon as the run is seen, `unknown_run` at the end. */
export const lookAgain = (
  view: View,
  id: string,
  state: Message,
  conversation: string,
  context: Context,
  policy: Policy,
): Outcome => {
  if (state.status !== 'looking' || state.lookAt > context.now) return {};
  const run = runKnown(view, conversation, state.targetRunId);
  const key = messageKey(id);
  if (run === undefined && context.now < state.until)
    return { put: [{ key, state: { ...state, lookAt: context.now + lookEveryMs } }] };
  const { lookAt: _lookAt, until: _until, targetRunId: _targetRunId, ...base } = state;
  const found =
    run === undefined
      ? { status: 'refused', code: 'unknown_run', field: null, detail: 'no such run in this conversation' }
      : { status: 'progress_reported', progress: progressOf(run) };
  const decided: Message = {
    ...base,
    status: 'decided',
    ownerRevision: 0,
    receipt: { ...state.receipt, ...found, revision: state.receipt.revision + 1, at: context.now },
    http: httpOf(found),
  };
  const receipt = storedReceipt(id, decided);
  return {
    put: [{ key, state: decided }],
    emit: tell(key, receipt, policy),
    perform: [settlement(receipt, decided, context.now)],
  };
};
