import { conversationIdOf } from '../../services/run-executor/messages';
import { isRun, type RunRow } from '../../services/run-executor/state';
import type { Delivery } from './broker';
import { kill, type Instance, type Service } from './process';
import type { Random } from './random';
import { serviceNames } from './services';
import { redis, topicOf } from './stalls';
import type { World } from './world';

const longestDownMs = 15_000;
const minuteMs = 60_000;
const dayMs = 86_400_000;

export interface FaultDeps {
  readonly world: World;
  /** False: a dead letter is never looked at again. */
  readonly redriven: boolean;
  /** `forgotten`: the inbox does not know it any more. False: no process has taken it. */
  readonly deliver: (service: Service, delivery: Delivery, forgotten: boolean) => boolean;
  readonly tick: (service: Service, name: string) => void;
  readonly jump: (ms: number) => void;
  /** Names of what may stand still. */
  readonly parts: readonly string[];
}

/** Everything that may go wrong around the deciders while the world is not calm. */
export const openFaults = ({ world, redriven, deliver, tick, jump, parts }: FaultDeps) => {
  /** Mostly soon, sometimes minutes later, seldom days. */
  const delay = (random: Random): number =>
    random.weighed([
      [6, () => random.whole(100, 20_000)],
      [4, () => random.whole(20_000, 10 * minuteMs)],
      [1, () => random.whole(dayMs / 2, 2 * dayMs)],
    ])();

  let aside = 0;

  const start = (instance: Instance): void => {
    if (instance.alive) return;
    instance.alive = true;
    world.note(`${instance.name} is back`);
    if (instance.service !== 'run-executor') return;
    // The successor of the same name knows that nobody works under this name any more.
    const { store } = world.services['run-executor'];
    for (const runId of store.ids('run')) {
      const run = store.state<RunRow>('run', runId);
      if (!isRun(run) || run.lease?.owner !== instance.name) continue;
      const message = { type: 'orphaned', runId, conversation: conversationIdOf(run), owner: instance.name };
      world.submit(instance, message, `orphaned ${runId}`);
    }
  };

  const die = (instance: Instance, when: string): void => {
    world.note(`✗ ${instance.name} dies ${when}`);
    kill(world.services[instance.service], instance);
    world.agenda.add({
      at: world.now + world.random.of(`${instance.name} is down ${instance.life}`).whole(50, longestDownMs),
      what: `${instance.name} starts`,
      run: () => start(instance),
    });
  };

  const someService = (random: Random): Service => world.services[random.pick(serviceNames)];

  const standStill = (part: string, ms: number): void => {
    world.note(`~ ${part} stands still for ${ms / 1_000} s`);
    world.stalls.stop(part, world.now + ms);
  };

  const redrive = (random: Random, service: Service, delivery: Delivery): void =>
    world.agenda.add({
      at: world.now + delay(random),
      what: `${service.name} redrives ${delivery.record.eventId}`,
      run: () => {
        if (deliver(service, delivery, false)) aside -= 1;
        else redrive(random, service, delivery);
      },
    });

  const strikes: readonly (readonly [number, (random: Random) => void])[] = [
    [
      2,
      (random) => {
        const up = someService(random).instances.filter((one) => one.alive);
        if (up.length > 0) die(random.pick(up), 'while waiting');
      },
    ],
    [
      2,
      // SIGSTOP and SIGCONT: its works go on outside, its leases run out, and what it holds is old when it comes back.
      (random) => {
        const up = someService(random).instances.filter((one) => one.alive);
        if (up.length === 0) return;
        const instance = random.pick(up);
        instance.stoppedUntil = world.now + random.whole(500, 2 * minuteMs);
        world.note(`~ ${instance.name} is stopped until ${new Date(instance.stoppedUntil).toISOString()}`);
      },
    ],
    [
      4,
      (random) => {
        const service = someService(random);
        const delivery = world.broker.old(service.groups);
        if (delivery === undefined) return;
        world.note(`~ ${service.name} reads ${delivery.record.eventId} once more`);
        deliver(service, delivery, random.chance(0.5));
      },
    ],
    [
      2,
      (random) => {
        const service = someService(random);
        const delivery = world.broker.setAside(service.groups);
        if (delivery === undefined) return;
        world.note(`~ ${service.name} sets ${delivery.record.eventId} aside`);
        if (!redriven) return;
        aside += 1;
        redrive(random, service, delivery);
      },
    ],
    [
      2,
      // A relay whose lease is gone sends what it had read; its rows come after newer ones of their key.
      (random) => {
        const { name, relayed } = someService(random);
        if (relayed.length === 0) return;
        world.note(`~ a relay of ${name} that had stood still sends its rows again`);
        for (const record of random.pick(relayed)) world.broker.append(record);
      },
    ],
    [3, (random) => world.broker.rewind(someService(random).groups)],
    // A wake-up is lost, a consumer is slow, a relay stands still: what it has to do waits for it.
    [3, (random) => standStill(random.pick(parts), delay(random) / (random.chance(0.7) ? 10 : 1))],
    [1, (random) => standStill(topicOf('run-executor', 'effect.events.v1'), random.whole(1_000, 5 * minuteMs))],
    [1, (random) => standStill(redis, random.whole(5_000, 5 * minuteMs))],
    [2, (random) => jump(random.whole(100, random.chance(0.8) ? 8_000 : 120_000))],
    [0.1, (random) => jump(random.whole(minuteMs * 60, dayMs))],
    [
      3,
      (random) => {
        const service = someService(random);
        const kind = random.pick(service.model.deciders.kinds);
        const ids = service.store.ids(kind.name);
        if (kind.dueAt !== undefined && ids.length > 0) tick(service, `${kind.name}\u0001${random.pick(ids)}`);
      },
    ],
    [1, (random) => void (random.pick(someService(random).instances).room = random.whole(0, 4))],
  ];

  return {
    die,
    /** Records that wait for their redrive: what they tell is not known yet. */
    aside: (): number => aside,
    strike: (name: string): void => {
      const random = world.random.of(name);
      random.weighed(strikes)(random);
    },
    heal: (): void => {
      for (const name of serviceNames)
        for (const instance of world.services[name].instances) {
          instance.room = 64;
          instance.stoppedUntil = 0;
          start(instance);
        }
    },
  };
};
