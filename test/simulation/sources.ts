import type { Tick } from '../../services/platform/decision';
import type { Delivery } from './broker';
import { claimOf, type Instance, type Item, type Service } from './process';
import { ownOf } from './stalls';
import type { World } from './world';

/** Where a process finds what it decides: its own commands, told messages, timers that are due, and its topics. */
export const openSources = (world: World, inbox: boolean) => {
  const { random } = world;
  let calls = 0;
  const plain = { claim: null, toldId: null, done: (): void => undefined };

  const tick = (name: string): Item => {
    const [kind = '', id = ''] = name.split('\u0001');
    const message: Tick = { type: 'tick', kind, id };
    return { ...plain, message, what: `tick ${kind} ${id}`, cause: `${id}/tick/${(calls += 1)}` };
  };

  const record = (service: Service, { group, record: read, done }: Delivery): Item | null => {
    const message = service.model.read(group, read);
    if (message === undefined) return (void done(), null);
    const claim = inbox ? claimOf(group, read) : null;
    return { message, what: `${read.type} ${read.eventId}`, cause: read.eventId, claim, toldId: null, done };
  };

  const due = (service: Service): string[] => [...service.due].flatMap(([name, at]) => (at <= world.now ? [name] : []));

  return {
    tick,
    record,
    due,
    command: (instance: Instance, message: unknown, what: string, done: Item['done']): Item => ({
      ...plain,
      message,
      what,
      cause: `${instance.name}/${(calls += 1)}`,
      done,
    }),
    /** One process drains some of what is there into one transaction. */
    gather: (service: Service, instance: Instance): Item[] => {
      const mine = service.inbound.filter((one) => one.instance === instance).slice(0, random.whole(0, 3));
      for (const one of mine) service.inbound.splice(service.inbound.indexOf(one), 1);
      const asleep = world.stalls.stands(ownOf(service.name));
      const told = service.told.slice(0, asleep ? 0 : random.whole(0, 2)).map(({ id, message }) => {
        const { type } = message as { type: string };
        return { ...plain, message, what: `told ${type}`, cause: id, toldId: id };
      });
      const names = asleep ? [] : due(service);
      const timers = names.length > 0 && random.chance(0.6) ? [tick(random.pick(names))] : [];
      const most = random.weighed([
        [5, 1],
        [3, 2],
        [1, 5],
      ]);
      const read = world.broker.fetch(service.groups, most).flatMap((delivery) => record(service, delivery) ?? []);
      return [...mine.map((one) => one.item), ...told, ...timers, ...read];
    },
  };
};
