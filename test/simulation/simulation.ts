import { groupNames } from '../../schemas/topics';
import { openAgenda } from './agenda';
import { openBroker } from './broker';
import { briefly } from './briefly';
import { openFaults } from './faults';
import { openOutside } from './outside';
import { openPeople } from './people';
import { commit, isIdle, openService, type Instance, type Item, type Service } from './process';
import { randomOf } from './random';
import { openRemote } from './remote';
import { queryGroup, realServices, serviceNames } from './services';
import { openSources } from './sources';
import { openWorkload } from './workload';
import type { Options, World } from './world';

const startAt = Date.parse('2026-01-01T00:00:00Z');
const queryGroups = [queryGroup];
/** Virtual time in which everything must have come to its end; longer than any deadline in the configuration. */
const calmMs = 3 * 86_400_000;
const maxCalmSteps = 12_000;
const minChaosSteps = 250;
const maxChaosSteps = 700;

export const openSimulation = (seed: number, options: Options = {}) => {
  const random = randomOf(seed);
  const agenda = openAgenda();
  const broker = openBroker(random, groupNames);
  const models = (options.mutate ?? ((real) => real))(realServices(random));
  const room = (): number => (random.chance(0.3) ? random.whole(1, 3) : 64);
  const services = Object.fromEntries(
    serviceNames.map((name) => [name, openService(name, models[name], room)]),
  ) as World['services'];
  const watches = options.watches?.() ?? [];
  const state = { now: startAt, calm: false, steps: 0 };
  const living = (service: Service): Instance[] => service.instances.filter((one) => one.alive);

  const world: World = {
    seed,
    random,
    agenda,
    broker,
    services,
    remote: openRemote(random, () => state.calm),
    get said() {
      return workload.sent;
    },
    get now() {
      return state.now;
    },
    get calm() {
      return state.calm;
    },
    note: (line) => options.onNote?.(`${((state.now - startAt) / 1_000).toFixed(3).padStart(10)}s ${line}`),
    submit: (instance, message, what) => {
      const item = sources.command(instance, message, what, () => undefined);
      services[instance.service].inbound.push({ item, instance });
    },
    call: (name, message, what, answered = () => undefined) => {
      const up = living(services[name]);
      if (up.length === 0) return;
      const instance = random.pick(up);
      services[name].inbound.push({ item: sources.command(instance, message, what, answered), instance });
    },
    sealedInput: (runId, turn) => {
      const row = services['run-executor'].rows
        .get('inputs')
        ?.find(({ values }) => values['run_id'] === runId && values['turn'] === turn);
      if (row === undefined) throw new Error(`no input is sealed for ${runId}/${turn}`);
      return row.values['bytes'] as Buffer;
    },
    crash: (instance, when) => faults.die(instance, when),
    effect: (connector, actionKey) => {
      world.remote.happen(connector, actionKey);
      for (const watch of watches) watch.effect?.(actionKey, world);
    },
  };
  const sources = openSources(world, options.inbox ?? true);
  const workload = openWorkload(world);
  const outside = openOutside(world);
  const people = openPeople(world, workload.byChat);
  const faults = openFaults({
    world,
    redriven: options.redriven ?? true,
    deliver: (service, delivery, forgotten) => {
      const up = living(service);
      if (up.length === 0) return false;
      const item = sources.record(service, delivery);
      return item === null || transact(service, random.pick(up), [forgotten ? { ...item, claim: null } : item]);
    },
    tick: (service, name) => {
      const up = living(service);
      if (up.length > 0) transact(service, random.pick(up), [sources.tick(name)]);
    },
    jump: (ms) => {
      state.now += ms;
    },
  });

  /** True when it was committed. */
  function transact(service: Service, instance: Instance, items: readonly Item[]): boolean {
    if (items.length === 0) return true;
    if (faults.diesBefore()) return (faults.die(instance, 'before its commit'), false);
    const committed = commit(service, instance, items, state.now);
    for (const item of committed.items) world.note(`${instance.name} decides ${item.what}`);
    for (const fact of committed.facts) world.note(`    says ${fact.type} ${fact.eventId} ${briefly(fact.value)}`);
    people.watch(committed);
    for (const watch of watches) watch.commit?.(committed, world);
    if (faults.diesAfter()) return (faults.die(instance, 'after its commit'), true);
    for (const intent of committed.performs) outside.perform(instance, intent);
    return true;
  }

  const relay = (service: Service): void => {
    const [, rows] = random.pick([...service.outbox].filter(([, one]) => one.length > 0));
    const batch = rows.slice(0, random.whole(1, 4));
    for (const record of batch) broker.append(record);
    // A relay that dies between the send and the delete sends the same rows again.
    if (state.calm || !random.chance(0.03)) rows.splice(0, batch.length);
  };

  const queries = (): void => {
    for (const delivery of broker.fetch(queryGroups, 1)) {
      delivery.done();
      outside.query(delivery.record);
      if (!state.calm && random.chance(0.05)) outside.query(delivery.record);
    }
  };

  const possible = (): (() => void)[] => {
    const found: (() => void)[] = [];
    if ((agenda.nextAt() ?? Infinity) <= state.now) {
      const next = (): void => {
        const happening = agenda.take(state.now);
        if (happening !== undefined) world.note(`· ${happening.what}`);
        happening?.run();
      };
      found.push(next, next);
    }
    if (broker.pending(queryGroups)) found.push(queries);
    for (const name of serviceNames) {
      const service = services[name];
      if ([...service.outbox.values()].some((rows) => rows.length > 0)) found.push(() => relay(service));
      const up = living(service);
      if (up.length === 0) continue;
      const busy =
        service.told.length > 0 ||
        service.inbound.length > 0 ||
        broker.pending(service.groups) ||
        sources.due(service).length > 0;
      if (busy)
        found.push(() => {
          const instance = random.pick(up);
          transact(service, instance, sources.gather(service, instance));
        });
    }
    return found;
  };

  const nextTime = (): number | null => {
    const times = [agenda.nextAt(), ...serviceNames.flatMap((name) => [...services[name].due.values()])].filter(
      (at): at is number => at !== null,
    );
    return times.length === 0 ? null : Math.min(...times);
  };

  /** One step; false when nothing will ever happen again. */
  const step = (): boolean => {
    state.steps += 1;
    if (!state.calm && random.chance(0.04)) faults.strike();
    const found = possible();
    state.now += state.calm ? 1 : random.whole(0, 20);
    if (found.length > 0 && (state.calm || !random.chance(0.02))) return (random.pick(found)(), true);
    if (
      found.length === 0 &&
      faults.aside() === 0 &&
      broker.idle() &&
      serviceNames.every((name) => isIdle(services[name]))
    )
      for (const watch of watches) watch.quiet?.(world);
    const at = nextTime();
    if (at === null) return found.length > 0;
    state.now = Math.max(state.now, at);
    return true;
  };

  return {
    world,
    run: (): { readonly steps: number } => {
      workload.plan();
      const chaos = random.whole(minChaosSteps, maxChaosSteps);
      while (state.steps < chaos && step());
      state.calm = true;
      world.note('--- calm ---');
      faults.heal();
      const end = state.now + calmMs;
      const last = state.steps + maxCalmSteps;
      while (state.now < end && state.steps < last && step());
      for (const watch of watches) watch.end?.(world);
      return { steps: state.steps };
    },
  };
};
