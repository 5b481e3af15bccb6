// Generated from schemas/*/*.avsc by schemas/generate.ts; never edited by hand.

// timestamp-millis is a number of milliseconds since 1970-01-01T00:00:00Z, bytes are a Buffer, and UNKNOWN is what an
// enum reads as when the writer's symbol is newer than this code.

/** The evidence that settled an action. */
export interface ActionReceipt {
  /** Where it came from: response, query, callback or attestation. */
  by: string;
  /** HTTP status it came with. */
  status: number | null;
  /** What the remote or the operator said, cut to a bounded length. */
  body: string | null;
  /** When it was recorded. In ms since 1970, UTC. */
  at: number;
}

/** An action as it stands after a change. */
export interface ActionStateChanged {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the action; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The action: connector, operation, subject and proposal number, joined by colons. */
  actionKey: string;
  /** Name of the configured connector. */
  connector: string;
  /** Name of the connector's operation. */
  operation: string;
  /** What the effect is about; one effect per connector, operation and subject. */
  subject: string;
  /** Revision of the proposal that an approval is bound to. */
  actionRevision: number;
  /** The proposal that made the action. */
  proposalId: string;
  /** The requirements version it was proposed for, from 1. */
  requirementsVersion: number;
  /** One of the documented action states. */
  state: string;
  /** Why it is in that state, as a snake_case code. */
  code: string | null;
  /** Attempts so far. */
  attempts: number;
  /** SHA-256 of the sealed request, lower-case hex. */
  requestSha256: string;
  /** The approval it needs. */
  interactionRef: string | null;
  /** SHA-256 of the preview, lower-case hex. */
  previewSha256: string | null;
  /** The evidence that settled it; null until there is some. */
  receipt: ActionReceipt | null;
  /** True while an attempt may have had an effect that is not confirmed either way. */
  unsettled: boolean;
}

/** Whether an answer or an update has taken effect. */
export interface Adoption {
  /** One of pending, adopted or void. */
  status: string;
  /** Why it is void. */
  reason: string | null;
  /** The run that adopted it. */
  runId: string | null;
  /** The turn whose sealed input carried it, from 1. */
  turn: number | null;
  /** SHA-256 of that sealed input, lower-case hex. */
  inputSha256: string | null;
}

/** Whether an amendment adds to the requirements in force or clears them. */
export type AmendKind = 'SUPPLEMENT' | 'REPLACE' | 'UNKNOWN';

