import { unsaid } from '../../schemas/unsaid';
import type {
  MessageDecided,
  MessageSubmitted,
  ReceiptIssued,
  RecordByName,
  RecordName,
  RunStateChanged,
} from '../../schemas/generated/records';
import { parseConfiguration } from '../../services/platform/configuration';
import { noTrace, type AggregateKey, type Tick } from '../../services/platform/decision';
import { decideBatch, heldSet, viewOf } from '../../services/platform/decide-batch';
import type { Fact } from '../../services/platform/decision';
import { idsOf } from '../../services/platform/identity';
import { blobs, decide, keys, moreKeys } from '../../services/admission/decide';
import type { Answer, Inbound, Settlement } from '../../services/admission/messages';
import { policyOf } from '../../services/admission/policy';
import { kinds } from '../../services/admission/store';
import { prepare, type Origin, type Submit } from '../../services/admission/submission';

export const speaker = { tenant: 'local', app: 'local', account: 'alice' } as const;
export const ids = (clientMessageId: string) => idsOf({ ...speaker, clientMessageId });

const configuration = `
tenants: { local: { defaultAgent: plain }, other: { defaultAgent: plain } }
ingress: [{ topic: ingress.messages.v1, tenant: local, app: local, accounts: asserted, receiptsTopic: local.receipts }]
agents: ${JSON.stringify(
  Object.fromEntries(
    ['plain', 'elsewhere', 'ask', 'enqueue', 'parallel', 'amend', 'interrupt', 'reject'].map((name) => [
      name,
      {
        builtin: 'chat',
        ...(name === 'elsewhere' ? { tenants: ['other'] } : {}),
        ...(name === 'plain' || name === 'elsewhere' ? {} : { onBusy: name }),
      },
    ]),
  ),
)}
`;

export const empty: MessageSubmitted = {
  ...unsaid,
  eventId: 'e-1',
  occurredAt: 0,
  conversationId: 'c1',
  clientMessageId: 'm1',
  content: 'Compare the two funds.',
  account: 'alice',
};

let deliveries = 0;

/** One delivery of the ingress, ready to be decided. */
export const submit = (fields: Partial<MessageSubmitted> = {}, origin: Partial<Origin> = {}): Submit =>
  prepare(
    {
      ...speaker,
      trouble: null,
      requestEventId: fields.eventId ?? 'e-1',
      deliveryId: `ingress:0:${(deliveries += 1)}@1`,
      ...origin,
    },
    { ...empty, ...fields },
  );

export const runChanged = (runId: string, revision: number, more: Partial<RunStateChanged> = {}): Inbound => ({
  type: 'run',
  record: {
    ...speaker,
    eventId: `${runId}/${revision}`,
    occurredAt: 0,
    conversationId: 'c1',
    taskId: `task-of-${runId}`,
    runId,
    revision,
    messageId: '',
    rootRunId: runId,
    parentRunId: null,
    continuationOfRunId: null,
    agent: 'plain',
    title: null,
    state: 'running',
    cause: null,
    waitingFor: '[]',
    requirementsVersion: 1,
    appliedVersion: 1,
    turns: 1,
    turnsLeft: 9,
    report: null,
    unsettledActions: [],
    transition: null,
    acceptsUpdates: true,
    startedAt: 0,
    ...more,
  },
});

export const decided = (
  clientMessageId: string,
  revision: number,
  status: string,
  more: Partial<MessageDecided> = {},
): Inbound => ({
  type: 'decided',
  record: {
    ...speaker,
    eventId: `${clientMessageId}/decided/${revision}`,
    occurredAt: 0,
    conversationId: 'c1',
    messageId: ids(clientMessageId).messageId,
    clientMessageId,
    revision,
    status,
    runId: null,
    taskId: null,
    targetRunId: null,
    parentRunId: null,
    continuationOfRunId: null,
    requirementsVersion: null,
    effectiveRequirements: null,
    interactionRef: null,
    requestRevision: null,
    adoption: null,
    result: null,
    code: null,
    field: null,
    detail: null,
    candidates: [],
    ...more,
  },
});

export interface Told {
  readonly facts: readonly Fact[];
  readonly reply: Answer | undefined;
  readonly performs: readonly Settlement[];
  readonly incidents: readonly Readonly<Record<string, unknown>>[];
  readonly of: <R extends RecordName>(type: R) => RecordByName[R][];
  readonly receipt: ReceiptIssued;
}

/** Admission without servers: the real deciders and the real batch, with the tables in memory. */
export const world = () => {
  const held = heldSet();
  const stored = new Map<string, Buffer>();
  const config = parseConfiguration(configuration);
  const policy = policyOf(() => config, config.ingress ?? []);
  const service = {
    name: 'admission',
    kinds,
    keys,
    moreKeys,
    blobs,
    decide: (view: never, message: never, context: never) => decide(view, message, context, policy),
  };
  const load = (wanted: readonly AggregateKey[]): void => {
    for (const key of wanted)
      if (held.get(key) === undefined) held.set({ key, loaded: 0, revision: 0, state: undefined, changed: false });
  };
  let now = 1_000_000;
  const send = (message: Inbound | Tick): Told => {
    load(keys(message));
    const view = viewOf(held, stored);
    load(moreKeys(message, view));
    const asked = new Map(
      blobs(message, view).flatMap((ref): [string, Buffer][] => {
        const bytes = stored.get(ref);
        return bytes === undefined ? [] : [[ref, bytes]];
      }),
    );
    const result = decideBatch(service as never, held, asked, [{ message, cause: 'cause', trace: noTrace }], {
      now,
      instance: 'admission',
      capacity: 10,
    });
    const [outcome] = result.outcomes;
    if (outcome === undefined || !outcome.ok) throw outcome?.error;
    const incidents = [];
    for (const { table, values } of result.rows) {
      if (table === 'incidents') incidents.push(values);
      else if (!stored.has(values['ref'] as string)) stored.set(values['ref'] as string, values['bytes'] as Buffer);
    }
    const of = <R extends RecordName>(type: R): RecordByName[R][] =>
      result.facts
        .filter((fact) => fact.type === type)
        .map(
          (fact) =>
            ({ ...fact.value, eventId: fact.eventId, occurredAt: fact.occurredAt }) as unknown as RecordByName[R],
        );
    return {
      facts: result.facts,
      reply: outcome.reply as Answer | undefined,
      performs: result.performs as Settlement[],
      incidents,
      of,
      get receipt() {
        const [first] = of('ReceiptIssued');
        if (first === undefined) throw new Error('no receipt');
        return first;
      },
    };
  };
  return {
    send,
    /** Lets time pass; returns what the clock says then. */
    pass: (ms: number): number => (now += ms),
    tick: (clientMessageId: string): Told =>
      send({ type: 'tick', kind: 'message', id: ids(clientMessageId).messageId }),
    state: <S>(kind: string, id: string): S | undefined => held.get({ kind, id })?.state as S | undefined,
    changes: (): number => held.all().reduce((sum, row) => sum + row.revision, 0),
  };
};
