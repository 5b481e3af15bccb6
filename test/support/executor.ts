import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ActionStateChanged,
  AmendRun,
  ControlRun,
  FenceAcknowledged,
  InteractionChanged,
  ObserveRun,
  ProposalDecided,
  StartRun,
} from '../../schemas/generated/records';
import { parseConfiguration } from '../../services/platform/configuration';
import { idsOf } from '../../services/platform/identity';
import { decide } from '../../services/run-executor/decide';
import { blobs, keys, moreKeys } from '../../services/run-executor/keys';
import type { ExecutorMessage } from '../../services/run-executor/messages';
import type { Intent } from '../../services/run-executor/draft';
import { conversationIdOf } from '../../services/run-executor/messages';
import { settingsFrom } from '../../services/run-executor/settings';
import { kinds } from '../../services/run-executor/store';
import type { Run } from '../../services/run-executor/state';
import type { TurnInput } from '../../schemas/turn-protocol/input';
import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { inMemory, type InMemory, type Sent } from './in-memory';

const configuration = parseConfiguration(
  readFileSync(join(__dirname, '../../services/platform/default-configuration.yaml'), 'utf8').replaceAll(
    '${DEMO_REMOTE_URL}',
    'http://127.0.0.1:1',
  ),
);

const identity = { tenant: 'local', app: 'local', account: 'alice' } as const;
const common = { ...identity, conversationId: 'c1', occurredAt: 0, eventId: 'e' };
type Message = ExecutorMessage;

export type SentMessages = Sent<Message, Intent>;

