import { setTimeout as pause } from 'node:timers/promises';
import { connect, Refused, type Remote } from '../../services/cli/remote';
import type { Finding } from '../../services/cli/doctor';

interface Person {
  readonly account: string;
  readonly remote: Remote;
  readonly stamp: string;
  messages: number;
  runs: Sent[];
}

interface Sent {
  readonly conversation: string;
  readonly id: string;
}

interface Receipt {
  readonly status: string;
  readonly runId: string | null;
  readonly code: string | null;
}

interface Interaction {
  readonly interactionRef: string;
  readonly requestRevision: number;
  readonly kind: string;
  readonly state: string;
  readonly choices: readonly { readonly id: string }[];
}

export interface Traffic {
  /** One thing that one person does next. */
  act(person: number): Promise<void>;
  readonly sent: () => number;
  readonly counts: () => Readonly<Record<string, number>>;
  /** Answers what is open until every run has ended. */
  settle(withinMs: number): Promise<Finding[]>;
  /** What the remote did, against what the ledger says. */
  effects(): Promise<Finding>;
}

const betweenMs = 150;
const terminal = ['completed', 'partial', 'failed', 'cancelled', 'interrupted'];
const behaviours = [
  'accept_then_timeout',
  'accept_then_500',
  'accept_then_reset',
  'reject',
  'lose',
  'already_done_409',
];
const tasks = [
  'Compare MSFT and AAPL over the last three years, say which data it rests on',
  'Compare IBM and GOOG over the last two years',
  'Compare AMZN and MSFT over the last year. Share it with dana@example.com',
  'Compare IBM and AAPL over the last two years. Share it with erin@example.com',
];

/** What a process that is just being killed does not answer comes again under the same id, as clients do. */
const steadily = async <T>(call: () => Promise<T>): Promise<T | null> => {
  for (let tries = 0; tries < 60; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof Refused && error.status < 500 && error.status !== 429) return null;
      await pause(500);
    }
  }
  throw new Error('nobody answered for half a minute');
};

