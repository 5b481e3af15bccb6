import type { StartRun } from '../../schemas/generated/records';
import type { AnswerChild, Spawn } from '../../schemas/turn-protocol/output';
import { canonicalBytes, sha256Hex } from '../platform/canonical';
import { keep, type Draft } from './draft';
import type { Message } from './messages';
import { liveChildren } from './open-work';
import type { ChildState } from './tree-state';
import type { Grants } from './tree-state';
import type { Cause } from './state';
import { at } from './times';
import { changeTree, treeOf } from './tree';
import type { OpenTurn } from './turn-state';

const childRunIdOf = (runId: string, childId: string): string =>
  `run_${sha256Hex(canonicalBytes(['child', runId, childId])).slice(0, 26)}`;

const withheld = (draft: Draft, what: string, id: string, code: string): void =>
  void draft.run.changes.push({ kind: 'withheld', at: at(draft.context.now), what, ids: [id], code });

/** Why no child may be made now; null = it may. Depth and number are bounded, and the parent keeps a turn for itself. */
const refusalOf = (draft: Draft, one: Spawn): string | null => {
  const { run, settings } = draft;
  const bounds = settings.agent(run.tenant, run.agent)?.children;
  if (settings.agent(run.tenant, one.agent) === undefined) return 'unknown_agent';
  if (bounds === undefined || (run.spawned?.depth ?? 0) + 1 > bounds.depth) return 'children_depth';
  if (treeOf(draft).live.length >= bounds.live) return 'children_live';
  return run.budget.turnsLeft < 2 ? 'budget_turns' : null;
};

/** A child has at most what its parent has; consents never cross runs (R24). */
const cut = (own: Grants, parent: Grants): Grants => ({
  tools: own.tools.filter((name) => parent.tools.includes(name)),
  connectors: own.connectors.filter((name) => parent.connectors.includes(name)),
  sources: own.sources.filter((name) => parent.sources.includes(name)),
  consents: [],
});

/** Taken from the parent's; what a spawn does not name is at most half of what is left (R18). */
const lend = (draft: Draft, one: Spawn) => {
  const { run, context, settings } = draft;
  const own = settings.agent(run.tenant, one.agent)?.budget;
  const { turnsLeft, costLeft, hardDeadline } = run.budget;
  const turns = Math.min(
    one.budget?.turns ?? Math.min(own?.turns ?? turnsLeft, Math.floor(turnsLeft / 2)),
    turnsLeft - 1,
  );
  const wanted = one.budget?.cost ?? own?.cost ?? null;
  const cost =
    costLeft === null ? wanted : Math.min(wanted ?? costLeft, one.budget?.cost === undefined ? costLeft / 2 : costLeft);
  run.budget.turnsLeft -= turns;
  if (costLeft !== null && cost !== null) run.budget.costLeft = costLeft - cost;
  const deadlineMs = one.budget?.deadlineSec === undefined ? (own?.deadlineMs ?? 0) : one.budget.deadlineSec * 1_000;
  return { turns, cost, hardDeadline: Math.min(hardDeadline, context.now + deadlineMs) };
};

export const spawn = (draft: Draft, turn: OpenTurn, one: Spawn): void => {
  const { run, context, settings } = draft;
  if (run.children.some((known) => known.childId === one.childId)) return;
  const reason = refusalOf(draft, one);
  if (reason !== null) return withheld(draft, 'children', one.childId, reason);
  const runId = childRunIdOf(run.runId, one.childId);
  const own = settings.agent(run.tenant, one.agent);
  const text = keep(draft, one.text);
  const record: StartRun = {
    eventId: `${run.runId}/child/${one.childId}`,
    occurredAt: context.now,
    tenant: run.tenant,
    app: run.app,
    account: run.account,
    conversationId: run.conversationId,
    messageId: run.messageId,
    clientMessageId: '',
    runId,
    taskId: run.taskId,
    relation: 'child',
    content: one.text,
    contentSha256: text.sha256,
    receivedAt: context.now,
    agent: one.agent,
    title: run.title,
    priority: run.priority,
    scheduled: run.scheduled,
    requirements: null,
    mode: 'parallel',
    dependsOnRunId: null,
    parentRunId: run.runId,
    continuationOfRunId: null,
    parentFacts: null,
    interactionRef: null,
    requestRevision: null,
    entityType: one.entity?.type ?? run.entity?.type ?? null,
    entityId: one.entity?.id ?? run.entity?.id ?? null,
    interruptRunId: null,
    attempt: 1,
  };
  const budget = lend(draft, one);
  run.children.push({
    childId: one.childId,
    runId,
    agent: one.agent,
    version: turn.version,
    state: null,
    report: null,
    lent: { turns: budget.turns, cost: budget.cost },
    asks: [],
  });
  changeTree(draft, { live: [...treeOf(draft).live, runId] });
  draft.tells.push({
    type: 'start',
    record,
    child: {
      rootRunId: run.rootRunId,
      childId: one.childId,
      depth: (run.spawned?.depth ?? 0) + 1,
      version: turn.version,
      budget,
      grants: cut(own?.grants ?? { tools: [], connectors: [], sources: [], consents: [] }, run.grants),
    },
  });
};

