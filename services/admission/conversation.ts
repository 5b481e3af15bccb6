import type {
  Candidate,
  InteractionChanged,
  ParentFacts,
  Progress,
  RunStateChanged,
} from '../../schemas/generated/records';
import { isTerminal, type Conversation, type Question, type RunFacts } from './state';

/**
 * Beyond this many active runs the one longest unheard of is forgotten until its next event; the busy policy then
 * counts a few less of very many, which changes none of its answers.
 */
export const maxActive = 200;
export const maxEnded = 50;
const maxQuestions = 100;
const maxWaitingForCharacters = 4_000;
const maxCandidates = 20;

export const runIn = (conversation: Conversation, runId: string): RunFacts | undefined =>
  conversation.active.find((run) => run.runId === runId) ?? conversation.ended.find((run) => run.runId === runId);

export interface Changed {
  readonly conversation: Conversation;
  /** Ended runs that no longer fit; their last facts are kept aside. */
  readonly dropped: readonly RunFacts[];
}

const without = (runs: readonly RunFacts[], runId: string): RunFacts[] => runs.filter((run) => run.runId !== runId);

export const factsOf = (record: RunStateChanged): RunFacts => ({
  runId: record.runId,
  taskId: record.taskId,
  root: record.rootRunId === '' || record.rootRunId === record.runId,
  title: record.title,
  state: record.state,
  cause: record.cause,
  waitingFor: record.waitingFor.length > maxWaitingForCharacters ? '[]' : record.waitingFor,
  stateRevision: record.revision,
  requirementsVersion: record.requirementsVersion,
  appliedVersion: record.appliedVersion,
  turns: record.turns,
  report: record.report,
});

/** Null = nothing new: an equal or newer revision of the run is known. */
export const withRun = (conversation: Conversation, run: RunFacts): Changed | null => {
  const known = runIn(conversation, run.runId);
  if (known !== undefined && known.stateRevision >= run.stateRevision) return null;
  const active = without(conversation.active, run.runId);
  const ended = without(conversation.ended, run.runId);
  // Why it was started is admission's own knowledge; no event brings it back.
  const kept = known?.interrupts === undefined ? run : { ...run, interrupts: known.interrupts };
  (isTerminal(run.state) ? ended : active).push(kept);
  const over = Math.max(0, ended.length - maxEnded);
  return {
    conversation: { ...conversation, active: active.slice(-maxActive), ended: ended.slice(over) },
    dropped: ended.slice(0, over),
  };
};

/** A run that admission asked for and the executor refused never existed. */
export const withoutUnborn = (conversation: Conversation, runId: string): Conversation | null => {
  const known = conversation.active.find((run) => run.runId === runId);
  return known === undefined || known.stateRevision > 0
    ? null
    : { ...conversation, active: without(conversation.active, runId) };
};

export const withQuestion = (conversation: Conversation, record: InteractionChanged): Conversation | null => {
  const known = conversation.questions.find((question) => question.interactionRef === record.interactionRef);
  if (known !== undefined && known.revision >= record.revision) return null;
  const question: Question = {
    interactionRef: record.interactionRef,
    requestRevision: record.requestRevision,
    runId: record.runId,
    revision: record.revision,
    open: record.state === 'open',
  };
  const questions = conversation.questions.filter((one) => one !== known);
  // Closed ones stay a while, so that an old record cannot make them look open again.
  return { ...conversation, questions: [...questions, question].slice(-maxQuestions) };
};

/** Active = not terminal, what admission has just started included; children belong to their root (A13). */
export const activeRuns = (conversation: Conversation): RunFacts[] => conversation.active.filter((run) => run.root);

/**
 * The run that an interrupt is about. One that is being cancelled already, or was interrupted before, is on its way out:
 * the one that waits for its end is meant then. Null: several stay, and which is meant has to be said (A13).
 */
export const interruptible = (conversation: Conversation): RunFacts | null => {
  const active = activeRuns(conversation);
  const all = [...conversation.active, ...conversation.ended];
  const leaving = new Set(all.flatMap(({ interrupts }) => interrupts ?? []));
  const staying = active.filter((run) => run.state !== 'cancelling' && !leaving.has(run.runId));
  if (staying.length > 1) return null;
  return staying[0] ?? active.at(-1) ?? null;
};

export const candidatesOf = (conversation: Conversation): Candidate[] =>
  activeRuns(conversation)
    .slice(-maxCandidates)
    .map((run) => {
      const question = conversation.questions.findLast((one) => one.open && one.runId === run.runId);
      return {
        runId: run.runId,
        taskId: run.taskId,
        title: run.title,
        state: run.state,
        requirementsVersion: run.requirementsVersion,
        interactionRef: question?.interactionRef ?? null,
        requestRevision: question?.requestRevision ?? null,
      };
    });

export const progressOf = (run: RunFacts): Progress => ({
  state: run.state,
  waitingFor: run.waitingFor,
  requirementsVersion: run.requirementsVersion,
  appliedVersion: run.appliedVersion,
  turns: run.turns,
  lastPublished: run.report,
});

/** Null where the executor has not told anything yet: there is no fact to contradict (A11). */
export const parentFactsOf = (run: RunFacts | undefined): ParentFacts | null =>
  run === undefined || run.stateRevision === 0
    ? null
    : {
        state: run.state,
        cause: run.cause,
        stateRevision: run.stateRevision,
        requirementsVersion: run.requirementsVersion,
        reportSha256: run.report?.sha256 ?? null,
      };
