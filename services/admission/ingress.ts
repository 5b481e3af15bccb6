import type { MessageSubmitted } from '../../schemas/generated/records';
import type { Auth } from '../platform/auth';
import type { Decoded } from '../platform/codec';
import type { IngressBinding } from '../platform/configuration';
import type { RawRecord } from '../platform/dead-letters';
import { Refusal, Transient } from '../platform/errors';
import type { RateLimits } from './rate-limits';
import { prepare, type Origin, type Submit } from './submission';
import { eventIdIssue, issue, type Issue } from './validate';

/** One place of one topic; the time stamp tells a topic that was made anew from the old one. */
const deliveryOf = (raw: RawRecord): string => `${raw.topic}:${raw.partition}:${raw.offset}@${raw.timestampMs}`;

/** Fields that hold more than ids may be made of: in those a byte that is no UTF-8 would go unnoticed. */
const texts = [
  'content',
  'title',
  'requirements',
  'agent',
  'entityType',
  'entityId',
  'eventKind',
  'correlationId',
] as const satisfies readonly (keyof MessageSubmitted)[];

/** Decoding makes U+FFFD of bytes that are no UTF-8; such words are not kept as if they had been sent (A17). */
const alteredIssue = (record: MessageSubmitted, { value }: RawRecord): Issue | null => {
  const altered = texts.find((name) => {
    const text = record[name];
    return text !== null && text.includes('\ufffd') && value?.includes(Buffer.from(text, 'utf8')) !== true;
  });
  return altered === undefined ? null : issue('field_invalid', altered, `${altered}: is not UTF-8`);
};

type Who = Pick<Origin, 'account' | 'trouble'>;

/** An app that asserts its users stays inside its namespace (A7). */
const asserted = (binding: IngressBinding, account: string | null): Who => {
  const prefix = binding.accountPrefix ?? '';
  return account === null || account.startsWith(prefix)
    ? { account, trouble: null }
    : { account: null, trouble: issue('forbidden', 'account', `account: must start with ${prefix}`) };
};

const ofToken = async (binding: IngressBinding, auth: Auth, raw: RawRecord): Promise<Who> => {
  const no = (trouble: Issue): Who => ({ account: null, trouble });
  try {
    const principal = await auth.verify(raw.headers['authorization']?.toString('utf8'));
    return principal.tenant === binding.tenant && principal.app === binding.app
      ? { account: principal.account, trouble: null }
      : no(issue('forbidden', null, 'the token belongs to another tenant or app than this topic'));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // Away keys say nothing about this record: it waits with its partition.
    if (error.code === 'unavailable') throw new Transient(error.message, error);
    return no(issue(error.code, null, error.message));
  }
};

const submitOf = (binding: IngressBinding, record: MessageSubmitted, raw: RawRecord, who: Who): Submit =>
  prepare(
    {
      tenant: binding.tenant,
      app: binding.app,
      ...who,
      requestEventId: record.eventId,
      deliveryId: deliveryOf(raw),
    },
    record,
    { issue: eventIdIssue(record.eventId) ?? alteredIssue(record, raw) },
  );

/** Every record that decodes becomes a submission and so gets a receipt (A17); its record key does not matter. */
export const ingressReader =
  (bindings: ReadonlyMap<string, IngressBinding>, auth: Auth, limits: RateLimits) =>
  (decoded: Decoded, raw: RawRecord): Submit | Promise<Submit> => {
    const binding = bindings.get(raw.topic);
    if (binding === undefined) throw new Error(`no binding for ${raw.topic}`);
    const record = decoded.value as MessageSubmitted;
    return binding.accounts === 'asserted'
      ? limits.limited(submitOf(binding, record, raw, asserted(binding, record.account)))
      : ofToken(binding, auth, raw).then((who) => limits.limited(submitOf(binding, record, raw, who)));
  };
