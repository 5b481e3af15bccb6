import { conversationIdOf } from '../../services/run-executor/messages';
import { isRun, type RunRow } from '../../services/run-executor/state';
import type { Delivery } from './broker';
import { kill, type Instance, type Service } from './process';
import { serviceNames } from './services';
import type { World } from './world';

const dieBeforeCommit = 0.003;
const dieAfterCommit = 0.005;
const longestDownMs = 15_000;
/** A dead letter is redriven, or an old record read once more, up to this much later. */
const muchLaterMs = 600_000;

export interface FaultDeps {
  readonly world: World;
  /** False: a dead letter is never looked at again. */
  readonly redriven: boolean;
  /** `forgotten`: the inbox does not know it any more. False: no process has taken it. */
  readonly deliver: (service: Service, delivery: Delivery, forgotten: boolean) => boolean;
  readonly tick: (service: Service, name: string) => void;
  readonly jump: (ms: number) => void;
}

/** Everything that may go wrong around the deciders while the world is not calm. */
export const openFaults = ({ world, redriven, deliver, tick, jump }: FaultDeps) => {
  const { random } = world;

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
      at: world.now + random.whole(50, longestDownMs),
      what: `${instance.name} starts`,
      run: () => start(instance),
    });
  };

  const someService = (): Service => world.services[random.pick(serviceNames)];

  const strikes: readonly (readonly [number, () => void])[] = [
    [
      2,
      () => {
        const up = someService().instances.filter((one) => one.alive);
        if (up.length > 0) die(random.pick(up), 'while waiting');
      },
    ],
    [
      4,
      () => {
        const service = someService();
        const delivery = world.broker.old(service.groups);
        if (delivery === undefined) return;
        world.note(`~ ${service.name} reads ${delivery.record.eventId} once more`);
        deliver(service, delivery, random.chance(0.5));
      },
    ],
    [
      2,
      () => {
        const service = someService();
        const delivery = world.broker.setAside(service.groups);
        if (delivery === undefined) return;
        world.note(`~ ${service.name} sets ${delivery.record.eventId} aside`);
        if (!redriven) return;
        aside += 1;
        const again = (): void => {
          if (deliver(service, delivery, false)) aside -= 1;
          else redrive();
        };
        const redrive = (): void =>
          world.agenda.add({
            at: world.now + random.whole(100, random.chance(0.5) ? 20_000 : muchLaterMs),
            what: `${service.name} redrives ${delivery.record.eventId}`,
            run: again,
          });
        redrive();
      },
    ],
    [3, () => world.broker.rewind(someService().groups)],
    [2, () => jump(random.whole(100, random.chance(0.8) ? 8_000 : 120_000))],
    [
      3,
      () => {
        const service = someService();
        const kind = random.pick(service.model.deciders.kinds);
        const ids = service.store.ids(kind.name);
        if (kind.dueAt !== undefined && ids.length > 0) tick(service, `${kind.name}\u0001${random.pick(ids)}`);
      },
    ],
    [1, () => void (random.pick(someService().instances).room = random.whole(0, 4))],
  ];

  return {
    die,
    diesBefore: (): boolean => !world.calm && random.chance(dieBeforeCommit),
    diesAfter: (): boolean => !world.calm && random.chance(dieAfterCommit),
    /** Records that wait for their redrive: what they tell is not known yet. */
    aside: (): number => aside,
    strike: (): void => random.weighed(strikes)(),
    heal: (): void => {
      for (const name of serviceNames)
        for (const instance of world.services[name].instances) {
          instance.room = 64;
          start(instance);
        }
    },
  };
};
