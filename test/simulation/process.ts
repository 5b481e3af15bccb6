import type { GroupName } from '../../schemas/topics';
import type { Fact } from '../../services/platform/decision';
import type { Row } from '../../services/platform/decision';
import { inMemory, type Change, type InMemory } from '../support/in-memory';
import type { Rec } from './broker';
import { groupsOf, type Model, type ServiceName } from './services';

/** One process of a service; `life` tells it from its successor of the same name. */
export interface Instance {
  readonly service: ServiceName;
  readonly name: string;
  alive: boolean;
  life: number;
  /** Outside works it carries; what dies with it gives its room back. */
  active: number;
  room: number;
  /** Up to then it stands still, as after SIGSTOP: it dies of nothing and does nothing. */
  stoppedUntil: number;
}

/** Something a service is going to decide, wherever it came from. */
export interface Item {
  readonly message: unknown;
  readonly cause: string;
  readonly what: string;
  readonly claim: string | null;
  readonly toldId: string | null;
  /** After the commit, with what the decision replied. */
  readonly done: (reply: unknown) => void;
}

/** One committed transaction, as watchers see it. */
export interface Commit {
  readonly service: ServiceName;
  readonly instance: Instance;
  readonly now: number;
  /** Room for outside work that the decision was told of. */
  readonly capacity: number;
  readonly items: readonly Item[];
  readonly changes: readonly Change[];
  readonly facts: readonly Fact[];
  readonly rows: readonly Row[];
  readonly performs: readonly unknown[];
  readonly errors: readonly unknown[];
}

/** A service's database and processes, and its outbox on the way to the broker. */
export interface Service {
  readonly name: ServiceName;
  readonly model: Model;
  readonly groups: readonly GroupName[];
  readonly store: InMemory<unknown, unknown>;
  readonly instances: readonly Instance[];
  readonly told: { readonly id: string; readonly message: unknown }[];
  /** Unsent rows; order is kept per key. */
  readonly outbox: Map<string, Omit<Rec, 'offset'>[]>;
  /** The last rows that were sent: a relay that stood still may have them in its hands yet. */
  readonly relayed: Omit<Rec, 'offset'>[][];
  readonly due: Map<string, number>;
  readonly rows: Map<string, Row[]>;
  /** Commands and results that wait in one process. */
  readonly inbound: { readonly item: Item; readonly instance: Instance }[];
  readonly claims: Set<string>;
}

export const openService = (name: ServiceName, model: Model, room: () => number): Service => ({
  name,
  model,
  groups: groupsOf(name),
  store: inMemory(model.deciders),
  instances: ['a', 'b'].map((one) => ({
    service: name,
    name: `${name}-${one}`,
    alive: true,
    life: 1,
    active: 0,
    room: room(),
    stoppedUntil: 0,
  })),
  told: [],
  outbox: new Map(),
  relayed: [],
  due: new Map(),
  rows: new Map(),
  inbound: [],
  claims: new Set(),
});

export const claimOf = (group: GroupName, record: Rec): string | null =>
  // The ingress has the identity gate instead of an inbox.
  group === 'admission' ? null : `${group} ${record.topic} ${record.eventId}`;

const recordsOf = (facts: readonly Fact[]): Omit<Rec, 'offset'>[] =>
  facts.map(({ topic, key, type, eventId, occurredAt, value }) => ({
    topic,
    key,
    type,
    eventId,
    value: { ...value, eventId, occurredAt },
  }));

/** The handler's one transaction: claim, lock, decide, save, append. What follows from it is the caller's. */
export const commit = (service: Service, instance: Instance, items: readonly Item[], now: number): Commit => {
  const { store } = service;
  store.now = now;
  const once = new Set<string>();
  const fresh = items.filter(({ claim, toldId }) => {
    if (toldId !== null) return service.told.some((one) => one.id === toldId);
    if (claim === null) return true;
    return !service.claims.has(claim) && !once.has(claim) && once.add(claim) !== undefined;
  });
  const capacity = Math.max(0, instance.room - instance.active);
  const result = store.transact(fresh, { instance: instance.name, capacity });
  for (const { claim, toldId } of fresh) {
    if (claim !== null) service.claims.add(claim);
    if (toldId !== null)
      service.told.splice(
        service.told.findIndex((one) => one.id === toldId),
        1,
      );
  }
  for (const one of result.told)
    service.told.push({ id: one.id, message: JSON.parse(JSON.stringify(one.message)) as unknown });
  for (const record of recordsOf(result.facts)) {
    const rows = service.outbox.get(record.key);
    if (rows === undefined) service.outbox.set(record.key, [record]);
    else rows.push(record);
  }
  for (const row of result.rows) {
    const rows = service.rows.get(row.table);
    if (rows === undefined) service.rows.set(row.table, [row]);
    else rows.push(row);
  }
  for (const { key } of result.changes) setDue(service, key.kind, key.id);
  const replies = new Map(fresh.map((item, index) => [item, result.outcomes[index]]));
  for (const item of items) {
    const outcome = replies.get(item);
    item.done(outcome?.ok === true ? outcome.reply : undefined);
  }
  return {
    service: service.name,
    instance,
    now,
    capacity,
    items: fresh,
    changes: result.changes,
    facts: result.facts,
    rows: result.rows,
    performs: result.performs,
    errors: result.outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error])),
  };
};

const setDue = (service: Service, kindName: string, id: string): void => {
  const kind = service.model.deciders.kinds.find((one) => one.name === kindName);
  if (kind?.dueAt === undefined) return;
  const at = service.store.dueAt(kind, id);
  const name = `${kindName}\u0001${id}`;
  if (at === null) service.due.delete(name);
  else service.due.set(name, at);
};

/** A process dies: what it only held in memory is gone, what it committed is not. */
export const kill = (service: Service, instance: Instance): void => {
  instance.alive = false;
  instance.life += 1;
  instance.active = 0;
  instance.stoppedUntil = 0;
  for (let index = service.inbound.length - 1; index >= 0; index -= 1)
    if (service.inbound[index]?.instance === instance) service.inbound.splice(index, 1);
};

export const isIdle = (service: Service): boolean =>
  service.told.length === 0 &&
  service.inbound.length === 0 &&
  [...service.outbox.values()].every((rows) => rows.length === 0);
