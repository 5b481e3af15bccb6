import type { Submit } from '../../services/admission/submission';
import { inMemory, type InMemory } from '../support/in-memory';
import type { Commit, Service } from './process';
import { openDesk, realServices, serviceNames, type ServiceName } from './services';
import type { World } from './world';

type Store = InMemory<unknown, unknown>;

const documents = (service: Pick<Service, 'model'>, store: Store): Map<string, string> =>
  new Map(
    service.model.deciders.kinds.flatMap(({ name }) =>
      store.ids(name).map((id) => [`${name} ${id}`, JSON.stringify(store.state(name, id))] as const),
    ),
  );

const differing = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string | null => {
  for (const name of new Set([...one.keys(), ...other.keys()]))
    if (one.get(name) !== other.get(name)) return `${name}: ${one.get(name)} and ${other.get(name)}`;
  return null;
};

/** One transaction as it was decided: everything that came in, and nothing of what came out. */
type Decided = Pick<Commit, 'now' | 'capacity'> & {
  readonly instance: string;
  readonly items: readonly { readonly message: string; readonly cause: string }[];
};

/** Messages come from a codec or from JSON, so bytes in them are kept as bytes. */
const packed = (message: unknown): string =>
  JSON.stringify(message, (_name, value: unknown) => {
    const raw = value as { readonly type?: string; readonly data?: readonly number[] } | null;
    return raw !== null && typeof raw === 'object' && raw.type === 'Buffer' && Array.isArray(raw.data)
      ? { bytes: Buffer.from(raw.data).toString('base64') }
      : value;
  });
const unpacked = (text: string): unknown =>
  JSON.parse(text, (_name, value: unknown) => {
    const { bytes } = (value ?? {}) as { readonly bytes?: unknown };
    return typeof bytes === 'string' && Object.keys(value as object).length === 1
      ? Buffer.from(bytes, 'base64')
      : value;
  });

export type Past = Map<ServiceName, Decided[]>;

export const remember = (past: Past, { service, instance, now, capacity, items }: Commit): void => {
  const own = past.get(service) ?? [];
  own.push({
    now,
    capacity,
    instance: instance.name,
    items: items.map(({ message, cause }) => ({ message: packed(message), cause })),
  });
  past.set(service, own);
};

/** Decides the whole past once more by deciders that have never seen it; says where they come to another state. */
export const decideAgain = (past: Past, world: World): string | null => {
  const desk = openDesk();
  desk.paused.push(...world.desk.paused);
  const models = world.mutate(realServices(world.random, desk));
  for (const name of serviceNames) {
    const service = world.services[name];
    const again = inMemory(models[name].deciders);
    for (const { items, now, capacity, instance } of past.get(name) ?? []) {
      again.now = now;
      again.transact(
        items.map(({ message, cause }) => ({ message: unpacked(message), cause })),
        { instance, capacity },
      );
    }
    const difference = differing(documents(service, service.store), documents(service, again));
    if (difference !== null) return `${name} ${difference}`;
  }
  return null;
};

/** Which fields of a document differ, and how. */
const partOf = (was: string | undefined, is: string | undefined): string => {
  const before = JSON.parse(was ?? '{}') as Record<string, unknown>;
  const after = JSON.parse(is ?? '{}') as Record<string, unknown>;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${name} from ${JSON.stringify(before[name])} to ${JSON.stringify(after[name])}`)
    .join('; ');
};

/** Refused before admission: no identity was kept, so the same words may come again and find a quiet conversation (A6). */
const isUnkept = (message: unknown, store: Store): boolean => {
  const { type, identity } = message as { readonly type: string } & Partial<Pick<Submit, 'identity'>>;
  return type === 'submit' && (identity == null || store.state('message', identity.ids.messageId) === undefined);
};

/** Every record that was ever sent is read once more by services that remember none; says what that changes. */
export const readAgain = (world: World): string | null => {
  for (const name of serviceNames) {
    const service = world.services[name];
    const { store } = service;
    store.now = world.now;
    for (const { group, record } of world.broker.history(service.groups)) {
      const message = service.model.read(group, record);
      // A refusal that nothing keeps is told in the conversations there are at the time, and is in no snapshot (A6).
      if (message === undefined || (record.value as { revision?: number }).revision === 0) continue;
      if (isUnkept(message, store)) continue;
      const { changes, performs } = store.transact([{ message, cause: record.eventId }], { capacity: 64 });
      for (const { key, before, after } of changes) {
        const was = JSON.stringify(before());
        const is = JSON.stringify(after);
        if (was !== is)
          return `${name} reads ${record.type} ${record.eventId}, and ${key.kind} ${key.id} changes: ${partOf(was, is)}`;
      }
      if (performs.length > 0)
        return `${name} reads ${record.type} ${record.eventId} and does ${JSON.stringify(performs)}`;
    }
  }
  return null;
};
