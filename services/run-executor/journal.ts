import type { TurnOutput } from '../../schemas/turn-protocol/output';
import { emit } from '../platform/decision';
import { ofRun, type Draft } from './draft';
import { runKey } from './messages';
import { proposalIdOf } from './proposals';
import type { OpenTurn } from './turn-state';

interface Entry {
  readonly outcome: string;
  readonly toolCalls: readonly { readonly callId: string; readonly tool: string }[];
  readonly actions: readonly string[];
  readonly asks: readonly string[];
  readonly understood: string | null;
  readonly detail: string | null;
}

const write = (draft: Draft, turn: OpenTurn, { outcome, ...doc }: Entry): void =>
  void draft.rows.push({
    table: 'turns',
    values: {
      run_id: draft.run.runId,
      number: turn.number,
      attempts: turn.attempt,
      requirements_version: turn.version,
      input_sha256: turn.inputSha256,
      outcome,
      doc: JSON.stringify(doc),
      started_at: new Date(turn.sealedAt),
      ended_at: new Date(draft.context.now),
    },
  });

/** A committed turn, in the journal and told to all. */
export const journal = (draft: Draft, turn: OpenTurn, output: TurnOutput, stale: boolean): void => {
  const { run, context } = draft;
  const outcome = stale
    ? 'superseded'
    : output.report !== undefined
      ? 'report'
      : output.fail !== undefined
        ? 'fail'
        : 'continue';
  const toolCalls = (output.toolCalls ?? []).map(({ callId, tool }) => ({ callId, tool }));
  const actions = (output.actions ?? []).map((action, index) => proposalIdOf(action, turn.number, index));
  const questions = (output.ask ?? []).map((one) => one.questionId);
  const understood = output.understood ?? null;
  write(draft, turn, { outcome, toolCalls, actions, asks: questions, understood, detail: null });
  draft.emits.push(
    emit(runKey(run.runId), 'run.events.v1', 'TurnCommitted', run.conversationId, {
      ...ofRun(draft),
      turn: turn.number,
      attempts: turn.attempt,
      requirementsVersion: turn.version,
      inputSha256: turn.inputSha256,
      outcome,
      toolCalls,
      actions,
      questions,
      understood,
      startedAt: turn.sealedAt,
      endedAt: context.now,
      stale,
    }),
  );
};

/** A turn that ended without a commit: its run ended over it. A reader finds why beside what was asked (R20). */
export const journalUncommitted = (draft: Draft, turn: OpenTurn, outcome: string, detail: string | null): void =>
  write(draft, turn, { outcome, toolCalls: [], actions: [], asks: [], understood: null, detail });
