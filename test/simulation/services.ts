import { unsaid } from '../../schemas/unsaid';
import { groupNames, type GroupName } from '../../schemas/topics';
import type { MessageSubmitted, RecordByName, RecordName } from '../../schemas/generated/records';
import * as admission from '../../services/admission/decide';
import { eventReader } from '../../services/admission/events';
import { ingressReader } from '../../services/admission/ingress';
import { policyOf } from '../../services/admission/policy';
import { kinds as admissionKinds } from '../../services/admission/store';
import { contractOf, policyOf as approvalPolicyOf } from '../../services/effect-ledger/contract';
import { blobsOf, decider } from '../../services/effect-ledger/decide';
import { messageOf as ledgerMessageOf } from '../../services/effect-ledger/inputs';
import { keysOf, moreKeysOf } from '../../services/effect-ledger/messages';
import { kinds as ledgerKinds } from '../../services/effect-ledger/store';
import * as hil from '../../services/hil/decide';
import { messageOf as hilMessageOf } from '../../services/hil/messages';
import { kinds as hilKinds } from '../../services/hil/store';
import type { Decoded } from '../../services/platform/codec';
import type { Auth } from '../../services/platform/auth';
import type { RawRecord } from '../../services/platform/dead-letters';
import * as publication from '../../services/publication/decide';
import { messageOf as publicationMessageOf } from '../../services/publication/messages';
import { kinds as publicationKinds } from '../../services/publication/store';
import * as executor from '../../services/run-executor/decide';
import * as executorKeys from '../../services/run-executor/keys';
import { inputs as executorInputs } from '../../services/run-executor/inputs';
import { settingsFrom } from '../../services/run-executor/settings';
import { kinds as executorKinds } from '../../services/run-executor/store';
import type { Deciders } from '../support/in-memory';
import type { Rec } from './broker';
import { approverRole, configuration } from './configuration';
import type { Random } from './random';

export const serviceNames = ['admission', 'run-executor', 'hil', 'effect-ledger', 'publication'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** A service as its main.ts wires it, without its process: what it decides and how it reads its topics. */
export interface Model {
  readonly deciders: Deciders<unknown, unknown>;
  /** Undefined = a record that does not concern the service. */
  readonly read: (group: GroupName, record: Rec) => unknown;
}

/** The receipt-query role is no part of the ledger's process. */
export const queryGroup: GroupName = 'effect-ledger.receipt-query';

export const groupsOf = (name: ServiceName): GroupName[] =>
  groupNames.filter((group) => group !== queryGroup && (group === name || group.startsWith(`${name}.`)));

export type Models = Readonly<Record<ServiceName, Model>>;

/** The message types of five services share one shape here; each store gets only its own back. */
const erased = <M, I>(deciders: Deciders<M, I>): Deciders<unknown, unknown> =>
  deciders as unknown as Deciders<unknown, unknown>;

const bindings = configuration.ingress ?? [];
const noTokens = {} as Auth;
const noLimits = { limited: <S>(submit: S): S => submit };
const ingress = ingressReader(new Map(bindings.map((one) => [one.topic, one])), noTokens, noLimits);

const decoded = (record: Rec): Decoded => ({ name: record.type, value: record.value }) as unknown as Decoded;
const raw = (record: Rec): RawRecord =>
  ({
    topic: record.topic,
    partition: 0,
    offset: String(record.offset),
    timestampMs: 0,
    headers: {},
  }) as unknown as RawRecord;

const byName =
  (read: (name: RecordName, value: RecordByName[RecordName]) => unknown): Model['read'] =>
  (_group, record) =>
    read(record.type, record.value as RecordByName[RecordName]);

/** In some worlds the requester approves, in others somebody of a role who is not the requester. */
const approvers = (random: Random) => {
  const byRole = random.of('approvers').chance(0.4);
  return (tenant: string): ReturnType<typeof approvalPolicyOf> =>
    byRole ? { role: approverRole, selfApproval: 'forbidden' } : approvalPolicyOf(configuration, tenant);
};

/** What an operator has set by hand, with its times: what was decided once is decided the same when it is replayed. */
export interface Desk {
  readonly paused: { readonly connector: string; readonly from: number; until: number }[];
}
export const openDesk = (): Desk => ({ paused: [] });

export const realServices = (random: Random, desk: Desk): Models => {
  /** Now and then a connector has no room, and what wants to go has to wait. */
  const pace = (contract: { readonly name: string }, _what: string, now: number): number =>
    random.of(`room at ${contract.name} ${now}`).chance(0.05) ? 100 : 0;
  let now = 0;
  const ledger = decider({
    contract: (tenant, connector) => contractOf(configuration, tenant, connector),
    policy: approvers(random),
    paused: (connector) => desk.paused.some((one) => one.connector === connector && one.from <= now && now < one.until),
    pace,
  });
  const policy = policyOf(() => configuration, bindings);
  return {
    admission: {
      deciders: erased({
        name: 'admission',
        kinds: admissionKinds,
        keys: admission.keys,
        moreKeys: admission.moreKeys,
        blobs: admission.blobs,
        decide: (view, message: Parameters<typeof admission.decide>[1], context) =>
          admission.decide(view, message, context, policy),
      }),
      read: (group, record) =>
        group === 'admission' ? ingress(decoded(record), raw(record)) : eventReader(decoded(record)),
    },
    'run-executor': {
      deciders: erased({
        name: 'run-executor',
        kinds: executorKinds,
        keys: executorKeys.keys,
        moreKeys: executorKeys.moreKeys,
        blobs: executorKeys.blobs,
        decide: executor.decide(settingsFrom(() => configuration)),
      }),
      read: (group, record) =>
        executorInputs.find((input) => input.group === group)?.message(decoded(record), raw(record)),
    },
    hil: {
      deciders: erased({
        name: 'hil',
        kinds: hilKinds,
        keys: hil.keys,
        moreKeys: hil.moreKeys,
        decide: hil.decide,
      }),
      read: byName(hilMessageOf),
    },
    'effect-ledger': {
      deciders: erased({
        name: 'effect-ledger',
        kinds: ledgerKinds,
        keys: keysOf,
        moreKeys: moreKeysOf,
        blobs: blobsOf,
        decide: (view, message: Parameters<typeof ledger>[1], context) => {
          now = context.now;
          return ledger(view, message, context);
        },
      }),
      read: byName(ledgerMessageOf),
    },
    publication: {
      deciders: erased({
        name: 'publication',
        kinds: publicationKinds,
        keys: publication.keys,
        moreKeys: publication.moreKeys,
        decide: publication.decide,
      }),
      read: byName(publicationMessageOf),
    },
  };
};

/** A submission with everything null that nobody said. */
export const submission = (said: Partial<MessageSubmitted>): MessageSubmitted => ({
  ...unsaid,
  eventId: '',
  occurredAt: 0,
  conversationId: '',
  clientMessageId: '',
  content: '',
  ...said,
});