/** Asks the executor to change what a run is required to do. */
export interface AmendRun {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The stored message, derived from its identity. */
  messageId: string;
  /** The id the client gave the message. */
  clientMessageId: string;
  /** The run to be amended; derived from the identity of its first message where the client named that. */
  targetRunId: string;
  /** The message that started the run, where the client named that instead. */
  targetMessageId: string | null;
  /** The requirements version the user saw, from 1. */
  expectedVersion: number;
  /** How the requirements change. */
  amendKind: AmendmentKind;
  /** The user's own words, byte for byte; at most 256 KiB of UTF-8. */
  content: string;
  /** SHA-256 of the content's UTF-8 bytes, lower-case hex. */
  contentSha256: string;
  /** Merge patch (RFC 7396) for the structured requirements, as text. */
  requirements: string | null;
  /** When admission stored the message, by admission's database clock. In ms since 1970, UTC. */
  receivedAt: number;
  /** The id a follow-up run would get, derived from the identity of the message. */
  runId: string;
  /** The id the task of a follow-up run would get. */
  taskId: string;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** Whether an amendment adds to the requirements in force or clears them. */
export type AmendmentKind = 'supplement' | 'replace' | 'UNKNOWN';

/**
 * An answer took effect, or never will. Sent by the question's or permission's adopter, the executor, and by the
 * approval's, the ledger.
 */
export interface AnswerAdopted {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /**
   * Revision of the run, or of the action for an approval; rises with each change, so that a reader can tell old news
   * from new.
   */
  revision: number;
  /** The interaction that was answered. */
  interactionRef: string;
  /** The revision that was answered, from 1. */
  requestRevision: number;
  /** Either adopted or void. */
  status: string;
  /** Why it is void. */
  reason: string | null;
  /** The turn whose sealed input carried the answer, from 1; null for an approval. */
  turn: number | null;
  /** SHA-256 of that sealed input, lower-case hex. */
  inputSha256: string | null;
  /** The attempt that used the approval, from 1; null for the other kinds. */
  attempt: number | null;
  /** The action that was approved. */
  actionKey: string | null;
}

/** Asks a receipt-query consumer to ask the remote once what happened to an action. Keyed by actionKey. */
export interface AskReceipt {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** The action; also the record key. */
  actionKey: string;
  /** Name of the configured connector. */
  connector: string;
  /** Name of the connector's operation. */
  operation: string;
  /** What the effect is about; one effect per connector, operation and subject. */
  subject: string;
  /** Number of the query about this action, from 1. */
  query: number;
  /** When the ledger asked. In ms since 1970, UTC. */
  askedAt: number;
  /**
   * When the remote must not be asked any more, because the ledger counts on the answer no longer. In ms since 1970,
   * UTC.
   */
  askBefore: number;
}

/** Something the message could have meant, offered when it named no target. */
export interface Candidate {
  /** An active run of the conversation. */
  runId: string;
  /** Its task. */
  taskId: string;
  /** Its title, for people. */
  title: string | null;
  /** Its state when the candidates were listed. */
  state: string;
  /** Its requirements version, to be used as expectedVersion. */
  requirementsVersion: number;
  /** An open question of that run. */
  interactionRef: string | null;
  /** Current revision of that question, from 1. */
  requestRevision: number | null;
}

/** One answer a person can pick. */
export interface Choice {
  /** What the answer carries. */
  id: string;
  /** What the person reads. */
  label: string;
}

/**
 * Words and bytes were removed for good and everybody who holds some of them removes them as well; identities, hashes,
 * states and versions stay.
 */
export interface ContentPurged {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The app that the run or the message came by; for a whole conversation the operator's. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal of the run, where it is about a run. */
  taskId: string | null;
  /** The ended run whose content goes; null where it is about something else. */
  runId: string | null;
  /**
   * The decided message whose words go; with neither a run nor a message it is about all messages of the conversation.
   */
  messageId: string | null;
  /** Revision of the run, message or conversation by which it was decided. */
  revision: number;
  /** `age` or `request`. */
  reason: string;
  /** What came after this instant is not meant. In ms since 1970, UTC. */
  before: number;
  /** Documents that the run has written. */
  documents: string[];
}

/** A verb aimed at a run. */
export type Control = 'PROGRESS' | 'PAUSE' | 'RESUME' | 'CANCEL' | 'UNKNOWN';

/** Asks the executor to pause, resume or cancel a run. */
export interface ControlRun {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The stored message, derived from its identity. */
  messageId: string;
  /** The id the client gave the message. */
  clientMessageId: string;
  /** The run; derived from the identity of its first message where the client named that. */
  targetRunId: string;
  /** What is asked for. */
  control: ControlVerb;
  /** When admission stored the message, by admission's database clock. In ms since 1970, UTC. */
  receivedAt: number;
  /** True when the client named the run by its first message, so that the run may not exist yet. */
  namedByMessage: boolean;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** A verb aimed at a run; progress is answered by admission. */
export type ControlVerb = 'pause' | 'resume' | 'cancel' | 'UNKNOWN';

/** Two runs wrote one document from the same base; both texts are kept until somebody integrates them. */
export interface DocumentConflicted {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the document; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The document. */
  documentId: string;
  /** Requirements version of the second report, from 1. */
  version: number;
  /** Its number within the version, from 1. */
  seq: number;
  /** SHA-256 of the second text, lower-case hex. */
  sha256: string;
  /** SHA-256 of the text that came first, lower-case hex. */
  conflictsWith: string;
  /** SHA-256 of the version the second text was written from, lower-case hex. */
  basedOn: string | null;
}

/** Everything the user currently wants of a run: the whole set, never a difference. */
export interface EffectiveRequirements {
  /** The texts in force, oldest first. */
  texts: RequirementText[];
  /** The merged structured requirements, a JSON object as text. */
  structured: string;
}

/** The fence stands: nothing older starts from here on. */
export interface FenceAcknowledged {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the run's fence row; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** Number of the fence that stands now. */
  number: number;
  /** Oldest requirements version whose actions may still start. */
  minVersion: number;
  /** Whether attempts may start. */
  mode: FenceMode;
  /** Action keys that were being sent when it was raised. */
  inFlight: string[];
  /** Action keys whose outcome was not known then. */
  unknown: string[];
  /** Action keys withdrawn by it. */
  withdrawn: string[];
}

/** Whether attempts may start: all from minVersion on, none for now, none ever again. */
export type FenceMode = 'open' | 'hold' | 'closed' | 'UNKNOWN';

/** An interaction as it stands after a change: published, seen, answered and adopted are four facts with four times. */
export interface InteractionChanged {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the interaction; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The run at the top of the tree. */
  rootRunId: string;
  /** The service that asked and adopts: run-executor or effect-ledger. */
  owner: string;
  /** The interaction. */
  interactionRef: string;
  /** Current revision of the request, from 1. */
  requestRevision: number;
  /** What is asked for. */
  kind: InteractionKind;
  /** Whether the run goes on meanwhile. */
  mode: InteractionMode;
  /** Where the interaction stands. */
  state: InteractionState;
  /** Why it is closed, as a snake_case code. */
  code: string | null;
  /** The requirements version under which it was asked, from 1. */
  requirementsVersion: number;
  /** The turn that asked, from 1. */
  turn: number | null;
  /** The agent's own name for the question. */
  questionId: string | null;
  /** The action that an approval is bound to. */
  actionKey: string | null;
  /** Whether the recipient is an account or a role. */
  recipientKind: RecipientKind;
  /** Name of the account or the role. */
  recipient: string;
  /** The account that claimed a request sent to a role. */
  claimedBy: string | null;
  /** What the person reads. */
  question: string;
  /** The answers to pick from; empty when the answer is free text or a value. */
  choices: Choice[];
  /** When an answer comes too late; null means never. In ms since 1970, UTC. */
  expiresAt: number | null;
  /** When the request could first be read. In ms since 1970, UTC. */
  publishedAt: number;
  /** When the recipient saw it first. In ms since 1970, UTC. */
  seenAt: number | null;
  /** When the answer was stored. In ms since 1970, UTC. */
  answeredAt: number | null;
  /** When the answer took effect. In ms since 1970, UTC. */
  adoptedAt: number | null;
  /** Whether the answer has taken effect; null until there is one. */
  adoption: Adoption | null;
  /** The answer; null until there is one. */
  response: Response | null;
  /** Reminders of this revision so far. */
  reminders: number;
  /** When its recipient was last reminded. In ms since 1970, UTC. */
  remindedAt: number | null;
  /** Who may answer as well since nobody did in time: an account, or `role:` and the name of a role. */
  escalatedTo: string | null;
  /** Since when. In ms since 1970, UTC. */
  escalatedAt: number | null;
}

/** What is asked for; each kind has its own adopter. */
export type InteractionKind = 'question' | 'permission' | 'approval' | 'UNKNOWN';

/** Whether the run goes on meanwhile or parks. */
export type InteractionMode = 'non_blocking' | 'blocking' | 'UNKNOWN';

/** Where an interaction stands. */
export type InteractionState = 'open' | 'answered' | 'closed' | 'UNKNOWN';

/** The owner of the target decided what becomes of a message; admission turns it into a receipt. */
export interface MessageDecided {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The stored message, derived from its identity. */
  messageId: string;
  /** The id the client gave the message. */
  clientMessageId: string;
  /** Revision of the decision about this message; rises with each change. */
  revision: number;
  /** The receipt status that follows. */
  status: string;
  /** The run that was started or created. */
  runId: string | null;
  /** The task of that run. */
  taskId: string | null;
  /** The run the message was aimed at. */
  targetRunId: string | null;
  /** The run whose context the new run may read. */
  parentRunId: string | null;
  /** The ended run that the new run continues. */
  continuationOfRunId: string | null;
  /** The effective requirements version after the decision, from 1. */
  requirementsVersion: number | null;
  /** The whole effective set of that version. */
  effectiveRequirements: EffectiveRequirements | null;
  /** The question the message answers. */
  interactionRef: string | null;
  /** The current revision of that question, from 1. */
  requestRevision: number | null;
  /** Whether the answer or update has taken effect. */
  adoption: Adoption | null;
  /** How the run ended, where the decision depends on it. */
  result: RunResult | null;
  /** Stable snake_case code of a refusal. */
  code: string | null;
  /** The field that is wrong. */
  field: string | null;
  /** A sentence or a value that explains the code. */
  detail: string | null;
  /** What the message could have meant instead. */
  candidates: Candidate[];
}

/** A message was admitted; carries the content, for the timeline only. */
export interface MessageStored {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The stored message, derived from its identity. */
  messageId: string;
  /** The id the client gave the message. */
  clientMessageId: string;
  /** The relation as resolved, lower case. */
  relation: string;
  /** The user's own words, byte for byte; at most 256 KiB of UTF-8. */
  content: string;
  /** SHA-256 of the content's UTF-8 bytes, lower-case hex. */
  contentSha256: string;
  /** A short title, for people. */
  title: string | null;
  /** The run it is aimed at. */
  targetRunId: string | null;
  /** When admission stored the message, by admission's database clock. In ms since 1970, UTC. */
  receivedAt: number;
  /** Revision of the stored message. */
  revision: number;
}

/**
 * One submission intent of a user, as an upstream app hands it in. Tenant and app come from the topic's binding or the
 * token, never from here.
 */
export interface MessageSubmitted {
  /** Id of this record; echoed in the receipt as requestEventId, not used to tell duplicates. */
  eventId: string;
  /** When the user submitted it, by the producer's clock; informational. In ms since 1970, UTC. */
  occurredAt: number;
  /** 1 to 128 characters of A-Z, a-z, 0-9, dot, underscore, colon, hyphen; not "." or "..". */
  conversationId: string;
  /**
   * Same characters and length. With tenant, app and account it is the identity of the message for ever, whatever the
   * conversation or the channel.
   */
  clientMessageId: string;
  /** The user's own words, up to 256 KiB of UTF-8, kept byte for byte; may be empty for CONTROL and ENTITY_EVENT. */
  content: string;
  /**
   * The end user, where the binding lets the app assert it: required there, ignored where a token names the account.
   */
  account: string | null;
  /** How the message relates to existing work; UNKNOWN, the reading of a symbol of a newer producer, is refused. */
  relation: Relation;
  /** The run the message is aimed at, of this conversation. */
  targetRunId: string | null;
  /** The same run, named by the message that started it or, for a cancel, will start it. */
  targetClientMessageId: string | null;
  /** The requirements version the user saw, from 1; an amendment based on an older one is refused. */
  expectedVersion: number | null;
  /** How an amendment changes the requirements; null means supplement. */
  amendKind: AmendKind | null;
  /** The ended run to be continued by a new one. */
  continuationOfRunId: string | null;
  /** The run whose context a follow-up may read. */
  parentRunId: string | null;
  /** The question that is answered. */
  interactionRef: string | null;
  /** The revision of that question the user saw, from 1. */
  requestRevision: number | null;
  /** What a control message asks for. */
  control: Control | null;
  /** Whether a new task waits its turn; null means queue. */
  mode: Mode | null;
  /** A run whose published report a new task waits for. */
  dependsOnRunId: string | null;
  /** Type of the business entity concerned; comes with entityId. */
  entityType: string | null;
  /** Id of that entity. */
  entityId: string | null;
  /** What happened to the entity, for an entity event. */
  eventKind: string | null;
  /** When it happened, by the entity's own system. In ms since 1970, UTC. */
  eventAt: number | null;
  /** Ties events of one occurrence together; events with the same one join the same run. */
  correlationId: string | null;
  /** Which configured agent works on it; null means the tenant's default. */
  agent: string | null;
  /** A short title, for people. */
  title: string | null;
  /** 0 to 9, 9 first; null means 5. */
  priority: number | null;
  /** True for a run that nobody watches: it never parks for a person. */
  scheduled: boolean;
  /** Structured requirements, a JSON object as text; in an amendment a merge patch (RFC 7396). */
  requirements: string | null;
}

/** Whether a new task waits for the earlier runs of its conversation. */
export type Mode = 'QUEUE' | 'PARALLEL' | 'UNKNOWN';

/** Whether a person or a system noticed it. */
export type ObservationKind = 'observation' | 'entity_event' | 'UNKNOWN';

/** Hands a run something to take notice of; makes no new requirements version. */
export interface ObserveRun {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The stored message, derived from its identity. */
  messageId: string;
  /** The id the client gave the message. */
  clientMessageId: string;
  /** The run that shall take notice; derived from the identity of its first message where the client named that. */
  targetRunId: string;
  /** Whether it is a remark of the user or an event of an entity. */
  kind: ObservationKind;
  /** The user's own words, byte for byte; at most 256 KiB of UTF-8. */
  content: string;
  /** SHA-256 of the content's UTF-8 bytes, lower-case hex. */
  contentSha256: string;
  /** When admission stored the message, by admission's database clock. In ms since 1970, UTC. */
  receivedAt: number;
  /** What happened to the entity. */
  eventKind: string | null;
  /** When it happened, by the entity's own system. In ms since 1970, UTC. */
  eventAt: number | null;
  /** Ties events of one occurrence together. */
  correlationId: string | null;
  /** Type of the business entity concerned; comes with entityId. */
  entityType: string | null;
  /** Id of that entity. */
  entityId: string | null;
  /** False when the event was matched by entity and time only and still has to be asked about. */
  confirmed: boolean;
  /** The id a run of its own would get, derived from the identity of the message. */
  runId: string;
  /** The id the task of such a run would get. */
  taskId: string;
  /**
   * The agent of a run of its own; null means the one configured for the entity's events, else the tenant's default.
   */
  agent: string | null;
  /** Priority of such a run, 0 to 9; null means the one configured for the entity's events. */
  priority: number | null;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** What admission knew of the run to be continued, so that the executor can tell lag from contradiction. */
export interface ParentFacts {
  /** State of the run. */
  state: string;
  /** Why it ended so. */
  cause: string | null;
  /** Revision of the run these facts belong to. */
  stateRevision: number;
  /** Its requirements version, from 1. */
  requirementsVersion: number;
  /** SHA-256 of its current report, lower-case hex. */
  reportSha256: string | null;
}

/** How far a run is, as admission knows it; may be a little behind the run. */
export interface Progress {
  /** State of the run. */
  state: string;
  /** What the run waits for, a JSON array as text. */
  waitingFor: string;
  /** Newest accepted requirements version, from 1. */
  requirementsVersion: number;
  /** Newest version that a sealed turn input carried; 0 before the first. */
  appliedVersion: number;
  /** Committed turns so far. */
  turns: number;
  /** The report published last; null when there is none yet. */
  lastPublished: ReportRef | null;
}

/** The ledger decided about a proposal. */
export interface ProposalDecided {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /**
   * Revision of the run's fence row, which orders the answers to a run; rises with each change, so that a reader can
   * tell old news from new.
   */
  revision: number;
  /** The proposal. */
  proposalId: string;
  /** What became of it. */
  status: ProposalStatus;
  /** The action that stands for it; the earlier one where that is why it was refused. */
  actionKey: string | null;
  /** State of that action. */
  state: string | null;
  /** Stable snake_case code of a refusal. */
  code: string | null;
  /** A sentence or a value that explains the code. */
  detail: string | null;
  /** The requirements version of the proposal, from 1. */
  requirementsVersion: number;
}

/** What became of a proposal: a new action, an earlier one, or none. */
export type ProposalStatus = 'accepted' | 'existing' | 'refused' | 'UNKNOWN';

/** Proposes that something happen outside, once. */
export interface ProposeEffect {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the run; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The run at the top of the tree. */
  rootRunId: string;
  /** The turn that proposed it, from 1; 0 for a compensation by an operator. */
  turn: number;
  /** The requirements version it is meant for, from 1; the fence is checked against it. */
  requirementsVersion: number;
  /** The proposal, derived from the run, the turn and the agent's own id for it. */
  proposalId: string;
  /** Name of the configured connector. */
  connector: string;
  /** Name of the connector's operation. */
  operation: string;
  /** What the effect is about; one effect per connector, operation and subject. */
  subject: string;
  /** Parameters, JSON text; sealed as RFC 8785 bytes. */
  params: string | null;
  /** Request body, sent byte for byte. */
  body: string | null;
  /** The agent's words to the approver, marked as such in the preview. */
  note: string | null;
  /** True when the agent asks for an approval even where none is required. */
  approval: boolean;
  /** True when an effect that already happened is meant to happen again; a person has to approve. */
  repeat: boolean;
  /** Where the grant that covers it comes from. */
  grantFrom: string | null;
  /** When that grant ends; null means with the run. In ms since 1970, UTC. */
  grantUntil: number | null;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** Hands a report that passed the gate, or history that did not, to publication. */
export interface PublishReport {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the run; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The requirements version the report answers, from 1. */
  version: number;
  /** Its number within the version, from 1. */
  seq: number;
  /** One of partial, final or late. */
  status: string;
  /** The exact bytes of the report. */
  body: Buffer;
  /** Media type of the body. */
  contentType: string;
  /** SHA-256 of the body, lower-case hex. */
  sha256: string;
  /** The results it cites, a JSON array as text. */
  sources: string;
  /** The run's actions with their states at commit, a JSON array as text. */
  actions: string;
  /** Action keys whose outcome is not known. */
  unsettledActions: string[];
  /** The document it writes; null when it writes none. */
  document: string | null;
  /** SHA-256 of the document version it was written from, lower-case hex. */
  basedOn: string | null;
  /** The turn that produced it, from 1. */
  turn: number;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** Raises a run's fence: after its acknowledgement no older action starts. */
export interface RaiseFence {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the run; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The fence's number, from 1; a lower one than known changes nothing and is acknowledged again. */
  number: number;
  /** Oldest requirements version whose actions may still start. */
  minVersion: number;
  /** Whether attempts may start. */
  mode: FenceMode;
  /** Why it is raised, as a snake_case word. */
  reason: string;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** What the remote said about an action. Keyed by actionKey. */
export interface ReceiptAnswered {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** The action; also the record key. */
  actionKey: string;
  /** Name of the configured connector. */
  connector: string;
  /** Number of the query that is answered, from 1. */
  query: number;
  /** What the remote's authority says; absent alone proves nothing, the connector's contract does. */
  outcome: ReceiptOutcome;
  /** Status of the answer; null when there was none. */
  httpStatus: number | null;
  /** Body of the answer, cut to a bounded length. */
  body: string | null;
  /** When the remote was asked. In ms since 1970, UTC. */
  askedAt: number;
  /** When it had answered or the try was given up. In ms since 1970, UTC. */
  answeredAt: number;
}

/**
 * What became of a submission. For one message the revision only rises; revision 0 and duplicates describe one
 * submission and never replace a later receipt.
 */
export interface ReceiptIssued {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the receipt was issued, by admission's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user; empty when the submission named none that could be trusted. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The id the client gave the message, echoed. */
  clientMessageId: string;
  /** The submission's own event id; null when it came over HTTP. */
  requestEventId: string | null;
  /** The receipt's revision; 0 when the message was not admitted. */
  revision: number;
  /** Where the message stands, one of the documented receipt statuses. */
  status: string;
  /** True when the submission repeats a message that is already stored. */
  duplicate: boolean;
  /** The relation as resolved at first, upper case; null when it could not be read. */
  relation: string | null;
  /** The stored message; null when nothing was stored. */
  messageId: string | null;
  /** The run that the message started or created. */
  runId: string | null;
  /** The task of that run. */
  taskId: string | null;
  /** The run that the message was aimed at, as resolved. */
  targetRunId: string | null;
  /** The run whose context the new run may read. */
  parentRunId: string | null;
  /** The ended run that the new run continues. */
  continuationOfRunId: string | null;
  /** The effective requirements version after the decision, from 1. */
  requirementsVersion: number | null;
  /** The whole effective set of that version. */
  effectiveRequirements: EffectiveRequirements | null;
  /** The question the message answers. */
  interactionRef: string | null;
  /** Whether the answer or update has taken effect. */
  adoption: Adoption | null;
  /** How far the run is, for a progress request. */
  progress: Progress | null;
  /** How the run ended, where the answer depends on it. */
  result: RunResult | null;
  /** Stable snake_case code of a refusal. */
  code: string | null;
  /** The field that is wrong. */
  field: string | null;
  /** A sentence or a value that explains the code. */
  detail: string | null;
  /** What the message could have meant, when it needs a target. */
  candidates: Candidate[];
  /** SHA-256 of the content's UTF-8 bytes, lower-case hex; null when the content could not be read. */
  contentSha256: string | null;
}

/** What a remote's authority says of an action. */
export type ReceiptOutcome = 'succeeded' | 'failed' | 'pending' | 'absent' | 'unreachable' | 'UNKNOWN';

/** Whether a request goes to one account or to whoever of a role claims it. */
export type RecipientKind = 'account' | 'role' | 'UNKNOWN';

/** How a message relates to the work of its conversation; never guessed from the wording. */
export type Relation =
  | 'UNSPECIFIED'
  | 'NEW_TASK'
  | 'FOLLOW_UP'
  | 'CLARIFICATION'
  | 'CONTINUE'
  | 'AMEND'
  | 'OBSERVE'
  | 'CONTROL'
  | 'ENTITY_EVENT'
  | 'UNKNOWN';

/** A report is durably stored. One that came too late is stored as history and is not current. */
export interface ReportPublished {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the run's publication record; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The requirements version the report answers, from 1. */
  version: number;
  /** Its number within the version, from 1. */
  seq: number;
  /** One of partial, final, superseded or late. */
  reportStatus: string;
  /** SHA-256 of the report's bytes, lower-case hex. */
  sha256: string;
  /** Media type of the report. */
  contentType: string;
  /** Length of the report in bytes. */
  sizeBytes: number;
  /** True when the pointer of the run names this report now; false means it was kept as history. */
  current: boolean;
  /** The results it cites, a JSON array as text. */
  sources: string;
  /** Action keys whose outcome was not known at commit. */
  unsettledActions: string[];
}

/** Names one published report of a run. */
export interface ReportRef {
  /** The requirements version the report answers, from 1. */
  version: number;
  /** Its number within the version, from 1. */
  seq: number;
  /** SHA-256 of the report's bytes, lower-case hex. */
  sha256: string;
}

/**
 * Asks hil to put a question, permission request or approval before a person, or to revise it. Sent by the executor
 * and, for approvals, the ledger.
 */
export interface RequestInteraction {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /**
   * Revision of the asker's aggregate: the run, or the action for an approval; rises with each change, so that a reader
   * can tell old news from new.
   */
  revision: number;
  /** The run at the top of the tree. */
  rootRunId: string;
  /** The message that led to it, where there is one. */
  messageId: string | null;
  /** The service that asks and adopts: run-executor or effect-ledger. */
  owner: string;
  /** The interaction, derived from what is asked. */
  interactionRef: string;
  /** Revision of the request, from 1; a higher one replaces an unanswered request. */
  requestRevision: number;
  /** What is asked for. */
  kind: InteractionKind;
  /** Whether the run goes on meanwhile. */
  mode: InteractionMode;
  /** The requirements version under which it is asked, from 1. */
  requirementsVersion: number;
  /** The turn that asked, from 1. */
  turn: number | null;
  /** The agent's own name for the question. */
  questionId: string | null;
  /** Whether the recipient is an account or a role. */
  recipientKind: RecipientKind;
  /** Name of the account or the role. */
  recipient: string;
  /** What the person reads. */
  question: string;
  /** The answers to pick from; empty when the answer is free text or a value. */
  choices: Choice[];
  /** JSON Schema 2020-12 that an answer value must satisfy, as text. */
  schema: string | null;
  /** What the run goes on with until there is an answer, JSON text. */
  defaultAnswer: string | null;
  /** The grant that a permission would give, a JSON object as text. */
  grant: string | null;
  /** When an answer comes too late; null means never. In ms since 1970, UTC. */
  expiresAt: number | null;
  /** Seconds without an answer after which the person is reminded. */
  remindAfterSec: number | null;
  /** The role that gets the request when a reminder did not help. */
  escalateTo: string | null;
  /** True when the report gate waits for the answer. */
  holdsReport: boolean;
  /** The action that an approval is bound to. */
  actionKey: string | null;
  /** SHA-256 of the sealed request, lower-case hex, for an approval. */
  requestSha256: string | null;
  /** The exact bytes shown to the approver, UTF-8 text. */
  preview: Buffer | null;
  /** SHA-256 of the preview, lower-case hex; the approval must name it. */
  previewSha256: string | null;
  /** Whether the requester may approve: allowed or forbidden. */
  selfApproval: string;
  /**
   * Who asked for what is to be approved, where that is not the account; may not approve it where self-approval is
   * forbidden.
   */
  requestedBy: string | null;
  /** The action that the one to be approved compensates; its approval may be given after the run ended. */
  compensates: string | null;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** One text that is in force. */
export interface RequirementText {
  /** The requirements version that brought the text, from 1. */
  version: number;
  /** The user's words. */
  text: string;
}

/** The answer of a person. */
export interface Response {
  /** Id of the answer. */
  responseId: string;
  /** The id the client gave the answer; for a chat message, its clientMessageId. */
  clientResponseId: string;
  /** The person's own words. */
  text: string | null;
  /** Id of the choice picked. */
  choice: string | null;
  /** The structured answer, JSON text. */
  value: string | null;
  /** approve or deny, for a permission or an approval. */
  decision: string | null;
  /** The account that answered. */
  respondedBy: string;
  /** True when the run had already ended: kept, wakes nothing. */
  late: boolean;
  /** SHA-256 of the preview the approver saw, lower-case hex. */
  previewSha256: string | null;
}

/** How a run ended. */
export interface RunResult {
  /** The terminal state. */
  state: string;
  /** Why it ended so, where the state alone does not say it. */
  cause: string | null;
  /** Requirements version of its current report. */
  version: number | null;
  /** SHA-256 of that report, lower-case hex. */
  sha256: string | null;
}

/** A run as it stands after a change: whole, so that the newest revision alone is enough. */
export interface RunStateChanged {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the run; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The message that started the run. */
  messageId: string;
  /** The run at the top of the tree; the run itself when it is no child. */
  rootRunId: string;
  /** The parent of a child run, or the run whose context a follow-up may read. */
  parentRunId: string | null;
  /** The ended run that this one continues. */
  continuationOfRunId: string | null;
  /** The configured agent that works on it. */
  agent: string;
  /** A short title, for people. */
  title: string | null;
  /** One of the documented run states. */
  state: string;
  /** Why the run ended so. */
  cause: string | null;
  /** What the run waits for, a JSON array as text; never empty unless running or terminal. */
  waitingFor: string;
  /** Newest accepted requirements version, from 1. */
  requirementsVersion: number;
  /** Newest version that a sealed turn input carried; 0 before the first. */
  appliedVersion: number;
  /** Committed turns so far. */
  turns: number;
  /** Turns left in the budget. */
  turnsLeft: number;
  /** The current report; null until one is published. */
  report: ReportRef | null;
  /** Action keys whose outcome is not known. */
  unsettledActions: string[];
  /** The transition record of a change of version or control, a JSON object as text. */
  transition: string | null;
  /** True while amendments and observations can still reach the run. */
  acceptsUpdates: boolean;
  /** When the first turn began; null while queued. In ms since 1970, UTC. */
  startedAt: number | null;
}

/** Whether a new run waits for the earlier runs of its conversation. */
export type StartMode = 'queue' | 'parallel' | 'UNKNOWN';

/** Asks the executor for a new run. */
export interface StartRun {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The stored message, derived from its identity. */
  messageId: string;
  /** The id the client gave the message. */
  clientMessageId: string;
  /** The run to be made, derived from the identity of the message. */
  runId: string;
  /** The task it belongs to; a continuation keeps the task of the run it continues. */
  taskId: string;
  /** The resolved relation that asks for it, lower case. */
  relation: string;
  /** The user's own words, byte for byte; at most 256 KiB of UTF-8. */
  content: string;
  /** SHA-256 of the content's UTF-8 bytes, lower-case hex. */
  contentSha256: string;
  /** When admission stored the message, by admission's database clock. In ms since 1970, UTC. */
  receivedAt: number;
  /** The configured agent; null means the tenant's default. */
  agent: string | null;
  /** A short title, for people. */
  title: string | null;
  /** 0 to 9, 9 first. */
  priority: number;
  /** True for a run that never parks for a person. */
  scheduled: boolean;
  /** Structured requirements, a JSON object as text. */
  requirements: string | null;
  /** Whether the run waits its turn in the conversation. */
  mode: StartMode;
  /** The run whose published report this one waits for. */
  dependsOnRunId: string | null;
  /** The run whose context this one may read; gives no right and carries no limit. */
  parentRunId: string | null;
  /** The ended run that this one continues. */
  continuationOfRunId: string | null;
  /** The facts admission saw of the run to be continued; null for other relations. */
  parentFacts: ParentFacts | null;
  /** A question of the continued run whose late answer comes along. */
  interactionRef: string | null;
  /** Revision of that question, from 1. */
  requestRevision: number | null;
  /** Type of the business entity concerned; comes with entityId. */
  entityType: string | null;
  /** Id of that entity. */
  entityId: string | null;
  /** A run to be cancelled first; this one is held until that one is terminal. */
  interruptRunId: string | null;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** Carries a user's answer to an open question. */
export interface SubmitClarification {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The stored message, derived from its identity. */
  messageId: string;
  /** The id the client gave the message. */
  clientMessageId: string;
  /** The question. */
  interactionRef: string;
  /** The revision the user saw, from 1. */
  requestRevision: number;
  /** The user's own words, byte for byte; at most 256 KiB of UTF-8. */
  content: string;
  /** SHA-256 of the content's UTF-8 bytes, lower-case hex. */
  contentSha256: string;
  /** When admission stored the message, by admission's database clock. In ms since 1970, UTC. */
  receivedAt: number;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** A newer requirements version was accepted: no report of an older one may become current. */
export interface SupersedeVersion {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the run; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The new version, from 2; everything below is superseded. */
  version: number;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

/** Names one tool call of a turn. */
export interface ToolCallRef {
  /** Id of the call, unique in the run. */
  callId: string;
  /** Name of the configured tool. */
  tool: string;
}

/** The outcome of one turn was accepted into the run's record. */
export interface TurnCommitted {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the run after the commit; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** Number of the turn, from 1. */
  turn: number;
  /** How often the agent was asked this turn. */
  attempts: number;
  /** The requirements version its sealed input carried, from 1. */
  requirementsVersion: number;
  /** SHA-256 of the sealed input, lower-case hex. */
  inputSha256: string;
  /** What the turn came to, in a snake_case word. */
  outcome: string;
  /** The tool calls the turn asked for. */
  toolCalls: ToolCallRef[];
  /** Ids of the proposals handed to the effect ledger. */
  actions: string[];
  /** References of the interactions it asked for. */
  questions: string[];
  /** The agent's own words about how it read the requirements. */
  understood: string | null;
  /** When the agent was asked at first. In ms since 1970, UTC. */
  startedAt: number;
  /** When the outcome was committed. In ms since 1970, UTC. */
  endedAt: number;
  /** True when its requirements version was superseded while it ran. */
  stale: boolean;
}

/** Publication knows that older versions can no longer become current. */
export interface VersionSuperseded {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /** Revision of the run's publication record; rises with each change, so that a reader can tell old news from new. */
  revision: number;
  /** The new version; everything below is superseded. */
  version: number;
}

/** Takes a request back; an answer given before stays as it is. */
export interface WithdrawInteraction {
  /**
   * Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what
   * they have seen by it.
   */
  eventId: string;
  /** When the fact happened, by the owner's database clock. In ms since 1970, UTC. */
  occurredAt: number;
  /** The tenant, taken from the authenticated channel. */
  tenant: string;
  /** The upstream app that speaks for the account, taken from the authenticated channel. */
  app: string;
  /** The end user on whose behalf this happens. */
  account: string;
  /** The conversation; also the record key of topics that are keyed by conversation. */
  conversationId: string;
  /** The business goal the run works on. */
  taskId: string;
  /** The run. */
  runId: string;
  /**
   * Revision of the asker's aggregate: the run, or the action for an approval; rises with each change, so that a reader
   * can tell old news from new.
   */
  revision: number;
  /** The interaction. */
  interactionRef: string;
  /** Why, as a snake_case code. */
  code: string;
  /** Why, in words for people. */
  reason: string | null;
  /** Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number. */
  attempt: number;
}

export type RecordName =
  | 'ActionStateChanged'
  | 'AmendRun'
  | 'AnswerAdopted'
  | 'AskReceipt'
  | 'ContentPurged'
  | 'ControlRun'
  | 'DocumentConflicted'
  | 'FenceAcknowledged'
  | 'InteractionChanged'
  | 'MessageDecided'
  | 'MessageStored'
  | 'MessageSubmitted'
  | 'ObserveRun'
  | 'ProposalDecided'
  | 'ProposeEffect'
  | 'PublishReport'
  | 'RaiseFence'
  | 'ReceiptAnswered'
  | 'ReceiptIssued'
  | 'ReportPublished'
  | 'RequestInteraction'
  | 'RunStateChanged'
  | 'StartRun'
  | 'SubmitClarification'
  | 'SupersedeVersion'
  | 'TurnCommitted'
  | 'VersionSuperseded'
  | 'WithdrawInteraction';

export interface RecordByName {
  ActionStateChanged: ActionStateChanged;
  AmendRun: AmendRun;
  AnswerAdopted: AnswerAdopted;
  AskReceipt: AskReceipt;
  ContentPurged: ContentPurged;
  ControlRun: ControlRun;
  DocumentConflicted: DocumentConflicted;
  FenceAcknowledged: FenceAcknowledged;
  InteractionChanged: InteractionChanged;
  MessageDecided: MessageDecided;
  MessageStored: MessageStored;
  MessageSubmitted: MessageSubmitted;
  ObserveRun: ObserveRun;
  ProposalDecided: ProposalDecided;
  ProposeEffect: ProposeEffect;
  PublishReport: PublishReport;
  RaiseFence: RaiseFence;
  ReceiptAnswered: ReceiptAnswered;
  ReceiptIssued: ReceiptIssued;
  ReportPublished: ReportPublished;
  RequestInteraction: RequestInteraction;
  RunStateChanged: RunStateChanged;
  StartRun: StartRun;
  SubmitClarification: SubmitClarification;
  SupersedeVersion: SupersedeVersion;
  TurnCommitted: TurnCommitted;
  VersionSuperseded: VersionSuperseded;
  WithdrawInteraction: WithdrawInteraction;
}

/** The schemas as they are registered, so that nothing reads a file at run time. */
export const schemaText: Readonly<Record<RecordName, string>> = {
  ActionStateChanged:
    '{"type":"record","name":"ActionStateChanged","namespace":"fairlead","doc":"An action as it stands after a change.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the action; rises with each change, so that a reader can tell old news from new."},{"name":"actionKey","type":"string","doc":"The action: connector, operation, subject and proposal number, joined by colons."},{"name":"connector","type":"string","doc":"Name of the configured connector.","default":""},{"name":"operation","type":"string","doc":"Name of the connector\'s operation.","default":""},{"name":"subject","type":"string","doc":"What the effect is about; one effect per connector, operation and subject.","default":""},{"name":"actionRevision","type":"int","doc":"Revision of the proposal that an approval is bound to.","default":0},{"name":"proposalId","type":"string","doc":"The proposal that made the action.","default":""},{"name":"requirementsVersion","type":"int","doc":"The requirements version it was proposed for, from 1.","default":0},{"name":"state","type":"string","doc":"One of the documented action states.","default":""},{"name":"code","type":["null","string"],"doc":"Why it is in that state, as a snake_case code.","default":null},{"name":"attempts","type":"int","doc":"Attempts so far.","default":0},{"name":"requestSha256","type":"string","doc":"SHA-256 of the sealed request, lower-case hex.","default":""},{"name":"interactionRef","type":["null","string"],"doc":"The approval it needs.","default":null},{"name":"previewSha256","type":["null","string"],"doc":"SHA-256 of the preview, lower-case hex.","default":null},{"name":"receipt","type":["null",{"type":"record","name":"ActionReceipt","doc":"The evidence that settled an action.","fields":[{"name":"by","type":"string","doc":"Where it came from: response, query, callback or attestation.","default":""},{"name":"status","type":["null","int"],"doc":"HTTP status it came with.","default":null},{"name":"body","type":["null","string"],"doc":"What the remote or the operator said, cut to a bounded length.","default":null},{"name":"at","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When it was recorded.","default":0}]}],"doc":"The evidence that settled it; null until there is some.","default":null},{"name":"unsettled","type":"boolean","doc":"True while an attempt may have had an effect that is not confirmed either way.","default":false}]}',
  AmendRun:
    '{"type":"record","name":"AmendRun","namespace":"fairlead","doc":"Asks the executor to change what a run is required to do.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"messageId","type":"string","doc":"The stored message, derived from its identity."},{"name":"clientMessageId","type":"string","doc":"The id the client gave the message."},{"name":"targetRunId","type":"string","doc":"The run to be amended; derived from the identity of its first message where the client named that."},{"name":"targetMessageId","type":["null","string"],"doc":"The message that started the run, where the client named that instead.","default":null},{"name":"expectedVersion","type":"int","doc":"The requirements version the user saw, from 1.","default":0},{"name":"amendKind","type":{"type":"enum","name":"AmendmentKind","doc":"Whether an amendment adds to the requirements in force or clears them.","symbols":["supplement","replace","UNKNOWN"],"default":"UNKNOWN"},"doc":"How the requirements change.","default":"supplement"},{"name":"content","type":"string","doc":"The user\'s own words, byte for byte; at most 256 KiB of UTF-8.","default":""},{"name":"contentSha256","type":"string","doc":"SHA-256 of the content\'s UTF-8 bytes, lower-case hex.","default":""},{"name":"requirements","type":["null","string"],"doc":"Merge patch (RFC 7396) for the structured requirements, as text.","default":null},{"name":"receivedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When admission stored the message, by admission\'s database clock.","default":0},{"name":"runId","type":"string","doc":"The id a follow-up run would get, derived from the identity of the message.","default":""},{"name":"taskId","type":"string","doc":"The id the task of a follow-up run would get.","default":""},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  AnswerAdopted:
    '{"type":"record","name":"AnswerAdopted","namespace":"fairlead","doc":"An answer took effect, or never will. Sent by the question\'s or permission\'s adopter, the executor, and by the approval\'s, the ledger.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run, or of the action for an approval; rises with each change, so that a reader can tell old news from new."},{"name":"interactionRef","type":"string","doc":"The interaction that was answered."},{"name":"requestRevision","type":"int","doc":"The revision that was answered, from 1.","default":0},{"name":"status","type":"string","doc":"Either adopted or void.","default":""},{"name":"reason","type":["null","string"],"doc":"Why it is void.","default":null},{"name":"turn","type":["null","int"],"doc":"The turn whose sealed input carried the answer, from 1; null for an approval.","default":null},{"name":"inputSha256","type":["null","string"],"doc":"SHA-256 of that sealed input, lower-case hex.","default":null},{"name":"attempt","type":["null","int"],"doc":"The attempt that used the approval, from 1; null for the other kinds.","default":null},{"name":"actionKey","type":["null","string"],"doc":"The action that was approved.","default":null}]}',
  AskReceipt:
    '{"type":"record","name":"AskReceipt","namespace":"fairlead","doc":"Asks a receipt-query consumer to ask the remote once what happened to an action. Keyed by actionKey.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"actionKey","type":"string","doc":"The action; also the record key."},{"name":"connector","type":"string","doc":"Name of the configured connector.","default":""},{"name":"operation","type":"string","doc":"Name of the connector\'s operation.","default":""},{"name":"subject","type":"string","doc":"What the effect is about; one effect per connector, operation and subject.","default":""},{"name":"query","type":"int","doc":"Number of the query about this action, from 1."},{"name":"askedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the ledger asked.","default":0},{"name":"askBefore","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the remote must not be asked any more, because the ledger counts on the answer no longer.","default":0}]}',
  ContentPurged:
    '{"type":"record","name":"ContentPurged","namespace":"fairlead","doc":"Words and bytes were removed for good and everybody who holds some of them removes them as well; identities, hashes, states and versions stay.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The app that the run or the message came by; for a whole conversation the operator\'s."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":["null","string"],"doc":"The business goal of the run, where it is about a run.","default":null},{"name":"runId","type":["null","string"],"doc":"The ended run whose content goes; null where it is about something else.","default":null},{"name":"messageId","type":["null","string"],"doc":"The decided message whose words go; with neither a run nor a message it is about all messages of the conversation.","default":null},{"name":"revision","type":"int","doc":"Revision of the run, message or conversation by which it was decided."},{"name":"reason","type":"string","doc":"`age` or `request`.","default":""},{"name":"before","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"What came after this instant is not meant.","default":0},{"name":"documents","type":{"type":"array","items":"string"},"doc":"Documents that the run has written.","default":[]}]}',
  ControlRun:
    '{"type":"record","name":"ControlRun","namespace":"fairlead","doc":"Asks the executor to pause, resume or cancel a run.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"messageId","type":"string","doc":"The stored message, derived from its identity."},{"name":"clientMessageId","type":"string","doc":"The id the client gave the message."},{"name":"targetRunId","type":"string","doc":"The run; derived from the identity of its first message where the client named that."},{"name":"control","type":{"type":"enum","name":"ControlVerb","doc":"A verb aimed at a run; progress is answered by admission.","symbols":["pause","resume","cancel","UNKNOWN"],"default":"UNKNOWN"},"doc":"What is asked for.","default":"UNKNOWN"},{"name":"receivedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When admission stored the message, by admission\'s database clock.","default":0},{"name":"namedByMessage","type":"boolean","doc":"True when the client named the run by its first message, so that the run may not exist yet.","default":false},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  DocumentConflicted:
    '{"type":"record","name":"DocumentConflicted","namespace":"fairlead","doc":"Two runs wrote one document from the same base; both texts are kept until somebody integrates them.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the document; rises with each change, so that a reader can tell old news from new."},{"name":"documentId","type":"string","doc":"The document."},{"name":"version","type":"int","doc":"Requirements version of the second report, from 1.","default":0},{"name":"seq","type":"int","doc":"Its number within the version, from 1.","default":0},{"name":"sha256","type":"string","doc":"SHA-256 of the second text, lower-case hex.","default":""},{"name":"conflictsWith","type":"string","doc":"SHA-256 of the text that came first, lower-case hex.","default":""},{"name":"basedOn","type":["null","string"],"doc":"SHA-256 of the version the second text was written from, lower-case hex.","default":null}]}',
  FenceAcknowledged:
    '{"type":"record","name":"FenceAcknowledged","namespace":"fairlead","doc":"The fence stands: nothing older starts from here on.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run\'s fence row; rises with each change, so that a reader can tell old news from new."},{"name":"number","type":"int","doc":"Number of the fence that stands now."},{"name":"minVersion","type":"int","doc":"Oldest requirements version whose actions may still start.","default":0},{"name":"mode","type":{"type":"enum","name":"FenceMode","doc":"Whether attempts may start: all from minVersion on, none for now, none ever again.","symbols":["open","hold","closed","UNKNOWN"],"default":"UNKNOWN"},"doc":"Whether attempts may start.","default":"UNKNOWN"},{"name":"inFlight","type":{"type":"array","items":"string"},"doc":"Action keys that were being sent when it was raised.","default":[]},{"name":"unknown","type":{"type":"array","items":"string"},"doc":"Action keys whose outcome was not known then.","default":[]},{"name":"withdrawn","type":{"type":"array","items":"string"},"doc":"Action keys withdrawn by it.","default":[]}]}',
  InteractionChanged:
    '{"type":"record","name":"InteractionChanged","namespace":"fairlead","doc":"An interaction as it stands after a change: published, seen, answered and adopted are four facts with four times.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the interaction; rises with each change, so that a reader can tell old news from new."},{"name":"rootRunId","type":"string","doc":"The run at the top of the tree.","default":""},{"name":"owner","type":"string","doc":"The service that asked and adopts: run-executor or effect-ledger.","default":""},{"name":"interactionRef","type":"string","doc":"The interaction."},{"name":"requestRevision","type":"int","doc":"Current revision of the request, from 1.","default":1},{"name":"kind","type":{"type":"enum","name":"InteractionKind","doc":"What is asked for; each kind has its own adopter.","symbols":["question","permission","approval","UNKNOWN"],"default":"UNKNOWN"},"doc":"What is asked for.","default":"UNKNOWN"},{"name":"mode","type":{"type":"enum","name":"InteractionMode","doc":"Whether the run goes on meanwhile or parks.","symbols":["non_blocking","blocking","UNKNOWN"],"default":"UNKNOWN"},"doc":"Whether the run goes on meanwhile.","default":"non_blocking"},{"name":"state","type":{"type":"enum","name":"InteractionState","doc":"Where an interaction stands.","symbols":["open","answered","closed","UNKNOWN"],"default":"UNKNOWN"},"doc":"Where the interaction stands.","default":"UNKNOWN"},{"name":"code","type":["null","string"],"doc":"Why it is closed, as a snake_case code.","default":null},{"name":"requirementsVersion","type":"int","doc":"The requirements version under which it was asked, from 1.","default":0},{"name":"turn","type":["null","int"],"doc":"The turn that asked, from 1.","default":null},{"name":"questionId","type":["null","string"],"doc":"The agent\'s own name for the question.","default":null},{"name":"actionKey","type":["null","string"],"doc":"The action that an approval is bound to.","default":null},{"name":"recipientKind","type":{"type":"enum","name":"RecipientKind","doc":"Whether a request goes to one account or to whoever of a role claims it.","symbols":["account","role","UNKNOWN"],"default":"UNKNOWN"},"doc":"Whether the recipient is an account or a role.","default":"UNKNOWN"},{"name":"recipient","type":"string","doc":"Name of the account or the role.","default":""},{"name":"claimedBy","type":["null","string"],"doc":"The account that claimed a request sent to a role.","default":null},{"name":"question","type":"string","doc":"What the person reads.","default":""},{"name":"choices","type":{"type":"array","items":{"type":"record","name":"Choice","doc":"One answer a person can pick.","fields":[{"name":"id","type":"string","doc":"What the answer carries.","default":""},{"name":"label","type":"string","doc":"What the person reads.","default":""}]}},"doc":"The answers to pick from; empty when the answer is free text or a value.","default":[]},{"name":"expiresAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When an answer comes too late; null means never.","default":null},{"name":"publishedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the request could first be read.","default":0},{"name":"seenAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the recipient saw it first.","default":null},{"name":"answeredAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the answer was stored.","default":null},{"name":"adoptedAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the answer took effect.","default":null},{"name":"adoption","type":["null",{"type":"record","name":"Adoption","doc":"Whether an answer or an update has taken effect.","fields":[{"name":"status","type":"string","doc":"One of pending, adopted or void.","default":""},{"name":"reason","type":["null","string"],"doc":"Why it is void.","default":null},{"name":"runId","type":["null","string"],"doc":"The run that adopted it.","default":null},{"name":"turn","type":["null","int"],"doc":"The turn whose sealed input carried it, from 1.","default":null},{"name":"inputSha256","type":["null","string"],"doc":"SHA-256 of that sealed input, lower-case hex.","default":null}]}],"doc":"Whether the answer has taken effect; null until there is one.","default":null},{"name":"response","type":["null",{"type":"record","name":"Response","doc":"The answer of a person.","fields":[{"name":"responseId","type":"string","doc":"Id of the answer.","default":""},{"name":"clientResponseId","type":"string","doc":"The id the client gave the answer; for a chat message, its clientMessageId.","default":""},{"name":"text","type":["null","string"],"doc":"The person\'s own words.","default":null},{"name":"choice","type":["null","string"],"doc":"Id of the choice picked.","default":null},{"name":"value","type":["null","string"],"doc":"The structured answer, JSON text.","default":null},{"name":"decision","type":["null","string"],"doc":"approve or deny, for a permission or an approval.","default":null},{"name":"respondedBy","type":"string","doc":"The account that answered.","default":""},{"name":"late","type":"boolean","doc":"True when the run had already ended: kept, wakes nothing.","default":false},{"name":"previewSha256","type":["null","string"],"doc":"SHA-256 of the preview the approver saw, lower-case hex.","default":null}]}],"doc":"The answer; null until there is one.","default":null},{"name":"reminders","type":"int","doc":"Reminders of this revision so far.","default":0},{"name":"remindedAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When its recipient was last reminded.","default":null},{"name":"escalatedTo","type":["null","string"],"doc":"Who may answer as well since nobody did in time: an account, or `role:` and the name of a role.","default":null},{"name":"escalatedAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"Since when.","default":null}]}',
  MessageDecided:
    '{"type":"record","name":"MessageDecided","namespace":"fairlead","doc":"The owner of the target decided what becomes of a message; admission turns it into a receipt.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"messageId","type":"string","doc":"The stored message, derived from its identity."},{"name":"clientMessageId","type":"string","doc":"The id the client gave the message."},{"name":"revision","type":"int","doc":"Revision of the decision about this message; rises with each change."},{"name":"status","type":"string","doc":"The receipt status that follows.","default":""},{"name":"runId","type":["null","string"],"doc":"The run that was started or created.","default":null},{"name":"taskId","type":["null","string"],"doc":"The task of that run.","default":null},{"name":"targetRunId","type":["null","string"],"doc":"The run the message was aimed at.","default":null},{"name":"parentRunId","type":["null","string"],"doc":"The run whose context the new run may read.","default":null},{"name":"continuationOfRunId","type":["null","string"],"doc":"The ended run that the new run continues.","default":null},{"name":"requirementsVersion","type":["null","int"],"doc":"The effective requirements version after the decision, from 1.","default":null},{"name":"effectiveRequirements","type":["null",{"type":"record","name":"EffectiveRequirements","doc":"Everything the user currently wants of a run: the whole set, never a difference.","fields":[{"name":"texts","type":{"type":"array","items":{"type":"record","name":"RequirementText","doc":"One text that is in force.","fields":[{"name":"version","type":"int","doc":"The requirements version that brought the text, from 1.","default":0},{"name":"text","type":"string","doc":"The user\'s words.","default":""}]}},"doc":"The texts in force, oldest first.","default":[]},{"name":"structured","type":"string","doc":"The merged structured requirements, a JSON object as text.","default":"{ }"}]}],"doc":"The whole effective set of that version.","default":null},{"name":"interactionRef","type":["null","string"],"doc":"The question the message answers.","default":null},{"name":"requestRevision","type":["null","int"],"doc":"The current revision of that question, from 1.","default":null},{"name":"adoption","type":["null",{"type":"record","name":"Adoption","doc":"Whether an answer or an update has taken effect.","fields":[{"name":"status","type":"string","doc":"One of pending, adopted or void.","default":""},{"name":"reason","type":["null","string"],"doc":"Why it is void.","default":null},{"name":"runId","type":["null","string"],"doc":"The run that adopted it.","default":null},{"name":"turn","type":["null","int"],"doc":"The turn whose sealed input carried it, from 1.","default":null},{"name":"inputSha256","type":["null","string"],"doc":"SHA-256 of that sealed input, lower-case hex.","default":null}]}],"doc":"Whether the answer or update has taken effect.","default":null},{"name":"result","type":["null",{"type":"record","name":"RunResult","doc":"How a run ended.","fields":[{"name":"state","type":"string","doc":"The terminal state.","default":""},{"name":"cause","type":["null","string"],"doc":"Why it ended so, where the state alone does not say it.","default":null},{"name":"version","type":["null","int"],"doc":"Requirements version of its current report.","default":null},{"name":"sha256","type":["null","string"],"doc":"SHA-256 of that report, lower-case hex.","default":null}]}],"doc":"How the run ended, where the decision depends on it.","default":null},{"name":"code","type":["null","string"],"doc":"Stable snake_case code of a refusal.","default":null},{"name":"field","type":["null","string"],"doc":"The field that is wrong.","default":null},{"name":"detail","type":["null","string"],"doc":"A sentence or a value that explains the code.","default":null},{"name":"candidates","type":{"type":"array","items":{"type":"record","name":"Candidate","doc":"Something the message could have meant, offered when it named no target.","fields":[{"name":"runId","type":"string","doc":"An active run of the conversation.","default":""},{"name":"taskId","type":"string","doc":"Its task.","default":""},{"name":"title","type":["null","string"],"doc":"Its title, for people.","default":null},{"name":"state","type":"string","doc":"Its state when the candidates were listed.","default":""},{"name":"requirementsVersion","type":"int","doc":"Its requirements version, to be used as expectedVersion.","default":0},{"name":"interactionRef","type":["null","string"],"doc":"An open question of that run.","default":null},{"name":"requestRevision","type":["null","int"],"doc":"Current revision of that question, from 1.","default":null}]}},"doc":"What the message could have meant instead.","default":[]}]}',
  MessageStored:
    '{"type":"record","name":"MessageStored","namespace":"fairlead","doc":"A message was admitted; carries the content, for the timeline only.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"messageId","type":"string","doc":"The stored message, derived from its identity."},{"name":"clientMessageId","type":"string","doc":"The id the client gave the message."},{"name":"relation","type":"string","doc":"The relation as resolved, lower case.","default":""},{"name":"content","type":"string","doc":"The user\'s own words, byte for byte; at most 256 KiB of UTF-8.","default":""},{"name":"contentSha256","type":"string","doc":"SHA-256 of the content\'s UTF-8 bytes, lower-case hex.","default":""},{"name":"title","type":["null","string"],"doc":"A short title, for people.","default":null},{"name":"targetRunId","type":["null","string"],"doc":"The run it is aimed at.","default":null},{"name":"receivedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When admission stored the message, by admission\'s database clock.","default":0},{"name":"revision","type":"int","doc":"Revision of the stored message.","default":0}]}',
  MessageSubmitted:
    '{"type":"record","name":"MessageSubmitted","namespace":"fairlead","doc":"One submission intent of a user, as an upstream app hands it in. Tenant and app come from the topic\'s binding or the token, never from here.","fields":[{"name":"eventId","type":"string","doc":"Id of this record; echoed in the receipt as requestEventId, not used to tell duplicates."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the user submitted it, by the producer\'s clock; informational."},{"name":"conversationId","type":"string","doc":"1 to 128 characters of A-Z, a-z, 0-9, dot, underscore, colon, hyphen; not \\".\\" or \\"..\\"."},{"name":"clientMessageId","type":"string","doc":"Same characters and length. With tenant, app and account it is the identity of the message for ever, whatever the conversation or the channel."},{"name":"content","type":"string","doc":"The user\'s own words, up to 256 KiB of UTF-8, kept byte for byte; may be empty for CONTROL and ENTITY_EVENT."},{"name":"account","type":["null","string"],"doc":"The end user, where the binding lets the app assert it: required there, ignored where a token names the account.","default":null},{"name":"relation","type":{"type":"enum","name":"Relation","doc":"How a message relates to the work of its conversation; never guessed from the wording.","symbols":["UNSPECIFIED","NEW_TASK","FOLLOW_UP","CLARIFICATION","CONTINUE","AMEND","OBSERVE","CONTROL","ENTITY_EVENT","UNKNOWN"],"default":"UNKNOWN"},"doc":"How the message relates to existing work; UNKNOWN, the reading of a symbol of a newer producer, is refused.","default":"UNSPECIFIED"},{"name":"targetRunId","type":["null","string"],"doc":"The run the message is aimed at, of this conversation.","default":null},{"name":"targetClientMessageId","type":["null","string"],"doc":"The same run, named by the message that started it or, for a cancel, will start it.","default":null},{"name":"expectedVersion","type":["null","int"],"doc":"The requirements version the user saw, from 1; an amendment based on an older one is refused.","default":null},{"name":"amendKind","type":["null",{"type":"enum","name":"AmendKind","doc":"Whether an amendment adds to the requirements in force or clears them.","symbols":["SUPPLEMENT","REPLACE","UNKNOWN"],"default":"UNKNOWN"}],"doc":"How an amendment changes the requirements; null means supplement.","default":null},{"name":"continuationOfRunId","type":["null","string"],"doc":"The ended run to be continued by a new one.","default":null},{"name":"parentRunId","type":["null","string"],"doc":"The run whose context a follow-up may read.","default":null},{"name":"interactionRef","type":["null","string"],"doc":"The question that is answered.","default":null},{"name":"requestRevision","type":["null","int"],"doc":"The revision of that question the user saw, from 1.","default":null},{"name":"control","type":["null",{"type":"enum","name":"Control","doc":"A verb aimed at a run.","symbols":["PROGRESS","PAUSE","RESUME","CANCEL","UNKNOWN"],"default":"UNKNOWN"}],"doc":"What a control message asks for.","default":null},{"name":"mode","type":["null",{"type":"enum","name":"Mode","doc":"Whether a new task waits for the earlier runs of its conversation.","symbols":["QUEUE","PARALLEL","UNKNOWN"],"default":"UNKNOWN"}],"doc":"Whether a new task waits its turn; null means queue.","default":null},{"name":"dependsOnRunId","type":["null","string"],"doc":"A run whose published report a new task waits for.","default":null},{"name":"entityType","type":["null","string"],"doc":"Type of the business entity concerned; comes with entityId.","default":null},{"name":"entityId","type":["null","string"],"doc":"Id of that entity.","default":null},{"name":"eventKind","type":["null","string"],"doc":"What happened to the entity, for an entity event.","default":null},{"name":"eventAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When it happened, by the entity\'s own system.","default":null},{"name":"correlationId","type":["null","string"],"doc":"Ties events of one occurrence together; events with the same one join the same run.","default":null},{"name":"agent","type":["null","string"],"doc":"Which configured agent works on it; null means the tenant\'s default.","default":null},{"name":"title","type":["null","string"],"doc":"A short title, for people.","default":null},{"name":"priority","type":["null","int"],"doc":"0 to 9, 9 first; null means 5.","default":null},{"name":"scheduled","type":"boolean","doc":"True for a run that nobody watches: it never parks for a person.","default":false},{"name":"requirements","type":["null","string"],"doc":"Structured requirements, a JSON object as text; in an amendment a merge patch (RFC 7396).","default":null}]}',
  ObserveRun:
    '{"type":"record","name":"ObserveRun","namespace":"fairlead","doc":"Hands a run something to take notice of; makes no new requirements version.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"messageId","type":"string","doc":"The stored message, derived from its identity."},{"name":"clientMessageId","type":"string","doc":"The id the client gave the message."},{"name":"targetRunId","type":"string","doc":"The run that shall take notice; derived from the identity of its first message where the client named that."},{"name":"kind","type":{"type":"enum","name":"ObservationKind","doc":"Whether a person or a system noticed it.","symbols":["observation","entity_event","UNKNOWN"],"default":"UNKNOWN"},"doc":"Whether it is a remark of the user or an event of an entity.","default":"UNKNOWN"},{"name":"content","type":"string","doc":"The user\'s own words, byte for byte; at most 256 KiB of UTF-8.","default":""},{"name":"contentSha256","type":"string","doc":"SHA-256 of the content\'s UTF-8 bytes, lower-case hex.","default":""},{"name":"receivedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When admission stored the message, by admission\'s database clock.","default":0},{"name":"eventKind","type":["null","string"],"doc":"What happened to the entity.","default":null},{"name":"eventAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When it happened, by the entity\'s own system.","default":null},{"name":"correlationId","type":["null","string"],"doc":"Ties events of one occurrence together.","default":null},{"name":"entityType","type":["null","string"],"doc":"Type of the business entity concerned; comes with entityId.","default":null},{"name":"entityId","type":["null","string"],"doc":"Id of that entity.","default":null},{"name":"confirmed","type":"boolean","doc":"False when the event was matched by entity and time only and still has to be asked about.","default":true},{"name":"runId","type":"string","doc":"The id a run of its own would get, derived from the identity of the message.","default":""},{"name":"taskId","type":"string","doc":"The id the task of such a run would get.","default":""},{"name":"agent","type":["null","string"],"doc":"The agent of a run of its own; null means the one configured for the entity\'s events, else the tenant\'s default.","default":null},{"name":"priority","type":["null","int"],"doc":"Priority of such a run, 0 to 9; null means the one configured for the entity\'s events.","default":null},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  ProposalDecided:
    '{"type":"record","name":"ProposalDecided","namespace":"fairlead","doc":"The ledger decided about a proposal.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run\'s fence row, which orders the answers to a run; rises with each change, so that a reader can tell old news from new."},{"name":"proposalId","type":"string","doc":"The proposal."},{"name":"status","type":{"type":"enum","name":"ProposalStatus","doc":"What became of a proposal: a new action, an earlier one, or none.","symbols":["accepted","existing","refused","UNKNOWN"],"default":"UNKNOWN"},"doc":"What became of it.","default":"UNKNOWN"},{"name":"actionKey","type":["null","string"],"doc":"The action that stands for it; the earlier one where that is why it was refused.","default":null},{"name":"state","type":["null","string"],"doc":"State of that action.","default":null},{"name":"code","type":["null","string"],"doc":"Stable snake_case code of a refusal.","default":null},{"name":"detail","type":["null","string"],"doc":"A sentence or a value that explains the code.","default":null},{"name":"requirementsVersion","type":"int","doc":"The requirements version of the proposal, from 1.","default":0}]}',
  ProposeEffect:
    '{"type":"record","name":"ProposeEffect","namespace":"fairlead","doc":"Proposes that something happen outside, once.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run; rises with each change, so that a reader can tell old news from new."},{"name":"rootRunId","type":"string","doc":"The run at the top of the tree.","default":""},{"name":"turn","type":"int","doc":"The turn that proposed it, from 1; 0 for a compensation by an operator.","default":0},{"name":"requirementsVersion","type":"int","doc":"The requirements version it is meant for, from 1; the fence is checked against it.","default":0},{"name":"proposalId","type":"string","doc":"The proposal, derived from the run, the turn and the agent\'s own id for it."},{"name":"connector","type":"string","doc":"Name of the configured connector.","default":""},{"name":"operation","type":"string","doc":"Name of the connector\'s operation.","default":""},{"name":"subject","type":"string","doc":"What the effect is about; one effect per connector, operation and subject.","default":""},{"name":"params","type":["null","string"],"doc":"Parameters, JSON text; sealed as RFC 8785 bytes.","default":null},{"name":"body","type":["null","string"],"doc":"Request body, sent byte for byte.","default":null},{"name":"note","type":["null","string"],"doc":"The agent\'s words to the approver, marked as such in the preview.","default":null},{"name":"approval","type":"boolean","doc":"True when the agent asks for an approval even where none is required.","default":false},{"name":"repeat","type":"boolean","doc":"True when an effect that already happened is meant to happen again; a person has to approve.","default":false},{"name":"grantFrom","type":["null","string"],"doc":"Where the grant that covers it comes from.","default":null},{"name":"grantUntil","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When that grant ends; null means with the run.","default":null},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  PublishReport:
    '{"type":"record","name":"PublishReport","namespace":"fairlead","doc":"Hands a report that passed the gate, or history that did not, to publication.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run; rises with each change, so that a reader can tell old news from new."},{"name":"version","type":"int","doc":"The requirements version the report answers, from 1."},{"name":"seq","type":"int","doc":"Its number within the version, from 1."},{"name":"status","type":"string","doc":"One of partial, final or late.","default":""},{"name":"body","type":"bytes","doc":"The exact bytes of the report.","default":""},{"name":"contentType","type":"string","doc":"Media type of the body.","default":""},{"name":"sha256","type":"string","doc":"SHA-256 of the body, lower-case hex.","default":""},{"name":"sources","type":"string","doc":"The results it cites, a JSON array as text.","default":"[]"},{"name":"actions","type":"string","doc":"The run\'s actions with their states at commit, a JSON array as text.","default":"[]"},{"name":"unsettledActions","type":{"type":"array","items":"string"},"doc":"Action keys whose outcome is not known.","default":[]},{"name":"document","type":["null","string"],"doc":"The document it writes; null when it writes none.","default":null},{"name":"basedOn","type":["null","string"],"doc":"SHA-256 of the document version it was written from, lower-case hex.","default":null},{"name":"turn","type":"int","doc":"The turn that produced it, from 1.","default":0},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  RaiseFence:
    '{"type":"record","name":"RaiseFence","namespace":"fairlead","doc":"Raises a run\'s fence: after its acknowledgement no older action starts.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run; rises with each change, so that a reader can tell old news from new."},{"name":"number","type":"int","doc":"The fence\'s number, from 1; a lower one than known changes nothing and is acknowledged again."},{"name":"minVersion","type":"int","doc":"Oldest requirements version whose actions may still start.","default":0},{"name":"mode","type":{"type":"enum","name":"FenceMode","doc":"Whether attempts may start: all from minVersion on, none for now, none ever again.","symbols":["open","hold","closed","UNKNOWN"],"default":"UNKNOWN"},"doc":"Whether attempts may start.","default":"UNKNOWN"},{"name":"reason","type":"string","doc":"Why it is raised, as a snake_case word.","default":""},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  ReceiptAnswered:
    '{"type":"record","name":"ReceiptAnswered","namespace":"fairlead","doc":"What the remote said about an action. Keyed by actionKey.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"actionKey","type":"string","doc":"The action; also the record key."},{"name":"connector","type":"string","doc":"Name of the configured connector.","default":""},{"name":"query","type":"int","doc":"Number of the query that is answered, from 1."},{"name":"outcome","type":{"type":"enum","name":"ReceiptOutcome","doc":"What a remote\'s authority says of an action.","symbols":["succeeded","failed","pending","absent","unreachable","UNKNOWN"],"default":"UNKNOWN"},"doc":"What the remote\'s authority says; absent alone proves nothing, the connector\'s contract does.","default":"UNKNOWN"},{"name":"httpStatus","type":["null","int"],"doc":"Status of the answer; null when there was none.","default":null},{"name":"body","type":["null","string"],"doc":"Body of the answer, cut to a bounded length.","default":null},{"name":"askedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the remote was asked.","default":0},{"name":"answeredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When it had answered or the try was given up.","default":0}]}',
  ReceiptIssued:
    '{"type":"record","name":"ReceiptIssued","namespace":"fairlead","doc":"What became of a submission. For one message the revision only rises; revision 0 and duplicates describe one submission and never replace a later receipt.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the receipt was issued, by admission\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user; empty when the submission named none that could be trusted."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"clientMessageId","type":"string","doc":"The id the client gave the message, echoed."},{"name":"requestEventId","type":["null","string"],"doc":"The submission\'s own event id; null when it came over HTTP.","default":null},{"name":"revision","type":"int","doc":"The receipt\'s revision; 0 when the message was not admitted.","default":0},{"name":"status","type":"string","doc":"Where the message stands, one of the documented receipt statuses.","default":""},{"name":"duplicate","type":"boolean","doc":"True when the submission repeats a message that is already stored.","default":false},{"name":"relation","type":["null","string"],"doc":"The relation as resolved at first, upper case; null when it could not be read.","default":null},{"name":"messageId","type":["null","string"],"doc":"The stored message; null when nothing was stored.","default":null},{"name":"runId","type":["null","string"],"doc":"The run that the message started or created.","default":null},{"name":"taskId","type":["null","string"],"doc":"The task of that run.","default":null},{"name":"targetRunId","type":["null","string"],"doc":"The run that the message was aimed at, as resolved.","default":null},{"name":"parentRunId","type":["null","string"],"doc":"The run whose context the new run may read.","default":null},{"name":"continuationOfRunId","type":["null","string"],"doc":"The ended run that the new run continues.","default":null},{"name":"requirementsVersion","type":["null","int"],"doc":"The effective requirements version after the decision, from 1.","default":null},{"name":"effectiveRequirements","type":["null",{"type":"record","name":"EffectiveRequirements","doc":"Everything the user currently wants of a run: the whole set, never a difference.","fields":[{"name":"texts","type":{"type":"array","items":{"type":"record","name":"RequirementText","doc":"One text that is in force.","fields":[{"name":"version","type":"int","doc":"The requirements version that brought the text, from 1.","default":0},{"name":"text","type":"string","doc":"The user\'s words.","default":""}]}},"doc":"The texts in force, oldest first.","default":[]},{"name":"structured","type":"string","doc":"The merged structured requirements, a JSON object as text.","default":"{ }"}]}],"doc":"The whole effective set of that version.","default":null},{"name":"interactionRef","type":["null","string"],"doc":"The question the message answers.","default":null},{"name":"adoption","type":["null",{"type":"record","name":"Adoption","doc":"Whether an answer or an update has taken effect.","fields":[{"name":"status","type":"string","doc":"One of pending, adopted or void.","default":""},{"name":"reason","type":["null","string"],"doc":"Why it is void.","default":null},{"name":"runId","type":["null","string"],"doc":"The run that adopted it.","default":null},{"name":"turn","type":["null","int"],"doc":"The turn whose sealed input carried it, from 1.","default":null},{"name":"inputSha256","type":["null","string"],"doc":"SHA-256 of that sealed input, lower-case hex.","default":null}]}],"doc":"Whether the answer or update has taken effect.","default":null},{"name":"progress","type":["null",{"type":"record","name":"Progress","doc":"How far a run is, as admission knows it; may be a little behind the run.","fields":[{"name":"state","type":"string","doc":"State of the run.","default":""},{"name":"waitingFor","type":"string","doc":"What the run waits for, a JSON array as text.","default":"[]"},{"name":"requirementsVersion","type":"int","doc":"Newest accepted requirements version, from 1.","default":0},{"name":"appliedVersion","type":"int","doc":"Newest version that a sealed turn input carried; 0 before the first.","default":0},{"name":"turns","type":"int","doc":"Committed turns so far.","default":0},{"name":"lastPublished","type":["null",{"type":"record","name":"ReportRef","doc":"Names one published report of a run.","fields":[{"name":"version","type":"int","doc":"The requirements version the report answers, from 1.","default":0},{"name":"seq","type":"int","doc":"Its number within the version, from 1.","default":0},{"name":"sha256","type":"string","doc":"SHA-256 of the report\'s bytes, lower-case hex.","default":""}]}],"doc":"The report published last; null when there is none yet.","default":null}]}],"doc":"How far the run is, for a progress request.","default":null},{"name":"result","type":["null",{"type":"record","name":"RunResult","doc":"How a run ended.","fields":[{"name":"state","type":"string","doc":"The terminal state.","default":""},{"name":"cause","type":["null","string"],"doc":"Why it ended so, where the state alone does not say it.","default":null},{"name":"version","type":["null","int"],"doc":"Requirements version of its current report.","default":null},{"name":"sha256","type":["null","string"],"doc":"SHA-256 of that report, lower-case hex.","default":null}]}],"doc":"How the run ended, where the answer depends on it.","default":null},{"name":"code","type":["null","string"],"doc":"Stable snake_case code of a refusal.","default":null},{"name":"field","type":["null","string"],"doc":"The field that is wrong.","default":null},{"name":"detail","type":["null","string"],"doc":"A sentence or a value that explains the code.","default":null},{"name":"candidates","type":{"type":"array","items":{"type":"record","name":"Candidate","doc":"Something the message could have meant, offered when it named no target.","fields":[{"name":"runId","type":"string","doc":"An active run of the conversation.","default":""},{"name":"taskId","type":"string","doc":"Its task.","default":""},{"name":"title","type":["null","string"],"doc":"Its title, for people.","default":null},{"name":"state","type":"string","doc":"Its state when the candidates were listed.","default":""},{"name":"requirementsVersion","type":"int","doc":"Its requirements version, to be used as expectedVersion.","default":0},{"name":"interactionRef","type":["null","string"],"doc":"An open question of that run.","default":null},{"name":"requestRevision","type":["null","int"],"doc":"Current revision of that question, from 1.","default":null}]}},"doc":"What the message could have meant, when it needs a target.","default":[]},{"name":"contentSha256","type":["null","string"],"doc":"SHA-256 of the content\'s UTF-8 bytes, lower-case hex; null when the content could not be read.","default":null}]}',
  ReportPublished:
    '{"type":"record","name":"ReportPublished","namespace":"fairlead","doc":"A report is durably stored. One that came too late is stored as history and is not current.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run\'s publication record; rises with each change, so that a reader can tell old news from new."},{"name":"version","type":"int","doc":"The requirements version the report answers, from 1."},{"name":"seq","type":"int","doc":"Its number within the version, from 1."},{"name":"reportStatus","type":"string","doc":"One of partial, final, superseded or late.","default":""},{"name":"sha256","type":"string","doc":"SHA-256 of the report\'s bytes, lower-case hex.","default":""},{"name":"contentType","type":"string","doc":"Media type of the report.","default":""},{"name":"sizeBytes","type":"int","doc":"Length of the report in bytes.","default":0},{"name":"current","type":"boolean","doc":"True when the pointer of the run names this report now; false means it was kept as history.","default":false},{"name":"sources","type":"string","doc":"The results it cites, a JSON array as text.","default":"[]"},{"name":"unsettledActions","type":{"type":"array","items":"string"},"doc":"Action keys whose outcome was not known at commit.","default":[]}]}',
  RequestInteraction:
    '{"type":"record","name":"RequestInteraction","namespace":"fairlead","doc":"Asks hil to put a question, permission request or approval before a person, or to revise it. Sent by the executor and, for approvals, the ledger.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the asker\'s aggregate: the run, or the action for an approval; rises with each change, so that a reader can tell old news from new."},{"name":"rootRunId","type":"string","doc":"The run at the top of the tree.","default":""},{"name":"messageId","type":["null","string"],"doc":"The message that led to it, where there is one.","default":null},{"name":"owner","type":"string","doc":"The service that asks and adopts: run-executor or effect-ledger.","default":""},{"name":"interactionRef","type":"string","doc":"The interaction, derived from what is asked."},{"name":"requestRevision","type":"int","doc":"Revision of the request, from 1; a higher one replaces an unanswered request.","default":1},{"name":"kind","type":{"type":"enum","name":"InteractionKind","doc":"What is asked for; each kind has its own adopter.","symbols":["question","permission","approval","UNKNOWN"],"default":"UNKNOWN"},"doc":"What is asked for.","default":"UNKNOWN"},{"name":"mode","type":{"type":"enum","name":"InteractionMode","doc":"Whether the run goes on meanwhile or parks.","symbols":["non_blocking","blocking","UNKNOWN"],"default":"UNKNOWN"},"doc":"Whether the run goes on meanwhile.","default":"non_blocking"},{"name":"requirementsVersion","type":"int","doc":"The requirements version under which it is asked, from 1.","default":0},{"name":"turn","type":["null","int"],"doc":"The turn that asked, from 1.","default":null},{"name":"questionId","type":["null","string"],"doc":"The agent\'s own name for the question.","default":null},{"name":"recipientKind","type":{"type":"enum","name":"RecipientKind","doc":"Whether a request goes to one account or to whoever of a role claims it.","symbols":["account","role","UNKNOWN"],"default":"UNKNOWN"},"doc":"Whether the recipient is an account or a role.","default":"UNKNOWN"},{"name":"recipient","type":"string","doc":"Name of the account or the role.","default":""},{"name":"question","type":"string","doc":"What the person reads.","default":""},{"name":"choices","type":{"type":"array","items":{"type":"record","name":"Choice","doc":"One answer a person can pick.","fields":[{"name":"id","type":"string","doc":"What the answer carries.","default":""},{"name":"label","type":"string","doc":"What the person reads.","default":""}]}},"doc":"The answers to pick from; empty when the answer is free text or a value.","default":[]},{"name":"schema","type":["null","string"],"doc":"JSON Schema 2020-12 that an answer value must satisfy, as text.","default":null},{"name":"defaultAnswer","type":["null","string"],"doc":"What the run goes on with until there is an answer, JSON text.","default":null},{"name":"grant","type":["null","string"],"doc":"The grant that a permission would give, a JSON object as text.","default":null},{"name":"expiresAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When an answer comes too late; null means never.","default":null},{"name":"remindAfterSec","type":["null","int"],"doc":"Seconds without an answer after which the person is reminded.","default":null},{"name":"escalateTo","type":["null","string"],"doc":"The role that gets the request when a reminder did not help.","default":null},{"name":"holdsReport","type":"boolean","doc":"True when the report gate waits for the answer.","default":false},{"name":"actionKey","type":["null","string"],"doc":"The action that an approval is bound to.","default":null},{"name":"requestSha256","type":["null","string"],"doc":"SHA-256 of the sealed request, lower-case hex, for an approval.","default":null},{"name":"preview","type":["null","bytes"],"doc":"The exact bytes shown to the approver, UTF-8 text.","default":null},{"name":"previewSha256","type":["null","string"],"doc":"SHA-256 of the preview, lower-case hex; the approval must name it.","default":null},{"name":"selfApproval","type":"string","doc":"Whether the requester may approve: allowed or forbidden.","default":"allowed"},{"name":"requestedBy","type":["null","string"],"doc":"Who asked for what is to be approved, where that is not the account; may not approve it where self-approval is forbidden.","default":null},{"name":"compensates","type":["null","string"],"doc":"The action that the one to be approved compensates; its approval may be given after the run ended.","default":null},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  RunStateChanged:
    '{"type":"record","name":"RunStateChanged","namespace":"fairlead","doc":"A run as it stands after a change: whole, so that the newest revision alone is enough.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run; rises with each change, so that a reader can tell old news from new."},{"name":"messageId","type":"string","doc":"The message that started the run.","default":""},{"name":"rootRunId","type":"string","doc":"The run at the top of the tree; the run itself when it is no child.","default":""},{"name":"parentRunId","type":["null","string"],"doc":"The parent of a child run, or the run whose context a follow-up may read.","default":null},{"name":"continuationOfRunId","type":["null","string"],"doc":"The ended run that this one continues.","default":null},{"name":"agent","type":"string","doc":"The configured agent that works on it.","default":""},{"name":"title","type":["null","string"],"doc":"A short title, for people.","default":null},{"name":"state","type":"string","doc":"One of the documented run states.","default":""},{"name":"cause","type":["null","string"],"doc":"Why the run ended so.","default":null},{"name":"waitingFor","type":"string","doc":"What the run waits for, a JSON array as text; never empty unless running or terminal.","default":"[]"},{"name":"requirementsVersion","type":"int","doc":"Newest accepted requirements version, from 1.","default":0},{"name":"appliedVersion","type":"int","doc":"Newest version that a sealed turn input carried; 0 before the first.","default":0},{"name":"turns","type":"int","doc":"Committed turns so far.","default":0},{"name":"turnsLeft","type":"int","doc":"Turns left in the budget.","default":0},{"name":"report","type":["null",{"type":"record","name":"ReportRef","doc":"Names one published report of a run.","fields":[{"name":"version","type":"int","doc":"The requirements version the report answers, from 1.","default":0},{"name":"seq","type":"int","doc":"Its number within the version, from 1.","default":0},{"name":"sha256","type":"string","doc":"SHA-256 of the report\'s bytes, lower-case hex.","default":""}]}],"doc":"The current report; null until one is published.","default":null},{"name":"unsettledActions","type":{"type":"array","items":"string"},"doc":"Action keys whose outcome is not known.","default":[]},{"name":"transition","type":["null","string"],"doc":"The transition record of a change of version or control, a JSON object as text.","default":null},{"name":"acceptsUpdates","type":"boolean","doc":"True while amendments and observations can still reach the run.","default":false},{"name":"startedAt","type":["null",{"type":"long","logicalType":"timestamp-millis"}],"doc":"When the first turn began; null while queued.","default":null}]}',
  StartRun:
    '{"type":"record","name":"StartRun","namespace":"fairlead","doc":"Asks the executor for a new run.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"messageId","type":"string","doc":"The stored message, derived from its identity."},{"name":"clientMessageId","type":"string","doc":"The id the client gave the message."},{"name":"runId","type":"string","doc":"The run to be made, derived from the identity of the message."},{"name":"taskId","type":"string","doc":"The task it belongs to; a continuation keeps the task of the run it continues."},{"name":"relation","type":"string","doc":"The resolved relation that asks for it, lower case.","default":""},{"name":"content","type":"string","doc":"The user\'s own words, byte for byte; at most 256 KiB of UTF-8.","default":""},{"name":"contentSha256","type":"string","doc":"SHA-256 of the content\'s UTF-8 bytes, lower-case hex.","default":""},{"name":"receivedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When admission stored the message, by admission\'s database clock.","default":0},{"name":"agent","type":["null","string"],"doc":"The configured agent; null means the tenant\'s default.","default":null},{"name":"title","type":["null","string"],"doc":"A short title, for people.","default":null},{"name":"priority","type":"int","doc":"0 to 9, 9 first.","default":5},{"name":"scheduled","type":"boolean","doc":"True for a run that never parks for a person.","default":false},{"name":"requirements","type":["null","string"],"doc":"Structured requirements, a JSON object as text.","default":null},{"name":"mode","type":{"type":"enum","name":"StartMode","doc":"Whether a new run waits for the earlier runs of its conversation.","symbols":["queue","parallel","UNKNOWN"],"default":"UNKNOWN"},"doc":"Whether the run waits its turn in the conversation.","default":"queue"},{"name":"dependsOnRunId","type":["null","string"],"doc":"The run whose published report this one waits for.","default":null},{"name":"parentRunId","type":["null","string"],"doc":"The run whose context this one may read; gives no right and carries no limit.","default":null},{"name":"continuationOfRunId","type":["null","string"],"doc":"The ended run that this one continues.","default":null},{"name":"parentFacts","type":["null",{"type":"record","name":"ParentFacts","doc":"What admission knew of the run to be continued, so that the executor can tell lag from contradiction.","fields":[{"name":"state","type":"string","doc":"State of the run.","default":""},{"name":"cause","type":["null","string"],"doc":"Why it ended so.","default":null},{"name":"stateRevision","type":"int","doc":"Revision of the run these facts belong to.","default":0},{"name":"requirementsVersion","type":"int","doc":"Its requirements version, from 1.","default":0},{"name":"reportSha256","type":["null","string"],"doc":"SHA-256 of its current report, lower-case hex.","default":null}]}],"doc":"The facts admission saw of the run to be continued; null for other relations.","default":null},{"name":"interactionRef","type":["null","string"],"doc":"A question of the continued run whose late answer comes along.","default":null},{"name":"requestRevision","type":["null","int"],"doc":"Revision of that question, from 1.","default":null},{"name":"entityType","type":["null","string"],"doc":"Type of the business entity concerned; comes with entityId.","default":null},{"name":"entityId","type":["null","string"],"doc":"Id of that entity.","default":null},{"name":"interruptRunId","type":["null","string"],"doc":"A run to be cancelled first; this one is held until that one is terminal.","default":null},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  SubmitClarification:
    '{"type":"record","name":"SubmitClarification","namespace":"fairlead","doc":"Carries a user\'s answer to an open question.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"messageId","type":"string","doc":"The stored message, derived from its identity."},{"name":"clientMessageId","type":"string","doc":"The id the client gave the message."},{"name":"interactionRef","type":"string","doc":"The question."},{"name":"requestRevision","type":"int","doc":"The revision the user saw, from 1.","default":0},{"name":"content","type":"string","doc":"The user\'s own words, byte for byte; at most 256 KiB of UTF-8.","default":""},{"name":"contentSha256","type":"string","doc":"SHA-256 of the content\'s UTF-8 bytes, lower-case hex.","default":""},{"name":"receivedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When admission stored the message, by admission\'s database clock.","default":0},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  SupersedeVersion:
    '{"type":"record","name":"SupersedeVersion","namespace":"fairlead","doc":"A newer requirements version was accepted: no report of an older one may become current.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run; rises with each change, so that a reader can tell old news from new."},{"name":"version","type":"int","doc":"The new version, from 2; everything below is superseded."},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
  TurnCommitted:
    '{"type":"record","name":"TurnCommitted","namespace":"fairlead","doc":"The outcome of one turn was accepted into the run\'s record.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run after the commit; rises with each change, so that a reader can tell old news from new."},{"name":"turn","type":"int","doc":"Number of the turn, from 1."},{"name":"attempts","type":"int","doc":"How often the agent was asked this turn.","default":0},{"name":"requirementsVersion","type":"int","doc":"The requirements version its sealed input carried, from 1.","default":0},{"name":"inputSha256","type":"string","doc":"SHA-256 of the sealed input, lower-case hex.","default":""},{"name":"outcome","type":"string","doc":"What the turn came to, in a snake_case word.","default":""},{"name":"toolCalls","type":{"type":"array","items":{"type":"record","name":"ToolCallRef","doc":"Names one tool call of a turn.","fields":[{"name":"callId","type":"string","doc":"Id of the call, unique in the run.","default":""},{"name":"tool","type":"string","doc":"Name of the configured tool.","default":""}]}},"doc":"The tool calls the turn asked for.","default":[]},{"name":"actions","type":{"type":"array","items":"string"},"doc":"Ids of the proposals handed to the effect ledger.","default":[]},{"name":"questions","type":{"type":"array","items":"string"},"doc":"References of the interactions it asked for.","default":[]},{"name":"understood","type":["null","string"],"doc":"The agent\'s own words about how it read the requirements.","default":null},{"name":"startedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the agent was asked at first.","default":0},{"name":"endedAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the outcome was committed.","default":0},{"name":"stale","type":"boolean","doc":"True when its requirements version was superseded while it ran.","default":false}]}',
  VersionSuperseded:
    '{"type":"record","name":"VersionSuperseded","namespace":"fairlead","doc":"Publication knows that older versions can no longer become current.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the run\'s publication record; rises with each change, so that a reader can tell old news from new."},{"name":"version","type":"int","doc":"The new version; everything below is superseded."}]}',
  WithdrawInteraction:
    '{"type":"record","name":"WithdrawInteraction","namespace":"fairlead","doc":"Takes a request back; an answer given before stays as it is.","fields":[{"name":"eventId","type":"string","doc":"Identifies this record; derived from the fact it reports, so that a replay carries the same id. Consumers drop what they have seen by it."},{"name":"occurredAt","type":{"type":"long","logicalType":"timestamp-millis"},"doc":"When the fact happened, by the owner\'s database clock."},{"name":"tenant","type":"string","doc":"The tenant, taken from the authenticated channel."},{"name":"app","type":"string","doc":"The upstream app that speaks for the account, taken from the authenticated channel."},{"name":"account","type":"string","doc":"The end user on whose behalf this happens."},{"name":"conversationId","type":"string","doc":"The conversation; also the record key of topics that are keyed by conversation."},{"name":"taskId","type":"string","doc":"The business goal the run works on."},{"name":"runId","type":"string","doc":"The run."},{"name":"revision","type":"int","doc":"Revision of the asker\'s aggregate: the run, or the action for an approval; rises with each change, so that a reader can tell old news from new."},{"name":"interactionRef","type":"string","doc":"The interaction."},{"name":"code","type":"string","doc":"Why, as a snake_case code.","default":""},{"name":"reason","type":["null","string"],"doc":"Why, in words for people.","default":null},{"name":"attempt","type":"int","doc":"Number of this try of the same request, from 1; the answerer decides by natural key, whatever the number.","default":1}]}',
};
