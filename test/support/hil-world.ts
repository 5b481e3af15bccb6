import type {
  AnswerAdopted,
  RequestInteraction,
  RunStateChanged,
  SubmitClarification,
} from '../../schemas/generated/records';
import { decideBatch, heldSet, type HeldSet } from '../../services/platform/decide-batch';
import { noTrace, type AggregateKey, type Fact, type Service } from '../../services/platform/decision';
import { viewOf } from '../../services/platform/decide-batch';
import { decide, keys, moreKeys, type Reply } from '../../services/hil/decide';
import type { Wake } from '../../services/hil/deciding';
import type { Actor, Answer, AnyMessage } from '../../services/hil/messages';
import type { Interaction } from '../../services/hil/state';
import { kinds } from '../../services/hil/store';

const service: Service<AnyMessage, Wake> = { name: 'hil', kinds, keys, moreKeys, decide: decide as never };

/** The real order of a batch, over a held set that stays: what the writer does, without a database. */
export const world = () => {
  const held: HeldSet = heldSet();
  const hold = (list: readonly AggregateKey[]): void => {
    for (const key of list)
      if (held.get(key) === undefined) held.set({ key, loaded: 0, revision: 0, state: undefined, changed: false });
  };
  let count = 0;
  const all: Fact[] = [];
  const say = (message: AnyMessage, now: number) => {
    hold(keys(message));
    hold(moreKeys(message, viewOf(held, new Map())));
    const base = { now, instance: 'test', capacity: 1 };
    const item = { message, cause: `c${(count += 1)}`, trace: noTrace };
    const result = decideBatch(service, held, new Map(), [item], base);
    const outcome = result.outcomes[0];
    if (outcome === undefined || !outcome.ok) throw outcome?.error;
    for (const told of result.told) {
      hold(keys(told.message));
      hold(moreKeys(told.message, viewOf(held, new Map())));
    }
    const then = result.told.flatMap(
      (told) => decideBatch(service, held, new Map(), [{ ...told, cause: told.id }], base).facts,
    );
    const facts = [...result.facts, ...then];
    all.push(...facts);
    return { facts, rows: result.rows, reply: outcome.reply as Reply | undefined };
  };
  const state = (ref: string): Interaction | undefined => held.get({ kind: 'interaction', id: ref })?.state as never;
  /** Changes a stored interaction as no decision would. */
  const put = (ref: string, next: Interaction): void => {
    const row = held.get({ kind: 'interaction', id: ref });
    if (row !== undefined) held.set({ ...row, state: next });
  };
  return { say, state, put, facts: () => all };
};

export const requested = (more: Partial<RequestInteraction> = {}): AnyMessage => ({
  type: 'request',
  record: {
    eventId: 'e1',
    occurredAt: 1,
    tenant: 't',
    app: 'a',
    account: 'alice',
    conversationId: 'c1',
    taskId: 'task_1',
    runId: 'run_1',
    revision: 3,
    rootRunId: 'run_1',
    messageId: null,
    owner: 'run-executor',
    interactionRef: 'int_1',
    requestRevision: 1,
    kind: 'question',
    mode: 'non_blocking',
    requirementsVersion: 1,
    turn: 1,
    questionId: 'q1',
    recipientKind: 'account',
    recipient: 'alice',
    question: 'Which city?',
    choices: [],
    schema: null,
    defaultAnswer: null,
    grant: null,
    expiresAt: null,
    remindAfterSec: null,
    escalateTo: null,
    holdsReport: false,
    actionKey: null,
    requestSha256: null,
    preview: null,
    previewSha256: null,
    selfApproval: 'allowed',
    requestedBy: null,
    compensates: null,
    attempt: 1,
    ...more,
  },
});
export const approval = (more: Partial<RequestInteraction> = {}): AnyMessage =>
  requested({
    kind: 'approval',
    owner: 'effect-ledger',
    actionKey: 'k:o:s:v1',
    preview: Buffer.from('Connector: k\n\n{"b":1,"a":2.0}'),
    previewSha256: 'f'.repeat(64),
    ...more,
  });

export const alice: Actor = { tenant: 't', account: 'alice', roles: [] };
export const bob: Actor = { tenant: 't', account: 'bob', roles: ['approver'] };
export const none: Omit<Answer, 'clientResponseId'> = {
  requestRevision: 1,
  text: null,
  choice: null,
  value: null,
  decision: null,
  previewSha256: null,
};
export const respond = (answer: Partial<Answer>, actor: Actor = alice): AnyMessage => ({
  type: 'respond',
  ref: 'int_1',
  actor,
  answer: { ...none, clientResponseId: 'r1', ...answer },
});
export const runChanged = (state: string): AnyMessage => ({
  type: 'run',
  record: { runId: 'run_1', state, tenant: 't' } as RunStateChanged,
});
export const adoptedBy = (more: Partial<AnswerAdopted> = {}): AnyMessage => ({
  type: 'adopted',
  record: {
    tenant: 't',
    runId: 'run_1',
    interactionRef: 'int_1',
    requestRevision: 1,
    status: 'adopted',
    reason: null,
    turn: 2,
    inputSha256: 'a'.repeat(64),
    occurredAt: 70,
    ...more,
  } as AnswerAdopted,
});
export const clarify = (more: Partial<SubmitClarification> = {}): AnyMessage => ({
  type: 'clarify',
  record: {
    eventId: 'm1/ask/1',
    occurredAt: 1,
    tenant: 't',
    app: 'a',
    account: 'alice',
    conversationId: 'c1',
    messageId: 'msg_1',
    clientMessageId: 'm1',
    interactionRef: 'int_1',
    requestRevision: 1,
    content: 'Oslo',
    contentSha256: 'b'.repeat(64),
    receivedAt: 1,
    attempt: 1,
    ...more,
  },
});
export const codeOf = (reply: Reply | undefined): string | null => (reply?.type === 'no' ? reply.code : null);
export const decided = (facts: readonly { type: string; value: unknown }[]) =>
  facts
    .filter((fact) => fact.type === 'MessageDecided')
    .map((fact) => fact.value as { status: string; code: string | null });