export const openTraffic = (random: () => number, people: number): Traffic => {
  const remoteUrl = process.env['DEMO_REMOTE_URL'] ?? '';
  const operator = connect(['operator'], 'soak-operator');
  const started = Date.now().toString(36);
  const crowd = Array.from({ length: people }, (_, index): Person => {
    const account = `soak-${index}`;
    return { account, remote: connect([], account), stamp: `${started}-${index}`, messages: 0, runs: [] };
  });
  const counts: Record<string, number> = {};
  let total = 0;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);

  const send = async (person: Person, conversation: string, body: Record<string, unknown>): Promise<string> => {
    const id = `s-${person.stamp}-${(person.messages += 1)}`;
    total += 1;
    count(String(body['control'] ?? body['relation']));
    const path = `/v1/conversations/${conversation}/messages`;
    const post = () => person.remote.post(path, { ...body, clientMessageId: id }, { prefer: 'wait=0' });
    await steadily(post);
    // Now and then the same once more, as after a lost answer.
    if (random() < 0.2) await steadily(post);
    return id;
  };

  const runOf = async (person: Person, sent: Sent): Promise<string | null> =>
    (await steadily(() => person.remote.get<Receipt>(`/v1/conversations/${sent.conversation}/messages/${sent.id}`)))
      ?.runId ?? null;

  const begin = async (person: Person, relation: string, more: Record<string, unknown> = {}): Promise<void> => {
    const conversation = `soak-${person.stamp}-${Math.floor(random() * 4)}`;
    const id = await send(person, conversation, { relation, content: pick(tasks), ...more });
    person.runs = [...person.runs.slice(-30), { conversation, id }];
  };

  const aim = async (person: Person, body: Record<string, unknown>): Promise<void> => {
    if (person.runs.length === 0) return begin(person, 'new_task');
    const { conversation, id } = pick(person.runs);
    await send(person, conversation, { content: '', ...body, targetClientMessageId: id });
  };

  const goOn = async (person: Person): Promise<void> => {
    const sent = person.runs.length === 0 ? undefined : pick(person.runs);
    const runId = sent === undefined ? null : await runOf(person, sent);
    if (sent === undefined || runId === null) return begin(person, 'follow_up');
    await send(person, sent.conversation, { relation: 'continue', content: 'go on', continuationOfRunId: runId });
  };

  const answer = async (person: Person): Promise<number> => {
    const open = await steadily(() =>
      person.remote.get<{ items: Interaction[] }>('/v1/interactions?state=open&limit=100'),
    );
    for (const one of open?.items ?? []) await respond(person, one);
    return open?.items.length ?? 0;
  };

  const respond = async (person: Person, one: Interaction): Promise<void> => {
    const { interactionRef, requestRevision, kind, choices } = one;
    const base = { requestRevision, clientResponseId: `r-${interactionRef}-${requestRevision}` };
    const path = `/v1/interactions/${encodeURIComponent(interactionRef)}`;
    count(`answer ${kind}`);
    if (kind === 'question') {
      const choice = choices[0]?.id;
      await steadily(() =>
        person.remote.post(`${path}/responses`, choice === undefined ? { ...base, text: 'yes' } : { ...base, choice }),
      );
      return;
    }
    const preview = kind === 'approval' ? await steadily(() => person.remote.bytes(`${path}/preview`)) : null;
    const previewSha256 = preview?.headers.get('etag')?.replaceAll('"', '');
    const decision = random() < 0.85 ? 'approve' : 'deny';
    await steadily(() =>
      person.remote.post(`${path}/responses`, {
        ...base,
        decision,
        ...(previewSha256 === undefined ? {} : { previewSha256 }),
      }),
    );
  };

  const misbehave = async (): Promise<void> => {
    await fetch(`${remoteUrl}/behaviour`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ match: { operation: 'share' }, behaviour: pick(behaviours), times: 2 }),
    }).catch(() => undefined);
  };

  const doings: readonly [weight: number, does: (person: Person) => Promise<unknown>][] = [
    [5, (person) => begin(person, 'new_task', { mode: pick(['queue', 'parallel']) })],
    [1, (person) => begin(person, 'follow_up')],
    [1, (person) => begin(person, 'unspecified')],
    [
      3,
      (person) =>
        aim(person, { relation: 'amend', content: 'only the last year', expectedVersion: pick([1, 1, 1, 2]) }),
    ],
    [2, (person) => aim(person, { relation: 'observe', content: 'prices moved today' })],
    [1, (person) => aim(person, { relation: 'control', control: 'cancel' })],
    [1, (person) => aim(person, { relation: 'control', control: 'progress' })],
    [1, (person) => aim(person, { relation: 'control', control: 'pause' })],
    [2, (person) => aim(person, { relation: 'control', control: 'resume' })],
    [1, goOn],
    [4, answer],
    [1, misbehave],
  ];
  const weights = doings.reduce((sum, [weight]) => sum + weight, 0);

  const stillOpen = async (): Promise<string[]> => {
    const live: string[] = [];
    for (const { account, remote } of crowd) {
      const list = await steadily(() =>
        remote.get<{ items: { runId: string; state: string; waitingFor: unknown }[] }>('/v1/runs?limit=500'),
      );
      for (const run of list?.items ?? [])
        if (!terminal.includes(run.state))
          live.push(`${account} ${run.runId} ${run.state} ${JSON.stringify(run.waitingFor)}`);
    }
    return live;
  };

  return {
    sent: () => total,
    counts: () => counts,
    act: async (index) => {
      const person = crowd[index] as Person;
      let at = random() * weights;
      for (const [weight, does] of doings) {
        at -= weight;
        if (at > 0) continue;
        await does(person);
        break;
      }
      await pause(betweenMs * (0.5 + random()));
    },
    settle: async (withinMs) => {
      const deadline = Date.now() + withinMs;
      let live = await stillOpen();
      while (live.length > 0 && Date.now() < deadline) {
        for (const person of crowd) {
          await answer(person);
          for (const run of live.filter((line) => line.startsWith(`${person.account} `) && line.includes(' paused '))) {
            const runId = run.split(' ')[1] as string;
            await steadily(() => operator.post(`/v1/ops/runs/${runId}/resume`, { reason: 'the soak ends' }));
          }
        }
        await pause(1_000);
        live = await stillOpen();
      }
      const found = live.slice(0, 5).join('; ');
      return [{ what: 'every run ends', ok: live.length === 0, found: `${live.length}: ${found}`, advice: '' }];
    },
    effects: async () => {
      const { items } = (await (await fetch(`${remoteUrl}/effects`)).json()) as {
        items: { actionKey: string; effects: number }[];
      };
      const done = new Map(items.map(({ actionKey, effects }) => [actionKey, effects]));
      const wrong: string[] = [];
      let after: string | null = null;
      do {
        const cursor: string = after === null ? '' : `&after=${encodeURIComponent(after)}`;
        const list = await steadily(() =>
          operator.get<{ items: { actionKey: string; state: string }[]; next: string | null }>(
            `/v1/actions?limit=500${cursor}`,
          ),
        );
        for (const { actionKey, state } of list?.items ?? []) {
          count(`action ${state}`);
          const effects = done.get(actionKey) ?? 0;
          const wanted =
            state === 'succeeded' ? [1] : ['unknown', 'blocked', 'disputed'].includes(state) ? [0, 1] : [0];
          if (!wanted.includes(effects)) wrong.push(`${actionKey} is ${state}, ${effects} effects`);
        }
        after = list?.next ?? null;
      } while (after !== null);
      for (const [key, effects] of done) if (effects > 1) wrong.push(`${key} happened ${effects} times`);
      return {
        what: 'the remote did each action as often as the ledger says',
        ok: wrong.length === 0,
        found: wrong.slice(0, 5).join('; '),
        advice: '',
      };
    },
  };
};
