import { Agent } from 'node:http';
import { unsaid } from '../../schemas/unsaid';
import { localToken } from '../../services/cli/remote';
import { idsOf } from '../../services/platform/identity';
import { followAccount, type Item } from './account-stream';
import { call, steadily } from './http-call';
import { openKafkaSide, type Submission } from './kafka-side';

const account = 'bench';
const reportBytes = 500;

export type Channel = 'http' | 'kafka';

/** What came of one answer of a person, in ms. */
export interface AnswerTimes {
  /** From sending the answer until it is stored. */
  readonly storedMs: number;
  /** From stored until the turn that carries it began. */
  readonly toTurnMs: number;
  /** From sending the answer until the report is here. */
  readonly toReportMs: number;
}

export interface Client {
  /** Sends one message under its own id and resolves when its report's bytes are here. */
  readonly run: (id: string) => Promise<void>;
  /** Sends again what was sent before; resolves with the receipt. */
  readonly duplicate: (id: string) => Promise<void>;
  /** A run that asks one question, answered at once. */
  readonly ask: (id: string) => Promise<AnswerTimes>;
  readonly close: () => Promise<void>;
}

const messageOf = (id: string, agent: string | null): Submission => ({
  ...unsaid,
  account,
  conversationId: `bench-${id}`,
  clientMessageId: id,
  content: 'do the one thing',
  relation: 'NEW_TASK',
  mode: 'PARALLEL',
  agent,
});

/** Somebody waits for what a stream will show, or will never show. */
const waiters = <T>() => {
  const waiting = new Map<string, { resolve: (value: T) => void; reject: (error: Error) => void }>();
  const take = (key: string) => {
    const one = waiting.get(key);
    waiting.delete(key);
    return one;
  };
  return {
    wait: (key: string): Promise<T> => new Promise((resolve, reject) => void waiting.set(key, { resolve, reject })),
    tell: (key: string, value: T): void => take(key)?.resolve(value),
    fail: (key: string, error: Error): void => take(key)?.reject(error),
  };
};

const endedBadly = new Set(['failed', 'cancelled', 'interrupted']);

export const openClient = async (channel: Channel): Promise<Client> => {
  const kafka = await openKafkaSide();
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const token = await localToken({ account, roles: [], app: 'local', tenant: 'local' });
  const admission = process.env['ADMISSION_URL'] ?? '';
  const publication = process.env['PUBLICATION_URL'] ?? '';
  const hil = process.env['HIL_URL'] ?? '';

  const reports = waiters<Item>();
  const questions = waiters<Item>();
  const secondTurns = waiters<Item>();
  const repeats = waiters<void>();
  const stream = await followAccount(publication, token, (kind, item) => {
    const runId = String(item['runId']);
    if (kind === 'report') reports.tell(runId, item);
    if (kind === 'run' && endedBadly.has(String(item['state'])))
      reports.fail(runId, new Error(`${runId} ended as ${String(item['state'])}: ${String(item['cause'])}`));
    if (kind === 'interaction' && item['state'] === 'open') questions.tell(runId, item);
    if (kind === 'turn' && item['number'] === 2) secondTurns.tell(runId, item);
  });
  let reading = false;

  const submitHttp = async (message: Submission, prefer: string): Promise<void> => {
    const { account: _account, conversationId, ...rest } = message;
    const body = {
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
      relation: 'new_task',
      mode: 'parallel',
    };
    const url = `${admission}/v1/conversations/${conversationId}/messages`;
    const { status, text } = await steadily(() => call(agent, 'POST', url, token, body, prefer));
    if (status >= 300) throw new Error(`admission answered ${status}: ${text.slice(0, 200)}`);
  };
  const submit = (message: Submission): Promise<void> =>
    channel === 'kafka' ? kafka.submit(message) : submitHttp(message, 'wait=0');
  const runOf = (id: string): string => idsOf({ tenant: 'local', app: 'local', account, clientMessageId: id }).runId;

  const reportOf = async (runId: string): Promise<void> => {
    const url = `${publication}/v1/runs/${runId}/reports/current`;
    const { status, text } = await steadily(() => call(agent, 'GET', url, token));
    if (status !== 200 || text.length !== reportBytes)
      throw new Error(`the report of ${runId} is not there: ${status}`);
  };

  return {
    run: async (id) => {
      const seen = reports.wait(runOf(id));
      await submit(messageOf(id, null));
      await seen;
      await reportOf(runOf(id));
    },
    duplicate: async (id) => {
      if (channel === 'http') return submitHttp(messageOf(id, null), 'wait=2');
      if (!reading)
        await kafka.receipts((receipt) => {
          if (receipt.duplicate) repeats.tell(receipt.clientMessageId, undefined);
        });
      reading = true;
      const answered = repeats.wait(id);
      await kafka.submit(messageOf(id, null));
      await answered;
    },
    ask: async (id) => {
      const runId = runOf(id);
      const asked = questions.wait(runId);
      const carried = secondTurns.wait(runId);
      const seen = reports.wait(runId);
      await submit(messageOf(id, 'one-question'));
      const { interactionRef, requestRevision } = await asked;
      const started = performance.now();
      const url = `${hil}/v1/interactions/${String(interactionRef)}/responses`;
      const answer = { requestRevision, clientResponseId: `${id}-answer`, text: 'yes' };
      const { status, text } = await steadily(() => call(agent, 'POST', url, token, answer));
      if (status >= 300) throw new Error(`hil answered ${status}: ${text.slice(0, 200)}`);
      const storedMs = performance.now() - started;
      const storedAt = Date.parse((JSON.parse(text) as { answeredAt: string }).answeredAt);
      await seen;
      await reportOf(runId);
      const toReportMs = performance.now() - started;
      const turn = await carried;
      return { storedMs, toTurnMs: Date.parse(String(turn['startedAt'])) - storedAt, toReportMs };
    },
    close: async () => {
      await stream.close();
      agent.destroy();
      await kafka.close();
    },
  };
};
