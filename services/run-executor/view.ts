import { allGrants } from './grants';
import { budgetView } from './transition';
import type { Run } from './state';
import type { Kept } from './turn-state';
import { waitingFor } from './waiting-for';

const at = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const continuationView = ({ continuation }: Run) =>
  continuation === undefined || continuation === null
    ? null
    : {
        ofRunId: continuation.ofRunId,
        originalSha256: continuation.originalSha256,
        grantsCut: continuation.grantsCut,
        parentCause: continuation.parentCause,
      };

const reportRef = ({ version, seq, sha256 }: NonNullable<Run['report']>) => ({ version, seq, sha256 });

/** `GET /v1/runs/{runId}`: the run as its owner holds it. `text` reads what is kept outside the document. */
export const runView = (run: Run, revision: number, text: (kept: Kept) => string | null) => ({
  runId: run.runId,
  taskId: run.taskId,
  conversationId: run.conversationId,
  tenant: run.tenant,
  account: run.account,
  agent: run.agent,
  title: run.title,
  messageId: run.messageId,
  state: run.status,
  waitingFor: waitingFor(run),
  cause: run.cause,
  detail: run.detail,
  stateRevision: revision,
  requirementsVersion: run.requirements.version,
  appliedVersion: run.appliedVersion,
  turns: run.turns,
  versions: run.requirements.history.map((entry) => ({
    version: entry.version,
    kind: entry.kind,
    text: text(entry.text),
    understood: entry.understood,
    receivedAt: at(entry.receivedAt),
    appliedAt: at(entry.appliedAt),
  })),
  effectiveRequirements: {
    texts: run.requirements.texts.map((one) => ({ version: one.version, text: text(one.text) })),
    structured: run.requirements.structured,
  },
  structured: run.requirements.structured,
  transitions: run.transitions.map(({ at: when, ...transition }) => ({ ...transition, at: at(when) })),
  steps: run.calls.map((call) => ({
    callId: call.callId,
    tool: call.tool,
    status: call.status,
    requirementsVersion: call.version,
    needsRecheck: call.needsRecheck,
    resultSha256: call.output?.sha256 ?? null,
  })),
  pendingUpdates: run.pending.map((update) => ({
    kind: update.kind,
    messageId: update.messageId,
    clientMessageId: update.clientMessageId,
    version: update.version,
    receivedAt: at(update.receivedAt),
  })),
  budget: budgetView(run),
  grants: {
    ...run.grants,
    given: allGrants(run).map((one) => ({ ...one, until: at(one.until) })),
  },
  actions: run.actions.map((action) => ({
    actionKey: action.actionKey,
    proposalId: action.proposalId,
    connector: action.connector,
    operation: action.operation,
    subject: action.subject,
    state: action.status,
    code: action.code,
    requirementsVersion: action.version,
  })),
  interactions: run.questions.map((question) => ({
    interactionRef: question.interactionRef,
    questionId: question.questionId,
    kind: question.kind,
    state: question.status,
    adoption: question.adoption,
    requirementsVersion: question.version,
  })),
  children: run.children.map((child) => ({
    childId: child.childId,
    runId: child.runId,
    agent: child.agent,
    state: child.state,
    requirementsVersion: child.version,
    needsRecheck: child.version < run.requirements.version,
    report: child.report === null ? null : reportRef(child.report),
  })),
  continuation: continuationView(run),
  unsettledActions: run.unsettledActions,
  lateSettlements: run.lateSettlements.map((one) => ({ ...one, at: at(one.at) })),
  report: run.report,
  lastPublished: run.lastPublished,
  leaseEpoch: run.epoch,
  parentRunId: run.parentRunId,
  rootRunId: run.rootRunId,
  continuationOfRunId: run.continuationOfRunId,
  enqueuedAt: at(run.enqueuedAt),
  startedAt: at(run.startedAt),
  endedAt: at(run.endedAt),
  purgedAt: at(run.purgedAt ?? null),
});

export const turnView = (row: import('./store').TurnRow) => {
  const doc = JSON.parse(row.doc) as {
    toolCalls: unknown[];
    actions: unknown[];
    asks: unknown[];
    understood: string | null;
    detail?: string | null;
  };
  return {
    number: row.number,
    attempts: row.attempts,
    requirementsVersion: row.requirements_version,
    inputSha256: row.input_sha256,
    toolCalls: doc.toolCalls,
    actions: doc.actions,
    asks: doc.asks,
    understood: doc.understood,
    outcome: row.outcome,
    detail: doc.detail ?? null,
    startedAt: row.started_at.toISOString(),
    endedAt: row.ended_at.toISOString(),
  };
};

/** The turn being asked right now, shown at the head of the journal. */
export const openTurnView = (run: Run) =>
  run.turn === null
    ? null
    : {
        number: run.turn.number,
        attempts: run.turn.attempt,
        requirementsVersion: run.turn.version,
        inputSha256: run.turn.inputSha256,
        toolCalls: [],
        actions: [],
        asks: [],
        understood: null,
        outcome: null,
        detail: null,
        startedAt: at(run.turn.sealedAt),
        endedAt: null,
      };
