import { connect, type Remote } from '../../services/cli/remote';
import { root } from '../support/documents';
import { environmentBeside, type EnvironmentBeside } from '../support/environment-beside';
import { previousRelease } from '../support/previous-release';
import { fresh, type RunView } from '../support/system';
import { testWith } from '../support/tools';
import { until } from '../support/until';

const testMs = 420_000;
const closeMs = 60_000;

const previous = previousRelease();
const ends = ['completed', 'partial', 'failed', 'cancelled', 'interrupted'];

/** In the order of no plan: any order of services has to do. */
const services = ['publication', 'admission', 'effect-ledger-receipt-query', 'run-executor', 'hil', 'effect-ledger'];

let world: EnvironmentBeside | null = null;
afterAll(() => world?.close(), closeMs);

interface Receipt {
  readonly status: string;
  readonly runId: string | null;
}

/** A person who keeps sending one task after the other, each under its own id until it is taken. */
const traffic = (alice: Remote) => {
  const sent: { conversation: string; id: string }[] = [];
  let going = true;
  const send = async (): Promise<void> => {
    while (going) {
      const [conversation, id] = [fresh('up'), fresh('m')];
      const body = {
        clientMessageId: id,
        content: `Compare MSFT and AAPL since ${2001 + (sent.length % 8)}`,
        relation: 'new_task',
        mode: 'parallel',
      };
      // An instance that stops refuses, or its connection breaks: the same message again is the same message.
      await until(
        `${id} is taken`,
        async () => (await alice.post(`/v1/conversations/${conversation}/messages`, body)).status < 300,
      );
      sent.push({ conversation, id });
      await until('its run is told', async () => {
        const receipt = await alice.get<Receipt>(`/v1/conversations/${conversation}/messages/${id}`);
        return receipt.runId ?? false;
      });
    }
  };
  const done = send();
  return {
    sent,
    more: (n: number): Promise<unknown> => {
      const from = sent.length;
      return until(`${n} more messages`, () => sent.length >= from + n);
    },
    end: async (): Promise<void> => {
      going = false;
      await done;
    },
  };
};

const endOf = async (alice: Remote, { conversation, id }: { conversation: string; id: string }): Promise<RunView> => {
  const { runId } = await alice.get<Receipt>(`/v1/conversations/${conversation}/messages/${id}`);
  return until(`the run of ${id} ends`, async () => {
    const run = await alice.get<RunView>(`/v1/runs/${runId}`);
    return ends.includes(run.state) && run;
  });
};

testWith({ 'the previous release': previous })(
  'the previous release and this one side by side, then this one alone: every message gets its report',
  async () => {
    if ('missing' in previous) return;
    const beside = (world = await environmentBeside('upgrade'));
    const old = previous.path;
    beside.command(old, ['migrate']);
    beside.command(old, ['topics', 'apply']);
    await Promise.all([...services, 'gateway', 'demo-remote'].map((name) => beside.start(old, name, name)));
    const alice = connect([], 'alice', beside.gateway);
    const flow = traffic(alice);
    await flow.more(3);

    // The migrations of this version, while the old one works.
    beside.command(root, ['migrate']);
    beside.command(root, ['topics', 'apply']);
    await flow.more(3);
    for (const name of services) {
      await beside.start(root, name, `${name}-2`);
      await flow.more(1);
    }
    await flow.more(5);
    for (const name of services) {
      await beside.stop(name);
      await beside.start(root, name, name);
      await flow.more(1);
    }
    await beside.stop('gateway');
    await beside.start(root, 'gateway', 'gateway');
    await flow.more(3);
    await flow.end();

    const runs = [];
    for (const message of flow.sent) runs.push(await endOf(alice, message));
    expect(runs.filter(({ state, report }) => state !== 'completed' || report === null)).toEqual([]);
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(flow.sent.length);
    await until('the audit agrees', () => {
      beside.command(root, ['doctor', '--audit', '--json']);
      return true;
    });
  },
  testMs,
);
