import type { ParentFacts, StartRun } from '../../schemas/generated/records';
import { sha256Hex } from '../platform/canonical';
import type { View } from '../platform/decision';
import type { AgentSettings, Settings } from './settings';
import type { Grants } from './tree-state';
import { isTerminal, type Cause, type Continuation, type Run, type RunStatus } from './state';
import type { Kept } from './turn-state';

/**
 * Which ends can be continued (A11); the table of docs/run-executor.md. A `true` still needs a committed turn, a readable
 * original request and, where the run completed, its published report.
 */
export const continuableStates: Readonly<Record<RunStatus, boolean>> = {
  queued: false,
  running: false,
  waiting: false,
  parked: false,
  pausing: false,
  paused: false,
  cancelling: false,
  publishing: false,
  closing: false,
  completed: true,
  partial: true,
  interrupted: true,
  failed: false,
  cancelled: false,
};

/** Causes after which another run may do better; what failed by itself or was ended by a person stays ended. */
export const continuableCauses: Readonly<Record<Cause, boolean>> = {
  unsettled_actions: true,
  budget_turns: true,
  budget_cost: true,
  deadline: true,
  owner_lost: true,
  agent_timeout: true,
  agent_unreachable: true,
  agent_failed: false,
  malformed_output: false,
  no_progress: false,
  dependency_failed: false,
  defect: false,
  user: false,
  operator: false,
  interrupted_by_message: false,
};

export interface No {
  readonly code:
    | 'unknown_run'
    | 'not_continuable'
    | 'original_unverifiable'
    | 'parent_contradiction'
    | 'unknown_interaction'
    | 'old_revision';
  readonly field: string;
  readonly detail: string;
}

/** A kept text whose bytes are there and have the hash they were kept under; null = missing or altered. */
export const readKept = (view: View, kept: Kept): string | null => {
  const bytes = kept.inline === null ? view.blob(kept.ref) : Buffer.from(kept.inline);
  return bytes !== undefined && sha256Hex(bytes) === kept.sha256 ? bytes.toString('utf8') : null;
};

const field = 'continuationOfRunId';
const no = (code: No['code'], detail: string): No => ({ code, field, detail });

/**
 * What admission saw of the parent. Of an older revision it is lag and says nothing; otherwise it must be what the
 * executor itself holds, or one of the two records was altered and nothing may be built on it.
 */
const contradicts = (facts: ParentFacts | null, parent: Run, revision: number): boolean =>
  facts !== null &&
  facts.stateRevision >= (parent.toldRevision ?? revision) &&
  (facts.state !== parent.status ||
    facts.cause !== parent.cause ||
    facts.requirementsVersion !== parent.requirements.version ||
    facts.reportSha256 !== ((parent.report ?? parent.lastPublished)?.sha256 ?? null));

const originalReadable = (view: View, parent: Run): boolean =>
  parent.requirements.history.every((entry) => readKept(view, entry.text) !== null) &&
  // The requests of a chain were carried along by each of its runs.
  (parent.continuation === undefined ||
    parent.continuation === null ||
    (parent.materials !== undefined && parent.materials !== null && readKept(view, parent.materials) !== null));

const reportVerifies = (view: View, { report, published }: Run): boolean => {
  const one = published?.find(({ version, seq }) => version === report?.version && seq === report.seq);
  return one !== undefined && one.body.sha256 === report?.sha256 && readKept(view, one.body) !== null;
};

/** Whether the message may continue this run, by the executor's own record alone; null = yes (A11). */
export const reasonNotToContinue = (view: View, record: StartRun, parent: Run | undefined): No | null => {
  const own =
    parent !== undefined &&
    parent.tenant === record.tenant &&
    parent.account === record.account &&
    parent.conversationId === record.conversationId;
  if (!own) return no('unknown_run', 'no such run in this conversation');
  if (contradicts(record.parentFacts, parent, view.revision('run', parent.runId)))
    return no(
      'parent_contradiction',
      `what admission and the executor hold of the run at revision ${record.parentFacts?.stateRevision ?? 0} differs`,
    );
  if (parent.rootRunId !== parent.runId) return no('not_continuable', 'child: continue the run it belongs to');
  if (!isTerminal(parent.status) || !continuableStates[parent.status]) return no('not_continuable', parent.status);
  if (parent.cause !== null && !continuableCauses[parent.cause]) return no('not_continuable', parent.cause);
  if (parent.turns === 0) return no('not_continuable', `${parent.cause ?? parent.status}: no turn was committed`);
  if (!originalReadable(view, parent))
    return no('original_unverifiable', 'the original request cannot be read, or its hash is not the one on record');
  if (parent.status === 'completed' && !reportVerifies(view, parent))
    return no('not_continuable', 'completed: its published report cannot be verified');
  return lateAnswerIssue(record, parent);
};

const lateAnswerIssue = (record: StartRun, parent: Run): No | null => {
  if (record.interactionRef === null) return null;
  const question = parent.questions.find((one) => one.interactionRef === record.interactionRef);
  if (question === undefined || question.kind !== 'question')
    return {
      code: 'unknown_interaction',
      field: 'interactionRef',
      detail: 'the run to be continued asked no such question',
    };
  return question.revision === record.requestRevision
    ? null
    : { code: 'old_revision', field: 'requestRevision', detail: `the question is at revision ${question.revision}` };
};

type GrantKind = 'tools' | 'connectors' | 'sources';
const nameOf: Readonly<Record<GrantKind, string>> = { tools: 'tool', connectors: 'connector', sources: 'source' };

/** What a person allowed the parent beyond its agent's own list. */
const permitted = (parent: Run): ReadonlySet<string> =>
  new Set(
    parent.questions.flatMap((one) =>
      one.kind === 'permission' && one.answer?.decision === 'approve' && one.grant !== null ? [one.grant] : [],
    ),
  );

/**
 * The parent's grants, cut to today's ceiling and to what its agent may use today. Never more than the parent had:
 * its restrictions come whole. Consents were given once and stay behind; effects of an interrupted run too (A12).
 */
export const grantsOf = (
  parent: Run,
  agent: AgentSettings,
  ceiling: Grants,
): { readonly grants: Grants; readonly cut: readonly string[] } => {
  const allowed = permitted(parent);
  const cut = parent.grants.consents.map((name) => `consent:${name}`);
  const kept = (kind: GrantKind): string[] =>
    parent.grants[kind].filter((name) => {
      const grant = `${nameOf[kind]}:${name}`;
      const today = ceiling[kind].includes(name) && (agent.grants[kind].includes(name) || allowed.has(grant));
      const stays = today && !(kind === 'connectors' && parent.status === 'interrupted');
      if (!stays) cut.push(grant);
      return stays;
    });
  const grants: Grants = {
    tools: kept('tools'),
    connectors: kept('connectors'),
    sources: kept('sources'),
    consents: [],
  };
  return { grants, cut };
};

/** The first request of the chain is what every continuation goes back to. */
export const continuationOf = (record: StartRun, parent: Run, cut: readonly string[]): Continuation => ({
  ofRunId: parent.runId,
  originalSha256: parent.continuation?.originalSha256 ?? parent.requirements.history[0]?.text.sha256 ?? '',
  grantsCut: cut,
  parentCause: parent.cause,
  lateAnswerRef: record.interactionRef,
});

/** The message may name another agent; otherwise the parent's goes on, or the tenant's where that is gone. */
export const agentOf = (record: StartRun, parent: Run, settings: Settings): string =>
  record.agent ??
  (settings.agent(record.tenant, parent.agent) === undefined
    ? (settings.defaultAgent(record.tenant) ?? parent.agent)
    : parent.agent);
