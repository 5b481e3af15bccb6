import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { advance } from './advance';
import type { AgentOutcome } from './agents/agent';
import { keep, type Draft } from './draft';
import { sayAdoption, startEnding } from './ending';
import { journal } from './journal';
import type { Cause } from './state';
import { take, withhold } from './take';
import { checkOutput } from './turn-protocol/check-output';
import type { OpenTurn } from './turn-state';

/** First rest of an agent that could not answer; doubled up to the longest. */
const firstRetryMs = 1_000;

const maxRetryMs = 600_000;

/** The answer to the open turn, checked for number and epoch by the caller. */
export const takeAnswer = (draft: Draft, turn: OpenTurn, outcome: AgentOutcome): void => {
  switch (outcome.kind) {
    case 'aborted':
      return;
    case 'retry':
      return restAgent(
        draft,
        turn,
        outcome.reason === 'timeout' ? 'agent_timeout' : 'agent_unreachable',
        outcome.retryAfterMs ?? null,
      );
    case 'defect':
      return startEnding(draft, 'failed', 'defect', outcome.message);
    case 'malformed':
      return startEnding(
        draft,
        'failed',
        'malformed_output',
        outcome.field === undefined ? outcome.message : `${outcome.field}: ${outcome.message}`,
      );
    case 'output': {
      const { run } = draft;
      const checked = checkOutput(outcome.raw, {
        conversationId: run.conversationId,
        taskId: run.taskId,
        runId: run.runId,
        turn: turn.number,
        requirementsVersion: turn.version,
      });
      if (!checked.ok)
        return startEnding(
          draft,
          'failed',
          'malformed_output',
          `${checked.code} at ${checked.field}: ${checked.message}`,
          checked.code,
        );
      return commitTurn(draft, turn, checked.output);
    }
  }
};

/** Time-outs, connection errors, 429 and 5xx: the same sealed turn again, later; after the bound interrupted (R14). */
const restAgent = (draft: Draft, turn: OpenTurn, cause: Cause, retryAfterMs: number | null): void => {
  const { run, context } = draft;
  turn.firstFailureAt ??= context.now;
  if (context.now - turn.firstFailureAt >= run.retryMaxMs)
    return startEnding(draft, 'interrupted', cause, `turn ${turn.number} got no answer in ${turn.attempt} attempts`);
  const restMs = Math.min(maxRetryMs, Math.max(firstRetryMs * 2 ** Math.min(turn.attempt - 1, 16), retryAfterMs ?? 0));
  turn.retryAt = context.now + restMs;
  run.lease = null;
};

/** R11: one transaction per turn. What the turn was asked under an older version is sorted as R8 says. */
const commitTurn = (draft: Draft, turn: OpenTurn, output: TurnOutput): void => {
  const { run } = draft;
  const stale = turn.version < run.requirements.version;
  run.turn = null;
  run.lease = null;
  run.turns = turn.number;
  if (run.ofParent !== undefined && turn.parentVersion !== undefined)
    run.ofParent = { ...run.ofParent, committed: turn.parentVersion };
  run.changes = run.changes.slice(run.sealedChanges);
  run.sealedChanges = 0;
  run.transition = null;
  if (output.state !== undefined)
    run.agentState = { value: keep(draft, JSON.stringify(output.state ?? null)), version: turn.version };
  if (output.usage !== undefined && run.budget.costLeft !== null)
    run.budget.costLeft = Math.max(0, run.budget.costLeft - output.usage.cost);
  if (output.summary !== undefined) run.summary = keep(draft, output.summary);
  if (output.openQuestions !== undefined) run.openQuestions = output.openQuestions;
  if (output.understood !== undefined)
    for (const entry of run.requirements.history)
      if (entry.version === turn.version) entry.understood = output.understood;
  adopt(draft, turn);
  journal(draft, turn, output, stale);
  if (stale) withhold(draft, turn, output);
  else take(draft, turn, output);
  advance(draft);
};

/** The committed turn whose sealed input carried an answer is its adopter (H2). */
const adopt = (draft: Draft, turn: OpenTurn): void => {
  for (const question of draft.run.questions) {
    if (question.adoption !== 'pending' || !turn.answers.includes(question.interactionRef)) continue;
    question.adoption = 'adopted';
    sayAdoption(draft, question.interactionRef, question.revision, {
      status: 'adopted',
      reason: null,
      turn: turn.number,
      inputSha256: turn.inputSha256,
    });
  }
};
