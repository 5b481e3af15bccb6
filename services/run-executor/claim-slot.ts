import type { AggregateKey } from '../platform/decision';
import type { Draft } from './draft';
import { slotsKey } from './messages';
import { liveChildren } from './open-work';
import type { Settings } from './settings';
import { plan, preemptorOf, type SlotClaim, type Slots } from './slots';
import type { Run } from './state';

/** What the run takes one each of; null = nothing limits it, and no shared row is ever locked for it. */
export const slotFor = (run: Run, settings: Settings): Run['slot'] => {
  const resource = settings.agent(run.tenant, run.agent)?.resource ?? null;
  const entity = run.entity === null ? [] : [`entity:${run.entity.type}/${run.entity.id}`];
  const limited = ['tenant', `account:${run.account}`, ...entity, `agent:${run.agent}`].filter(
    (counter) => settings.slotLimit(run.tenant, counter) !== null,
  );
  const counters = resource === null ? limited : [...limited, `resource:${resource}`];
  return counters.length === 0 ? null : { state: 'none', counters, turn: 0, offered: false, blockedBy: null };
};

const claimOf = (run: Run): SlotClaim => ({
  runId: run.runId,
  order: run.order,
  priority: run.priority,
  counters: run.slot?.counters ?? [],
});

const mayWant = (run: Run): boolean => run.status === 'queued' || run.status === 'waiting';

/** A run at work, or above one at work; one that only finds no room in this process keeps its slot as well. */
const needsSlot = (run: Run): boolean =>
  run.status === 'running' ||
  run.status === 'pausing' ||
  (run.status === 'waiting' && liveChildren(run).length > 0) ||
  (mayWant(run) && run.readyAt !== null);

/** True when the run may go on; else it waits for a slot, which it takes under its tenant's row in a message of its own. */
export const hasSlot = (draft: Draft): boolean => {
  const { slot } = draft.run;
  if (slot === null || slot.state === 'held') return true;
  if (slot.state === 'none') slot.state = 'wanted';
  return false;
};

/** Preemption is looked at after every so many turns, at a boundary, and never with an action on its way (R19). */
export const mustOfferSlot = (draft: Draft): boolean => {
  const { run, settings } = draft;
  const preempt = settings.agent(run.tenant, run.agent)?.preempt ?? null;
  if (run.slot?.state !== 'held' || preempt === null || run.turns - run.slot.turn < preempt.everyTurns) return false;
  if (run.actions.some((action) => action.status === 'sending' || action.status === 'unknown')) return false;
  run.slot = { ...run.slot, turn: run.turns, offered: true };
  return true;
};

const slotsOf = (draft: Draft): Slots =>
  draft.view.get<Slots>('slots', draft.run.tenant) ?? { tenant: draft.run.tenant, held: [], waiting: [] };

const without = (claims: readonly SlotClaim[], runId: string): SlotClaim[] =>
  claims.filter((claim) => claim.runId !== runId);
const isIn = (claims: readonly SlotClaim[], runId: string): boolean => claims.some((claim) => claim.runId === runId);

const limitOf =
  ({ run, settings }: Draft) =>
  (counter: string): number | null =>
    counter.startsWith('resource:') ? 1 : settings.slotLimit(run.tenant, counter);

/** Where a higher run waits for the resource, it goes first, and this one waits for its turn again. */
const giveWay = (draft: Draft, slots: Slots): Slots => {
  const { run, settings } = draft;
  const preempt = settings.agent(run.tenant, run.agent)?.preempt ?? null;
  const own = slots.held.find((claim) => claim.runId === run.runId);
  if (run.slot === null || preempt === null || own === undefined) return slots;
  const other = preemptorOf(slots, own, preempt.margin, limitOf(draft));
  if (other === null) return slots;
  run.slot.state = 'wanted';
  draft.tells.push({ type: 'wake', runId: other.runId, ended: null });
  return {
    ...slots,
    held: [...without(slots.held, run.runId), other],
    waiting: without(slots.waiting, other.runId),
  };
};

/** The one place where slots change hands, under the tenant's row, before the run goes on with what it got (R19). */
export const syncSlot = (draft: Draft): void => {
  const { run } = draft;
  const { slot } = run;
  if (slot === null) return;
  const before = slotsOf(draft);
  const { offered } = slot;
  slot.offered = false;
  let slots = offered ? giveWay(draft, before) : before;
  const wants = (slot.state === 'wanted' || slot.state === 'waiting') && mayWant(run);
  const keeps = wants || needsSlot(run) || (offered && slot.state === 'held' && mayWant(run));
  const holds = isIn(slots.held, run.runId);
  slots = {
    ...slots,
    held: holds && !keeps ? without(slots.held, run.runId) : slots.held,
    waiting: [...without(slots.waiting, run.runId), ...(wants && !holds ? [claimOf(run)] : [])],
  };
  const { admitted, blocked } = plan(slots, limitOf(draft));
  slots = {
    ...slots,
    held: [...slots.held, ...admitted],
    waiting: slots.waiting.filter((claim) => !isIn(admitted, claim.runId)),
  };
  for (const { runId } of admitted) if (runId !== run.runId) draft.tells.push({ type: 'wake', runId, ended: null });
  if (!isIn(slots.held, run.runId)) slot.state = wants ? 'waiting' : 'none';
  else if (slot.state !== 'held') run.slot = { ...slot, state: 'held', turn: run.turns };
  if (run.slot !== null) run.slot.blockedBy = blocked.get(run.runId) ?? null;
  draft.changed.slots = slots;
};

/** What a decision without the tenant's row leaves to be done under it, in a message of the run to itself. */
const isOut = (run: Run): boolean => {
  switch (run.slot?.state) {
    case 'wanted':
      return true;
    case 'held':
      return run.slot.offered || !needsSlot(run);
    case 'waiting':
      return !mayWant(run);
    case 'none':
    case undefined:
      return false;
  }
};

export const slotsPut = (draft: Draft): { key: AggregateKey; state: Slots }[] => {
  const { run, changed } = draft;
  if (isOut(run)) draft.tells.push({ type: 'wake', runId: run.runId, ended: null });
  return changed.slots === null ? [] : [{ key: slotsKey(run.tenant), state: changed.slots }];
};
