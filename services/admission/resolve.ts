import type { Candidate, Progress, Relation } from '../../schemas/generated/records';
import { unreachable } from '../platform/decision';
import type { Code } from '../platform/errors';
import { activeRuns, candidatesOf, interruptible, parentFactsOf, progressOf } from './conversation';
import type { OnBusy } from './policy';
import { sparse } from './receipts';
import type { Command, Conversation, Outcome, RunFacts } from './state';
import type { Ids } from './submission';
import type { Submission } from './validate';

/** What is to become of an admissible submission. */
export type Plan =
  | {
      readonly does: 'refuse';
      readonly code: Code;
      readonly field: string | null;
      readonly detail: string;
      readonly candidates: readonly Candidate[];
    }
  | {
      readonly does: 'ask';
      readonly relation: Relation;
      readonly command: Command;
      readonly outcome: Partial<Outcome>;
      readonly run: RunFacts | null;
    }
  | { readonly does: 'report'; readonly targetRunId: string; readonly progress: Progress }
  | { readonly does: 'look'; readonly targetRunId: string };

export interface Surroundings {
  readonly ids: Ids;
  readonly conversation: Conversation;
  readonly onBusy: OnBusy;
  /** A run of this conversation by id, an ended one of long ago included. */
  readonly run: (runId: string) => RunFacts | undefined;
  /** The run that `targetClientMessageId` leads to, and the message it names; null when that field is not set. */
  readonly named: { readonly runId: string; readonly messageId: string } | null;
}

type StartValue = Extract<Command, { type: 'StartRun' }>['value'];

/** A run as admission knows it before the executor has said anything about it. */
const unborn = (ids: Pick<Ids, 'runId' | 'taskId'>, title: string | null): RunFacts => ({
  runId: ids.runId,
  taskId: ids.taskId,
  root: true,
  title,
  state: 'queued',
  cause: null,
  waitingFor: '[]',
  stateRevision: 0,
  requirementsVersion: 1,
  appliedVersion: 0,
  turns: 0,
  report: null,
});

const start = (
  submission: Submission,
  ids: Pick<Ids, 'runId' | 'taskId'>,
  relation: Relation,
  more: Partial<StartValue> = {},
): Plan => {
  const { agent, title, priority, scheduled, requirements } = submission;
  const value: StartValue = {
    ...sparse({ agent, title, priority: priority ?? 5, scheduled, requirements, ...more }),
    runId: ids.runId,
    taskId: ids.taskId,
    relation: relation.toLowerCase(),
  };
  return {
    does: 'ask',
    relation,
    command: { type: 'StartRun', value },
    outcome: {
      runId: ids.runId,
      taskId: ids.taskId,
      parentRunId: value.parentRunId ?? null,
      continuationOfRunId: value.continuationOfRunId ?? null,
    },
    run: { ...unborn(ids, title), ...(value.interruptRunId == null ? {} : { interrupts: value.interruptRunId }) },
  };
};

const amend = (
  submission: Submission,
  ids: Ids,
  target: { readonly runId: string; readonly messageId: string | null },
  expectedVersion: number,
): Plan => ({
  does: 'ask',
  relation: 'AMEND',
  command: {
    type: 'AmendRun',
    value: {
      targetRunId: target.runId,
      targetMessageId: target.messageId,
      expectedVersion,
      amendKind: submission.amendKind === 'REPLACE' ? 'replace' : 'supplement',
      requirements: submission.requirements,
      runId: ids.runId,
      taskId: ids.taskId,
    },
  },
  outcome: { targetRunId: target.runId },
  run: null,
});

/** A13, in one place. The target a policy chose is decided again by the executor. */
const unspecified = (submission: Submission, { ids, conversation, onBusy }: Surroundings): Plan => {
  const active = activeRuns(conversation);
  const only = active.length === 1 ? active[0] : undefined;
  if (active.length === 0) return start(submission, ids, 'NEW_TASK', { mode: 'queue' });
  const needsTarget = (detail: string): Plan => ({
    does: 'refuse',
    code: 'needs_target',
    field: 'relation',
    detail,
    candidates: candidatesOf(conversation),
  });
  switch (onBusy) {
    case 'ask':
      return needsTarget('this conversation has active runs; name the relation and the target');
    case 'reject':
      return {
        does: 'refuse',
        code: 'busy',
        field: null,
        detail: 'this conversation has an active run, and unspecified messages are not taken meanwhile',
        candidates: [],
      };
    case 'enqueue':
      return start(submission, ids, 'NEW_TASK', { mode: 'queue' });
    case 'parallel':
      return start(submission, ids, 'NEW_TASK', { mode: 'parallel' });
    case 'amend':
      return only !== undefined && submission.expectedVersion !== null
        ? amend(submission, ids, { runId: only.runId, messageId: null }, submission.expectedVersion)
        : needsTarget('an amendment by policy needs exactly one active run and an expectedVersion');
    case 'interrupt': {
      const old = interruptible(conversation);
      return old !== null
        ? start(submission, ids, 'NEW_TASK', { mode: 'queue', interruptRunId: old.runId })
        : needsTarget('an interrupt by policy needs exactly one active run that is not ending already');
    }
    default:
      return unreachable(onBusy);
  }
};

