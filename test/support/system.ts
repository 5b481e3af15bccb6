import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Remote } from '../../services/cli/remote';
import { until } from './until';

const root = join(__dirname, '../..');

export interface System {
  readonly home: string;
  readonly alice: Remote;
  readonly operator: Remote;
  pid(name: string): number;
  kill(name: string): void;
  /** Starts a service the way an operator does; resolves when it is ready. */
  start(service: string, options?: { readonly instance?: number; readonly role?: string }): Promise<void>;
  /** Sends one task and resolves with its run. */
  submit(
    conversation: string,
    clientMessageId: string,
    content: string,
    more?: Record<string, unknown>,
  ): Promise<string>;
  run(runId: string): Promise<RunView>;
  completed(runId: string): Promise<RunView>;
  effects(): Promise<Record<string, number>>;
  behave(operation: string, behaviour: string, times?: number): Promise<void>;
}

export interface RunView {
  readonly runId: string;
  readonly state: string;
  readonly cause: string | null;
  readonly detail: string | null;
  readonly requirementsVersion: number;
  readonly appliedVersion: number;
  readonly turns: number;
  readonly actions: readonly { readonly actionKey: string | null; readonly state: string }[];
  readonly report: { readonly version: number; readonly sha256: string } | null;
}

/** After a kill a consumer group waits out the dead member's session, and leases theirs. */
const waitMs = 60_000;

/** The whole stack beside the servers `npm test` has started; what runs already is used, `npm test` stops it all. */
export const system = async (): Promise<System> => {
  const { up } = (await import('../../infra/local/stack.mjs')) as {
    up: (options?: object) => Promise<{ env: Record<string, string>; home: string }>;
  };
  const stack = await up();
  Object.assign(process.env, stack.env);
  const alice = connect([], 'alice');
  const operator = connect(['operator', 'platform-operator'], 'olga');
  const file = (name: string): string => join(stack.home, 'run', name);
  const one = encodeURIComponent;
  const remote = stack.env['DEMO_REMOTE_URL'] ?? '';

  const api: System = {
    home: stack.home,
    alice,
    operator,
    pid: (name) => Number(readFileSync(file(`${name}.pid`), 'utf8')),
    kill: (name) => void process.kill(api.pid(name), 'SIGKILL'),
    start: async (service, { instance, role } = {}) => {
      const name =
        role === undefined ? (instance === undefined ? service : `${service}-${instance}`) : `${service}-${role}`;
      const log = openSync(file(`${name}.log`), 'a');
      const args = [
        'service',
        service,
        ...(instance === undefined ? [] : ['--instance', String(instance)]),
        ...(role === undefined ? [] : ['--role', role]),
      ];
      // `npm test` ends it by its pid file with the rest of the stack; this process does not wait for it.
      spawn(process.execPath, [join(root, 'bin/fairlead.mjs'), ...args], {
        stdio: ['ignore', log, log],
        env: process.env,
        detached: true,
      }).unref();
      closeSync(log);
      await until(`${name} is ready`, async () => {
        const port = Number(readFileSync(file(`${name}.port`), 'utf8'));
        return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
      });
    },
    submit: async (conversation, clientMessageId, content, more = {}) => {
      const body = { clientMessageId, content, relation: 'new_task', mode: 'parallel', ...more };
      await until(
        `${clientMessageId} is taken`,
        async () => (await alice.post(`/v1/conversations/${conversation}/messages`, body)).status < 300,
      );
      return until(
        `${clientMessageId} has its run`,
        async () => {
          const receipt = await alice.get<{ status: string; runId: string | null; detail: string | null }>(
            `/v1/conversations/${conversation}/messages/${one(clientMessageId)}`,
          );
          if (receipt.status === 'refused') throw new Error(`refused: ${receipt.detail ?? ''}`);
          return receipt.runId ?? false;
        },
        waitMs,
      );
    },
    run: (runId) => alice.get<RunView>(`/v1/runs/${runId}`),
    completed: (runId) =>
      until(
        `run ${runId} ends`,
        async () => {
          const run = await api.run(runId);
          return ['completed', 'partial', 'failed', 'cancelled', 'interrupted'].includes(run.state) && run;
        },
        waitMs,
      ),
    effects: async () => {
      const { items } = (await (await fetch(`${remote}/effects`)).json()) as {
        items: { actionKey: string; effects: number }[];
      };
      return Object.fromEntries(items.map((item) => [item.actionKey, item.effects]));
    },
    behave: async (operation, behaviour, times = 1) => {
      await fetch(`${remote}/behaviour`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ match: { operation }, behaviour, times }),
      });
    },
  };
  return api;
};

/** A name that no other test has used on this stack. */
export const fresh = (prefix: string): string =>
  `${prefix}-${process.pid}-${(counter += 1)}-${Date.now().toString(36)}`;
let counter = 0;

/** The share's approval of a run, given once it is open. */
export const approveShare = async (system: System, runId: string): Promise<void> => {
  const item = await until(`the approval of ${runId} is open`, async () => {
    const { items } = await system.alice.get<{
      items: { interactionRef: string; requestRevision: number; kind: string; runId: string }[];
    }>('/v1/interactions?state=open&limit=500');
    return items.find((one) => one.runId === runId && one.kind === 'approval') ?? false;
  });
  const { headers } = await system.alice.bytes(`/v1/interactions/${item.interactionRef}/preview`);
  await system.alice.post(`/v1/interactions/${item.interactionRef}/responses`, {
    requestRevision: item.requestRevision,
    clientResponseId: `approve-${item.interactionRef}`,
    decision: 'approve',
    previewSha256: (headers.get('etag') ?? '').replaceAll('"', ''),
  });
};
