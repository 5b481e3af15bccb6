import type { ReceiptAnswered } from '../../schemas/generated/records';
import { emit } from '../platform/decision';
import { Malformed } from '../platform/errors';
import { settle } from './decide-evidence';
import { startAction } from './decide-start';
import { actionOf, ownerOf, putAction, stand, type Draft } from './draft';
import { dedupHolds, nextAskAt, planUnknown } from './plan-unknown';
import { actionKeyOf, fenceIdOf, type Action } from './state';

/** A query may still be asked this long after its next one is due: consumers lag, and a late answer is a fact as well. */
const askWithinMs = 15_000;
/** Times of the newest queries; an absence told for an older one is not used. */
const keptQueries = 16;
/** Where the operator asks about a blocked action, nothing else is timed. */
const isAskable = (action: Action): boolean => ['unknown', 'blocked', 'disputed'].includes(action.standing.status);

/** Asks the remote's authority by key. The answer comes by itself; the next question does not wait for it. */
const ask = (draft: Draft, action: Action): Action => {
  const { now } = draft;
  const query = action.queries.count + 1;
  draft.emits.push(
    emit(
      actionKeyOf(action.actionKey),
      'effect.receipt-queries.v1',
      'AskReceipt',
      action.actionKey,
      {
        ...ownerOf(action),
        actionKey: action.actionKey,
        connector: action.connector,
        operation: action.operation,
        subject: action.subject,
        query,
        askedAt: now,
        askBefore: now + askWithinMs,
      },
      `${action.actionKey}/query/${query}`,
    ),
  );
  const asked = [...action.queries.asked, { query, at: now }].slice(-keptQueries);
  return { ...action, queries: { count: query, asked } };
};

/** An unknown action's time has come: the next question, the next resend, or the end of asking. */
export const unknownTick = (draft: Draft, action: Action): void => {
  const { standing } = action;
  if (standing.status !== 'unknown' || standing.nextAt > draft.now) return;
  if (standing.plan === 'resend') {
    draft.tells.push({ type: 'start', actionKey: action.actionKey, runId: fenceIdOf(action) });
    return;
  }
  const contract = draft.world.contract(action.tenant, action.connector);
  const receipt = contract?.receipt ?? null;
  if (contract === null || receipt === null || standing.giveUpAt <= draft.now) {
    planUnknown(draft, action, contract, { mayResend: true, code: action.code ?? 'unknown' });
    return;
  }
  const waitMs = draft.world.pace(contract, 'query', draft.now);
  if (waitMs > 0) {
    stand(draft, action, { ...standing, nextAt: draft.now + waitMs }, action.code);
    return;
  }
  const nextAt = nextAskAt(receipt, draft.now, action.queries.count + 1);
  stand(draft, ask(draft, action), { ...standing, nextAt }, action.code);
};

/** Absence proves something only if the contract says so, and only from the time on that it says (E4). */
const onAbsent = (draft: Draft, action: Action, record: ReceiptAnswered): void => {
  const contract = draft.world.contract(action.tenant, action.connector);
  const absent = contract?.receipt?.absent ?? null;
  const askedAt = action.queries.asked.find((one) => one.query === record.query)?.at;
  if (contract === null || absent === null || askedAt === undefined) return;
  const sent = action.attempts.filter((attempt) => attempt.outcome !== 'not_sent');
  if (absent.meansFailedAfterMs === null) {
    if (action.standing.status === 'unknown' && dedupHolds(contract, action, draft.now)) startAction(draft, action);
    return;
  }
  const lastMoment = Math.max(...sent.map((attempt) => attempt.sendBy + attempt.timeoutMs));
  if (askedAt > lastMoment + absent.meansFailedAfterMs)
    settle(draft, action, {
      by: 'query',
      outcome: 'failed',
      code: 'absent',
      status: record.httpStatus,
      body: record.body,
      account: null,
    });
};

export const onReceipt = (draft: Draft, record: ReceiptAnswered): void => {
  const action = actionOf(draft, record.actionKey);
  if (action === undefined) return;
  if (record.runId !== action.runId || record.tenant !== action.tenant)
    throw new Malformed('wrong_owner', `the answer about ${record.actionKey} names another run`);
  switch (record.outcome) {
    case 'succeeded':
    case 'failed':
      return settle(draft, action, {
        by: 'query',
        outcome: record.outcome,
        code: record.outcome === 'failed' ? 'receipt_failed' : null,
        status: record.httpStatus,
        body: record.body,
        account: null,
      });
    case 'absent':
      if (action.standing.status === 'unknown' || action.standing.status === 'blocked') onAbsent(draft, action, record);
      return;
    case 'pending':
    case 'unreachable':
    case 'UNKNOWN':
      return;
  }
};

/** One of many that an operator wants asked about: noted here, asked when the pace of the connector allows. */
export const onAskSoon = (draft: Draft, action: Action | undefined, tenant: string): void => {
  if (action === undefined || action.tenant !== tenant || !isAskable(action)) return;
  putAction(draft, { ...action, wantedAt: draft.now });
  wantedTick(draft, action.actionKey);
};

export const wantedTick = (draft: Draft, actionKey: string): void => {
  const action = actionOf(draft, actionKey);
  if (action?.wantedAt == null || action.wantedAt > draft.now) return;
  const contract = draft.world.contract(action.tenant, action.connector);
  // After a remote's own cancel a recorded success is asked about too: the receipt may say otherwise.
  const askable = isAskable(action) || action.cancel?.answeredAt != null;
  if (contract?.receipt == null || !askable) return void putAction(draft, { ...action, wantedAt: null });
  const waitMs = draft.world.pace(contract, 'query', draft.now);
  if (waitMs > 0) return void putAction(draft, { ...action, wantedAt: draft.now + waitMs });
  putAction(draft, { ...ask(draft, action), wantedAt: null });
};

/** An operator wants the remote asked now, whatever the timing says. */
export const onAskAgain = (
  draft: Draft,
  action: Action | undefined,
  tenant: string,
): 'unknown_action' | 'not_askable' | 'asked' => {
  if (action === undefined || action.tenant !== tenant) return 'unknown_action';
  const contract = draft.world.contract(action.tenant, action.connector);
  if (!isAskable(action) || (contract?.receipt ?? null) === null) return 'not_askable';
  putAction(draft, ask(draft, action));
  return 'asked';
};
