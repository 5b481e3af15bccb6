import { groupNames, topicsOf } from '../../schemas/topics';
import { openAgenda } from './agenda';
import { openBroker } from './broker';
import { briefly } from './briefly';
import { openFaults } from './faults';
import { openOperators } from './operators';
import { openOutside } from './outside';
import { openPeople } from './people';
import { commit, isIdle, openService, type Instance, type Item, type Service } from './process';
import { randomOf } from './random';
import { openRemote } from './remote';
import { openDesk, queryGroup, realServices, serviceNames } from './services';
import { openSources } from './sources';
import { openStalls, ownOf, pollMs, redis, relayOf, topicOf } from './stalls';
import { openWorkload } from './workload';
import type { Options, World } from './world';

const startAt = Date.parse('2026-01-01T00:00:00Z');
const dieBeforeCommit = 0.003;
const dieAfterCommit = 0.005;
const strikes = 0.04;
const queryGroups = [queryGroup];
/** Virtual time in which everything must have come to its end; longer than any deadline in the configuration. */
const calmMs = 3 * 86_400_000;
const maxCalmSteps = 12_000;
const minChaosSteps = 250;
const maxChaosSteps = 700;
/** What a relay that stands still may have read before. */
const maxRelayed = 20;

export const openSimulation = (seed: number, options: Options = {}) => {
  const random = randomOf(seed);
  const agenda = openAgenda();
  const state = { now: startAt, calm: false, steps: 0 };
  const counts = new Map<string, number>();
  const stalls = openStalls(() => state.now);
  const broker = openBroker(random, groupNames, (group, topic) => stalls.stands(topicOf(group, topic)));
  const desk = openDesk();
  const mutate = options.mutate ?? ((real) => real);
  const models = mutate(realServices(random, desk));
  const room = (): number => (random.chance(0.3) ? random.whole(1, 3) : 64);
  const services = Object.fromEntries(
    serviceNames.map((name) => [name, openService(name, models[name], room)]),
  ) as World['services'];
  const watches = options.watches?.() ?? [];
  const living = (service: Service): Instance[] =>
    service.instances.filter((one) => one.alive && one.stoppedUntil <= state.now);
  const wanted = (name: string): boolean => {
    options.onOffered?.(name);
    return options.keep?.has(name) ?? true;
  };
  /** The same for what has no name but its number. */
  const happens = (kind: string, probability: number): boolean => {
    if (state.calm || !random.chance(probability)) return false;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    return wanted(`${kind}-${number}`);
  };

  const world: World = {
    seed,
    random,
    agenda,
    broker,
    services,
    wanted,
    happens,
    stalls,
    desk,
    mutate,
    inbox: options.inbox ?? true,
    remote: openRemote(random, () => state.calm, wanted),
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
      if (!world.remote.happen(connector, actionKey, state.now)) return;
      operators.hear(connector, actionKey, 'succeeded');
      for (const watch of watches) watch.effect?.(actionKey, world);
    },
  };
  const sources = openSources(world, options.inbox ?? true);
  const workload = openWorkload(world);
  const operators = openOperators(world);
  const outside = openOutside(world, operators.hear);
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
    parts: [
      ...serviceNames.flatMap((name) => [relayOf(name), ownOf(name)]),
      ...groupNames.flatMap((group) => topicsOf(group).map((topic) => topicOf(group, topic))),
    ],
  });

  /** True when it was committed. */
  function transact(service: Service, instance: Instance, items: readonly Item[]): boolean {
    if (items.length === 0) return true;
    if (happens('death before commit', dieBeforeCommit)) return (faults.die(instance, 'before its commit'), false);
    const committed = commit(service, instance, items, state.now);
    for (const item of committed.items) world.note(`${instance.name} decides ${item.what}`);
    for (const fact of committed.facts) world.note(`    says ${fact.type} ${fact.eventId} ${briefly(fact.value)}`);
    people.watch(committed);
    for (const watch of watches) watch.commit?.(committed, world);
    if (happens('death after commit', dieAfterCommit)) return (faults.die(instance, 'after its commit'), true);
    for (const intent of committed.performs) outside.perform(instance, intent);
    return true;
  }

  const relay = (service: Service): void => {
    const [, rows] = random.pick([...service.outbox].filter(([, one]) => one.length > 0));
    const batch = rows.slice(0, random.whole(1, 4));
    for (const record of batch) broker.append(record);
    service.relayed.push(batch);
    if (service.relayed.length > maxRelayed) service.relayed.shift();
    // A relay that dies between the send and the delete sends the same rows again.
    if (!happens('relay repeats', 0.03)) rows.splice(0, batch.length);
    if (stalls.stands(redis)) stalls.stop(relayOf(service.name), state.now + pollMs);
  };

  const queries = (): void => {
    for (const delivery of broker.fetch(queryGroups, 1)) {
      delivery.done();
      outside.query(delivery.record);
      if (happens('query repeats', 0.05)) outside.query(delivery.record);
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
      if (!stalls.stands(relayOf(name)) && [...service.outbox.values()].some((rows) => rows.length > 0))
        found.push(() => relay(service));
      const up = living(service);
      if (up.length === 0) continue;
      const busy =
        service.inbound.some(({ instance }) => up.includes(instance)) ||
        broker.pending(service.groups) ||
        (!stalls.stands(ownOf(name)) && (service.told.length > 0 || sources.due(service).length > 0));
      if (busy)
        found.push(() => {
          const instance = random.pick(up);
          transact(service, instance, sources.gather(service, instance));
          if (stalls.stands(redis)) stalls.stop(ownOf(name), state.now + pollMs);
        });
    }
    return found;
  };

  const nextTime = (): number | null => {
    const stopped = serviceNames.flatMap((name) => services[name].instances.map((one) => one.stoppedUntil));
    const times = [
      agenda.nextAt(),
      stalls.nextAt(),
      ...stopped.filter((at) => at > state.now),
      ...serviceNames.flatMap((name) => [...services[name].due.values()]),
    ].filter((at): at is number => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  };

  /** One step; false when nothing will ever happen again. */
  const step = (): boolean => {
    state.steps += 1;
    if (happens('strike', strikes)) faults.strike(`strike-${counts.get('strike')}`);
    const found = possible();
    state.now += state.calm ? 1 : random.whole(0, 20);
    if (found.length > 0 && (state.calm || !random.chance(0.02))) return (random.pick(found)(), true);
    if (
      found.length === 0 &&
      faults.aside() === 0 &&
      stalls.nextAt() === null &&
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
      operators.plan();
      const chaos = random.whole(minChaosSteps, maxChaosSteps);
      while (state.steps < chaos && step());
      state.calm = true;
      world.note('--- calm ---');
      stalls.clear();
      faults.heal();
      const end = state.now + calmMs;
      const last = state.steps + maxCalmSteps;
      while (state.now < end && state.steps < last && step());
      for (const watch of watches) watch.end?.(world);
      return { steps: state.steps };
    },
  };
};
