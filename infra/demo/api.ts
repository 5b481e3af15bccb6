import { connect, type Remote } from '../../services/cli/remote';

export interface Run {
  readonly runId: string;
  readonly state: string;
  readonly cause: string | null;
  readonly detail: string | null;
  readonly requirementsVersion: number;
  readonly appliedVersion: number;
  readonly turns: number;
  readonly leaseEpoch: number;
  readonly versions: readonly {
    readonly version: number;
    readonly understood: string | null;
    readonly receivedAt: string;
    readonly appliedAt: string | null;
  }[];
  readonly steps: readonly { readonly callId: string; readonly status: string; readonly needsRecheck: boolean }[];
  readonly actions: readonly {
    readonly actionKey: string | null;
    readonly state: string;
    readonly requirementsVersion: number;
  }[];
  readonly report: { readonly version: number; readonly seq: number; readonly sha256: string } | null;
}
export interface Receipt {
  readonly status: string;
  readonly duplicate: boolean;
  readonly runId: string | null;
  readonly requirementsVersion: number | null;
  readonly code: string | null;
  readonly detail: string | null;
}
export interface Interaction {
  readonly interactionRef: string;
  readonly requestRevision: number;
  readonly kind: string;
  readonly state: string;
  readonly question: string;
  readonly runId: string;
  readonly requirementsVersion: number;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  readonly publishedAt: string;
  readonly answeredAt: string | null;
  readonly adoptedAt: string | null;
}
export interface Action {
  readonly actionKey: string;
  readonly state: string;
  readonly attempts: readonly {
    readonly number: number;
    readonly outcome: string | null;
    readonly httpStatus: number | null;
  }[];
}

const account = 'alice';
export const alice: Remote = connect([], account);
const operator: Remote = connect(['operator', 'platform-operator'], account);

const one = encodeURIComponent;
export const receiptOf = (conversation: string, id: string): Promise<Receipt> =>
  alice.get(`/v1/conversations/${conversation}/messages/${one(id)}`);
export const send = async (conversation: string, body: Record<string, unknown>): Promise<Receipt> =>
  (await alice.post<Receipt>(`/v1/conversations/${conversation}/messages`, body)).body;
export const runOf = (runId: string): Promise<Run> => alice.get(`/v1/runs/${runId}`);
export const openRequests = async (runId: string): Promise<readonly Interaction[]> =>
  (await alice.get<{ items: Interaction[] }>('/v1/interactions?state=open&limit=500')).items.filter(
    (item) => item.runId === runId,
  );
export const interactionOf = (ref: string): Promise<Interaction> => alice.get(`/v1/interactions/${ref}`);
export const respond = (ref: string, body: Record<string, unknown>): Promise<unknown> =>
  alice.post(`/v1/interactions/${ref}/responses`, body);
export const actionOf = (key: string): Promise<Action> => alice.get(`/v1/actions/${one(key)}`);
export const ops = <T>(service: string, path: string): Promise<T> => operator.get(`/v1/ops/${service}${path}`);

const remoteUrl = process.env['DEMO_REMOTE_URL'] ?? 'http://127.0.0.1:7410';

/** Tells the demo remote how to misbehave at the next request of an operation. */
export const behave = async (operation: string, behaviour: string): Promise<void> => {
  const response = await fetch(`${remoteUrl}/behaviour`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ match: { operation }, behaviour, times: 1 }),
  });
  if (!response.ok) throw new Error(`the demo remote answered ${response.status}`);
};

export const effectsFor = async (actionKey: string): Promise<number> => {
  const { items } = (await (await fetch(`${remoteUrl}/effects`)).json()) as {
    items: { actionKey: string; effects: number }[];
  };
  return items.find((item) => item.actionKey === actionKey)?.effects ?? 0;
};

export const metric = async (service: string, name: string): Promise<number> => {
  const url = process.env[`${service.replaceAll('-', '_').toUpperCase()}_URL`] ?? '';
  const text = await (await fetch(`${url}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
};
