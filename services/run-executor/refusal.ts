import { emit } from '../platform/decision';
import { runKey } from './messages';
import type { MessageFate } from './state';

interface Of {
  readonly tenant: string;
  readonly app: string;
  readonly account: string;
  readonly conversationId: string;
  readonly parentRunId?: string | null;
  readonly continuationOfRunId?: string | null;
}

/** What a message is told that leaves no run of its own behind: nothing of a run is in it. */
export const refusalWithoutRun = (of: Of, runId: string, fate: MessageFate, id: string) =>
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
      targetRunId: null,
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
