import type { InteractionChanged, ProposeEffect, RaiseFence, ReceiptAnswered } from '../../schemas/generated/records';
import { parseConfiguration, type Configuration } from '../../services/platform/configuration';
import { decideBatch, heldSet, viewOf } from '../../services/platform/decide-batch';
import type { Fact } from '../../services/platform/decision';
import type { AggregateKey } from '../../services/platform/decision';
import { contractOf, policyOf } from '../../services/effect-ledger/contract';
import { actionDueAt, blobsOf, decider } from '../../services/effect-ledger/decide';
import type { Send, SendCancel } from '../../services/effect-ledger/draft';
import { keysOf, moreKeysOf, type Attempted, type Message } from '../../services/effect-ledger/messages';
import type { Action, Fence } from '../../services/effect-ledger/state';

const connector = (more: string): string => `
    operations: [contact, share]
    submit: { url: 'http://127.0.0.1:7410/{operation}', timeoutMs: 2000 }
    outcome: { succeeded: [200, 201], failed: [422], alreadyDone: [409], pending: [202] }
    ${more}`;

const receipt = (absent: string): string =>
  `receipt: { url: 'http://127.0.0.1:7410/by-key/{actionKey}', statePath: state, succeeded: [done], absent: { status: [404], meansFailedAfterMs: ${absent} }, firstAfterMs: 500, maxIntervalMs: 15000, giveUpAfterMs: 3600000 }`;

/** Connectors named for what their contracts declare. */
export const configurationText = (tenant = ''): string => `
tenants: { local: { defaultAgent: a${tenant} } }
agents: { a: { builtin: chat } }
connectors:
  asks:${connector(receipt('60000'))}
  asks-resends:${connector(`${receipt('null')}
    dedup: { retentionMs: 100000 }`)}
  resends:${connector('dedup: { retentionMs: 100000 }')}
  blind:${connector('giveUpAfterMs: 60000')}
  cancels:${connector(`${receipt('60000')}
    cancel: { url: 'http://127.0.0.1:7410/by-key/{actionKey}' }`)}
  always:${connector('approval: always')}
`;

export interface Model {
  now: number;
  readonly config: Configuration;
  /** Decides messages as one batch; what was told is decided in following batches, as in the service. */
  readonly decide: (...messages: Message[]) => void;
  readonly tick: (actionKey: string) => void;
  readonly action: (actionKey: string) => Action;
  readonly fence: (runId: string) => Fence;
  readonly facts: Fact[];
  readonly sends: Send[];
  readonly incidents: string[];
  readonly replies: unknown[];
  /** Facts of one type, newest last, with what they say. */
  readonly said: (type: string) => Record<string, unknown>[];
  capacity: number;
  paceMs: number;
  paused: boolean;
  /** Cancels of remotes that were asked for. */
  readonly cancels: SendCancel[];
  readonly closed: string[];
}

export const startModel = (configText = configurationText()): Model => {
  const config = parseConfiguration(configText);
  const stored = new Map<string, { revision: number; doc: string }>();
  const blobs = new Map<string, Buffer>();
  const name = ({ kind, id }: AggregateKey): string => `${kind} ${id}`;
  const decide = decider({
    contract: (tenant, one) => contractOf(config, tenant, one),
    policy: (tenant) => policyOf(config, tenant),
    paused: () => model.paused,
    pace: () => model.paceMs,
  });

  const batch = (messages: readonly Message[]): Message[] => {
    const held = heldSet();
    const lock = (keys: readonly AggregateKey[]): void => {
      for (const key of keys) {
        if (held.get(key) !== undefined) continue;
        const row = stored.get(name(key));
        const revision = row?.revision ?? 0;
        held.set({
          key,
          loaded: revision,
          revision,
          state: row === undefined ? undefined : JSON.parse(row.doc),
          changed: false,
        });
      }
    };
    lock(messages.flatMap(keysOf));
    const view = viewOf(held, new Map());
    const more = messages.flatMap((message) => moreKeysOf(message, view));
    // The lock order of all writers depends on it: the second step locks actions and nothing else.
    if (more.some(({ kind }) => kind !== 'action')) throw new Error('the second step locks more than actions');
    if (held.all().some(({ key }) => key.kind === 'action')) throw new Error('the first step locks an action');
    lock(more);
    const wanted = new Map(
      messages.flatMap((message) => blobsOf(message, view)).map((ref) => [ref, blobs.get(ref) as Buffer]),
    );
    const items = messages.map((message, index) => ({
      message,
      cause: `cause-${model.facts.length}-${index}`,
      trace: { causationId: null, correlationId: null, traceparent: null },
    }));
    const service = { name: 'effect-ledger', kinds: [], keys: keysOf, decide };
    const result = decideBatch(service, held, wanted, items, {
      now: model.now,
      instance: 'one',
      capacity: model.capacity,
    });
    for (const outcome of result.outcomes) if (!outcome.ok) throw outcome.error;
    for (const row of held.all())
      if (row.changed) stored.set(name(row.key), { revision: row.revision, doc: JSON.stringify(row.state) });
    for (const { table, values } of result.rows) {
      if (table === 'blobs') blobs.set(String(values['ref']), values['bytes'] as Buffer);
      if (table === 'incidents') model.incidents.push(String(values['kind']));
    }
    model.facts.push(...result.facts);
    for (const work of result.performs)
      if (work.kind === 'send') model.sends.push(work);
      else model.cancels.push(work);
    model.closed.push(...result.closed);
    model.replies.push(...result.outcomes.map((outcome) => (outcome.ok ? outcome.reply : undefined)));
    return result.told.map(({ message }) => message);
  };

  const load = <S>(kind: string, id: string): S => {
    const row = stored.get(name({ kind, id }));
    if (row === undefined) throw new Error(`there is no ${kind} ${id}`);
    return JSON.parse(row.doc) as S;
  };

  const model: Model = {
    now: 1_000_000,
    config,
    capacity: 100,
    paceMs: 0,
    paused: false,
    cancels: [],
    closed: [],
    facts: [],
    sends: [],
    incidents: [],
    replies: [],
    decide: (...messages) => {
      let left: readonly Message[] = messages;
      while (left.length > 0) {
        left = batch(left);
        model.now += 1;
      }
    },
    tick: (actionKey) => {
      const due = actionDueAt(load<Action>('action', actionKey));
      if (due !== null) model.now = Math.max(model.now, due);
      model.decide({ type: 'tick', kind: 'action', id: actionKey });
    },
    action: (actionKey) => load<Action>('action', actionKey),
    fence: (runId) => load<Fence>('fence', runId),
    said: (type) =>
      model.facts.filter((fact) => fact.type === type).map((fact) => fact.value as unknown as Record<string, unknown>),
  };
  return model;
};

