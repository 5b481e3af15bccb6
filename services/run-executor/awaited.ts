import type { AmendRun, ControlRun, ObserveRun } from '../../schemas/generated/records';
import { none, type Context, type Decision, type Emit } from '../platform/decision';
import { newFate, type Intent } from './draft';
import { runKey, type Message } from './messages';
import { refusalWithoutRun } from './refusal';
import type { Awaited, RunRow } from './state';

/** How long a cancel waits for the message it named (A16). */
const awaitMessageMs = 600_000;

const unknown = {
  status: 'refused',
  code: 'unknown_run',
  field: 'targetRunId',
  detail: 'no such run in this conversation',
} as const;

/** Another account's run is answered exactly as one that does not exist. */
export const refuseUnknown = (record: AmendRun | ObserveRun | ControlRun): Decision<Message, Intent> => ({
  emit: [
    refusalWithoutRun(
      record,
      record.targetRunId,
      newFate(record, unknown),
      `${record.messageId}/fate/1/attempt/${record.attempt}`,
    ),
  ],
});

/** Only a cancel waits for its message; any other verb finds nothing to act on yet (A16). */
export const mayStillCome = (record: ControlRun, row: RunRow | undefined): boolean =>
  record.control === 'cancel' && record.namedByMessage && (row === undefined || row.status === 'awaited');

/** The message came and was refused: there is no run of it to be cancelled. */
export const refuseCancels = (row: Awaited): Emit[] =>
  row.cancels.map((cancel) =>
    refusalWithoutRun(row, row.runId, newFate(cancel, unknown), `${cancel.messageId}/fate/1`),
  );

/** A cancel came before the message it names: kept, its receipt stays admitted. */
export const waitForMessage = (
  record: ControlRun,
  row: RunRow | undefined,
  context: Context,
): Decision<Message, Intent> => {
  const known = row?.status === 'awaited' ? row : undefined;
  if (known?.cancels.some((cancel) => cancel.messageId === record.messageId) === true) {
    return known.until === null ? refuseUnknown(record) : none;
  }
  const state: Awaited = {
    status: 'awaited',
    runId: record.targetRunId,
    tenant: record.tenant,
    app: record.app,
    account: record.account,
    conversationId: record.conversationId,
    cancels: [...(known?.cancels ?? []), newFate(record, { status: 'control_requested' }, -1)],
    until: context.now + awaitMessageMs,
  };
  return { put: [{ key: runKey(record.targetRunId), state }] };
};

/** The message never came: the cancels that named it end as unknown_run. */
export const tickAwaited = (row: Awaited, context: Context): Decision<Message, Intent> => {
  if (row.until === null || row.until > context.now) return none;
  return {
    put: [{ key: runKey(row.runId), state: { ...row, until: null } satisfies Awaited }],
    emit: refuseCancels(row),
  };
};
