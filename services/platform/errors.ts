/**
 * The closed catalogue of codes. `http` is the status over HTTP, `stored` says whether the refusal is final for its
 * clientMessageId, `by` who decides. docs/codes.md is checked against this table.
 */
interface CodeInfo {
  readonly http: number;
  readonly stored: boolean;
  readonly by: 'admission' | 'owner' | 'platform';
  readonly means: string;
}

const code = (http: number, stored: boolean, by: CodeInfo['by'], means: string): CodeInfo => ({
  http,
  stored,
  by,
  means,
});

export const codes = {
  malformed: code(400, false, 'admission', 'the body or record cannot be read as what it should be'),
  unauthenticated: code(401, false, 'platform', 'no token, or one that does not verify'),
  forbidden: code(403, false, 'platform', 'the token lacks the role, or the account lies outside the binding'),
  content_too_large: code(413, false, 'admission', 'a text or value exceeds its limit; the field says which'),
  unsupported_media_type: code(415, false, 'platform', 'only application/json is read'),
  field_missing: code(422, false, 'admission', 'this relation needs the named field'),
  field_not_allowed: code(422, false, 'admission', 'the named field does not belong to this relation'),
  field_invalid: code(422, false, 'admission', 'the named field has a value outside its range or alphabet'),
  unknown_agent: code(422, false, 'admission', 'no such agent is configured for this tenant'),
  needs_target: code(422, false, 'admission', 'the conversation has active runs; say what the message is about'),
  busy: code(422, false, 'admission', 'the conversation has an active run and the policy rejects'),
  rate_limited: code(429, false, 'admission', 'too many messages; Retry-After says when'),
  unavailable: code(503, false, 'platform', 'a needed part is down; the same request may come again'),
  content_conflict: code(409, false, 'admission', 'this id was used with other content or requirements'),
  conversation_conflict: code(409, false, 'admission', 'this id was used in another conversation'),
  relation_conflict: code(
    409,
    false,
    'admission',
    'this id was used with another relation, control, mode or amendKind',
  ),
  target_conflict: code(409, false, 'admission', 'this id was used with another target or option'),
  version_conflict: code(
    409,
    true,
    'owner',
    'expectedVersion is not the current version; the effective set is attached',
  ),
  already_answered: code(409, true, 'owner', 'another response was accepted first'),
  response_conflict: code(409, true, 'owner', 'this clientResponseId was used with another meaning'),
  already_claimed: code(409, false, 'owner', 'another person of the role has claimed the request'),
  preview_mismatch: code(409, false, 'owner', 'previewSha256 is not the hash of the preview to be approved'),
  action_not_attestable: code(
    409,
    false,
    'owner',
    'only unknown, blocked and disputed actions can be attested or asked about',
  ),
  action_not_compensable: code(409, false, 'owner', 'only a confirmed success can be compensated'),
  already_done: code(409, false, 'owner', 'the effect has succeeded before, by another request'),
  earlier_action_unsettled: code(409, false, 'owner', 'another action of the same effect is not settled'),
  conversation_open: code(409, false, 'owner', 'a run of the conversation has not ended, so its content is needed'),
  unknown_run: code(404, true, 'owner', 'no such run for this account'),
  unknown_interaction: code(404, true, 'owner', 'no such interaction for this account'),
  unknown_conversation: code(404, false, 'owner', 'no such conversation for this account'),
  unknown_action: code(404, false, 'owner', 'no such action for this account'),
  unknown_report: code(404, false, 'owner', 'no such report for this account'),
  unknown_document: code(404, false, 'owner', 'no such document for this account'),
  unknown_message: code(404, false, 'admission', 'no message of this id is stored for this account'),
  not_found: code(404, false, 'platform', 'no such route or entry'),
  expired: code(410, true, 'owner', 'the request expired before the response'),
  content_purged: code(410, false, 'owner', 'the content was purged, by age or on request; hashes and states stay'),
  interaction_closed: code(410, true, 'owner', 'the request was withdrawn'),
  not_continuable: code(422, true, 'owner', 'the parent run cannot be continued; detail is its state or cause'),
  original_unverifiable: code(422, true, 'owner', 'the original request cannot be read or its hash differs'),
  parent_contradiction: code(422, true, 'owner', 'admission and executor disagree about the parent at one revision'),
  run_ended: code(422, true, 'owner', 'the run has ended; detail says what is possible instead'),
  run_not_accepting: code(422, true, 'owner', 'the run is on its way to an end that takes no updates'),
  not_answerable_by_text: code(422, true, 'owner', 'permissions and approvals take a decision, not a text'),
  old_revision: code(422, true, 'owner', 'the request was revised since'),
  contract_violated: code(422, true, 'owner', 'the response does not fit what was asked'),
  not_granted: code(422, true, 'owner', 'outside the grants of the run'),
  not_implemented: code(501, false, 'platform', 'this part of the interface is not there yet'),
  internal: code(500, false, 'platform', 'a defect; the log has the details under the same trace'),
} as const satisfies Record<string, CodeInfo>;

export type Code = keyof typeof codes;

/** A "no" at the HTTP edge. Inside a decider a "no" is a value, never an exception. */
export class Refusal extends Error {
  constructor(
    readonly code: Code,
    message: string,
    readonly field: string | null = null,
    readonly extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** A record that can never be understood, whatever is repaired around it. */
export class Malformed extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'Malformed';
  }
}

/** Something around us is down or busy; the same work will succeed later. */
export class Transient extends Error {
  constructor(
    message: string,
    override readonly cause?: unknown,
  ) {
    super(message);
    this.name = 'Transient';
  }
}

export type ErrorClass = 'refusal' | 'malformed' | 'transient' | 'defect';

const transientSqlStates = /^(08|40|53|55P03|57|58|25P02|25006|3D000|28)/;
const transientSystemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNABORTED',
]);

const property = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;

/**
 * The one total function that says what an error means for the record in hand (X2, X4). Anything that is not known to
 * be the record's own fault or a passing trouble counts as a defect of ours: tried alone, then dead-lettered.
 */
export const classify = (error: unknown): ErrorClass => {
  if (error instanceof Refusal) return 'refusal';
  if (error instanceof Malformed) return 'malformed';
  if (error instanceof Transient) return 'transient';
  const sqlState = property(error, 'code');
  if (typeof sqlState === 'string' && (transientSystemCodes.has(sqlState) || transientSqlStates.test(sqlState)))
    return 'transient';
  const name = property(error, 'name');
  if (typeof name === 'string' && name.startsWith('KafkaJS')) return 'transient';
  const message = error instanceof Error ? error.message : '';
  // node-postgres reports a lost socket with bare messages, without a code.
  if (
    /Connection terminated|connection timeout|timeout expired|timeout exceeded|read timeout|Client has encountered a connection error|not queryable|Client was closed/i.test(
      message,
    )
  )
    return 'transient';
  return 'defect';
};
