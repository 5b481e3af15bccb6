import type { AskReceipt, ReceiptOutcome } from '../../schemas/generated/records';
import type { Decoded } from '../platform/codec';
import type { Logger } from '../platform/log';
import type { Produced, StatelessSpec } from '../platform/stateless';
import { excerptOf, type Called } from './call';
import type { Clock } from './clock';
import type { Contract } from './contract';
import type { Pace } from './pace';
import { judgeReceipt } from './outcome';
import type { Transport } from './transport';

/** A receipt route that takes longer than this is as good as not there: the ledger asks again. */
const queryTimeoutMs = 5_000;

/** Longer than this one connector's pace does not hold up the questions to all others. */
const waitForTurnMs = 8_000;

interface Told {
  readonly outcome: ReceiptOutcome;
  readonly httpStatus: number | null;
  readonly body: string | null;
}

const unreachable = (why: string): Told => ({ outcome: 'unreachable', httpStatus: null, body: why });

const told = (receipt: NonNullable<Contract['receipt']>, called: Called): Told =>
  called.kind === 'answered'
    ? {
        outcome: judgeReceipt(receipt, called.answer),
        httpStatus: called.answer.status,
        body: excerptOf(called.answer.body),
      }
    : unreachable(called.code);

export interface AskDeps {
  readonly contract: (tenant: string, connector: string) => Contract | null;
  readonly transport: Transport;
  readonly pace: Pace;
  readonly clock: Clock;
  /** The ledger's time; null where its database is not known here, or does not answer. */
  readonly ledgerNow: () => Promise<number | null>;
}

/**
 * A question's times are the ledger's, and this process's clock may be off by an hour. Without the database the question
 * itself says what time it was: one that comes late is then asked once more than it had to be.
 */
const nowOf = (deps: AskDeps, record: AskReceipt): Promise<number> =>
  deps.clock.now(async () => (await deps.ledgerNow()) ?? record.occurredAt);

/** One try: the timing, the metering and the patience are the ledger's (E4). */
const ask = async (deps: AskDeps, record: AskReceipt): Promise<Told> => {
  const contract = deps.contract(record.tenant, record.connector);
  const receipt = contract?.receipt ?? null;
  if (contract === null || receipt === null) return unreachable('no receipt route');
  const now = await nowOf(deps, record);
  if (now >= record.askBefore) return unreachable('asked too late');
  const { actionKey, operation, subject } = record;
  const waitMs = Math.min(waitForTurnMs, record.askBefore - now);
  const asked = await deps.pace.within(contract, waitMs, async () =>
    told(
      receipt,
      await deps.transport(contract, 'receipt', {
        actionKey,
        operation,
        subject,
        body: null,
        target: null,
        traceparent: null,
        timeoutMs: queryTimeoutMs,
        mayWrite: () => (deps.clock.peek() ?? Number.POSITIVE_INFINITY) < record.askBefore,
      }),
    ),
  );
  return asked ?? unreachable('no turn in time');
};

export const answerFor = async (deps: AskDeps, record: AskReceipt): Promise<Produced> => {
  const askedAt = Math.floor(await nowOf(deps, record));
  const { outcome, httpStatus, body } = await ask(deps, record);
  const { tenant, app, account, conversationId, taskId, runId, actionKey, connector, query } = record;
  const answeredAt = Math.floor(await nowOf(deps, record));
  const produced: Produced<'ReceiptAnswered'> = {
    topic: 'effect.receipt-answers.v1',
    type: 'ReceiptAnswered',
    key: actionKey,
    // A query asked twice after a crash may learn something else the second time; that is another fact.
    eventId: `${actionKey}/query/${query}/${outcome}`,
    value: {
      occurredAt: answeredAt,
      tenant,
      app,
      account,
      conversationId,
      taskId,
      runId,
      actionKey,
      connector,
      query,
      outcome,
      httpStatus,
      body,
      askedAt,
      answeredAt,
    },
  };
  return produced as unknown as Produced;
};

export const receiptQueryRole = (deps: AskDeps, log: Logger, close: () => void): StatelessSpec => ({
  service: 'effect-ledger-receipt-query',
  writes: { 'effect.receipt-answers.v1': ['ReceiptAnswered'] },
  handle: async ({ value }: Decoded) => {
    const answer = await answerFor(deps, value as AskReceipt);
    log.debug({ eventId: answer.eventId }, 'a remote was asked');
    return [answer];
  },
  close,
});