/** One executor in memory with a run that is driven turn by turn; what it says is read from the facts. */
export const executor = (more: { readonly agent?: object; readonly tenant?: object } = {}) => {
  let config = {
    ...configuration,
    tenants: { local: { ...configuration.tenants['local'], ...more.tenant } },
    agents: { 'market-report': { ...configuration.agents['market-report'], ...more.agent } },
  } as typeof configuration;
  const service = { name: 'run-executor', kinds, keys, moreKeys, blobs, decide: decide(settingsFrom(() => config)) };
  const world: InMemory<Message, Intent> = inMemory(service);
  let events = 0;
  const ids = (clientMessageId: string) => idsOf({ ...identity, clientMessageId });
  /** A run by the message that started it, or a child's by its own id. */
  const runIdOf = (target: string): string => (target.startsWith('run_') ? target : ids(target).runId);
  const run = (target = 'm1'): Run => world.state<Run>('run', runIdOf(target)) as Run;

  const startRecord = (clientMessageId: string, change: Partial<StartRun> = {}): StartRun => ({
    ...common,
    ...ids(clientMessageId),
    clientMessageId,
    relation: 'new_task',
    content: 'do it',
    contentSha256: '',
    receivedAt: world.now,
    agent: 'market-report',
    title: null,
    priority: 5,
    scheduled: false,
    requirements: null,
    mode: 'queue',
    dependsOnRunId: null,
    parentRunId: null,
    continuationOfRunId: null,
    parentFacts: null,
    interactionRef: null,
    requestRevision: null,
    entityType: null,
    entityId: null,
    interruptRunId: null,
    attempt: 1,
    ...change,
  });

  const api = {
    world,
    /** The file changes; what runs already keeps what it started with. */
    configure: (change: Partial<typeof configuration>) => {
      config = { ...config, ...change };
    },
    /** Another decision on the run's document, as damage or an older release would have left it. */
    alter: (change: (run: Run) => void, target = 'm1') => world.alter<Run>('run', ids(target).runId, change),
    continue: (clientMessageId: string, change: Partial<StartRun> = {}, target = 'm1') =>
      api.start(clientMessageId, {
        relation: 'continue',
        agent: null,
        content: 'go on',
        continuationOfRunId: ids(target).runId,
        ...change,
      }),
    /** While set, this process has no room for further turns. */
    set full(value: boolean) {
      world.capacity = value ? 0 : 1_000;
    },
    kinds,
    run,
    ids,
    start: (clientMessageId = 'm1', change: Partial<StartRun> = {}) =>
      world.settle({ type: 'start', record: startRecord(clientMessageId, change) }),
    amend: (clientMessageId: string, change: Partial<AmendRun> = {}, target = 'm1') =>
      world.settle({
        type: 'amend',
        record: {
          ...common,
          ...ids(clientMessageId),
          clientMessageId,
          targetRunId: ids(target).runId,
          targetMessageId: null,
          expectedVersion: 1,
          amendKind: 'supplement',
          content: 'only the new products',
          contentSha256: '',
          requirements: null,
          receivedAt: world.now,
          attempt: 1,
          ...change,
        },
      }),
    observe: (clientMessageId: string, content = 'it rains', target = 'm1') =>
      world.settle({
        type: 'observe',
        record: {
          ...common,
          ...ids(clientMessageId),
          clientMessageId,
          targetRunId: ids(target).runId,
          kind: 'observation',
          content,
          contentSha256: '',
          receivedAt: world.now,
          eventKind: null,
          eventAt: null,
          correlationId: null,
          entityType: null,
          entityId: null,
          confirmed: true,
          agent: null,
          priority: null,
          attempt: 1,
        },
      }),
    /** An event of device 07, unless said otherwise; each at its own time. */
    event: (clientMessageId: string, change: Partial<ObserveRun> = {}) =>
      world.settle({
        type: 'entity_event',
        record: {
          ...common,
          ...ids(clientMessageId),
          clientMessageId,
          targetRunId: '',
          kind: 'entity_event',
          content: 'pressure is high',
          contentSha256: '',
          receivedAt: world.now,
          eventKind: 'pressure',
          eventAt: (events += 1),
          correlationId: null,
          entityType: 'device',
          entityId: '07',
          confirmed: true,
          agent: null,
          priority: null,
          attempt: 1,
          ...change,
        },
      }),
    control: (clientMessageId: string, change: Partial<ControlRun> = {}, target = 'm1') =>
      world.settle({
        type: 'control',
        record: {
          ...common,
          ...ids(clientMessageId),
          clientMessageId,
          targetRunId: ids(target).runId,
          control: 'cancel',
          receivedAt: world.now,
          namedByMessage: false,
          attempt: 1,
          ...change,
        },
      }),
    /** The agent's answer to the open turn. */
    answer: (output: Partial<TurnOutput>, target = 'm1', epoch?: number) => {
      const state = run(target);
      const turn = state.turn;
      return world.settle({
        type: 'answered',
        runId: state.runId,
        conversation: conversationIdOf(state),
        turn: turn?.number ?? state.turns,
        epoch: epoch ?? state.epoch,
        outcome: {
          kind: 'output',
          raw: {
            for: {
              conversationId: 'c1',
              taskId: state.taskId,
              runId: state.runId,
              turn: turn?.number ?? state.turns,
              requirementsVersion: turn?.version ?? 1,
            },
            ...output,
          },
        },
      });
    },
    outcome: (outcome: Extract<Message, { type: 'answered' }>['outcome'], target = 'm1') => {
      const state = run(target);
      return world.settle({
        type: 'answered',
        runId: state.runId,
        conversation: conversationIdOf(state),
        turn: state.turn?.number ?? 0,
        epoch: state.epoch,
        outcome,
      });
    },
    toolDone: (callId: string, output: unknown = { n: 1 }, target = 'm1', epoch?: number) => {
      const state = run(target);
      return world.settle({
        type: 'tool_done',
        runId: state.runId,
        conversation: conversationIdOf(state),
        turn: state.turns,
        epoch: epoch ?? state.epoch,
        callId,
        outcome: { ok: true, output },
      });
    },
    proposalAccepted: (proposalId: string, change: Partial<ProposalDecided> = {}, target = 'm1') => {
      const state = run(target);
      const action = state.actions.find((one) => one.proposalId === proposalId);
      return world.settle({
        type: 'proposal',
        record: {
          ...common,
          runId: state.runId,
          taskId: state.taskId,
          revision: 1,
          proposalId,
          status: 'accepted',
          actionKey: `${action?.connector}:${action?.operation}:${action?.subject}:v1`,
          state: 'proposed',
          code: null,
          detail: null,
          requirementsVersion: action?.version ?? 1,
          ...change,
        },
      });
    },
    action: (proposalId: string, to: string, revision: number, target = 'm1') => {
      const state = run(target);
      const action = state.actions.find((one) => one.proposalId === proposalId);
      const record: ActionStateChanged = {
        ...common,
        runId: state.runId,
        taskId: state.taskId,
        revision,
        actionKey: action?.actionKey ?? `${action?.connector}:${action?.operation}:${action?.subject}:v1`,
        connector: action?.connector ?? '',
        operation: action?.operation ?? '',
        subject: action?.subject ?? '',
        actionRevision: 1,
        proposalId,
        requirementsVersion: action?.version ?? 1,
        state: to,
        code: null,
        attempts: 1,
        requestSha256: '',
        interactionRef: null,
        previewSha256: null,
        receipt: null,
        unsettled: false,
      };
      return world.settle({ type: 'action', record });
    },
    fenceAcknowledged: (change: Partial<FenceAcknowledged> = {}, target = 'm1') => {
      const state = run(target);
      return world.settle({
        type: 'fence',
        record: {
          ...common,
          runId: state.runId,
          taskId: state.taskId,
          revision: 1,
          ...state.fence,
          inFlight: [],
          unknown: [],
          withdrawn: [],
          ...change,
        },
      });
    },
    interaction: (questionId: string, change: Partial<InteractionChanged>, target = 'm1') => {
      const state = run(target);
      const question = state.questions.find((one) => one.questionId === questionId);
      return world.settle({
        type: 'interaction',
        record: {
          ...common,
          runId: state.runId,
          taskId: state.taskId,
          revision: 1,
          rootRunId: state.runId,
          owner: 'run-executor',
          interactionRef: question?.interactionRef ?? '',
          requestRevision: 1,
          kind: 'question',
          mode: 'non_blocking',
          state: 'open',
          code: null,
          requirementsVersion: 1,
          turn: 1,
          questionId,
          actionKey: null,
          recipientKind: 'account',
          recipient: 'alice',
          claimedBy: null,
          question: '',
          choices: [],
          expiresAt: null,
          publishedAt: world.now,
          seenAt: null,
          answeredAt: null,
          adoptedAt: null,
          adoption: null,
          reminders: 0,
          remindedAt: null,
          escalatedTo: null,
          escalatedAt: null,
          response: null,
          ...change,
        },
      });
    },
    answerQuestion: (questionId: string, text: string, revision = 2, target = 'm1') =>
      api.interaction(
        questionId,
        {
          state: 'answered',
          revision,
          answeredAt: world.now,
          response: {
            responseId: 'r',
            clientResponseId: 'cr',
            text,
            choice: null,
            value: null,
            decision: null,
            respondedBy: 'alice',
            late: false,
            previewSha256: null,
          },
        },
        target,
      ),
    published: (current = true, target = 'm1'): SentMessages => {
      const state = run(target);
      const one = state.publications[0];
      return world.settle({
        type: 'published',
        record: {
          ...common,
          runId: state.runId,
          taskId: state.taskId,
          revision: 1,
          version: one?.version ?? 0,
          seq: one?.seq ?? 0,
          reportStatus: one?.status ?? 'final',
          sha256: one?.body.sha256 ?? '',
          contentType: 'text/plain',
          sizeBytes: 1,
          current,
          sources: '[]',
          unsettledActions: [],
        },
      });
    },
    tick: (target = 'm1', options: { readonly instance?: string; readonly capacity?: number } = {}) =>
      world.send({ type: 'tick', kind: 'run', id: runIdOf(target) }, options),
    /** The sealed input of the turn being asked. */
    input: (sent: SentMessages): TurnInput => {
      const ask = sent.performs.find((intent) => intent.type === 'ask');
      if (ask?.type !== 'ask' || ask.inputBytes === null) throw new Error('no turn was asked');
      return JSON.parse(ask.inputBytes.toString('utf8')) as TurnInput;
    },
  };
  return api;
};

/** What was said about a message, newest last. */
export const saidAbout = (sent: SentMessages, messageId?: string): string[] =>
  sent.facts.flatMap((fact) => {
    const value = fact.value as { messageId?: string; status?: string };
    return fact.type === 'MessageDecided' && (messageId === undefined || value.messageId === messageId)
      ? [value.status ?? '']
      : [];
  });

export const factsOf = (sent: SentMessages, type: string): Record<string, unknown>[] =>
  sent.facts.flatMap((fact) => (fact.type === type ? [fact.value as never] : []));

export const report = { body: 'the report', contentType: 'text/plain' } as const;
