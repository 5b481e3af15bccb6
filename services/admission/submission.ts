import type { Relation } from '../../schemas/generated/records';
import { sha256Hex } from '../platform/canonical';
import { idsOf } from '../platform/identity';
import { relationOf, type Fields } from './fields';
import { contentSha256, fingerprintOf, type Fingerprint } from './fingerprint';
import type { Speaker } from './state';
import { accountIssue, check, isId, issue, type Issue, type Submission } from './validate';

/** Echoes of ids that are themselves refused stay within this length. */
const maxEchoCharacters = 256;

export interface Ids {
  readonly messageId: string;
  readonly runId: string;
  readonly taskId: string;
}

/** Who submits, as the channel proves it; `trouble` is what the channel itself has against it (A7). */
export interface Origin {
  readonly tenant: string;
  readonly app: string;
  readonly account: string | null;
  readonly trouble: Issue | null;
  readonly requestEventId: string | null;
  /** Names this one delivery: a record's place, or a request. */
  readonly deliveryId: string;
}

/** What the message would be once admitted; only for submissions with nothing against them. */
export interface Admissible {
  readonly submission: Submission;
  readonly conversation: string;
  /** What the message named by `targetClientMessageId` is called and would start. */
  readonly target: Ids | null;
}

/** One submission, with everything worked out that needs no lock: the transaction only looks up and decides. */
export interface Submit extends Speaker {
  readonly type: 'submit';
  readonly requestEventId: string | null;
  readonly deliveryId: string;
  readonly relation: Relation | null;
  readonly contentSha256: string | null;
  /** Set when too many came just now; a message that is known already is answered all the same. */
  readonly retryAfterSec: number | null;
  /** The tenant's quota when it came; null = none. */
  readonly messagesPerDay: number | null;
  /** Null when the submission does not say who or what it is. */
  readonly identity: { readonly ids: Ids; readonly fingerprint: Fingerprint } | null;
  readonly verdict: ({ readonly ok: true } & Admissible) | { readonly ok: false; readonly issue: Issue };
}

export const conversationId = (tenant: string, account: string, id: string): string =>
  `cnv_${sha256Hex(`${tenant}\0${account}\0${id}`).slice(0, 26)}`;

const echo = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxEchoCharacters) : '');

export const prepare = (
  origin: Origin,
  fields: Fields,
  more: { readonly unknownField?: string | null; readonly issue?: Issue | null } = {},
): Submit => {
  const unknownField = more.unknownField ?? null;
  const nameless = accountIssue(origin.account);
  const trouble = origin.trouble ?? nameless;
  const account = nameless === null ? (origin.account as string) : '';
  const contentHash = contentSha256(fields.content ?? '');
  const clientMessageId = fields.clientMessageId;
  const speaker: Speaker = {
    tenant: origin.tenant,
    app: origin.app,
    account,
    conversationId: echo(fields.conversationId),
    clientMessageId: echo(clientMessageId),
  };
  const ids =
    trouble === null && isId(clientMessageId)
      ? idsOf({ tenant: origin.tenant, app: origin.app, account, clientMessageId })
      : null;
  const later =
    more.issue ??
    (unknownField === null
      ? null
      : issue('field_not_allowed', unknownField.slice(0, 128), 'this field is not part of a message'));
  const checked = trouble === null ? check(fields, later) : ({ ok: false, issue: trouble } as const);
  return {
    type: 'submit',
    ...speaker,
    requestEventId: origin.requestEventId === null ? null : echo(origin.requestEventId),
    deliveryId: origin.deliveryId,
    relation: relationOf(fields),
    contentSha256: contentHash,
    retryAfterSec: null,
    messagesPerDay: null,
    identity: ids === null ? null : { ids, fingerprint: fingerprintOf(fields, contentHash, unknownField) },
    verdict: checked.ok ? { ok: true, ...admissible(speaker, checked.value) } : checked,
  };
};

const admissible = (speaker: Speaker, submission: Submission): Admissible => ({
  submission,
  conversation: conversationId(speaker.tenant, speaker.account, speaker.conversationId),
  target:
    submission.targetClientMessageId === null
      ? null
      : idsOf({
          tenant: speaker.tenant,
          app: speaker.app,
          account: speaker.account,
          clientMessageId: submission.targetClientMessageId,
        }),
});