const childOf = (draft: Draft, childId: string): ChildState | undefined =>
  draft.run.children.find((one) => one.childId === childId);

/** Ordinary questions only: a permission of a child goes to a person and never comes here (H9). */
export const answerChild = (draft: Draft, one: AnswerChild): void => {
  const child = childOf(draft, one.childId);
  const asked = child?.asks.find((known) => known.questionId === one.questionId && known.open);
  if (child === undefined || child.state !== null || asked === undefined)
    return withheld(draft, 'answerChildren', one.questionId, child?.state == null ? 'question_closed' : 'child_ended');
  if (one.choice !== undefined && !asked.choices.includes(one.choice))
    return withheld(draft, 'answerChildren', one.questionId, 'contract_violated');
  asked.open = false;
  draft.tells.push({
    type: 'parent_answers',
    runId: child.runId,
    questionId: one.questionId,
    answer:
      one.escalate === true
        ? null
        : {
            text: one.text ?? null,
            choice: one.choice ?? null,
            value: one.value === undefined ? null : JSON.stringify(one.value),
          },
  });
};

export const childAsks = (draft: Draft, message: Extract<Message, { type: 'child_asks' }>): void => {
  const child = childOf(draft, message.childId);
  const { questionId, question, choices } = message;
  if (child === undefined || child.state !== null || child.asks.some((one) => one.questionId === questionId)) return;
  child.asks.push({ questionId, choices, open: true });
  draft.run.changes.push({
    kind: 'child_asks',
    at: at(draft.context.now),
    childId: child.childId,
    questionId,
    question,
  });
};

/** What a child did not use comes back; an older version's result is marked, never taken for one of the newer (R21). */
export const childEnded = (draft: Draft, message: Extract<Message, { type: 'child_ended' }>): void => {
  const { run, context } = draft;
  const child = childOf(draft, message.childId);
  if (child === undefined || child.state !== null) return;
  // A result that is not of the run this child is: refused, and on record in the next input (R20).
  if (child.runId !== message.childRunId) return withheld(draft, 'child_result', message.childId, 'wrong_owner');
  const { report, state, unused } = message;
  child.version = message.version ?? child.version;
  child.state = state;
  child.report = report === null ? null : { ...report, body: keep(draft, report.body) };
  for (const asked of child.asks) asked.open = false;
  run.budget.turnsLeft += Math.min(unused.turns, child.lent.turns);
  if (run.budget.costLeft !== null) run.budget.costLeft += Math.min(unused.cost ?? 0, child.lent.cost ?? 0);
  // A child that never began was never below the root for anybody else to take out.
  const { live } = treeOf(draft);
  if (live.includes(child.runId)) changeTree(draft, { live: live.filter((runId) => runId !== child.runId) });
  run.changes.push({
    kind: 'child_ended',
    at: at(context.now),
    childId: child.childId,
    runId: child.runId,
    state,
    report: null,
    requirementsVersion: child.version,
    needsRecheck: child.version < run.requirements.version,
  });
};

/** Whoever ends, ends its descendants: each is fenced and ended before its parent is (R15, R23). */
export const endChildren = (draft: Draft, cause: Cause): void => {
  for (const child of liveChildren(draft.run)) draft.tells.push({ type: 'parent_ends', runId: child.runId, cause });
};

export const amendChildren = (
  draft: Draft,
  amendment: Omit<Extract<Message, { type: 'parent_amended' }>, 'type' | 'runId'>,
): void => {
  for (const child of liveChildren(draft.run))
    draft.tells.push({ type: 'parent_amended', runId: child.runId, ...amendment });
};

export const pauseChildren = (draft: Draft, verb: 'pause' | 'resume'): void => {
  for (const child of liveChildren(draft.run)) draft.tells.push({ type: 'parent_pauses', runId: child.runId, verb });
};
