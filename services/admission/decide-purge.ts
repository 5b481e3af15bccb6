import type { ContentPurged } from '../../schemas/generated/records';
import { emit, type Context, type View } from '../platform/decision';
import { purgeRow, type Purge } from '../platform/purges';
import { conversationAt, conversationKey, messageAt, messageKey, type Outcome } from './messages';
import type { RunFacts } from './state';
import { conversationId } from './submission';

const purgesTopic = 'content.purges.v1';

/** A message whose owner has decided loses its words; identity, fingerprint, hash and receipt stay (A2, A6). */
export const purgeMessage = (
  view: View,
  { messageId, reason }: { readonly messageId: string; readonly reason: 'age' | 'request' },
  context: Context,
): Outcome => {
  const known = messageAt(view, messageId);
  if (known?.status !== 'decided' || known.purgedAt !== undefined) return {};
  const key = messageKey(messageId);
  const { effectiveRequirements: _texts, candidates: _titles, ...receipt } = known.receipt;
  const purge: Purge = {
    tenant: known.tenant,
    account: known.account,
    conversationId: known.conversationId,
    taskId: null,
    runId: null,
    messageId,
    before: context.now,
    documents: [],
  };
  return {
    put: [{ key, state: { ...known, receipt, purgedAt: context.now } }],
    emit: [
      emit(key, purgesTopic, 'ContentPurged', known.conversationId, {
        ...purge,
        app: known.app,
        reason,
        revision: view.revision('message', messageId) + 1,
      }),
    ],
  };
};

const untitled = (runs: readonly RunFacts[], runId: string): readonly RunFacts[] =>
  runs.map((run) => (run.runId === runId ? { ...run, title: null } : run));

/** Its own announcements come back here too, and have been carried out by then. */
export const decidePurged = (view: View, record: ContentPurged): Outcome => {
  if (record.messageId !== null) return {};
  const rows = [purgeRow(record)];
  if (record.runId === null) return { rows };
  const id = conversationId(record.tenant, record.account, record.conversationId);
  const { active, ended, questions } = conversationAt(view, id);
  return view.revision('conversation', id) === 0
    ? { rows }
    : {
        rows,
        put: [
          {
            key: conversationKey(id),
            state: { active: untitled(active, record.runId), ended: untitled(ended, record.runId), questions },
          },
        ],
      };
};
