import net from 'node:net';
import { Type } from 'typebox';
import type { MessageStored, MessageSubmitted } from '../../schemas/generated/records';
import { emit, kind, none, type Decision, type View } from '../../services/platform/decision';
import { runService } from '../../services/platform/run-service';
import type { ServiceSpec } from '../../services/platform/service';

// The smallest service there can be: it stores what is submitted, conversation by conversation, and says so. What its
// guarantees are worth is what the platform is worth.

export const toyTable = `CREATE TABLE toys (id text PRIMARY KEY, revision int NOT NULL, doc text NOT NULL, due_at timestamptz, size int NOT NULL)`;
export const toyGroup = 'admission';
export const toyReads = 'ingress.messages.v1';
export const toyWrites = 'admission.messages.v1';

export interface ToyState {
  /** Client message ids in the order of their decisions. */
  readonly seen: readonly string[];
}

export interface Submitted {
  readonly type: 'submitted';
  readonly conversation: string;
  readonly id: string;
  readonly content: string;
}

const toys = kind<ToyState>({
  name: 'toy',
  table: 'toys',
  columns: [{ name: 'size', type: 'int', of: (state) => state.seen.length }],
});

/** Stands for the corrected build that an operator waits for before a redrive. */
export const repair = { done: false };

/** What a content makes the decision do; anything else is stored. */
const misbehave = (content: string): void => {
  if (content === 'throw') throw new Error('this content is a defect');
  if (content === 'repairable' && !repair.done) throw new Error('this content is a defect for now');
  if (content === 'exit') process.kill(process.pid, 'SIGKILL');
};

const stored = (message: Submitted, revision: number, now: number): Omit<MessageStored, 'eventId' | 'occurredAt'> => {
  const size = /^large:(\d+)$/.exec(message.content)?.[1];
  return {
    tenant: 'toys',
    app: 'toy',
    account: 'tester',
    conversationId: message.conversation,
    messageId: message.id,
    clientMessageId: message.id,
    relation: 'unspecified',
    content: size === undefined ? message.content : 'x'.repeat(Number(size)),
    contentSha256: '',
    title: null,
    targetRunId: null,
    receivedAt: now,
    revision,
  };
};

const decide = (view: View, message: Submitted, now: number): Decision<Submitted, never> => {
  const { conversation, id } = message;
  misbehave(message.content);
  const state = view.get<ToyState>('toy', conversation) ?? { seen: [] };
  if (state.seen.includes(id)) return { ...none, reply: 'known' };
  const key = { kind: 'toy', id: conversation };
  const revision = view.revision('toy', conversation) + 1;
  return {
    put: [{ key, state: { seen: [...state.seen, id] } satisfies ToyState }],
    emit: [emit(key, toyWrites, 'MessageStored', conversation, stored(message, revision, now))],
    reply: revision,
  };
};

export const toySpec = (name: string): ServiceSpec<Submitted, never> => ({
  name,
  kinds: [toys],
  keys: (message) => (message.type === 'tick' ? [] : [{ kind: 'toy', id: message.conversation }]),
  decide: (view, message, context) => (message.type === 'tick' ? none : decide(view, message, context.now)),
  inputs: [
    {
      group: toyGroup,
      topics: { [toyReads]: ['MessageSubmitted'] },
      urgent: true,
      inbox: true,
      message: ({ value }) => {
        const { conversationId, clientMessageId, content } = value as MessageSubmitted;
        if (content === 'not for us') return undefined;
        return { type: 'submitted', conversation: conversationId, id: clientMessageId, content };
      },
    },
  ],
  writes: { [toyWrites]: ['MessageStored'] },
  routes: (app, api) => {
    const body = Type.Object({ content: Type.String() });
    app.post('/toys/:conversation/:id', { config: { open: true }, schema: { body } }, async (request) => {
      const params = request.params as { conversation: string; id: string };
      // A decider that names an aggregate in a way the database cannot give back would find its row missing for ever.
      const conversation = params.conversation.replace('~', '\ud800');
      const { id } = params;
      return { reply: await api.submit({ type: 'submitted', conversation, id, content: request.body.content }) };
    });
  },
});

/** kafkajs goes where brokers say they are; this sends every such connection by way of the proxy of a test. */
const reroute = (from: number, to: number): void => {
  const direct = net.connect as (...args: unknown[]) => net.Socket;
  net.connect = ((options: { port?: number }, ...rest: unknown[]) =>
    direct(options.port === from ? { ...options, port: to } : options, ...rest)) as typeof net.connect;
};

/** The toy as a process of its own, so that kill -9, SIGSTOP and SIGTERM are real. */
const main = async (): Promise<void> => {
  const [from, to] = (process.env['TOY_KAFKA_VIA'] ?? '').split(':').map(Number);
  if (from !== undefined && to !== undefined) reroute(from, to);
  await runService<Submitted, never>(process.env['TOY_NAME'] ?? 'toy', async () => toySpec('toy'));
};

if (require.main === module) void main();
