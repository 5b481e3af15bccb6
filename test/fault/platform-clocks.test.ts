import { clockOff, hourMs } from '../support/clock-offsets';
import { openExecutorWorld } from '../support/executor-world';
import { errorsOf } from '../support/platform-instances';
import { openWorld } from '../support/platform-world';
import { until } from '../support/until';

jest.setTimeout(120_000);

/** Leases, sessions and the pause of what nobody has decided are all shorter. */
const ranOutMs = 8_000;

const passed = (ms: number): Promise<unknown> => {
  const startedAt = performance.now();
  return until(`${ms} ms have passed`, () => performance.now() - startedAt > ms);
};

test.concurrent(
  'case 44: a clock an hour ahead, then set back by two: nothing stands still, the group keeps its member, no lag below zero or out of thin air',
  async () => {
    const world = await openWorld('clocks');
    try {
      const [toy, stored] = await Promise.all([
        world.spawn('odd', clockOff(hourMs, -hourMs)),
        world.tail(world.stored),
      ]);
      let sent = 0;
      const flow = async (): Promise<void> => {
        sent += 1;
        await Promise.all([world.submit([['read', `read-${sent}`]]), toy.post('posted', `posted-${sent}`)]);
        await until('both are out', () => stored.records.length === 2 * sent, 5_000);
      };
      await flow();
      toy.kill('SIGUSR2');
      await flow();
      await passed(ranOutMs);
      await flow();
      const { body } = await toy.request('GET', '/metrics');
      const figures = (body as string)
        .split('\n')
        .filter((line) => /^(kafka_consumergroup_lag|fairlead_consumer_)/.test(line));
      expect(figures.length).toBeGreaterThan(0);
      for (const line of figures) {
        const value = Number(line.slice(line.lastIndexOf(' ')));
        expect([line, value >= 0 && value < 60]).toEqual([line, true]);
      }
      const admin = world.kafka.admin();
      await admin.connect();
      const { groups } = await admin.describeGroups([world.group]);
      await admin.disconnect();
      expect(groups[0]?.members).toHaveLength(1);
      expect(toy.log.filter(({ msg }) => /rejoin|re-joining|not aware/i.test(msg))).toEqual([]);
      expect(errorsOf(toy.log)).toEqual([]);
      for (const one of ['read', 'posted'])
        expect(stored.firsts(one)).toEqual(
          Array.from({ length: sent }, (_, index) => `${one}/${index + 1}/0/MessageStored`),
        );
    } finally {
      await world.close();
    }
  },
);

test.concurrent(
  'case 44 R11: a turn longer than its lease, the clock of its owner set back meanwhile: nobody takes it over',
  async () => {
    const world = await openExecutorWorld('clocks-lease');
    try {
      const odd = await world.spawn('odd', clockOff(hourMs, -hourMs));
      await world.start('m1');
      const asked = await until('turn 1 is asked', () => world.asked[0]);
      await world.spawn('other', clockOff(hourMs));
      odd.kill('SIGUSR2');
      await passed(ranOutMs);
      expect(world.asked).toHaveLength(1);
      asked.answer({ again: true });
      const next = await until('turn 2 is asked', () => world.asked[1]);
      expect([next.input.for.turn, next.attempt]).toEqual([2, 1]);
    } finally {
      await world.close();
    }
  },
);
