import { emit, type Context, type Decision, type Emit } from '../platform/decision';
import { newFate, type Intent } from './draft';
import { runKey, type Message } from './messages';
import type { MessageFate } from './requirements-state';
import type { RefusedStart } from './state';

interface Of {
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly conversationId: string;
  readonly parentRunId?: string | null;
  readonly continuationOfRunId?: string | null;
}

/** A message that would have made a run. */
interface Request extends Of {
  readonly runId: string;
  readonly messageId: string;
  readonly clientMessageId: string;
  readonly attempt: number;
}

export interface Reason {
  readonly code: string;
  readonly field: string;
  readonly detail: string;
}

export const sayWithoutRun = (of: Request, fate: MessageFate, targetRunId: string | null = null): Emit =>
  refusalWithoutRun(of, of.runId, fate, `${of.messageId}/fate/1/attempt/${of.attempt}`, targetRunId);

/** A refusal that leaves no run behind, only itself: what it rests on may change, the answer to this message may not. */
export const refuse = (of: Request, reason: Reason, context: Context): Decision<Message, Intent> => {
  const { runId, tenant, app, account, conversationId } = of;
  const fate = newFate(of, { status: 'refused', ...reason });
  const state: RefusedStart = {
    status: 'refused',
    runId,
    tenant,
    app,
    account,
    conversationId,
    fate,
    at: context.now,
  };
  return { put: [{ key: runKey(runId), state }], emit: [sayWithoutRun(of, fate)] };
};

/** What a message is told that leaves no run of its own behind: nothing of a run is in it. */
export const refusalWithoutRun = (
  of: Of,
  runId: string,
  fate: MessageFate,
  id: string,
  targetRunId: string | null = null,
): Emit =>
  emit(
    runKey(runId),
    'run.events.v1',
    'MessageDecided',
    of.conversationId,
    {
      tenant: of.tenant,
      app: of.app,
      account: of.account,
      conversationId: of.conversationId,
      messageId: fate.messageId,
      clientMessageId: fate.clientMessageId,
      revision: fate.revision,
      status: fate.status,
      runId: null,
      taskId: null,
      targetRunId,
      parentRunId: of.parentRunId ?? null,
      continuationOfRunId: of.continuationOfRunId ?? null,
      requirementsVersion: null,
      effectiveRequirements: null,
      interactionRef: null,
      requestRevision: null,
      adoption: null,
      result: null,
      code: fate.code,
      field: fate.field,
      detail: fate.detail,
      candidates: [],
    },
    id,
  );