const control = (submission: Submission, around: Surroundings, targetRunId: string): Plan => {
  const verb = submission.control;
  if (verb === 'PROGRESS') {
    const run = around.run(targetRunId);
    return run === undefined
      ? { does: 'look', targetRunId }
      : { does: 'report', targetRunId, progress: progressOf(run) };
  }
  return {
    does: 'ask',
    relation: 'CONTROL',
    command: {
      type: 'ControlRun',
      value: {
        targetRunId,
        control: verb === 'PAUSE' ? 'pause' : verb === 'RESUME' ? 'resume' : 'cancel',
        namedByMessage: around.named !== null,
      },
    },
    outcome: { targetRunId },
    run: null,
  };
};

/** Stored as it is; which run it belongs to is decided by the owner of the runs, on their own record (A15). */
const entityEvent = (submission: Submission, { runId, taskId }: Ids): Plan => {
  const { entityType, entityId, eventKind, eventAt, correlationId, agent, priority } = submission;
  return {
    does: 'ask',
    relation: 'ENTITY_EVENT',
    command: {
      type: 'ObserveRun',
      value: {
        targetRunId: '',
        runId,
        taskId,
        kind: 'entity_event',
        ...{ entityType, entityId, eventKind, eventAt, correlationId, agent, priority },
      },
    },
    outcome: {},
    run: null,
  };
};

/** Each relation is a path of its own, and none is ever guessed from the words (A8). */
export const resolve = (submission: Submission, around: Surroundings): Plan => {
  const { ids, conversation, named } = around;
  const { relation } = submission;
  // The field table guarantees the fields that a relation needs; an empty text can only be a defect there.
  const targetRunId = named?.runId ?? submission.targetRunId ?? '';
  switch (relation) {
    case 'UNSPECIFIED':
      return unspecified(submission, around);
    case 'NEW_TASK':
      return start(submission, ids, relation, {
        mode: submission.mode === 'PARALLEL' ? 'parallel' : 'queue',
        dependsOnRunId: submission.dependsOnRunId,
        entityType: submission.entityType,
        entityId: submission.entityId,
      });
    case 'FOLLOW_UP':
      return start(submission, ids, relation, { mode: 'queue', parentRunId: submission.parentRunId });
    case 'CONTINUE': {
      const parent = around.run(submission.continuationOfRunId ?? '');
      return start(submission, { runId: ids.runId, taskId: parent?.taskId ?? ids.taskId }, relation, {
        mode: 'queue',
        continuationOfRunId: submission.continuationOfRunId,
        parentFacts: parentFactsOf(parent),
        interactionRef: submission.interactionRef,
        requestRevision: submission.requestRevision,
      });
    }
    case 'CLARIFICATION': {
      const interactionRef = submission.interactionRef ?? '';
      const question = conversation.questions.find((one) => one.interactionRef === interactionRef);
      return {
        does: 'ask',
        relation,
        command: {
          type: 'SubmitClarification',
          value: { interactionRef, requestRevision: submission.requestRevision ?? 0 },
        },
        outcome: { interactionRef, targetRunId: question?.runId ?? null },
        run: null,
      };
    }
    case 'AMEND':
      return amend(
        submission,
        ids,
        { runId: targetRunId, messageId: named?.messageId ?? null },
        submission.expectedVersion ?? 0,
      );
    case 'OBSERVE':
      return {
        does: 'ask',
        relation,
        command: {
          type: 'ObserveRun',
          value: { targetRunId, runId: ids.runId, taskId: ids.taskId, kind: 'observation' },
        },
        outcome: { targetRunId },
        run: null,
      };
    case 'CONTROL':
      return control(submission, around, targetRunId);
    case 'ENTITY_EVENT':
      return entityEvent(submission, ids);
    default:
      return unreachable(relation);
  }
};
