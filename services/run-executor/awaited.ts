import type { AmendRun, ControlRun, ObserveRun } from '../../schemas/generated/records';
import { none, type Context, type Decision, type Emit } from '../platform/decision';
import { newFate, type Intent } from './draft';
import { runKey, type Message } from './messages';
import { refusalWithoutRun } from './refusal';
import type { MessageFate } from './requirements-state';
import type { Awaited, EarlyFate, Owner, RunRow } from './state';

/** How long a cancel waits for the message it named (A16). */
const awaitMessageMs = 600_000;

const unknown = {
  status: 'refused',
  code: 'unknown_run',
  field: 'targetRunId',
  detail: 'no such run in this conversation',
} as const;

type Update = AmendRun | ObserveRun | ControlRun;

/** What one run that has not come keeps of the refusals of one account; clients make up ids, too. */
const maxRefused = 100;

const isOf = (row: Awaited, kept: EarlyFate, of: Owner): boolean => {
  const owner = kept.of ?? row;
  return owner.tenant === of.tenant && owner.account === of.account && owner.conversationId === of.conversationId;
};

const isOpen = (row: Awaited, kept: EarlyFate): boolean => row.until !== null && kept.status !== 'refused';

/** Another account's run is answered exactly as one that does not exist. */
const sayUnknown = (record: Update): Decision<Message, Intent> => ({
  emit: [
    refusalWithoutRun(
      record,
      record.targetRunId,
      newFate(record, unknown),
      `${record.messageId}/fate/1/attempt/${record.attempt}`,
    ),
  ],
});

/** Keeps one more fate; in the row several accounts may wait for what will be the run of one of them. */
const keep = (
  record: Update,
  row: Awaited | undefined,
  fate: MessageFate,
  until: number | null,
): Decision<Message, Intent> => {
  const { targetRunId: runId, tenant, app, account, conversationId } = record;
  const owner = { tenant, app, account, conversationId };
  const cancels = [...(row?.cancels ?? []), { ...fate, of: owner }];
  const state: Awaited =
    row === undefined ? { status: 'awaited', runId, ...owner, cancels, until } : { ...row, cancels, until };
  return { put: [{ key: runKey(runId), state }] };
};

/** No such run: the refusal is kept, so that a run that comes later does not take what was refused when it is asked again (A6). */
export const refuseUnknown = (record: Update, row: RunRow | undefined): Decision<Message, Intent> => {
  if (row !== undefined && row.status !== 'awaited') return sayUnknown(record);
  const mine = row?.cancels.filter((kept) => isOf(row, kept, record)) ?? [];
  if (mine.length >= maxRefused || mine.some(({ messageId }) => messageId === record.messageId))
    return sayUnknown(record);
  return { ...keep(record, row, newFate(record, unknown), row?.until ?? null), ...sayUnknown(record) };
};

/** Only a cancel waits for its message; any other verb finds nothing to act on yet (A16). */
export const mayStillCome = (record: ControlRun, row: RunRow | undefined): boolean =>
  record.control === 'cancel' && record.namedByMessage && (row === undefined || row.status === 'awaited');

/** Cancels of this account that still wait. One that waited for too long was refused, and stays so when another begins to wait. */
export const openCancels = (row: RunRow | undefined, of: Owner): MessageFate[] =>
  row?.status === 'awaited' ? row.cancels.filter((kept) => isOpen(row, kept) && isOf(row, kept, of)).map(fateOf) : [];

/** What the run has to know of messages that were refused before it came: read late or again, they change nothing (A6). */
export const refusedBefore = (row: RunRow | undefined, of: Owner): MessageFate[] =>
  row?.status === 'awaited'
    ? row.cancels.filter((kept) => !isOpen(row, kept) && isOf(row, kept, of)).map((kept) => newFate(kept, unknown))
    : [];

/** Nobody's wait goes on: the message was refused or never came, or the run that came is another account's. */
export const refuseCancels = (row: RunRow | undefined, except?: Owner): Emit[] =>
  row?.status === 'awaited'
    ? row.cancels
        .filter((kept) => isOpen(row, kept) && (except === undefined || !isOf(row, kept, except)))
        .map((kept) => refusalWithoutRun(kept.of ?? row, row.runId, newFate(kept, unknown), `${kept.messageId}/fate/1`))
    : [];

/** A cancel came before the message it names: kept, its receipt stays admitted. */
export const waitForMessage = (
  record: ControlRun,
  row: RunRow | undefined,
  context: Context,
): Decision<Message, Intent> => {
  const known = row?.status === 'awaited' ? withoutExpired(row) : undefined;
  const its =
    row?.status === 'awaited' ? row.cancels.find(({ messageId }) => messageId === record.messageId) : undefined;
  if (its !== undefined) return isOpen(row as Awaited, its) ? none : sayUnknown(record);
  return keep(record, known, newFate(record, { status: 'control_requested' }, -1), context.now + awaitMessageMs);
};

/** A row in which nobody waits any more has only refusals, whatever an older release wrote there. */
const withoutExpired = (row: Awaited): Awaited => ({
  ...row,
  cancels: row.cancels.map((kept) => (isOpen(row, kept) ? kept : refused(kept))),
});

const refused = (kept: EarlyFate): EarlyFate => ({
  ...newFate(kept, unknown),
  ...(kept.of === undefined ? {} : { of: kept.of }),
});

const fateOf = ({ of: _, ...fate }: EarlyFate): MessageFate => fate;

/** The message never came: the cancels that named it end as unknown_run. */
export const tickAwaited = (row: Awaited, context: Context): Decision<Message, Intent> => {
  if (row.until === null || row.until > context.now) return none;
  const state: Awaited = { ...row, cancels: row.cancels.map(refused), until: null };
  return { put: [{ key: runKey(row.runId), state }], emit: refuseCancels(row) };
};
