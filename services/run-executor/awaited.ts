import type { AmendRun, ControlRun, ObserveRun } from '../../schemas/generated/records';
import { none, type Context, type Decision, type Emit } from '../platform/decision';
import { newFate, type Intent } from './draft';
import { runKey, type Message } from './messages';
import { refusalWithoutRun } from './refusal';
import type { MessageFate } from './requirements-state';
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

/** Cancels that still wait. One that waited for too long was refused, and stays so when another begins to wait. */
export const openCancels = (row: Awaited): MessageFate[] =>
  row.until === null ? [] : row.cancels.filter((cancel) => cancel.status !== 'refused');

/** What the run has to know of cancels that were refused before it came: read late or again, they change nothing (A6). */
export const refusedCancels = (row: Awaited): MessageFate[] => {
  const open = openCancels(row);
  return row.cancels.filter((cancel) => !open.includes(cancel)).map((cancel) => newFate(cancel, unknown));
};

/** The message came and was refused, or never came: there is no run of it to be cancelled. */
export const refuseCancels = (row: Awaited): Emit[] =>
  openCancels(row).map((cancel) =>
    refusalWithoutRun(row, row.runId, newFate(cancel, unknown), `${cancel.messageId}/fate/1`),
  );

/** A cancel came before the message it names: kept, its receipt stays admitted. */
export const waitForMessage = (
  record: ControlRun,
  row: RunRow | undefined,
  context: Context,
): Decision<Message, Intent> => {
  const known = row?.status === 'awaited' ? row : undefined;
  const isIts = (cancel: MessageFate): boolean => cancel.messageId === record.messageId;
  const refused = known === undefined ? [] : refusedCancels(known);
  const open = known === undefined ? [] : openCancels(known);
  if (refused.some(isIts)) return refuseUnknown(record);
  if (open.some(isIts)) return none;
  const state: Awaited = {
    status: 'awaited',
    runId: record.targetRunId,
    tenant: record.tenant,
    app: record.app,
    account: record.account,
    conversationId: record.conversationId,
    cancels: [...refused, ...open, newFate(record, { status: 'control_requested' }, -1)],
    until: context.now + awaitMessageMs,
  };
  return { put: [{ key: runKey(record.targetRunId), state }] };
};

/** The message never came: the cancels that named it end as unknown_run. */
export const tickAwaited = (row: Awaited, context: Context): Decision<Message, Intent> => {
  if (row.until === null || row.until > context.now) return none;
  return {
    put: [
      {
        key: runKey(row.runId),
        state: {
          ...row,
          cancels: row.cancels.map((cancel) => newFate(cancel, unknown)),
          until: null,
        } satisfies Awaited,
      },
    ],
    emit: refuseCancels(row),
  };
};