const own = (runId: string) => ({
  tenant: 'local',
  app: 'local',
  account: `of-${runId}`,
  conversationId: `c-${runId}`,
  taskId: `t-${runId}`,
  runId,
  revision: 1,
  eventId: 'e',
  occurredAt: 0,
});

let proposals = 0;

export const propose = (more: Partial<ProposeEffect> = {}, replayed = false): Extract<Message, { type: 'propose' }> => {
  proposals += 1;
  const runId = more.runId ?? 'run';
  return {
    type: 'propose',
    replayed,
    record: {
      ...own(runId),
      rootRunId: runId,
      turn: 1,
      requirementsVersion: 1,
      proposalId: `p${proposals}`,
      connector: 'asks',
      operation: 'contact',
      subject: 'S',
      params: '{"a":1}',
      body: null,
      note: null,
      approval: false,
      repeat: false,
      grantFrom: 'agent:a',
      grantUntil: null,
      attempt: 1,
      ...more,
    },
  };
};

export const raiseFence = (
  number: number,
  minVersion: number,
  mode: RaiseFence['mode'] = 'open',
  runId = 'run',
): Message => ({
  type: 'raise_fence',
  record: { ...own(runId), number, minVersion, mode, reason: 'amendment', attempt: 1 },
});

export const attempted = (send: Send, outcome: Attempted['outcome'], code: string | null = null): Message => ({
  type: 'attempted',
  actionKey: send.actionKey,
  runId: send.runId,
  number: send.number,
  outcome,
  code,
  httpStatus: null,
  body: null,
});

export const receiptAnswer = (
  action: Action,
  outcome: ReceiptAnswered['outcome'],
  query = action.queries.count,
): Message => ({
  type: 'receipt',
  record: {
    ...own(action.runId),
    actionKey: action.actionKey,
    connector: action.connector,
    query,
    outcome,
    httpStatus: 200,
    body: null,
    askedAt: 0,
    answeredAt: 0,
  },
});

export const interaction = (action: Action, more: Partial<InteractionChanged> = {}): Message => ({
  type: 'interaction',
  record: {
    ...own(action.runId),
    rootRunId: action.rootRunId,
    owner: 'effect-ledger',
    interactionRef: action.approval?.interactionRef ?? '',
    requestRevision: 1,
    kind: 'approval',
    mode: 'non_blocking',
    state: 'open',
    code: null,
    requirementsVersion: action.requirementsVersion,
    turn: 1,
    questionId: null,
    actionKey: action.actionKey,
    recipientKind: 'account',
    recipient: action.account,
    claimedBy: null,
    question: '',
    choices: [],
    expiresAt: null,
    publishedAt: 0,
    seenAt: null,
    answeredAt: null,
    adoptedAt: null,
    adoption: null,
    response: null,
    reminders: 0,
    remindedAt: null,
    escalatedTo: null,
    escalatedAt: null,
    ...more,
  },
});

export const answer = (
  action: Action,
  decision: 'approve' | 'deny',
  by = action.account,
  previewSha256 = action.approval?.previewSha256 ?? null,
): Message =>
  interaction(action, {
    state: 'answered',
    answeredAt: 1,
    adoption: { status: 'pending', reason: null, runId: null, turn: null, inputSha256: null },
    response: {
      responseId: 'r',
      clientResponseId: 'r',
      text: null,
      choice: null,
      value: null,
      decision,
      respondedBy: by,
      late: false,
      previewSha256,
    },
  });
